"""Hostile strings for regular expressions, and how their time grows with the length of these.

An expression that is searched takes a time that grows with the square of the text if it can start
at many places and reads far at each of them.  The strings here provoke that: they are made from the
parsed expression, from what each unbounded repetition repeats and from what stands before it.
"""

import ast
import importlib
import inspect
import math
import pkgutil
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import forest_scrapy
from forest_scrapy.core.boilerplate.wordings import Wordings

# Repetitions of at least so many times are taken for unbounded.
MIN_REPETITIONS = 400
# Of hostile strings: from the first, which is short since some expressions take the cube of it, to
# the longest, at which one that grows with the square takes 10 ms.
MIN_LENGTH = 250
MAX_LENGTH = 2_000
REPEATS = 3
# A linear search of 2,000 characters takes less.
MIN_SECONDS = 0.003
MAX_EXPONENT = 1.5
# Characters that no expression of a page looks for: they end a match.
ENDS = ("\x00", "\n\x00", "")

# How the package calls expressions, and what is timed for that.
_METHODS = {
    "match": "match",
    "fullmatch": "fullmatch",
    "search": "search",
    "sub": "search",
    "subn": "search",
    "split": "search",
    "findall": "search",
    "finditer": "search",
}
_ALL_METHODS = ("search", "match", "fullmatch")

_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_CATEGORIES = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_WORD: "-",
}
_CANDIDATES = "a1 -<A.,:/&\n\"'=;é中_"


@dataclass(frozen=True)
class NamedExpression:
    """A compiled expression and where it is: `forest_scrapy.core.page.urls._HOST`."""

    name: str
    expression: re.Pattern[str] | re.Pattern[bytes]
    methods: tuple[str, ...] = _ALL_METHODS


@dataclass(frozen=True)
class Growth:
    """Seconds of processor time for the longest string, and the exponent of their growth."""

    name: str
    seconds: float
    exponent: float
    method: str
    text: str

    def __str__(self) -> str:
        return (
            f"{self.exponent:5.2f}  {self.seconds:8.3f} s  {self.name}.{self.method}  {self.text!r}"
        )


def package_expressions(package: ModuleType = forest_scrapy) -> list[NamedExpression]:
    """All compiled expressions of the modules of a package, in containers and class bodies, too.

    Modules whose requirements are not installed are passed over.
    """
    expressions: dict[tuple[Any, int], NamedExpression] = {}
    for module_info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        try:
            module = importlib.import_module(module_info.name)
        except ImportError:
            continue
        try:
            methods_by_name = _methods_by_name(inspect.getsource(module))
        except OSError:  # compiled
            methods_by_name = {}
        for name, value in vars(module).items():
            is_private = name.startswith("_") and isinstance(value, re.Pattern | Wordings)
            methods = methods_by_name.get(name, _ALL_METHODS) if is_private else _ALL_METHODS
            for expression in _expressions_in(value, module.__name__):
                key = (expression.pattern, expression.flags)
                named = NamedExpression(f"{module.__name__}.{name}", expression, methods)
                expressions[key] = _merge(expressions.get(key), named)
    return sorted(expressions.values(), key=lambda item: (item.name, str(item.expression.pattern)))


def _merge(first: NamedExpression | None, second: NamedExpression) -> NamedExpression:
    """An expression that two modules have, with the methods of both."""
    if first is None:
        return second
    return replace(first, methods=tuple(dict.fromkeys(first.methods + second.methods)))


def _methods_by_name(source: str) -> dict[str, tuple[str, ...]]:
    """How a module calls its expressions, by their names: those of ``_ALL_METHODS``.

    All of them for an expression that it uses in another way, such as in a container.

    >>> _methods_by_name("_A.match(''); _B.sub('', ''); _B.match(''); [_C]")
    {'_A': ('match',), '_B': ('search', 'match'), '_C': ('search', 'match', 'fullmatch')}
    """
    called: dict[str, set[str]] = {}
    tree = ast.parse(source)
    owners = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            continue
        if node.attr in _METHODS:
            owners.add(node.value)
            called.setdefault(node.value.id, set()).add(_METHODS[node.attr])
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in owners:
            called[node.id] = set(_ALL_METHODS)
    return {
        name: tuple(method for method in _ALL_METHODS if method in methods)
        for name, methods in called.items()
    }


def _expressions_in(value: object, module_name: str, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, Wordings):
        yield value.compiled
    elif depth < 4 and isinstance(value, dict):
        for part in [*value.keys(), *value.values()]:
            yield from _expressions_in(part, module_name, depth + 1)
    elif depth < 4 and isinstance(value, (list, tuple, set, frozenset)):
        for part in value:
            yield from _expressions_in(part, module_name, depth + 1)
    elif depth == 0 and isinstance(value, type) and value.__module__ == module_name:
        for part in vars(value).values():
            yield from _expressions_in(part, module_name, depth + 1)


