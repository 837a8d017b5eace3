"""Evaluating XPath 1.0 expressions, each compiled once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from lxml import etree

__all__ = ["compile_xpath", "find_elements"]


@lru_cache(maxsize=4096)
def compile_xpath(xpath: str) -> etree.XPath:
    """Raises ``etree.XPathError`` or ``ValueError`` for text that is not an XPath."""
    return etree.XPath(xpath)


def find_elements(xpath: str, root: Any) -> list[Any]:
    """The elements that the expression finds, in document order; text, attributes, and values
    that are not node sets are left out.  Raises like ``compile_xpath``.

    >>> [e.tag for e in find_elements("//p | //p/@id", etree.HTML("<p id=a>"))]
    ['p']
    """
    found = compile_xpath(xpath)(root)
    if not isinstance(found, list):
        return []
    return [element for element in found if isinstance(element, etree._Element)]
