"""The article's text from other places than the page's elements: the data for its scripts, and its
feed entry."""

import json
import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any, TypeGuard

from forest_scrapy.core.page.content import NO_CONTENT, Content, text_content
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.declared import Declared, as_list
from forest_scrapy.core.page.entry import Entry
from forest_scrapy.core.page.language import ngrams, split_words
from forest_scrapy.core.page.tree import parse_html

#: Characters of the longest script that is read.
_MAX_SCRIPT_LENGTH = 2_000_000
#: Values of a script that are looked at (hostile pages).
_MAX_VALUES = 100_000
#: Characters of the shortest text.  Not tuned.
_MIN_LENGTH = 400
#: The share of words in common from which two titles are the same.  Not tuned.
_MIN_TITLE_OVERLAP = 0.6
#: Objects in each other, below one with the article's title, that may have its text.
_MAX_DEPTH = 3

#: Words in a shingle.
_SHINGLE = 4
#: The mark of a text that was cut off: "... Continue reading".
_CUT_OFF = re.compile(r"\.\.\.|…")
#: Characters at the end of a text in which the mark is searched.
_END_LENGTH = 80
#: How many times the words of the visible text a declared one has that is taken instead, and how
#: many more.  Not tuned.
_MIN_RATIO = 1.5
_MIN_MORE_WORDS = 60
#: The share of the visible text's shingles that the declared text has.  Not tuned.
_MIN_CONTAINED = 0.8
#: The start of the declared text that has the visible one, in the length of that: what is longer
#: only since it has captions and boxes in between has the last sentence at its end.
_MAX_TEASER = 1.3
_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)

#: Words of the shortest full text of an entry.  Not tuned.
_MIN_FULL_WORDS = 50
#: The share of the full text's shingles, and the number of them, above which the page lacks a good
#: part of it.  Feeds add a line or two of their own ("The post ... appeared first on ...").  Not
#: tuned.
_MAX_MISSING_SHARE = 0.2
_MAX_MISSING_SHINGLES = 40


def read_page_data(declared: Declared, base: str) -> Content:
    """The ``articleBody`` of the page's JSON-LD; else the longest text in an object of its scripts
    that has the page's title, or is in such an object.  Empty if there is none.

    ``base``: what relative URLs are joined to.  Cost: reading the scripts; use it only for pages
    without visible text.

    >>> data = '{"post": {"title": "Owls at night", "html": "<p>' + 80 * "Owls. " + '</p>"}}'
    >>> root = parse_html(f"<title>Owls at night</title><script type=application/json>{data}")
    >>> read_page_data(Declared(root), "").text[:12]
    'Owls. Owls. '
    """
    texts: list[str] = []
    for node in declared.nodes:
        body = node.get("articleBody")
        if _is_long_text(body):
            texts.append(body)
    if not texts:
        texts = list(_find_texts(declared))
    contents = [_read_markup(text, base) for text in texts]
    return max(contents, key=lambda content: len(content.text), default=NO_CONTENT)


def _find_texts(declared: Declared) -> Iterator[str]:
    """The long texts in objects with the page's title."""
    title_words = set(split_words(declared.title))
    for script in declared.head["script"]:
        code = script.text or ""
        if len(code) > _MAX_SCRIPT_LENGTH:
            continue
        data = _parse_object(code)
        yield from _find_in_data(data, title_words)


def _find_in_data(data: Any, title_words: set[str]) -> Iterator[str]:
    """The long texts in an object with the title, or in an object close below one."""
    # Values, with the number of objects in each other that may follow.
    waiting: list[tuple[Any, int]] = [(data, 0)]
    for _ in range(_MAX_VALUES):
        if not waiting:
            return
        value, depth = waiting.pop()
        if isinstance(value, Mapping):
            members = list(value.values())
            has_title = any(_is_title(member, title_words) for member in members)
            if has_title:
                depth = _MAX_DEPTH
            else:
                depth -= 1
            waiting += [(member, depth) for member in members]
        elif isinstance(value, list):
            waiting += [(member, depth) for member in value]
        elif depth > 0 and _is_long_text(value):
            yield value


def _is_long_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) >= _MIN_LENGTH


