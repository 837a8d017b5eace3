"""The article's text from other places than the page's elements: the data for its scripts, and its
feed entry."""

import json
import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

from forest_scrapy.core.page.content import NO_CONTENT, Content, text_content
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.declared import Declared, as_list
from forest_scrapy.core.page.language import ngrams, split_words
from forest_scrapy.core.page.page import Entry
from forest_scrapy.core.page.tree import parse_html

#: Longer scripts are ignored, and values after these (hostile pages).
_LARGEST_SCRIPT, _MOST_VALUES = 2_000_000, 100_000
#: Characters of the shortest text; the share of words in common from which two titles are the same.
#: Not tuned.
_SHORTEST, _SAME_TITLE = 400, 0.6
#: Objects within the one with the article's title that may have its text.
_DEEPEST = 3


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
    bodies = [node.get("articleBody") for node in declared.nodes]
    texts = [body for body in bodies if isinstance(body, str) and len(body) >= _SHORTEST]
    texts = texts or list(_find_texts(declared))
    contents = [_read(text, base) for text in texts]
    return max(contents, key=lambda content: len(content.text), default=NO_CONTENT)


def _find_texts(declared: Declared) -> Iterator[str]:
    """The long texts in objects with the page's title."""
    title = set(split_words(declared.title))
    for script in declared.head["script"]:
        text = script.text or ""
        if len(text) <= _LARGEST_SCRIPT:
            yield from _search(_parse(text), title)


def _search(value: Any, title: set[str]) -> Iterator[str]:
    waiting: list[tuple[Any, int]] = [(value, 0)]  # with the number of objects that may follow
    for _ in range(_MOST_VALUES):
        if not waiting:
            return
        one, left = waiting.pop()
        if isinstance(one, Mapping):
            left = _DEEPEST if any(_is_title(v, title) for v in one.values()) else left - 1
            waiting += [(inner, left) for inner in one.values()]
        elif isinstance(one, list):
            waiting += [(inner, left) for inner in one]
        elif isinstance(one, str) and len(one) >= _SHORTEST and left > 0:
            yield one


def _is_title(value: Any, title: set[str]) -> bool:
    if not isinstance(value, str) or len(value) > _SHORTEST:
        return False
    words = set(split_words(value))
    return len(words & title) >= _SAME_TITLE * max(len(words), len(title), 1)


def _parse(text: str) -> Any:
    """The first object of a script that is JSON, or that assigns an object or calls a function
    with one; None if there is none."""
    start = text.find("{")
    try:
        return json.JSONDecoder().raw_decode(text, start)[0] if start >= 0 else None
    except (ValueError, RecursionError):
        return None  # not JSON


def _read(text: str, base: str) -> Content:
    return read_content(parse_html(f"<div>{text}</div>"), base=base)


#: Words in a shingle.
_SHINGLE = 4
#: The mark of a text that was cut off, and the number of characters at the end in which it is
#: searched: "... Continue reading".
_CUT_OFF, _END = re.compile(r"\.\.\.|…"), 80
#: How many times the words of the visible text a declared one has that is taken instead, and how
#: many more; and the share of the visible text's shingles that it has.  Not tuned.
_MIN_LONGER, _MIN_MORE_WORDS, _MIN_CONTAINED = 1.5, 60, 0.8
#: The start of the declared text that has the visible one, in the length of that: what is longer
#: only since it has captions and boxes in between has the last sentence at its end.
_MAX_TEASER = 1.3
_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)


def read_longer_body(declared: Declared, base: str, visible: str) -> Content | None:
    """The ``articleBody`` of the page's article if it begins with the ``visible`` text and has far
    more, as where only a teaser is shown; else None.

    >>> page = {"@type": "Article", "articleBody": "Owls hunt.\\nThey " + 80 * "fly and "}
    >>> root = parse_html(f"<script type=application/ld+json>{json.dumps(page)}</script>")
    >>> content = read_longer_body(Declared(root), "", "Owls hunt.")
    >>> content.text[:15] if content else None
    'Owls hunt.\\nThey'
    """
    body = next((one for one in as_list(declared.article.get("articleBody")) if one), "")
    if not isinstance(body, str) or len(body) <= len(visible):
        return None
    is_markup = _TAG.search(body) is not None
    content = _read(body, base) if is_markup else text_content(unescape(body))
    words = split_words(content.text)
    visible_words = split_words(visible)
    least = max(_MIN_LONGER * len(visible_words), len(visible_words) + _MIN_MORE_WORDS)
    if len(words) < least or _CUT_OFF.search(content.text[-_END:]):
        return None
    size = min(_SHINGLE, len(visible_words))
    shown = set(ngrams(visible_words, size))
    start = words[: int(_MAX_TEASER * len(visible_words)) + size]
    contained = len(shown & set(ngrams(start, size)))
    return content if contained >= _MIN_CONTAINED * len(shown) > 0 else None


#: Words of the shortest full text.  Not tuned.
_FEWEST_WORDS = 50
#: The share of the full text's shingles, and the number of them, above which the page lacks a good
#: part of it.  Feeds add a line or two of their own ("The post ... appeared first on ...").  Not
#: tuned.
_MOST_MISSING, _FEW_SHINGLES = 0.2, 40


def read_full_text(entry: Entry, base: str) -> Content:
    """The content of the full text of an entry, with URLs joined to ``base``; empty if there is
    none.

    >>> read_full_text(Entry(content="<p>Owls<script>x</script>"), "").text
    'Owls'
    """
    return read_content(parse_html(f"<div>{entry.content}</div>"), base=base)


def read_entry(entry: Entry, base: str) -> Content:
    """The content of an entry's full text; of its description, or title, if it has none."""
    full = read_full_text(entry, base)
    return full if full.text else text_content(entry.description or entry.title)


def is_better(full: str, found: str) -> bool:
    """Whether the full text of an entry is better than the text that was found on its page: it
    is not cut off, not the shorter one, and the page lacks a good part of it.

    If the page has the full text and more, the page's text is taken: feeds leave out parts
    without saying so.
    """
    words, page_words = split_words(full), split_words(found)
    if len(words) < max(_FEWEST_WORDS, len(page_words)) or _CUT_OFF.search(full[-_END:]):
        return False
    wanted = set(ngrams(words, _SHINGLE))
    missing = len(wanted - set(ngrams(page_words, _SHINGLE)))
    return missing > max(_MOST_MISSING * len(wanted), _FEW_SHINGLES)
