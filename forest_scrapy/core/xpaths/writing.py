"""Structural patterns as XPath 1.0 expressions, which any XPath library can evaluate."""

import re
from collections.abc import Sequence

from cssselect.xpath import GenericTranslator

from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.xpaths.structural import CONTROL, Pattern

#: XML names that are a node test in an XPath without quoting.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
#: The number of an article, as in ``post-3228``; shorter numbers are of columns and sizes.
_LONG_NUMBER = re.compile("[0-9]{3}")

_literal = GenericTranslator.xpath_literal


def write_xpath(pattern: Pattern, elements: Sequence[Element]) -> str:
    """The expression for a pattern that was found on ``elements``, as simple as these allow.

    An attribute with the same value on all elements is tested for equality; one that varies, for
    its first token, without the digits if these vary, or if there is one element whose value has
    a long number: other pages have other ones.  Patterns with full values are tested for these.

    >>> from lxml.html import fromstring
    >>> posts = [fromstring('<div class="post-1 a">'), fromstring('<div class="post-2 b">')]
    >>> write_xpath(Pattern("div", (("class", "post-"),), 2), posts[:1])
    "//div[@class='post-1 a'][count(ancestor::*)=2]"
    >>> write_xpath(Pattern("h1", (("id", "post-"),), 2), [fromstring("<h1 id=post-3228>")])
    "//h1[starts-with(concat(translate(normalize-space(@id), '0123456789', ''), ' '), 'post- ')]\
[count(ancestor::*)=2]"
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
    """A step to the children with this tag, which may contain characters XML names do not allow.

    >>> write_step("div"), write_step("o:p")
    ('div', "*[name()='o:p']")
    """
    if _NAME.fullmatch(tag):
        return tag
    return f"*[{_name_test(tag)}]"


def _self_test(tag: str) -> str:
    if _NAME.fullmatch(tag):
        return f"self::{tag}"
    return _name_test(tag)


def _name_test(tag: str) -> str:
    """A test of a name that is no XML name; of its start only, if it has characters that an XPath
    cannot contain."""
    start = CONTROL.split(tag, maxsplit=1)[0]
    return f"name()={_literal(tag)}" if start == tag else f"starts-with(name(), {_literal(start)})"


def _write_test(
    name: str,
    form: str,
    values: Sequence[str],
) -> str:
    seen = set(values)
    if seen == {form}:  # a full value, or a tolerant form without digits
        return f"@{name}={_literal(form)}"
    firsts = {_first_token(value) for value in seen}
    may_be_number_of_page = len(values) == 1 and any(map(_LONG_NUMBER.search, firsts))
    if len(seen) == 1 and not may_be_number_of_page:
        return f"@{name}={_literal(seen.pop())}"
    text = f"normalize-space(@{name})"
    if firsts != {form}:
        text = f"translate({text}, '0123456789', '')"
    return f"starts-with(concat({text}, ' '), {_literal(form + ' ')})"


def _first_token(value: str) -> str:
    return re.split(r"[ \t\r\n]+", value.strip(" \t\r\n"), maxsplit=1)[0]
