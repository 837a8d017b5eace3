"""The text and the HTML of an element, as an article keeps them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from copy import deepcopy
from typing import Any

from lxml import etree, html

from forest_scrapy.core.document.tree import is_block, is_ignored, parse_html

__all__ = ["CAPTION", "block_text", "strip_markup", "subtree_html"]

#: What no article keeps: code, fallbacks for browsers without it, comments.
_UNSEEN = (
    "script", "style", "noscript", "template", etree.Comment, etree.ProcessingInstruction,
)  # fmt: skip
#: Where a picture keeps its caption when that is no text of the article.
CAPTION = "data-caption"
_SPACES = re.compile(r"\s+")
_LINE_ENDS = re.compile(r"\r\n|\r|\n")


def block_text(element: Any, without: Collection[Any] = ()) -> str:
    """The visible text below the element, one line a block; preformatted text keeps its lines.
    Elements in ``without`` are left out, the text after them stays.

    >>> block_text(html.fromstring("<div><p>One <b>two</b></p>three<br>four</div>"))
    'One two\\nthree\\nfour'
    """
    lines: list[str] = []
    line: list[tuple[str, bool]] = []
    for piece in _pieces(element, without):
        if piece is None:
            _end_line(lines, line)
        else:
            line.append(piece)
    _end_line(lines, line)
    return "\n".join(lines)


def _end_line(lines: list[str], line: list[tuple[str, bool]]) -> None:
    text = "".join(piece for piece, _ in line).rstrip()
    if line and not line[0][1]:  # a preformatted line keeps its indentation
        text = text.lstrip()
    line.clear()
    if text.strip():
        lines.append(text)


def _pieces(root: Any, without: Collection[Any]) -> Iterator[tuple[str, bool] | None]:
    """Pieces of text in document order, and whether they are preformatted; None where a line
    ends.  Iterative."""
    stack: list[tuple[Any, bool, bool]] = [(root, False, False)]
    while stack:
        element, ended, keep = stack.pop()
        if ended:
            if is_block(element):
                yield None
            if element is not root:
                yield from _words(element.tail, keep)
            continue
        if is_ignored(element) or element in without:
            if is_block(element):
                yield None
            if element is not root:
                yield from _words(element.tail, keep)
            continue
        if is_block(element):
            yield None
        inside = keep or element.tag == "pre"
        yield from _words(element.text, inside)
        stack.append((element, True, keep))
        stack.extend((child, False, inside) for child in reversed(element))


def _words(text: str | None, keep: bool) -> Iterator[tuple[str, bool] | None]:
    if not text:
        return
    if not keep:
        yield _SPACES.sub(" ", text), False
        return
    for i, line in enumerate(_LINE_ENDS.split(text)):
        if i:
            yield None
        if line:
            yield line, True


def subtree_html(element: Any, without: Collection[Any] = ()) -> str:
    """The element as HTML, without scripts, styles and comments, and without the elements
    named; works on a copy.

    Of a figure among these the pictures stay: they have no text.  Its caption is then an
    attribute of theirs.
    """
    places = [i for i, inner in enumerate(element.iter()) if inner in without] if without else []
    copy = deepcopy(element)
    copy.tail = None
    inside = list(copy.iter()) if places else []
    for place in reversed(places):
        if place and inside[place].getparent() is not None:
            _drop(inside[place])
    etree.strip_elements(copy, *_UNSEEN, with_tail=False)
    return str(html.tostring(copy, encoding="unicode"))


def _drop(element: Any) -> None:
    """Take the element out, but for the pictures of a figure; lines end where they did."""
    figure = element if element.tag == "figure" else next(element.iterancestors("figure"), None)
    pictures = list(element.iter("img")) if figure is not None else []
    if figure is not None:
        caption = " ".join(" ".join(map(block_text, figure.iter("figcaption"))).split())
        for picture in figure.iter("img"):
            if caption and not picture.get(CAPTION):
                picture.set(CAPTION, caption)
    if pictures or (is_block(element) and (element.tail or "").strip()):
        rest = etree.Element("figure" if pictures else "br")
        element.addprevious(rest)
        for picture in pictures:
            picture.tail = None
            rest.append(picture)
    element.drop_tree()


def strip_markup(text: str) -> str:
    """The text of an HTML fragment on one line; plain text stays as it is.

    >>> strip_markup("<p>Fish &amp; <b>chips</b></p>"), strip_markup(" a  b ")
    ('Fish & chips', 'a b')
    """
    if "<" not in text and "&" not in text:
        return _SPACES.sub(" ", text).strip()
    return _SPACES.sub(" ", block_text(parse_html(f"<div>{text}</div>"))).strip()