def hostile_texts(expression: re.Pattern[Any], length: int) -> Iterator[tuple[str, str]]:
    """Strings of about `length` characters, each with a short description: what repeats in it."""
    shapes: dict[tuple[str, str, str], None] = {}
    for prefix, body in _repetitions(parser.parse(expression.pattern, expression.flags), ""):
        for end in ENDS:
            shapes.setdefault((prefix, body, end))
            shapes.setdefault(("", prefix + body, end))
            if prefix:
                shapes.setdefault(("", prefix, end))
                shapes.setdefault((prefix, body + prefix, end))
    for start, unit, end in shapes:
        if unit:
            yield start + unit * (length // len(unit)) + end, f"{start}({unit})*{end}"


def _repetitions(parts: Any, prefix: str) -> Iterator[tuple[str, str]]:
    """What is repeated without a bound, and a text that leads there."""
    for code, argument in parts:
        if code in _REPEATS:
            low, high, body = argument
            unit = _sample(body)
            if high >= MIN_REPETITIONS:
                yield prefix, unit
                yield from ((prefix, character) for character in "a1 " if _accepts(body, character))
            yield from _repetitions(body, prefix)
            prefix += unit * min(max(low, 0), 20)
        elif code == codes.SUBPATTERN:
            yield from _repetitions(argument[-1], prefix)
            prefix += _sample(argument[-1])
        elif code == codes.ATOMIC_GROUP:
            yield from _repetitions(argument, prefix)
            prefix += _sample(argument)
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            yield from _repetitions(argument[1], prefix)
        elif code == codes.BRANCH:
            for branch in argument[1]:
                yield from _repetitions(branch, prefix)
            prefix += _sample(argument[1][0])
        else:
            prefix += _sample([(code, argument)])


def _accepts(parts: Any, character: str) -> bool:
    if len(parts) != 1:
        return False
    code, argument = parts[0]
    if code == codes.IN:
        return _is_in(argument, character)
    return bool(code == codes.ANY or (code == codes.NOT_LITERAL and chr(argument) != character))


def _is_in(members: Any, character: str) -> bool:
    number = ord(character)
    is_negated = False
    is_member = False
    for code, argument in members:
        if code == codes.NEGATE:
            is_negated = True
        elif code == codes.LITERAL:
            is_member |= argument == number
        elif code == codes.RANGE:
            is_member |= argument[0] <= number <= argument[1]
        elif code == codes.CATEGORY:
            is_member |= _in_category(argument, character)
    return is_member != is_negated


def _in_category(category: Any, character: str) -> bool:
    tests = {
        codes.CATEGORY_DIGIT: character.isdigit(),
        codes.CATEGORY_NOT_DIGIT: not character.isdigit(),
        codes.CATEGORY_SPACE: character.isspace(),
        codes.CATEGORY_NOT_SPACE: not character.isspace(),
        codes.CATEGORY_WORD: character.isalnum() or character == "_",
        codes.CATEGORY_NOT_WORD: not (character.isalnum() or character == "_"),
    }
    return tests.get(category, False)


def _sample(parts: Any) -> str:
    """A short text that the parts match, as a rule (assertions are passed over)."""
    text = ""
    for code, argument in parts:
        if code == codes.LITERAL:
            text += chr(argument)
        elif code == codes.NOT_LITERAL:
            text += "a" if argument != ord("a") else "b"
        elif code == codes.ANY:
            text += "a"
        elif code == codes.IN:
            text += _member(argument)
        elif code == codes.CATEGORY:
            text += _CATEGORIES.get(argument, "a")
        elif code in _REPEATS:
            text += _sample(argument[2]) * min(max(argument[0], 0), 20)
        elif code == codes.SUBPATTERN:
            text += _sample(argument[-1])
        elif code == codes.ATOMIC_GROUP:
            text += _sample(argument)
        elif code == codes.BRANCH:
            text += _sample(argument[1][0])
    return text


def _member(members: Any) -> str:
    for character in _CANDIDATES:
        if _is_in(members, character):
            return character
    code, argument = members[0]
    if code == codes.LITERAL:
        return chr(argument)
    if code == codes.RANGE:
        return chr(argument[0])
    return "~"


def growth(named: NamedExpression) -> Growth | None:
    """The hostile string for which the time grows most; None if all are read at once."""
    worst: Growth | None = None
    length = MIN_LENGTH
    while length <= MAX_LENGTH and worst is None:
        for method in named.methods:
            worst = _worst(worst, _growth_at(named, method, length))
            if worst is not None and worst.exponent > MAX_EXPONENT:
                return worst
        length *= 2
    return worst


def _worst(first: Growth | None, second: Growth | None) -> Growth | None:
    if first is None or second is None:
        return first or second
    return max(first, second, key=lambda result: result.exponent)


def _growth_at(named: NamedExpression, method: str, length: int) -> Growth | None:
    """The growth from strings of a length to those of twice and four times that length."""
    worst: Growth | None = None
    texts = zip(
        hostile_texts(named.expression, length),
        hostile_texts(named.expression, 2 * length),
        hostile_texts(named.expression, 4 * length),
        strict=True,
    )
    for (short, description), _middle, (long, _) in texts:
        if _seconds(named.expression, method, short, repeats=1) < MIN_SECONDS:
            continue
        first = _seconds(named.expression, method, short)
        if first < MIN_SECONDS:
            continue
        last = _seconds(named.expression, method, long)
        exponent = math.log2(last / first) / 2
        result = Growth(named.name, last, exponent, method, description[:80])
        worst = _worst(worst, result)
        if exponent > MAX_EXPONENT:
            return worst
    return worst


def _seconds(expression: re.Pattern[Any], method: str, text: str, repeats: int = REPEATS) -> float:
    """The least processor time of some runs: of all matches in the text, or of the whole."""
    content = text.encode() if isinstance(expression.pattern, bytes) else text
    least = math.inf
    for _ in range(repeats):
        start = time.thread_time()
        if method == "search":
            for _match in expression.finditer(content):
                pass
        elif method == "match":
            expression.match(content)
        else:
            expression.fullmatch(content)
        least = min(least, time.thread_time() - start)
        if least > 0.5:
            break
    return least


def main() -> None:
    """Prints the expressions whose time grows faster than their text."""
    for named in package_expressions():
        result = growth(named)
        if result is not None and result.exponent > 1.2:
            print(result, flush=True)


if __name__ == "__main__":
    main()
