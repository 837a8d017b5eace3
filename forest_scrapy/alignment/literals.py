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
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

import numpy as np

from forest_scrapy.alignment.facts import Floats, Ints, mark_new_rows
from forest_scrapy.core.graph import Literal

_XSD = "http://www.w3.org/2001/XMLSchema#"
_NUMBER = re.compile(r"[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?([eE][+-]?\d{1,3})?", re.ASCII)
_LEADING_ZERO = re.compile(r"[+-]?0\d", re.ASCII)
_DATE = re.compile(r"(\d{4})(?:-(\d\d|##))?(?:-(\d\d|##))?(?:[T ]\d\d:.*)?(?:Z|[+-]\d\d:\d\d)?")
_IN_PARENTHESES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
#: Longer numbers are compared as they are written.
MAX_DIGITS = 40
#: Texts of fewer 2-grams than this say too little about each other.
MIN_GRAMS = 5
#: So many texts of the larger side are compared with each of the smaller side at once.
_BLOCK = 100_000
#: Bits of a character in a 2-gram, which is a number.
_CHARACTER_BITS = 21
#: Up to so many pairs are compared one by one.
_MAX_SINGLE_PAIRS = 20


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
    is_year = literal.datatype == f"{_XSD}gYear"
    may_be_date = is_year or len(text) > 4
    if date and may_be_date:
        return _normalise_date(date)
    if _is_number(text, literal.datatype):
        number = Decimal(text.replace(",", ""))
        return f"#{_write_number(number)}"
    return f"={letters(text) or text}"


def _normalise_date(date: re.Match[str]) -> str:
    """The parts of a date that are known; a year alone is a number."""
    parts = []
    for part in date.groups():
        if part and part != "##":
            parts.append(part)
    if len(parts) == 1:
        year = int(parts[0])
        return f"#{year}"
    return f"@{'-'.join(parts)}"


def _is_number(text: str, datatype: str | None) -> bool:
    """Whether the text is compared as a number.  A code, such as 0123, is none unless its type says
    so."""
    if len(text) > MAX_DIGITS or not _NUMBER.fullmatch(text):
        return False
    is_plain_text = datatype in (None, f"{_XSD}string")
    is_code = is_plain_text and _LEADING_ZERO.match(text)
    return not is_code


def _write_number(number: Decimal) -> str:
    """The shortest text of the number.

    >>> [_write_number(Decimal(text)) for text in ("-0.0", "1e3", "1e99")]
    ['0', '1000', '1E+99']
    """
    number = number.normalize()
    if not number:
        return "0"
    if abs(number.adjusted()) <= MAX_DIGITS:
        return f"{number:f}"
    return str(number)


def letters(text: str) -> str:
    """Its letters and digits in lower case, without accents, and without what is in parentheses
    unless that is all."""
    outside = _IN_PARENTHESES.sub(" ", text)
    return _only_letters(outside) or _only_letters(text)


def _only_letters(text: str) -> str:
    if text.isascii():
        lower_text = text.lower()
        return "".join(filter(str.isalnum, lower_text))
    decomposed = unicodedata.normalize("NFKD", text)
    folded = decomposed.casefold()
    folded = unicodedata.normalize("NFKD", folded)
    return "".join(filter(str.isalnum, folded))


class GramSets:
    """The sets of 2-grams of texts: a range of ``grams`` for each."""

    def __init__(self, texts: list[str]) -> None:
        joined = "\n".join(texts) + "\n"
        encoded = joined.encode("utf-32-le")
        code_points = np.frombuffer(encoded, dtype=np.uint32)
        characters = code_points.astype(np.int64)
        first_characters = characters[:-1]
        second_characters = characters[1:]
        all_grams = (first_characters << _CHARACTER_BITS) | second_characters

        is_end = characters == ord("\n")
        text_numbers = np.cumsum(is_end) - is_end
        crosses_texts = is_end[:-1] | is_end[1:]
        is_in_text = ~crosses_texts
        first_numbers = text_numbers[:-1]
        grams = all_grams[is_in_text]
        numbers = first_numbers[is_in_text]

        order = np.lexsort((grams, numbers))
        grams = grams[order]
        numbers = numbers[order]
        is_new = mark_new_rows(numbers, grams)
        self.text = numbers[is_new]
        self.grams = grams[is_new]
        self.sizes = np.bincount(self.text, minlength=len(texts))
        self.starts = np.cumsum(self.sizes) - self.sizes


def gram_similarity(left: str, right: str) -> float:
    """Dice's coefficient of the sets of 2-grams; 0 if the digits differ.

    >>> round(gram_similarity("williamshakespeare", "shakespearewilliam"), 3)
    0.941
    >>> gram_similarity("thecompleteworks1", "thecompleteworks2")
    0.0
    """
    if _digits(left) != _digits(right):
        return 0.0
    left_grams = _grams(left)
    right_grams = _grams(right)
    if not left_grams or not right_grams:
        return 0.0
    shared = left_grams & right_grams
    total = len(left_grams) + len(right_grams)
    return 2 * len(shared) / total


