"""The article's text in the data that a page has for its scripts, for pages that a script fills."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from forest_scrapy.core.document.content import NO_CONTENT, Content
from forest_scrapy.core.document.content_walk import read_content
from forest_scrapy.core.document.declared import Declared
from forest_scrapy.core.document.terms import split_words
from forest_scrapy.core.document.tree import parse_html

__all__ = ["read_page_data"]

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
