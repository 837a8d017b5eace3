"""The visible text of an element."""

from __future__ import annotations

import re
from collections.abc import Collection

from forest_scrapy.core.document.lines import Lines
from forest_scrapy.core.document.tree import Element, is_block, is_ignored, parse_html

__all__ = ["block_text", "strip_markup"]

_SPACES = re.compile(r"\s+")


def block_text(element: Element, without: Collection[Element] = ()) -> str:
    """The visible text below the element, one line per block; preformatted text keeps its lines.
    Elements in ``without`` are left out, but not the text after them.

    >>> block_text(parse_html("<div><p>One <b>two</b></p>three<br>four</div>"))
    'One two\\nthree\\nfour'
    """
    lines = Lines()
    stack = [(element, False, False)]
    while stack:
        inner, ended, is_pre = stack.pop()
        if is_block(inner):
            lines.end()
        if ended or is_ignored(inner) or inner in without:
            if inner is not element and inner.tail:
                lines.add(inner.tail, is_pre)
            continue
        keeps = is_pre or inner.tag == "pre"
        if inner.text:
            lines.add(inner.text, keeps)
        stack.append((inner, True, is_pre))
        stack.extend((child, False, keeps) for child in reversed(inner))
    return lines.text()


def strip_markup(text: str) -> str:
    """The text of an HTML fragment, on one line; plain text is returned with its white space
    normalized.

    >>> strip_markup("<p>Fish &amp; <b>chips</b></p>"), strip_markup(" a  b ")
    ('Fish & chips', 'a b')
    """
    if "<" not in text and "&" not in text:
        return _SPACES.sub(" ", text).strip()
    return _SPACES.sub(" ", block_text(parse_html(f"<div>{text}</div>"))).strip()
