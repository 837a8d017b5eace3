"""The text and the HTML of an element, as an article keeps them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from copy import deepcopy

from lxml import etree, html

from forest_scrapy.core.document.tree import Element, is_block, is_ignored, parse_html

__all__ = ["CAPTION", "block_text", "strip_markup", "subtree_html"]

#: Never part of an article: code, what browsers show without it, comments.
_UNSEEN = (
    "script", "style", "noscript", "template", etree.Comment, etree.ProcessingInstruction,
)  # fmt: skip
#: The attribute of an image for a caption that is not part of the article's text.
CAPTION = "data-caption"
_SPACES = re.compile(r"\s+")
_LINE_ENDS = re.compile(r"\r\n|\r|\n")


def block_text(element: Element, without: Collection[Element] = ()) -> str:
    """The visible text below the element, one line per block; preformatted text keeps its lines.
    Elements in ``without`` are left out, but not the text after them.

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


def _pieces(root: Element, without: Collection[Element]) -> Iterator[tuple[str, bool] | None]:
    """Pieces of text in document order, each with whether it is preformatted; None for the end
    of a line."""
    stack = [(root, False, False)]
    while stack:
        element, ended, is_preformatted = stack.pop()
        if is_block(element):
            yield None
        if ended or is_ignored(element) or element in without:
            if element is not root:
                yield from _words(element.tail, is_preformatted)
            continue
        inside = is_preformatted or element.tag == "pre"
        yield from _words(element.text, inside)
        stack.append((element, True, is_preformatted))
        stack.extend((child, False, inside) for child in reversed(element))


def _words(text: str | None, is_preformatted: bool) -> Iterator[tuple[str, bool] | None]:
    if not text:
        return
    if not is_preformatted:
        yield _SPACES.sub(" ", text), False
        return
    for i, line in enumerate(_LINE_ENDS.split(text)):
        if i:
            yield None
        if line:
            yield line, True


def subtree_html(element: Element, without: Collection[Element] = ()) -> str:
    """The element as HTML, without scripts, styles, comments and the elements in ``without``.
    Works on a copy.

    If an element to leave out is a figure or inside one, its images are kept: they have no
    text.  The caption becomes an attribute of the images.
    """
    left_out = [i for i, inner in enumerate(element.iter()) if inner in without] if without else []
    copy = deepcopy(element)
    copy.tail = None
    copied = list(copy.iter()) if left_out else []
    for index in reversed(left_out):
        if index and copied[index].getparent() is not None:
            _drop(copied[index])
    etree.strip_elements(copy, *_UNSEEN, with_tail=False)
    return html.tostring(copy, encoding="unicode")


def _drop(element: Element) -> None:
    """Remove the element, except the images of a figure; the text after a block stays on a line
    of its own."""
    figure = element if element.tag == "figure" else next(element.iterancestors("figure"), None)
    images = list(element.iter("img")) if figure is not None else []
    if figure is not None:
        caption = " ".join(" ".join(map(block_text, figure.iter("figcaption"))).split())
        for image in figure.iter("img"):
            if caption and not image.get(CAPTION):
                image.set(CAPTION, caption)
    if images or (is_block(element) and (element.tail or "").strip()):
        rest = html.Element("figure" if images else "br")
        element.addprevious(rest)
        for image in images:
            image.tail = None
            rest.append(image)
    element.drop_tree()


def strip_markup(text: str) -> str:
    """The text of an HTML fragment, on one line; plain text is returned with its white space
    normalized.

    >>> strip_markup("<p>Fish &amp; <b>chips</b></p>"), strip_markup(" a  b ")
    ('Fish & chips', 'a b')
    """
    if "<" not in text and "&" not in text:
        return _SPACES.sub(" ", text).strip()
    return _SPACES.sub(" ", block_text(parse_html(f"<div>{text}</div>"))).strip()
