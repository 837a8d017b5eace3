"""Equal literals: their normal forms, and texts that are nearly equal.

PARIS (section 5.3) compares strings by their letters and digits in lower case; the thesis (section
4 of chapter 3) removes what stands in parentheses, and compares the rest by the 2-grams that texts
share.  Numbers and dates are compared by value.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice, product

import numpy as np

from forest_scrapy.alignment.facts import Floats, Ints
from forest_scrapy.core.graph import Literal

_XSD = "http://www.w3.org/2001/XMLSchema#"
_NUMBER = re.compile(r"[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?([eE][+-]?\d{1,3})?", re.ASCII)
_LEADING_ZERO = re.compile(r"[+-]?0\d", re.ASCII)
_DATE = re.compile(r"(\d{4})(?:-(\d\d|##))?(?:-(\d\d|##))?(?:[T ]\d\d:.*)?(?:Z|[+-]\d\d:\d\d)?")
_IN_PARENTHESES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
#: Numbers of more digits than this are compared as they are written.
_MOST_DIGITS = 40
#: Texts of fewer 2-grams than this say too little about each other.
LEAST_GRAMS = 5
#: So many texts of the larger side are compared with each of the smaller side at once.
_BLOCK = 100_000
#: So few pairs are compared one by one.
_FEW = 20


def normalise(literal: Literal) -> str:
    """The normal form: ``#`` and a number, ``@`` and a date, or ``=`` and a text's letters and
    digits.  Languages are not compared; a year is a number.

    >>> normalise(Literal("Hamlet (French Edition)")), normalise(Literal("HAMLET!"))
    ('=hamlet', '=hamlet')
    >>> normalise(Literal("12.50")), normalise(Literal("12.5", _XSD + "decimal"))
    ('#12.5', '#12.5')
    >>> normalise(Literal("2011-03-04T10:00:00Z")), normalise(Literal("1998", _XSD + "gYear"))
    ('@2011-03-04', '#1998')
    """
    text = literal.value.strip()
    date = _DATE.fullmatch(text)
    if date and (len(text) > 4 or literal.datatype == f"{_XSD}gYear"):
        year, *rest = (part for part in date.groups() if part and part != "##")
        return f"@{'-'.join([year, *rest])}" if rest else f"#{int(year)}"
    # A code, such as 0123, is no number unless its type says so.
    is_code = _LEADING_ZERO.match(text) and literal.datatype in (None, f"{_XSD}string")
    if _NUMBER.fullmatch(text) and len(text) <= _MOST_DIGITS and not is_code:
        return f"#{_write_number(Decimal(text.replace(',', '')))}"
    return f"={letters(text) or text}"


def _write_number(number: Decimal) -> str:
    """The shortest text of the number.

    >>> [_write_number(Decimal(text)) for text in ("-0.0", "1e3", "1e99")]
    ['0', '1000', '1E+99']
    """
    number = number.normalize()
    if not number:
        return "0"
    return f"{number:f}" if abs(number.adjusted()) <= _MOST_DIGITS else str(number)


def letters(text: str) -> str:
    """Its letters and digits in lower case, without accents, and without what is in parentheses
    unless that is all."""
    outside = _IN_PARENTHESES.sub(" ", text)
    return _only_letters(outside) or _only_letters(text)


def _only_letters(text: str) -> str:
    if text.isascii():
        return "".join(filter(str.isalnum, text.lower()))
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", folded)))


class GramSets:
    """The sets of 2-grams of texts: a range of ``grams`` for each."""

    def __init__(self, texts: list[str]) -> None:
        joined = "\n".join(texts) + "\n"
        letters = np.frombuffer(joined.encode("utf-32-le"), dtype=np.uint32).astype(np.int64)
        is_end = letters == ord("\n")
        text = (np.cumsum(is_end) - is_end)[:-1]
        grams = (letters[:-1] << 21) | letters[1:]
        inside = ~(is_end[:-1] | is_end[1:])
        order = np.lexsort((grams[inside], text[inside]))
        text, grams = text[inside][order], grams[inside][order]
        is_new = np.ones(len(text), dtype=bool)
        is_new[1:] = (text[1:] != text[:-1]) | (grams[1:] != grams[:-1])
        self.text, self.grams = text[is_new], grams[is_new]
        self.sizes = np.bincount(self.text, minlength=len(texts))
        self.starts = np.cumsum(self.sizes) - self.sizes


def similarity(left: str, right: str) -> float:
    """Dice's coefficient of the sets of 2-grams; 0 if the digits differ.

    >>> round(similarity("williamshakespeare", "shakespearewilliam"), 3)
    0.941
    >>> similarity("thecompleteworks1", "thecompleteworks2")
    0.0
    """
    first, second = _grams(left), _grams(right)
    if _digits(left) != _digits(right) or not first or not second:
        return 0.0
    return 2 * len(first & second) / (len(first) + len(second))


def count_comparisons(left: Iterable[str], right: Iterable[str]) -> int:
    """The number of pairs that have the same digits, which ``find_similar`` compares."""
    counts = Counter(map(_digits, left))
    return sum(counts[_digits(text)] for text in right)


def find_similar(small: list[str], large: Iterable[str], least: float) -> tuple[Ints, Ints, Floats]:
    """All pairs of different texts whose ``similarity`` is at least ``least``, and which have
    ``LEAST_GRAMS``: the numbers of both texts, and the similarity.

    Costs 10 to 30 ns for each pair of those with the same digits, so that their number must be
    bounded.
    """
    groups = _group(small)
    found: list[tuple[int, int, float]] = []
    first = 0
    for block in _blocks(large):
        for digits, members in _group(block).items():
            mine = groups.get(digits, [])
            pairs = _compare([small[i] for i in mine], [block[j] for j in members], least)
            found += [
                (mine[i], first + members[j], score)
                for i, j, score in pairs
                if small[mine[i]] != block[members[j]]
            ]
        first += len(block)
    columns = list(zip(*found, strict=True)) or [(), (), ()]
    left, right = (np.array(column, dtype=np.int64) for column in columns[:2])
    return left, right, np.array(columns[2], dtype=np.float64)


def _compare(left: list[str], right: list[str], least: float) -> Iterator[tuple[int, int, float]]:
    if len(left) * len(right) <= _FEW:
        for i, j in product(range(len(left)), range(len(right))):
            score = similarity(left[i], right[j])
            shortest = min(len(_grams(left[i])), len(_grams(right[j])))
            if score >= least and shortest >= LEAST_GRAMS:
                yield i, j, score
        return
    sets, others = GramSets(left), GramSets(right)
    order = np.argsort(others.grams, kind="stable")
    grams, texts = others.grams[order], others.text[order]
    starts = np.searchsorted(grams, sets.grams).tolist()
    ends = np.searchsorted(grams, sets.grams, side="right").tolist()
    is_long = others.sizes >= LEAST_GRAMS
    for i in np.flatnonzero(sets.sizes >= LEAST_GRAMS).tolist():
        size, begin = int(sets.sizes[i]), int(sets.starts[i])
        holders = [texts[starts[k] : ends[k]] for k in range(begin, begin + size)]
        shared = np.bincount(np.concatenate(holders), minlength=len(right))
        # Dice's coefficient is at least ``least`` only from this overlap on.
        candidates = np.flatnonzero(shared >= least * size / (2 - least) - 1e-9)
        scores = 2 * shared[candidates] / (size + others.sizes[candidates])
        good = (scores >= least) & is_long[candidates]
        for j, score in zip(candidates[good].tolist(), scores[good].tolist(), strict=True):
            yield i, j, score


def _group(texts: list[str]) -> dict[str, list[int]]:
    """The numbers of the texts by their digits."""
    groups: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        groups.setdefault(_digits(text), []).append(number)
    return groups


def _blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(texts)
    while block := list(islice(iterator, _BLOCK)):
        yield block


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _grams(text: str) -> set[str]:
    return {text[i : i + 2] for i in range(len(text) - 1)}
