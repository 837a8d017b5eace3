"""Element types: a tag with its attributes in tolerant form (FOREST definition 2)."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["TYPING_ATTRIBUTES", "element_type", "tolerant_form"]

# As XPath 1.0 has them, so that an expression finds what the tolerant form was made of.
_DIGITS = re.compile(r"[0-9]+")
_SPACES = re.compile(r"[ \t\r\n]+")
# Characters that no XPath literal can hold.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

#: Attributes that say what an element is for.  Others (href, src, title, data-*) say what is in
#: it, and differ from page to page.
TYPING_ATTRIBUTES = ("class", "id", "itemprop", "role")


def tolerant_form(value: str) -> str:
    """The first token of an attribute's value without its digits (FOREST section 3.2).

    >>> tolerant_form("post wrapper-09"), tolerant_form("post-12 hentry"), tolerant_form("2012")
    ('post', 'post-', '')
    """
    return _DIGITS.sub("", _SPACES.split(value.strip(" \t\r\n"), maxsplit=1)[0])


def element_type(element: Any) -> tuple[tuple[str, str], ...]:
    """Attributes of the element in tolerant form (FOREST definition 2), without empty ones, and
    without those that hold control characters."""
    given = ((name, element.get(name) or "") for name in TYPING_ATTRIBUTES)
    found = ((name, tolerant_form(value)) for name, value in given if not _CONTROL.search(value))
    return tuple((name, value) for name, value in found if value)
