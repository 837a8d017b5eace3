"""How the time of the package's regular expressions grows with hostile strings.

    python -m benchmarks.hostile.expression_growth [--check]

An expression that is searched takes a time that grows with the square of the text if it can start
at many places and reads far at each of them.  The strings here provoke that: they are made from the
parsed expression, from what each unbounded repetition repeats and from what stands before it.

Prints the expressions whose time grows faster than their text, and those that take too long at the
bound of their texts; with ``--check`` the exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from benchmarks.hostile.package_expressions import NamedExpression, package_expressions

# Repetitions of at least so many times are taken for unbounded.
MIN_REPETITIONS = 400
# Of hostile strings.  At the last, an expression that grows with the square takes 20 ms and more.
LENGTHS = (25, 35, 50, 70, 100, 200, 400, 1_600, 6_400)
# A string of so many characters that takes MIN_SECONDS is not measured with longer ones: the time
# is exponential in the length.
MAX_SHORT_LENGTH = 100
REPEATS = 3
# What takes less for the longest of these is linear, mostly.
MIN_SECONDS = 0.01
# What takes more is not measured with longer strings.
MAX_SECONDS = 0.5
MAX_EXPONENT = 1.6
# An exponent above this one is measured again, so many times; the least is taken.
MAX_ATTEMPTS = 4
# For the longest text that an expression of ``BOUNDS`` is used on.
MAX_BOUND_SECONDS = 0.005
# Characters that no expression of a page looks for: they end a match.
ENDS = ("\x00", "\n\x00", "")


@dataclass(frozen=True)
class Bound:
    """Characters of the longest text that an expression is used on, and what bounds it."""

    length: int
    place: str


#: Expressions that would take too long on long texts, which they never see.
BOUNDS: dict[str, Bound] = {}

_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_CATEGORIES = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_WORD: "-",
}
# What is repeated, too, where an expression repeats one of many characters.
_REPEATED = "a1 .-,/\n"
_CANDIDATES = "a1 -<A.,:/&\n\"'=;é中_"


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


def hostile_texts(expression: re.Pattern[Any], length: int) -> Iterator[tuple[str, str]]:
    """Strings of about `length` characters, each with a short description: what repeats in it."""
    for start, unit, end in _shapes(expression):
        yield start + unit * (length // len(unit)) + end, f"{start}({unit})*{end}"


@lru_cache(maxsize=1)
def _shapes(expression: re.Pattern[Any]) -> tuple[tuple[str, str, str], ...]:
    """The start, the repeated unit and the end of each hostile string."""
    shapes: dict[tuple[str, str, str], None] = {}
    for prefix, body in _repetitions(parser.parse(expression.pattern, expression.flags), ""):
        for end in ENDS:
            shapes.setdefault((prefix, body, end))
            shapes.setdefault(("", prefix + body, end))
            if prefix:
                shapes.setdefault(("", prefix, end))
                shapes.setdefault((prefix, body + prefix, end))
    return tuple(shape for shape in shapes if shape[1])


def _repetitions(parts: Any, prefix: str) -> Iterator[tuple[str, str]]:
    """What is repeated without a bound, and a text that leads there."""
    for code, argument in parts:
        if code in _REPEATS:
            low, high, body = argument
            unit = _sample(body)
            if high >= MIN_REPETITIONS:
                yield prefix, unit
                for character in _REPEATED:
                    if _accepts(body, character):
                        yield prefix, character
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
    """The hostile string for which the time grows most, once it takes a time that can be measured;
    None if all are read at once."""
    worst: Growth | None = None
    for length in LENGTHS:
        for method in named.methods:
            worst = _worst(worst, _growth_at(named, method, length))
        if worst is not None:
            return worst
    return None


def seconds_at_bound(named: NamedExpression, bound: Bound) -> float:
    """The processor time for the worst hostile string of the length of a bound."""
    seconds = [
        _seconds(named.expression, method, text)
        for method in named.methods
        for text, _ in hostile_texts(named.expression, bound.length)
    ]
    return max(seconds, default=0.0)


def problem_of(named: NamedExpression) -> str:
    """What is wrong with the growth of an expression; ``""`` if nothing."""
    bound = BOUNDS.get(named.name)
    if bound is not None:
        seconds = math.inf
        for _ in range(MAX_ATTEMPTS):  # other programs may slow one down
            seconds = min(seconds, seconds_at_bound(named, bound))
            if seconds <= MAX_BOUND_SECONDS:
                return ""
        return f"{seconds:.3f} s for {bound.length} characters: {named.name}"
    result = growth(named)
    return str(result) if result is not None and result.exponent > MAX_EXPONENT else ""


def _worst(first: Growth | None, second: Growth | None) -> Growth | None:
    if first is None or second is None:
        return first or second
    return max(first, second, key=lambda result: result.exponent)


def _growth_at(named: NamedExpression, method: str, length: int) -> Growth | None:
    """The growth from strings of a length to those of four times that length."""
    worst: Growth | None = None
    expression = named.expression
    texts = zip(
        hostile_texts(expression, length),
        hostile_texts(expression, 2 * length),
        hostile_texts(expression, 4 * length),
        strict=True,
    )
    for (short, description), (middle, _), (long, _) in texts:
        first = _seconds(expression, method, short, repeats=1)
        if first < MIN_SECONDS:
            continue
        if length <= MAX_SHORT_LENGTH and _seconds(expression, method, short) >= MIN_SECONDS:
            return Growth(named.name, first, math.inf, method, description[:80])
        exponent = math.inf
        for attempt in range(MAX_ATTEMPTS):
            repeats = REPEATS if attempt else 1
            first = _seconds(expression, method, short, repeats)
            if first < MIN_SECONDS:
                break
            second = _seconds(expression, method, middle, repeats)
            if second > MAX_SECONDS:
                exponent = min(exponent, math.log2(second / first))
                last = second
                break
            last = _seconds(expression, method, long, repeats)
            exponent = min(exponent, math.log2(last / first) / 2)
            if exponent <= MAX_EXPONENT:
                break
        if exponent == math.inf:
            continue
        worst = _worst(worst, Growth(named.name, last, exponent, method, description[:80]))
        if exponent > MAX_EXPONENT:
            return worst
    return worst


def _seconds(expression: re.Pattern[Any], method: str, text: str, repeats: int = REPEATS) -> float:
    """The least processor time of some runs: of all matches in the text, or of the whole."""
    content = text.encode() if isinstance(expression.pattern, bytes) else text
    seconds = math.inf
    for _ in range(repeats):
        start = time.thread_time()
        if method == "search":
            for _match in expression.finditer(content):
                pass
        elif method == "match":
            expression.match(content)
        else:
            expression.fullmatch(content)
        seconds = min(seconds, time.thread_time() - start)
        if seconds > MAX_SECONDS:
            break
    return seconds


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true", help="exit status 1 if there are any")
    is_check = options.parse_args(arguments).check
    expressions = package_expressions()
    count = 0
    for named in expressions:
        problem = problem_of(named)
        if problem:
            count += 1
            print(problem, flush=True)
    print(f"{len(expressions)} expressions, {count} that take too long")
    return int(is_check and count > 0)


if __name__ == "__main__":
    sys.exit(main())
