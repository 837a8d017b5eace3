"""The text and the HTML of an element, as an article keeps them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from lxml import etree, html

from forest_scrapy.core.tree import is_ignored

__all__ = ["block_text", "is_block", "strip_markup", "subtree_html"]

#: Elements that do not break a line (HTML's phrasing content); all others do.
_INLINE = frozenset(
    (
        "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr "
        "picture q rp rt ruby s samp small source span strike strong sub sup time track tt u var "
        "wbr button input output meter progress"
    ).split()
)
#: What no article keeps: code, fallbacks for browsers without it, comments.
_UNSEEN = (
    "script", "style", "noscript", "template", etree.Comment, etree.ProcessingInstruction,
)  # fmt: skip
_SPACES = re.compile(r"\s+")


def is_block(element: Any) -> bool:
    """Whether the element starts a new line."""
    return isinstance(element.tag, str) and element.tag not in _INLINE


def block_text(element: Any) -> str:
    """The visible text below the element, one line a block; preformatted text keeps its lines.

    >>> block_text(html.fromstring("<div><p>One <b>two</b></p>three<br>four</div>"))
    'One two\\nthree\\nfour'
    """
    lines: list[str] = []
    line: list[str] = []
    for piece in _pieces(element):
        if piece is None:
            _end_line(lines, line)
        else:
            line.append(piece)
    _end_line(lines, line)
    return "\n".join(lines)


def _end_line(lines: list[str], line: list[str]) -> None:
    text = "".join(line).strip()
    line.clear()
    if text:
        lines.append(text)


def _pieces(root: Any) -> Iterator[str | None]:
    """Pieces of text in document order, None where a line ends; iterative."""
    stack: list[tuple[Any, bool, bool]] = [(root, False, False)]
    while stack:
        element, ended, keep = stack.pop()
        if ended:
            if is_block(element):
                yield None
            if element is not root:
                yield from _words(element.tail, keep)
            continue
        if is_ignored(element):
            if element is not root:
                yield from _words(element.tail, keep)
            continue
        if is_block(element):
            yield None
        inside = keep or element.tag == "pre"
        yield from _words(element.text, inside)
        stack.append((element, True, keep))
        stack.extend((child, False, inside) for child in reversed(element))


def _words(text: str | None, keep: bool) -> Iterator[str | None]:
    if not text:
        return
    if not keep:
        yield _SPACES.sub(" ", text)
        return
    for i, line in enumerate(text.splitlines()):
        if i:
            yield None
        yield line


def subtree_html(element: Any) -> str:
    """The element as HTML, without scripts, styles and comments; works on a copy."""
    copy = deepcopy(element)
    copy.tail = None
    etree.strip_elements(copy, *_UNSEEN, with_tail=False)
    return str(html.tostring(copy, encoding="unicode"))


def strip_markup(text: str) -> str:
    """The text of an HTML fragment on one line; plain text stays as it is.

    >>> strip_markup("<p>Fish &amp; <b>chips</b></p>"), strip_markup(" a  b ")
    ('Fish & chips', 'a b')
    """
    if "<" not in text and "&" not in text:
        return _SPACES.sub(" ", text).strip()
    try:
        root = html.fromstring(f"<div>{text}</div>")
    except (etree.ParserError, ValueError):
        return _SPACES.sub(" ", text).strip()
    return _SPACES.sub(" ", block_text(root)).strip()
