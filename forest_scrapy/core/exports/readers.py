"""Wrappers as rules of feed readers: FreshRSS (also as OPML), and Full-Text RSS."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lxml import etree

from forest_scrapy.core.exports.css import Test, XPathStep, is_plain, read_xpath_steps, write_css
from forest_scrapy.core.exports.origin import Origin, describe, is_on_one_line
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.page.urls import strip_www
from forest_scrapy.core.wrapper import Wrapper

_NO_CSS = "has no equivalent in the CSS that FreshRSS supports"
_ALTERNATIVE = "is for pages without the first expression; FreshRSS does not try a second one"
_WIDER = "finds a little more than the XPath"
_NEEDS_NOT = "needs :not(), which FreshRSS supports since March 2026; add it there: "
_OUTSIDE = "is anchored outside the content, where FreshRSS does not search"


@dataclass(frozen=True)
class Selectors:
    """CSS selectors of elements to keep and to remove, and notes, each an XPath and a comment."""

    keep: tuple[str, ...]
    remove: tuple[str, ...]
    notes: tuple[tuple[str, str], ...]


def write_freshrss(wrapper: Wrapper, origin: Origin) -> str:
    """The selectors under the names of their input fields, with notes as comments."""
    return "\n".join(_lines(wrapper, origin)) + "\n"


def choose_selectors(wrapper: Wrapper) -> Selectors:
    """The CSS selectors for the wrapper's expressions, and notes on the differences."""
    notes = [(xpath, _ALTERNATIVE) for xpath in wrapper.keep[1:]]
    keep: list[str] = []
    blocks = _read(wrapper.xpath)
    for branch in blocks:
        css, is_wider = _widened(branch)
        if css:
            keep.append(css)
            if is_wider:
                notes.append((wrapper.xpath, _WIDER))
    if not keep:
        notes.append((wrapper.xpath, _NO_CSS))
    levels = map(_block_level, blocks)
    level = min(levels, default=0)
    remove: list[str] = []
    for xpath in wrapper.drop:
        css, comment = _to_remove(xpath, level)
        if css:
            remove.append(css)
        if comment:
            notes.append((xpath, comment))
    return Selectors(
        keep=tuple(dict.fromkeys(keep)),
        remove=tuple(dict.fromkeys(remove)),
        notes=tuple(notes),
    )


def _lines(wrapper: Wrapper, origin: Origin) -> Iterator[str]:
    selectors = choose_selectors(wrapper)
    yield f"# {describe(wrapper, origin)}"
    yield "# FreshRSS: subscription management, the feed's settings, content retrieval"
    yield ""
    yield "# Article CSS selector on original website:"
    yield ", ".join(selectors.keep) or "# (none)"
    yield ""
    yield "# CSS selector of the elements to remove:"
    yield ", ".join(selectors.remove) or "# (none)"
    if selectors.notes:
        yield ""
        yield "# Differences between the selectors and the wrapper:"
        for xpath, comment in selectors.notes:
            yield f"#   {' '.join(xpath.split())}"
            yield f"#     {comment}"


def _read(xpath: str) -> list[list[XPathStep]]:
    """The branches of an expression, empty if it cannot be read.  A value of one word with spaces
    around it is tested as the first token."""
    branches = []
    for branch in read_xpath_steps(xpath) or []:
        branches.append([_without_spaces_in_tests(step) for step in branch])
    return branches


def _without_spaces_in_tests(step: XPathStep) -> XPathStep:
    tests = map(_without_spaces, step.tests)
    return replace(step, tests=tuple(tests))


def _without_spaces(test: Test) -> Test:
    words = test.value.split()
    if len(words) != 1:
        return test
    word = words[0]
    if test.kind == "equal" and word != test.value:
        return replace(test, kind="first", value=word)
    return test


def _widened(branch: Sequence[XPathStep]) -> tuple[str | None, bool]:
    """A selector for CssXPath that finds at least these elements, and whether it finds more."""
    readable_steps = []
    for step in branch:
        tests = _readable_tests(step)
        readable_steps.append(replace(step, tests=tests))
    is_wider = any(map(_is_wider, readable_steps, branch))
    return write_css(readable_steps), is_wider


def _is_wider(readable_step: XPathStep, step: XPathStep) -> bool:
    """Whether a readable step finds more.  If another attribute is tested, leaving out tests for
    missing ones hardly matters."""
    dropped_tests = set(step.tests) - set(readable_step.tests)
    if any(test.kind != "missing" for test in dropped_tests):
        return True
    return bool(step.tests) and not step.has_attributes