def count_comparisons(left: Iterable[str], right: Iterable[str]) -> int:
    """The number of pairs that have the same digits, which ``find_similar`` compares."""
    counts = Counter(map(_digits, left))
    return sum(counts[_digits(text)] for text in right)


@dataclass(frozen=True, eq=False)
class SimilarTexts:
    """Pairs of similar texts: the numbers of both, and the similarity."""

    small: Ints
    large: Ints
    scores: Floats


def find_similar(
    small: list[str],
    large: Iterable[str],
    min_similarity: float,
) -> SimilarTexts:
    """All pairs of different texts whose ``gram_similarity`` is at least ``min_similarity``, and
    which have ``MIN_GRAMS``.

    Costs 10 to 30 ns for each pair of those with the same digits, so that their number must be
    bounded.
    """
    numbers_by_digits = _group_by_digits(small)
    small_numbers: list[int] = []
    large_numbers: list[int] = []
    scores: list[float] = []
    first = 0
    for block in _blocks(large):
        block_groups = _group_by_digits(block)
        for digits, block_numbers in block_groups.items():
            numbers = numbers_by_digits.get(digits, [])
            small_texts = [small[number] for number in numbers]
            large_texts = [block[number] for number in block_numbers]
            for i, j, score in _compare(small_texts, large_texts, min_similarity):
                if small_texts[i] == large_texts[j]:
                    continue
                large_number = first + block_numbers[j]
                small_numbers.append(numbers[i])
                large_numbers.append(large_number)
                scores.append(score)
        first += len(block)
    return SimilarTexts(
        small=np.array(small_numbers, dtype=np.int64),
        large=np.array(large_numbers, dtype=np.int64),
        scores=np.array(scores, dtype=np.float64),
    )


def _compare(
    left: list[str],
    right: list[str],
    min_similarity: float,
) -> Iterator[tuple[int, int, float]]:
    """The positions of similar texts with the same digits, and their similarity."""
    pair_count = len(left) * len(right)
    if pair_count <= _MAX_SINGLE_PAIRS:
        return _compare_singly(left, right, min_similarity)
    left_sets = GramSets(left)
    right_sets = GramSets(right)
    return _compare_sets(left_sets, right_sets, min_similarity)


def _compare_singly(
    left: list[str],
    right: list[str],
    min_similarity: float,
) -> Iterator[tuple[int, int, float]]:
    for i, left_text in enumerate(left):
        for j, right_text in enumerate(right):
            score = gram_similarity(left_text, right_text)
            left_size = len(_grams(left_text))
            right_size = len(_grams(right_text))
            is_long = min(left_size, right_size) >= MIN_GRAMS
            is_similar = score >= min_similarity
            if is_long and is_similar:
                yield i, j, score


def _compare_sets(
    left: GramSets,
    right: GramSets,
    min_similarity: float,
) -> Iterator[tuple[int, int, float]]:
    order = np.argsort(right.grams, kind="stable")
    grams = right.grams[order]
    texts = right.text[order]
    starts = np.searchsorted(grams, left.grams).tolist()
    stops = np.searchsorted(grams, left.grams, side="right").tolist()
    is_long = right.sizes >= MIN_GRAMS

    is_long_left = left.sizes >= MIN_GRAMS
    long_texts = np.flatnonzero(is_long_left)
    for i in long_texts.tolist():
        size = int(left.sizes[i])
        first_gram = int(left.starts[i])
        texts_by_gram = []
        for gram in range(first_gram, first_gram + size):
            texts_of_gram = texts[starts[gram] : stops[gram]]
            texts_by_gram.append(texts_of_gram)
        texts_with_grams = np.concatenate(texts_by_gram)
        shared = np.bincount(texts_with_grams, minlength=len(right.sizes))

        # Dice's coefficient is at least ``min_similarity`` only from this overlap on.
        min_shared = min_similarity * size / (2 - min_similarity) - 1e-9
        may_be_similar = shared >= min_shared
        candidates = np.flatnonzero(may_be_similar)
        totals = size + right.sizes[candidates]
        scores = 2 * shared[candidates] / totals
        is_similar = scores >= min_similarity
        is_similar &= is_long[candidates]

        similar = candidates[is_similar].tolist()
        similar_scores = scores[is_similar].tolist()
        for j, score in zip(similar, similar_scores, strict=True):
            yield i, j, score


def _group_by_digits(texts: list[str]) -> dict[str, list[int]]:
    """The numbers of the texts by their digits."""
    groups: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        digits = _digits(text)
        numbers = groups.setdefault(digits, [])
        numbers.append(number)
    return groups


def _blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(texts)
    while block := list(islice(iterator, _BLOCK)):
        yield block


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _grams(text: str) -> set[str]:
    return {text[i : i + 2] for i in range(len(text) - 1)}
