"""As the two CSS selectors of a feed in FreshRSS: what of a page to keep, and what to remove.

FreshRSS looks for the elements to remove inside those it keeps, with these as the topmost.  It
translates CSS with CssXPath, which reads ``:not()`` from March 2026 on and takes it for its
opposite before, and which cuts spaces off the ends of values.  So what is kept is written
without ``:not()``, if that is a little wider.  What is removed is looked for on any level of
the content; what would remove elements of another kind is not written, but said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from forest_scrapy.core.exports.css import Step, Test, is_plain, read_steps, write_css
from forest_scrapy.core.exports.origin import Origin, describe
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["Choice", "choose_selectors", "write_freshrss"]

_NO_CSS = "has no equivalent in the CSS that FreshRSS reads"
_ALTERNATIVE = "is for pages without the first expression; FreshRSS tries no second one"
_WIDER = "finds a little more than the XPath does"
_NEEDS_NOT = "needs :not(), which FreshRSS reads from 2026 on; add it there: "
_OUTSIDE = "is anchored outside the content, where FreshRSS does not look"


@dataclass(frozen=True)
class Choice:
    """Selectors to keep and to remove, and notes: an XPath and what is to be said of it."""

    keep: tuple[str, ...]
    remove: tuple[str, ...]
    notes: tuple[tuple[str, str], ...]


def write_freshrss(wrapper: Wrapper, origin: Origin) -> str:
    """The selectors under the names of their fields; notes are comments."""
    return "\n".join(_lines(wrapper, origin)) + "\n"


def choose_selectors(wrapper: Wrapper) -> Choice:
    """The selectors that mean what the wrapper's expressions do, and what is left out."""
    notes = [(xpath, _ALTERNATIVE) for xpath in wrapper.keep[1:]]
    keep: list[str] = []
    blocks = _read(wrapper.xpath)
    for branch in blocks:
        css, is_wider = _widened(branch)
        keep += [css] if css else []
        notes += [(wrapper.xpath, _WIDER)] if css and is_wider else []
    if not keep:
        notes.append((wrapper.xpath, _NO_CSS))
    level = min((_block_level(branch) for branch in blocks), default=0)
    remove: list[str] = []
    for xpath in wrapper.drop:
        css, why = _to_remove(xpath, level)
        remove += [css] if css else []
        notes += [(xpath, why)] if why else []
    return Choice(tuple(dict.fromkeys(keep)), tuple(dict.fromkeys(remove)), tuple(notes))


def _lines(wrapper: Wrapper, origin: Origin) -> Iterator[str]:
    choice = choose_selectors(wrapper)
    yield f"# {describe(wrapper, origin)}"
    yield "# FreshRSS: subscription management, the feed's settings, content retrieval"
    yield ""
    yield "# Article CSS selector on original website:"
    yield ", ".join(choice.keep) or "# (none)"
    yield ""
    yield "# CSS selector of the elements to remove:"
    yield ", ".join(choice.remove) or "# (none)"
    if choice.notes:
        yield ""
        yield "# Where the selectors are not the wrapper:"
        for xpath, why in choice.notes:
            yield f"#   {' '.join(xpath.split())}"
            yield f"#     {why}"


def _read(xpath: str) -> list[list[Step]]:
    """The branches; none for an expression of another kind.  A lone word with spaces around it
    is asked for as the first token."""
    branches = read_steps(xpath) or []
    return [
        [replace(step, tests=tuple(map(_without_spaces, step.tests))) for step in branch]
        for branch in branches
    ]


def _without_spaces(test: Test) -> Test:
    words = test.value.split()
    if test.kind == "equal" and len(words) == 1 and words[0] != test.value:
        return replace(test, kind="first", value=words[0])
    return test


def _widened(branch: Sequence[Step]) -> tuple[str | None, bool]:
    """A selector that CssXPath reads for at least these elements, and whether for more."""
    steps = [replace(step, tests=_readable_tests(step)) for step in branch]
    # An attribute asked for makes those that are missing all but certain.
    is_wider = any(
        any(test.kind != "missing" for test in set(step.tests) - set(own.tests))
        or (step.tests and not step.has_attributes)
        for step, own in zip(branch, steps, strict=True)
    )
    return write_css(steps), is_wider


def _readable_tests(step: Step) -> tuple[Test, ...]:
    """Tests that CssXPath can read, none of them stricter than the step's own."""
    tests: list[Test] = []
    for test in step.tests:
        if test.kind == "digits":
            start = _before_digits(test.value)
            tests.append(Test("prefix" if start else "present", test.name, start))
        elif test.kind == "equal" and not _is_readable(test):
            words = [word for word in test.value.split() if is_plain(word)]
            tests += [Test("token", test.name, word) for word in words]
        elif test.kind != "missing":
            tests.append(test)
    return tuple(tests)


def _before_digits(form: str) -> str:
    """What a value surely starts with, if its digits stood after a separator.

    >>> _before_digits("post-"), _before_digits("post--title"), _before_digits("cblock")
    ('post-', 'post-', '')
    """
    found = re.match(r"[^-_].*?[-_](?=[-_]|$)", form)
    return found[0] if found and is_plain(found[0]) else ""


def _is_readable(test: Test) -> bool:
    return not test.value or (is_plain(test.value) and test.value == test.value.strip(" '"))


def _block_level(branch: Sequence[Step]) -> int:
    """The level of the elements that a branch finds."""
    return (branch[0].level or 0) + len(branch) - 1


def _to_remove(xpath: str, block: int) -> tuple[str | None, str]:
    """A selector for the elements to remove, and what is to be said of it; ``block`` is the
    level of the content."""
    branches = _read(xpath)
    if len(branches) != 1:
        return None, _NO_CSS
    first, *others = branches[0]
    if first.axis == "/" or (first.level is not None and first.level < block):
        return None, _OUTSIDE
    exact = write_css([replace(first, level=None), *others])
    if exact is None or not all(_is_readable(t) for step in branches[0] for t in step.tests):
        return None, _NO_CSS
    if any(step.tests and not step.has_attributes for step in branches[0]):
        return None, _NEEDS_NOT + exact
    css, _ = _widened([replace(first, level=None), *others])
    return css, ""
