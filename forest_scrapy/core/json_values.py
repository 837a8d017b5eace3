"""Checks of values read from JSON; each raises ``BadRules`` with the name of the key."""

from __future__ import annotations

import json
import re
from typing import Any

from lxml import etree

from forest_scrapy.core.errors import BadRules
from forest_scrapy.core.page.tree import compile_xpath

__all__ = ["read_choice", "read_object", "read_texts", "read_xpaths"]

_LITERAL = re.compile(r"\"[^\"]*\"|'[^']*'")

#: Characters.  Longer expressions may load, and exceed a limit of libxml2 when they are evaluated.
_LONGEST_XPATH = 10_000


def read_object(text: str) -> dict[str, Any]:
    """The JSON object that a wrapper was written as.

    >>> read_object('{"format": 2}')
    {'format': 2}
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRules(f"not JSON: {error}") from error
    if not isinstance(data, dict):
        raise BadRules("a wrapper is a JSON object")
    return data


def read_texts(name: str, given: Any) -> tuple[str, ...]:
    """A list of texts.

    >>> read_texts("keep", ["//h1", "//p"])
    ('//h1', '//p')
    """
    if not isinstance(given, (list, tuple)):
        raise BadRules(f"{name} is {given!r}, not a list")
    for text in given:
        if not isinstance(text, str):
            raise BadRules(f"{name} holds {text!r}, which is not a text")
    return tuple(given)


def read_xpaths(name: str, given: Any) -> tuple[str, ...]:
    """A list of XPath 1.0 expressions, each tried on an empty page."""
    xpaths = read_texts(name, given)
    for xpath in xpaths:
        if len(xpath) > _LONGEST_XPATH:
            raise BadRules(f"{name}: an XPath of {len(xpath)} characters is too long")
        if "$" in _LITERAL.sub("", xpath):
            raise BadRules(f"{name}: {xpath!r} needs a variable, and there are none")
        try:
            compile_xpath(xpath)(etree.Element("html"))
        except (etree.XPathError, ValueError) as error:
            raise BadRules(f"{name}: {xpath!r} is not an XPath: {error}") from error
    return xpaths


def read_choice(name: str, given: Any, choices: tuple[str, ...]) -> str:
    """One of the choices."""
    if given not in choices:
        raise BadRules(f"{name} is {given!r}, not one of {', '.join(choices)}")
    return str(given)
