"""Writing a structural pattern down as an XPath 1.0 expression that any tool can run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from forest_scrapy.core.patterns.structural import Pattern

__all__ = ["write_step", "write_xpath"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


def write_xpath(pattern: Pattern, elements: Sequence[Any]) -> str:
    """The expression for a pattern, as plain as the elements it was seen on allow.

    An attribute with one value everywhere is asked for as it stands; one that varies, by its
    first token, digits left out where they vary.

    >>> from lxml.html import fromstring
    >>> posts = [fromstring('<div class="post-1 a">'), fromstring('<div class="post-2 b">')]
    >>> write_xpath(Pattern("div", (("class", "post-"),), 2), posts[:1])
    "//div[@class='post-1 a'][count(ancestor::*)=2]"
    >>> write_xpath(Pattern("p", (("dfs", "24"),), 7), [])
    '(//*)[24][self::p][count(ancestor::*)=7]'
    """
    level = f"[count(ancestor::*)={pattern.level}]"
    if not pattern.has_attributes:
        return f"(//*)[{pattern.type[0][1]}][{_self_test(pattern.tag)}]{level}"
    tests = "".join(
        f"[{_write_test(name, form, [e.get(name) or '' for e in elements])}]"
        for name, form in pattern.type
    )
    return f"//{write_step(pattern.tag)}{tests}{level}"


def write_step(tag: str) -> str:
    """A step to a child by its tag, also one that is no XML name.

    >>> write_step("div"), write_step("o:p")
    ('div', "*[name()='o:p']")
    """
    return tag if _NAME.fullmatch(tag) else f"*[name()={_quote(tag)}]"


def _self_test(tag: str) -> str:
    return f"self::{tag}" if _NAME.fullmatch(tag) else f"name()={_quote(tag)}"


def _write_test(name: str, form: str, values: Iterable[str]) -> str:
    seen = set(values)
    if len(seen) == 1:
        return f"@{name}={_quote(seen.pop())}"
    firsts = {_first_token(value) for value in seen}
    text = f"normalize-space(@{name})"
    if firsts != {form}:
        text = f"translate({text}, '0123456789', '')"
    return f"starts-with(concat({text}, ' '), {_quote(form + ' ')})"


def _first_token(value: str) -> str:
    return re.split(r"[ \t\r\n]+", value.strip(" \t\r\n"), maxsplit=1)[0]


def _quote(value: str) -> str:
    """An XPath 1.0 literal.

    >>> _quote("it's")
    '"it\\'s"'
    """
    if "'" not in value:
        return f"'{value}'"
    if '"' not in value:
        return f'"{value}"'
    pieces = [f"'{piece}'" for piece in value.split("'")]
    return "concat(" + ', "\'", '.join(pieces) + ")"
