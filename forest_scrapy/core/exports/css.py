"""XPath to CSS, for the XPaths that ``write_xpath`` and ``anchored_xpath`` write.

These consist of steps with tests of attributes, of missing attributes and of the level.  Other
expressions are not translated, nor are tests of an attribute's value without digits, which CSS
cannot express.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Test:
    """A test of the attribute ``name``, by its ``kind``.

    ``equal``: it has this value; ``first``: this first token; ``digits``: this first token without
    digits; ``missing``: the element does not have it.  Written only, never read: ``token``: it
    has this token; ``prefix``: it starts with this value; ``present``: the element has it.
    """

    __test__ = False  # for pytest

    kind: str
    name: str
    value: str = ""


@dataclass(frozen=True)
class XPathStep:
    """A step: the axis (``/`` or ``//``), the tag, the tests, and the number of ancestors, if it is
    tested."""

    axis: str
    tag: str
    tests: tuple[Test, ...] = ()
    level: int | None = None

    @property
    def has_attributes(self) -> bool:
        """Whether the step tests for an attribute that the element has."""
        return any(test.kind != "missing" for test in self.tests)


_TOKEN = re.compile(
    r"""
      (?P<axis>//?) (?P<tag>[A-Za-z_][A-Za-z0-9_.-]*)
    | \[count\(ancestor::\*\)=(?P<level>[0-9]+)\]
    | \[@(?P<equal>[\w-]+)=(?P<value>'[^']*'|"[^"]*")\]
    | \[starts-with\(concat\(normalize-space\(@(?P<first>[\w-]+)\),\ '\ '\),
        \ (?P<token>'[^']*\ '|"[^"]*\ ")\)\]
    | \[starts-with\(concat\(translate\(normalize-space\(@(?P<digits>[\w-]+)\),
        \ '0123456789',\ ''\),\ '\ '\),\ (?P<form>'[^']*\ '|"[^"]*\ ")\)\]
    | \[not\((?P<missing>@[\w-]+(?:\ or\ @[\w-]+)*)\)\]
    | (?P<union>\ \|\ )
    """,
    re.VERBOSE,
)
_SHAPES = {
    "equal": '[{0}="{1}"]',
    "first": '[{0}^="{1}"][{0}~="{1}"]',
    "token": '[{0}~="{1}"]',
    "prefix": '[{0}^="{1}"]',
    "present": "[{0}]",
    "missing": ":not([{0}])",
}


def is_plain(value: str) -> bool:
    """Whether a value can be quoted without escapes, which not all CSS parsers support.

    >>> is_plain("it's a"), is_plain("mt-[2px]")
    (True, False)
    """
    return re.fullmatch(r'[^"\\\]\r\n\f]+', value) is not None


def read_xpath_steps(xpath: str) -> list[list[XPathStep]] | None:
    """The branches of a union, each as a list of steps; None for other expressions.

    >>> read_xpath_steps("//p[@id='a']/b")
    [[XPathStep(axis='//', tag='p', tests=(Test(kind='equal', name='id', value='a'),), \
level=None), XPathStep(axis='/', tag='b', tests=(), level=None)]]
    >>> read_xpath_steps("(//*)[24]")
    """
    branches: list[list[XPathStep]] = [[]]
    position = 0
    while position < len(xpath):
        token = _TOKEN.match(xpath, position)
        if token is None:
            return None
        is_before_first_step = not branches[-1]
        if is_before_first_step and not token["axis"]:
            return None
        position = token.end()
        if token["union"]:
            branches.append([])
        elif token["axis"]:
            branches[-1].append(XPathStep(token["axis"], token["tag"]))
        else:
            branches[-1][-1] = _add_test(branches[-1][-1], token)
    return branches if all(branches) else None


def _add_test(step: XPathStep, token: re.Match[str]) -> XPathStep:
    if token["level"]:
        return replace(step, level=int(token["level"]))
    if token["missing"]:
        names = token["missing"].replace("@", "").split(" or ")
        missing_tests = [Test("missing", name) for name in names]
        return replace(step, tests=(*step.tests, *missing_tests))
    if token["equal"]:
        value = _unquote(token["value"])
        test = Test("equal", token["equal"], value)
    elif token["first"]:
        value = _unquote(token["token"])
        test = Test("first", token["first"], value[:-1])
    else:
        value = _unquote(token["form"])
        test = Test("digits", token["digits"], value[:-1])
    return replace(step, tests=(*step.tests, test))


def _unquote(literal: str) -> str:
    return literal[1:-1]


def write_css(steps: Iterable[XPathStep]) -> str | None:
    """The selector for the steps of one branch; None if CSS has no equivalent.

    A level is written as a chain of ancestors.  ``first`` is written as a token that the value
    also starts with, which is wider: ``class="ab a"`` matches the token ``a``.

    >>> [branch] = read_xpath_steps("//p[@id='a'][count(ancestor::*)=2][not(@class)]/b")
    >>> write_css(branch)
    'html > * > p[id="a"]:not([class]) > b'
    """
    selector = ""
    for number, step in enumerate(steps):
        combinator: str | None
        if number == 0:
            combinator = _ancestors(step)
        elif step.level is None:
            combinator = " > " if step.axis == "/" else " "
        else:
            combinator = None
        tests = [_write_test(test) for test in step.tests]
        if combinator is None or None in tests:
            return None
        selector += combinator + step.tag + "".join(map(str, tests))
    return selector


def _ancestors(step: XPathStep) -> str | None:
    """The selector before the first step; None if no element is on its level."""
    if step.axis == "/":
        if step.tag == "html" and not step.level:
            return ""
        return None
    if step.level is None:
        return ""
    if not step.level:
        return "" if step.tag == "html" else None
    return "html > " + "* > " * (step.level - 1)


def _write_test(test: Test) -> str | None:
    if test.kind not in _SHAPES or (test.value and not is_plain(test.value)):
        return None
    shape = _SHAPES[test.kind]
    return shape.format(test.name, test.value)