def _readable_tests(step: XPathStep) -> tuple[Test, ...]:
    """Tests that CssXPath supports, none of them stricter than the step's own."""
    tests: list[Test] = []
    for test in step.tests:
        if test.kind == "digits":
            start = _before_digits(test.value)
            kind = "prefix" if start else "present"
            tests.append(Test(kind, test.name, start))
        elif test.kind == "equal" and not _is_readable(test):
            for word in test.value.split():
                if is_plain(word):
                    tests.append(Test("token", test.name, word))
        elif test.kind != "missing":
            tests.append(test)
    return tuple(tests)


def _before_digits(form: str) -> str:
    """The start of a value before its first digits, if these follow a separator.

    >>> _before_digits("post-"), _before_digits("post--title"), _before_digits("cblock")
    ('post-', 'post-', '')
    """
    match = re.match(r"[^-_].*?[-_](?=[-_]|$)", form)
    if match and is_plain(match[0]):
        return match[0]
    return ""


def _is_readable(test: Test) -> bool:
    value = test.value
    if not value:
        return True
    return is_plain(value) and value == value.strip(" '")


def _block_level(branch: Sequence[XPathStep]) -> int:
    """The level of the elements that a branch finds."""
    first_level = branch[0].level or 0
    return first_level + len(branch) - 1


def _to_remove(xpath: str, block: int) -> tuple[str | None, str]:
    """A selector for the elements to remove, or None and why; ``block``: the level of the
    content."""
    branches = _read(xpath)
    if len(branches) != 1:
        return None, _NO_CSS
    steps = branches[0]
    first, *later_steps = steps
    is_outside = first.level is not None and first.level < block
    if first.axis == "/" or is_outside:
        return None, _OUTSIDE
    anywhere = [replace(first, level=None), *later_steps]
    exact = write_css(anywhere)
    if exact is None:
        return None, _NO_CSS
    for step in steps:
        if not all(map(_is_readable, step.tests)):
            return None, _NO_CSS
    if any(step.tests and not step.has_attributes for step in steps):
        return None, _NEEDS_NOT + exact
    css, _ = _widened(anywhere)
    return css, ""


_NAMESPACE = "https://freshrss.org/opml"
#: A comment of XML must not have these, and must not end in one.
_DASHES = "--"


def write_opml(wrapper: Wrapper, origin: Origin) -> str:
    """An OPML document with one subscription: the feed is the first of the origin's URLs, or the
    home page of the host, from which FreshRSS finds it."""
    root = etree.Element("opml", {"version": "2.0"}, nsmap={"frss": _NAMESPACE})
    note = describe(wrapper, origin)
    note = note.replace(_DASHES, "- -").rstrip("-")
    root.append(etree.Comment(f" {note} "))
    head = etree.SubElement(root, "head")
    etree.SubElement(head, "title").text = origin.host
    selectors = choose_selectors(wrapper)
    home = origin.home
    attributes = {
        "text": origin.host,
        "type": "rss",
        "xmlUrl": next(iter(origin.urls), home),
        "htmlUrl": home,
        f"{{{_NAMESPACE}}}cssFullContent": ", ".join(selectors.keep),
        f"{{{_NAMESPACE}}}cssContentFilter": ", ".join(selectors.remove),
    }
    attributes = {name: value for name, value in attributes.items() if value}
    body = etree.SubElement(root, "body")
    etree.SubElement(body, "outline", attributes)
    document = etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=True)
    return document.decode("utf-8")


#: The format's names of fields that can be in an element; declared ones it reads by itself.
_FIELDS = {"title": "title", "author": "authors", "date": "published"}


def write_ftr(wrapper: Wrapper, origin: Origin) -> str:
    """The lines of the config; an expression with a line break becomes a comment."""
    return "\n".join(_field_lines(wrapper, origin)) + "\n"


def _field_lines(wrapper: Wrapper, origin: Origin) -> Iterator[str]:
    yield f"# {describe(wrapper, origin)}"
    yield f"# A site config of Full-Text RSS: save it as {strip_www(origin.host)}.txt"
    yield ""
    if wrapper.take == "largest":
        yield "# Of several elements the wrapper keeps the one with the most text; this keeps all."
    if wrapper.take == "span":
        yield "# The wrapper keeps what stands between the elements, too; this does not."
    for xpath in wrapper.keep:
        yield _rule("body", xpath)
    for xpath in wrapper.drop:
        yield _rule("strip", xpath)
    for name, field in _FIELDS.items():
        sources = getattr(wrapper.fields, field)
        for xpath in filter(is_xpath, sources):
            yield _rule(name, xpath)
    yield ""
    yield "# The rules are complete, and count levels in the tree that libxml2 builds."
    yield from ("prune: no", "tidy: no", "parser: libxml")
    if origin.urls:
        yield ""
        for url in origin.urls:
            if is_on_one_line(url):
                yield f"test_url: {url}"


def _rule(name: str, xpath: str) -> str:
    if is_on_one_line(xpath):
        return f"{name}: {xpath}"
    return f"# {name} with a line break, which the format cannot contain: {xpath!r}"
