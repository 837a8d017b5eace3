"""Texts that are nearly equal, by the 2-grams that they share (thesis, chapter 3, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from forest_scrapy.core.alignment.facts import Bools, Floats, Ints, spread

#: Texts of fewer 2-grams than this say too little about each other.
LEAST_GRAMS = 5
#: So many texts of the larger side are compared with each of the smaller side at once.
_BLOCK = 100_000


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
    first, second = ({text[i : i + 2] for i in range(len(text) - 1)} for text in (left, right))
    if _digits(left) != _digits(right) or not first or not second:
        return 0.0
    return 2 * len(first & second) / (len(first) + len(second))


def find_similar(small: list[str], large: Iterable[str], least: float) -> tuple[Ints, Ints, Floats]:
    """All pairs of different texts whose ``similarity`` is at least ``least``, and which have
    ``LEAST_GRAMS``: the numbers of both texts, and the similarity.

    Costs 2 to 9 ns a pair, so the product of the sizes must be bounded.
    """
    sets, digits = GramSets(small), _number_digits(small)
    known = dict(zip(map(_digits, small), digits.tolist(), strict=True))
    found: list[tuple[Ints, Ints, Floats]] = []
    first = 0
    for block in _blocks(large):
        other_digits = np.array([known.get(_digits(text), -1) for text in block])
        for number, texts, scores in _compare(sets, digits, GramSets(block), other_digits, least):
            differs = np.array([block[text] != small[number] for text in texts.tolist()])
            found.append((np.full(differs.sum(), number), texts[differs] + first, scores[differs]))
        first += len(block)
    if not found:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0)
    scores = np.concatenate([score for *_, score in found])
    return *(np.concatenate([one[i] for one in found]) for i in (0, 1)), scores  # type: ignore[return-value]


def _compare(
    sets: GramSets, digits: Ints, others: GramSets, other_digits: Ints, least: float
) -> Iterator[tuple[int, Ints, Floats]]:
    """For each text of ``sets`` the similar ones of ``others``."""
    order = np.argsort(others.grams, kind="stable")
    grams, texts = others.grams[order], others.text[order]
    starts = np.searchsorted(grams, sets.grams)
    counts = np.searchsorted(grams, sets.grams, side="right") - starts
    usable: Bools = (others.sizes >= LEAST_GRAMS) & (other_digits >= 0)
    for number in np.flatnonzero(sets.sizes >= LEAST_GRAMS).tolist():
        mine = slice(sets.starts[number], sets.starts[number] + sets.sizes[number])
        _, rows = spread(starts[mine], counts[mine])
        shared = np.bincount(texts[rows], minlength=len(others.sizes))
        # Dice's coefficient is at least ``least`` only from this overlap on.
        size = int(sets.sizes[number])
        candidates = np.flatnonzero(shared >= least * size / (2 - least) - 1e-9)
        scores = 2 * shared[candidates] / (size + others.sizes[candidates])
        good = (scores >= least) & usable[candidates]
        good &= other_digits[candidates] == digits[number]
        if good.any():
            yield number, candidates[good], scores[good]


def _blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(texts)
    while block := list(islice(iterator, _BLOCK)):
        yield block


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _number_digits(texts: list[str]) -> Ints:
    """The same number for texts with the same digits."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(_digits(text), len(numbers)) for text in texts])
