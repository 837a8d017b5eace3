"""Evaluation of the XPaths of rules, and whether an expression is one that finds elements on any
page.

An expression may compile, find nothing on one page, and fail on the next one: predicates, and what
follows ``or`` and ``and``, are evaluated only where there is something to test.  So each part of an
expression that is an expression is evaluated by itself.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from lxml import etree

from forest_scrapy.core.errors import BadRules
from forest_scrapy.core.page.columns import IS_NATIVE
from forest_scrapy.core.page.tree import Element, compile_xpath, find_elements, parse_html
from forest_scrapy.core.page.xpath_needs import depth_change, split_tokens
from forest_scrapy.core.xpaths.child_paths import read_child_paths

if IS_NATIVE:
    from forest_scrapy.core.page import _native

#: Characters.  Longer expressions may load, and exceed a limit of libxml2 when they are evaluated.
_MAX_LENGTH = 10_000
#: What the parts are evaluated on.
_PAGE = "<html lang=en><title>a</title><body><div id=a class=b><p>c <a href=d>e</a><!--f--></div>"

#: Searches in predicates that are inside each other.  Three of them take more than 6 s on a page of
#: 8,000 elements of which 250 are nested.
_MAX_SEARCHES = 2
#: Searches that look at all elements also where few are inside each other: one of them in another
#: one takes a time that grows with the cube of the page.
_WIDE_SEARCHES = frozenset("following preceding following-sibling preceding-sibling".split())
#: Tokens of steps that may look at all elements.
_SEARCHES = frozenset(
    (
        "// .. parent ancestor ancestor-or-self descendant descendant-or-self following preceding "
        "following-sibling preceding-sibling"
    ).split()
)

_NAME = r"[^\W\d][\w.·-]*"
_TOKEN = re.compile(
    rf"\"[^\"]*\"|'[^']*'|\d+(?:\.\d*)?|\.\d+|::|//|\.\.|!=|[<>]=|{_NAME}(?::(?:{_NAME}|\*))?|\S"
)
#: Punctuation after which a name or ``*`` is not an operator (XPath 1.0, section 3.7).
_BEFORE_OPERAND = frozenset("@ :: ( [ , / // | + - = != < <= > >=".split())
_OPERATOR_NAMES = frozenset(("and", "or", "mod", "div", "*"))
#: Axes and node tests that find something else than elements.
_OTHER_AXES = ("attribute", "namespace")
_OTHER_TESTS = ("text", "comment", "processing-instruction")


def check_xpaths(name: str, xpaths: Iterable[str]) -> None:
    """Raise ``BadRules`` for the first that is not an XPath 1.0 expression for elements, cannot be
    evaluated, or searches in searches.  ``name``: what the message calls them.  Cost: 0.5 ms for
    each, once.

    >>> check_xpaths("keep", ["count(//p)"])
    Traceback (most recent call last):
    forest_scrapy.core.errors.BadRules: keep: 'count(//p)' gives a number, not elements
    """
    for xpath in xpaths:
        if problem := find_problem(xpath):
            raise BadRules(f"{name}: {problem}")


def select_elements(xpath: str, root: Element) -> list[Element]:
    """The elements that an expression of rules selects, in document order.

    Raises ``BadRules`` if it cannot be evaluated there: a function, prefix or variable that there
    is none of, an argument of another type, a limit of libxml2's, or a function that a project has
    registered and that fails (parsel's ``has-class`` on texts).
    """
    paths = read_child_paths(xpath) if IS_NATIVE else None
    if paths is not None:
        elements = _native.find_at_paths(root, paths)
        if elements is not None:
            return elements
    try:
        return find_elements(xpath, root)
    except Exception as error:
        raise BadRules(f"{xpath}: {error}") from error


@lru_cache(maxsize=4096)
def find_problem(xpath: str) -> str:
    """What is wrong with an expression; ``""`` if nothing is."""
    if len(xpath) > _MAX_LENGTH:
        return f"an XPath of {len(xpath)} characters is too long"
    tokens = list(_read_tokens(xpath))
    if any(token.text == "$" for token in tokens):
        return f"{xpath!r} needs a variable, and there are none"
    try:
        compile_xpath(xpath)
    except (etree.XPathError, ValueError) as error:
        return f"{xpath!r} is not an XPath: {error}"
    texts = [token.text for token in tokens]
    if _deepest_search(texts, _SEARCHES) > _MAX_SEARCHES:
        return f"{xpath!r} takes too long: more than {_MAX_SEARCHES} searches inside each other"
    if _deepest_search(texts, _WIDE_SEARCHES) > 1:
        return f"{xpath!r} takes too long: a search of siblings inside another one"
    page = _page()
    part = xpath
    try:
        for part in _find_parts(xpath, tokens):
            etree.XPath(f"self::*[{part}]")(page)  # in a predicate, so that it has a position
        result = compile_xpath(xpath)(page)
    except Exception as error:  # also that of a function that a project has registered
        return f"{xpath!r} is not an XPath that can be evaluated: {part}: {error}"
    if isinstance(result, bool):
        return f"{xpath!r} gives true or false, not elements"
    if isinstance(result, float):
        return f"{xpath!r} gives a number, not elements"
    if not isinstance(result, list):
        return f"{xpath!r} gives a text, not elements"
    if not _finds_elements(texts):
        return f"{xpath!r} finds attributes, texts or other nodes, not elements"
    return ""


@cache
def _page() -> Element:
    return parse_html(_PAGE)


class _Token(NamedTuple):
    """A token with its start and its end, and whether it is an operator with a name."""

    text: str
    start: int
    end: int
    is_operator: bool


def _read_tokens(xpath: str) -> Iterator[_Token]:
    text_before = "("
    was_operator = False
    for match in _TOKEN.finditer(xpath):
        text = match[0]
        begins_operand = text_before in _BEFORE_OPERAND or was_operator
        is_operator = text in _OPERATOR_NAMES and not begins_operand
        yield _Token(text, match.start(), match.end(), is_operator)
        text_before = text
        was_operator = is_operator


def _find_parts(xpath: str, tokens: Iterable[_Token]) -> Iterator[str]:
    """The parts that are expressions: in brackets, arguments, operands of ``or`` and ``and``."""
    starts = [0]
    for token in tokens:
        if token.text in ("(", "["):
            starts.append(token.end)
            continue
        is_end = token.text in (")", "]", ",")
        is_logical = token.is_operator and token.text in ("or", "and")
        if not is_end and not is_logical:
            continue
        part = xpath[starts.pop() : token.start].strip()
        if part:
            yield part
        if token.text not in (")", "]"):
            starts.append(token.end)
    yield xpath[starts.pop() :].strip()


def _deepest_search(tokens: list[str], kinds: Collection[str]) -> int:
    """The largest number of predicates inside each other that search in one of these ways."""
    deepest = 0
    searches = [False]
    for token in tokens:
        if token == "[":
            searches.append(False)
        elif token == "]":
            searches.pop()
        elif token in kinds:
            searches[-1] = True
            deepest = max(deepest, sum(searches[1:]))
    return deepest


def _finds_elements(tokens: list[str]) -> bool:
    """Whether each operand of a union ends with a step that may find elements."""
    for operand in split_tokens(tokens, "|"):
        *_, step = split_tokens(operand, "/", "//")
        if step[:1] == ["("]:
            if not _finds_elements(step[1 : _closing(step)]):
                return False
            continue
        axis = ""
        test = step
        if step[1:2] == ["::"]:
            axis = step[0]
            test = step[2:]
        if axis in _OTHER_AXES or test[:1] in ([], ["@"]):
            return False
        if test[0] in _OTHER_TESTS and test[1:2] == ["("]:
            return False
    return True


def _closing(tokens: list[str]) -> int:
    """The index of the bracket that closes the first one."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += depth_change(token)
        if not depth:
            return index
    return len(tokens)
