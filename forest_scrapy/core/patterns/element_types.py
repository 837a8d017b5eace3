"""Element types: a tag with its attributes in tolerant form (FOREST definition 2)."""

from __future__ import annotations

import re
from functools import lru_cache

from forest_scrapy.core.document.tree import Element

__all__ = ["CONTROL", "TYPING_ATTRIBUTES", "ElementType", "element_type", "tolerant_form"]

# Digits and spaces as XPath 1.0 defines them, so that an expression selects the elements whose
# tolerant form it was written from.
_DIGITS = re.compile(r"[0-9]+")
_SPACES = re.compile(r"[ \t\r\n]+")
#: Characters that an XPath literal cannot contain.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

#: Types of elements with longer attributes, in characters together, are not cached.
_LONGEST_CACHED = 500

#: Attributes that describe an element's role.  Others (href, src, title, data-*) hold data that
#: differs from page to page.
TYPING_ATTRIBUTES = ("class", "id", "itemprop", "role")

#: Names of typing attributes with their values in tolerant form.
ElementType = tuple[tuple[str, str], ...]


def tolerant_form(value: str) -> str:
    """The first token of an attribute's value, without digits (FOREST section 3.2).

    >>> tolerant_form("post wrapper-09"), tolerant_form("post-12 hentry"), tolerant_form("2012")
    ('post', 'post-', '')
    """
    return _DIGITS.sub("", _SPACES.split(value.strip(" \t\r\n"), maxsplit=1)[0])


def element_type(element: Element) -> ElementType:
    """Names and tolerant forms of the element's typing attributes (FOREST definition 2), without
    empty forms and values with control characters."""
    if not element.attrib:
        return ()
    values = [element.get(name) for name in TYPING_ATTRIBUTES]
    is_short = sum(len(value) for value in values if value) <= _LONGEST_CACHED
    return _type_of(*values) if is_short else _type_of.__wrapped__(*values)


@lru_cache(maxsize=20_000)
def _type_of(*values: str | None) -> ElementType:
    given = zip(TYPING_ATTRIBUTES, values, strict=True)
    found = ((n, tolerant_form(value)) for n, value in given if value and not CONTROL.search(value))
    return tuple((name, form) for name, form in found if form)