def _is_title(value: Any, title_words: set[str]) -> bool:
    if not isinstance(value, str) or len(value) > _MIN_LENGTH:
        return False
    words = set(split_words(value))
    shared = words & title_words
    longer = max(len(words), len(title_words), 1)
    min_shared = _MIN_TITLE_OVERLAP * longer
    return len(shared) >= min_shared


def _parse_object(code: str) -> Any:
    """The first object of a script that is JSON, or that assigns an object or calls a function
    with one; None if there is none."""
    start = code.find("{")
    if start < 0:
        return None
    try:
        decoder = json.JSONDecoder()
        data, _ = decoder.raw_decode(code, start)
    except (ValueError, RecursionError):
        return None  # not JSON
    return data


def _read_markup(markup: str, base: str) -> Content:
    root = parse_html(f"<div>{markup}</div>")
    return read_content(root, base=base)


def read_longer_body(
    declared: Declared,
    base: str,
    visible: str,
) -> Content | None:
    """The ``articleBody`` of the page's article if it begins with the ``visible`` text and has far
    more, as where only a teaser is shown; else None.

    >>> page = {"@type": "Article", "articleBody": "Owls hunt.\\nThey " + 80 * "fly and "}
    >>> root = parse_html(f"<script type=application/ld+json>{json.dumps(page)}</script>")
    >>> content = read_longer_body(Declared(root), "", "Owls hunt.")
    >>> content.text[:15] if content else None
    'Owls hunt.\\nThey'
    """
    values = as_list(declared.article.get("articleBody"))
    bodies = [value for value in values if value]
    body = bodies[0] if bodies else ""
    if not isinstance(body, str) or len(body) <= len(visible):
        return None
    is_markup = _TAG.search(body) is not None
    content = _read_markup(body, base) if is_markup else text_content(unescape(body))

    words = split_words(content.text)
    visible_words = split_words(visible)
    visible_count = len(visible_words)
    is_longer = len(words) >= _MIN_RATIO * visible_count
    has_more_words = len(words) >= visible_count + _MIN_MORE_WORDS
    if not is_longer or not has_more_words:
        return None
    if _is_cut_off(content.text):
        return None

    shingle_size = min(_SHINGLE, visible_count)
    visible_shingles = set(ngrams(visible_words, shingle_size))
    start_length = int(_MAX_TEASER * visible_count) + shingle_size
    start = words[:start_length]
    start_shingles = ngrams(start, shingle_size)
    contained = visible_shingles.intersection(start_shingles)
    min_contained = _MIN_CONTAINED * len(visible_shingles)
    is_contained = len(contained) >= min_contained > 0
    return content if is_contained else None


def _is_cut_off(text: str) -> bool:
    end = text[-_END_LENGTH:]
    return _CUT_OFF.search(end) is not None


def read_full_text(entry: Entry, base: str) -> Content:
    """The content of the full text of an entry, with URLs joined to ``base``; empty if there is
    none.

    >>> read_full_text(Entry(content="<p>Owls<script>x</script>"), "").text
    'Owls'
    """
    return _read_markup(entry.content, base)


def read_entry(entry: Entry, base: str) -> Content:
    """The content of an entry's full text; of its description, or title, if it has none."""
    full = read_full_text(entry, base)
    if full.text:
        return full
    words = entry.description or entry.title
    return text_content(words)


def is_better(full_text: str, page_text: str) -> bool:
    """Whether the full text of an entry is better than the text that was found on its page: it
    is not cut off, not the shorter one, and the page lacks a good part of it.

    If the page has the full text and more, the page's text is taken: feeds leave out parts
    without saying so.
    """
    words = split_words(full_text)
    page_words = split_words(page_text)
    min_words = max(_MIN_FULL_WORDS, len(page_words))
    if len(words) < min_words or _is_cut_off(full_text):
        return False
    shingles = set(ngrams(words, _SHINGLE))
    page_shingles = ngrams(page_words, _SHINGLE)
    missing = shingles.difference(page_shingles)
    max_share = _MAX_MISSING_SHARE * len(shingles)
    max_missing = max(max_share, _MAX_MISSING_SHINGLES)
    return len(missing) > max_missing
