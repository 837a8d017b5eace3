"""Expressions in the forms that are learned, as the tests of an element and of those around it.

libxml2 collects all nodes of a page for each ``//`` with a predicate.  The expressions that
``anchored_xpath`` and ``write_xpath`` give have nothing but steps to children after it: whether an
element is found depends on its own tag and attributes and on those of a few elements above it, so
that one walk over the page finds all of them, in document order, in a tenth of the time.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

#: Paths in one expression; with more it is left to libxml2.
MAX_PATHS = 64

_NAME = r"[A-Za-z_][A-Za-z0-9_.-]*"
_STEP = re.compile(_NAME)
_LITERAL = r"""(?P<{}>'[^']*'|"[^"]*")"""
_NORMALIZED = r"normalize-space\(@(?P<{}>[a-z]+)\)"
#: What stands between two paths of an expression.
_UNION = " | "


class ConditionKind(IntEnum):
    """What is tested: an attribute's value, its start after white space is normalized, the same
    without digits, the number of elements around, and that an attribute is missing, or blank."""

    EQUALS = 0
    STARTS = 1
    STARTS_WITHOUT_DIGITS = 2
    LEVEL = 3
    IS_MISSING = 4
    IS_BLANK = 5


_EQUALS = re.compile(rf"\[@(?P<name>[a-z]+)={_LITERAL.format('value')}\]")
_STARTS = re.compile(
    r"\[starts-with\(concat\((?:"
    rf"(?P<without_digits>translate\({_NORMALIZED.format('digits')}, '0123456789', ''\))"
    rf"|{_NORMALIZED.format('name')}), ' '\), {_LITERAL.format('value')}\)\]"
)
_LEVEL = re.compile(r"\[count\(ancestor::\*\)=(?P<level>[0-9]{1,6})\]")
_MISSING = r"(?:@[a-z]+|normalize-space\(@[a-z]+\))"
_NOT = re.compile(rf"\[not\((?P<names>{_MISSING}(?: or {_MISSING})*)\)\]")


class Condition(NamedTuple):
    """A test of an element: of ``kind``, of the attribute ``name``; ``value``: the text or number
    that it has to have."""

    kind: int
    name: bytes
    value: str | int


class Step(NamedTuple):
    """A tag and the tests of an element with this tag."""

    tag: bytes
    tests: tuple[Condition, ...]


class ChildPath(NamedTuple):
    """The steps from an element up to the first that is tested; ``is_from_root``: whether that is
    the root of the document."""

    steps: tuple[Step, ...]
    is_from_root: bool


@lru_cache(maxsize=4096)
def read_child_paths(xpath: str) -> tuple[ChildPath, ...] | None:
    """The paths of an expression, of which an element that it finds has one; None for an expression
    in another form.

    >>> [path] = read_child_paths("//ul[@class='a b'][count(ancestor::*)=2]/li[not(@id)]")
    >>> [(step.tag, len(step.tests)) for step in path.steps]
    [(b'li', 1), (b'ul', 2)]
    >>> read_child_paths("//ul[2]"), read_child_paths("//ul//li")
    (None, None)
    """
    if not xpath.isprintable():  # a literal may have what no XPath may
        return None
    paths = []
    position = 0
    while True:
        path, position = _read_path(xpath, position)
        if path is None:
            return None
        paths.append(path)
        if position == len(xpath):
            return tuple(paths) if len(paths) <= MAX_PATHS else None
        if not xpath.startswith(_UNION, position):
            return None
        position += len(_UNION)


def _read_path(xpath: str, position: int) -> tuple[ChildPath | None, int]:
    """The path that begins at a position, and where it ends; None if it has another form."""
    is_from_root = not xpath.startswith("//", position)
    if not xpath.startswith("/", position):
        return None, position
    position += 1 if is_from_root else 2
    steps: list[Step] = []
    while True:
        match = _STEP.match(xpath, position)
        if match is None:
            return None, position
        position = match.end()
        tests: list[Condition] = []
        while xpath.startswith("[", position):
            read_tests, position = _read_tests(xpath, position)
            if not read_tests:
                return None, position
            tests += read_tests
        steps.append(Step(match[0].encode(), tuple(tests)))
        if not xpath.startswith("/", position):
            break
        position += 1
    steps.reverse()
    return ChildPath(tuple(steps), is_from_root), position


def _read_tests(xpath: str, position: int) -> tuple[list[Condition], int]:
    """The tests of the predicate at a position, and where it ends; no test if it has another
    form."""
    for pattern in (_EQUALS, _STARTS, _LEVEL, _NOT):
        match = pattern.match(xpath, position)
        if match is not None:
            return list(_tests_of(match)), match.end()
    return [], position


def _tests_of(match: re.Match[str]) -> Iterator[Condition]:
    if match.re is _LEVEL:
        yield Condition(ConditionKind.LEVEL, b"", int(match["level"]))
    elif match.re is _NOT:
        for missing in match["names"].split(" or "):
            is_blank = missing.startswith("normalize-space")
            kind = ConditionKind.IS_BLANK if is_blank else ConditionKind.IS_MISSING
            name = missing.removeprefix("normalize-space(").rstrip(")").removeprefix("@")
            yield Condition(kind, name.encode(), "")
    else:
        value = match["value"][1:-1]
        kind = ConditionKind.EQUALS
        name = match["name"]
        if match.re is _STARTS:
            kind = ConditionKind.STARTS
            if match["without_digits"]:
                kind = ConditionKind.STARTS_WITHOUT_DIGITS
                name = match["digits"]
        yield Condition(kind, name.encode(), value)
