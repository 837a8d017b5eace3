"""Evaluation of XPath 1.0 expressions, each compiled once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from lxml import etree

from forest_scrapy.core.document.tree import Element

__all__ = ["compile_xpath", "find_elements", "find_texts"]


@lru_cache(maxsize=4096)
def compile_xpath(xpath: str) -> etree.XPath:
    """The compiled expression; raises ``etree.XPathError`` or ``ValueError`` if it is not a valid
    XPath."""
    return etree.XPath(xpath)


def find_elements(xpath: str, root: Element) -> list[Element]:
    """The elements that the expression selects, in document order; text, attributes, and values
    that are not node sets are left out.  Raises like ``compile_xpath``.

    >>> [e.tag for e in find_elements("//p | //p/@id", etree.HTML("<p id=a>"))]
    ['p']
    """
    return [cast(Element, one) for one in _find(xpath, root) if isinstance(one, etree._Element)]


def find_texts(xpath: str, root: Element) -> list[str]:
    """The text nodes and attribute values that the expression selects, in document order; other
    results are left out.  Raises like ``compile_xpath``.

    >>> find_texts("//p/@id | //p/text() | //p", etree.HTML("<p id=a>b"))
    ['a', 'b']
    """
    return [str(one) for one in _find(xpath, root) if isinstance(one, str)]


def _find(xpath: str, root: Element) -> Sequence[object]:
    found = compile_xpath(xpath)(root)
    return found if isinstance(found, list) else ()
