"""Pairs of equal nodes of two ontologies, with the probability that they are equal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from forest_scrapy.alignment.facts import Bools, Floats, Ints, join_keys, split_keys, spread
from forest_scrapy.alignment.literals import count_comparisons, find_similar
from forest_scrapy.alignment.ontology import LITERAL_MARK, Ontology

#: Evidence is rounded to this, so that sums in another order compare as equal.
_DECIMALS = 6


@dataclass(frozen=True, eq=False)
class Pairs:
    """``keys``: keys of (node of the left ontology, node of the right one), sorted."""

    keys: Ints
    probabilities: Floats

    @classmethod
    def of(cls, left: Ints, right: Ints, probabilities: Floats) -> Pairs:
        """Sorted; no pair may come twice."""
        keys = join_keys(left, right)
        order = np.argsort(keys)
        return cls(keys[order], probabilities[order])

    def swap(self) -> Pairs:
        """The same pairs seen from the right."""
        left, right = split_keys(self.keys)
        return Pairs.of(right, left, self.probabilities)

    def join(self, other: Pairs) -> Pairs:
        """Both, which have no pair in common."""
        left, right = split_keys(np.concatenate([self.keys, other.keys]))
        return Pairs.of(left, right, np.concatenate([self.probabilities, other.probabilities]))

    def count(self, nodes: Ints) -> Ints:
        """The number of equal nodes for each left node."""
        return self._ranges(nodes)[1]

    def expand(self, nodes: Ints) -> tuple[Ints, Ints, Floats]:
        """What the left nodes are equal to: the position of the node, the right node, and the
        probability."""
        positions, rows = spread(*self._ranges(nodes))
        return positions, split_keys(self.keys[rows])[1], self.probabilities[rows]

    def find(self, left: Ints, right: Ints) -> Floats:
        """The probabilities of pairs; 0 for those that are not known."""
        if not len(self):
            return np.zeros(len(left))
        keys = join_keys(left, right)
        rows = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[rows] == keys, self.probabilities[rows], 0.0)

    def _ranges(self, nodes: Ints) -> tuple[Ints, Ints]:
        starts = np.searchsorted(self.keys, nodes << 32)
        return starts, np.searchsorted(self.keys, (nodes + 1) << 32) - starts

    def __len__(self) -> int:
        return len(self.keys)


NO_PAIRS = Pairs(np.empty(0, dtype=np.int64), np.empty(0))


def match_literals(left: Ontology, right: Ontology) -> Pairs:
    """Literals with the same normal form.  Reads both lists once, and holds none of them."""
    pairs = list(_merge(left.terms.literals(), right.terms.literals()))
    numbers = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Pairs.of(numbers[:, 0], numbers[:, 1], np.ones(len(pairs)))


def _merge(left: Iterator[str], right: Iterator[str]) -> Iterator[tuple[int, int]]:
    """The positions of what two sorted lists have in common."""
    i = j = 0
    first, second = next(left, None), next(right, None)
    while first is not None and second is not None:
        if first == second:
            yield i, j
        if first <= second:
            next_first, i = next(left, None), i + 1
        else:
            next_first = first
        if second <= first:
            second, j = next(right, None), j + 1
        first = next_first


def match_similar(
    left: Ontology, right: Ontology, equal: Pairs, least: float, most_comparisons: int
) -> Pairs | None:
    """Texts that are similar to degree ``least``, as probability their similarity; of two texts
    that both have an equal one on the other side nothing is said.  Kept are the pairs in which one
    is the most similar one of the other.

    None if there are more than ``most_comparisons`` pairs with the same digits.
    """
    sides = [_texts(left), _texts(right)]
    numbers = [np.array([i for i, _ in side], dtype=np.int64) for side in sides]
    if count_comparisons(*([text for _, text in side] for side in sides)) > most_comparisons:
        return None
    small = int(len(numbers[1]) < len(numbers[0]))
    texts = [text for _, text in sides[small]]
    found = find_similar(texts, (text for _, text in sides[1 - small]), least)
    ends = [numbers[small][found[0]], numbers[1 - small][found[1]]]
    lefts, rights, scores = ends[small], ends[1 - small], found[2]
    is_new = (equal.count(lefts) == 0) | (equal.swap().count(rights) == 0)
    lefts, rights, scores = lefts[is_new], rights[is_new], scores[is_new]
    best = is_best(lefts, scores) | is_best(rights, scores)
    return Pairs.of(lefts[best], rights[best], scores[best])


def _texts(ontology: Ontology) -> list[tuple[int, str]]:
    """The literals that are texts, without their marks."""
    mark = f"{LITERAL_MARK}="
    return [
        (number, name[len(mark) :].replace("\n", " "))
        for number, name in enumerate(ontology.terms.literals())
        if name.startswith(mark)
    ]


def is_best(nodes: Ints, scores: Floats) -> Bools:
    """Whether no other pair of the same node has a higher score.  Ties are all best."""
    highest = np.zeros(int(nodes.max()) + 1 if len(nodes) else 0)
    rounded = np.round(scores, _DECIMALS)
    np.maximum.at(highest, nodes, rounded)
    return rounded >= highest[nodes]


def rank(nodes: Ints, scores: Floats) -> Ints:
    """The number of pairs of the same node whose score is at least as high.

    >>> rank(np.array([4, 4, 7, 4]), np.array([0.5, 0.9, 0.1, 0.5]))
    array([3, 1, 1, 3])
    """
    rounded = np.round(scores, _DECIMALS)
    order = np.lexsort((-rounded, nodes))
    ordered, sorted_scores = nodes[order], rounded[order]
    is_first = np.r_[True, ordered[1:] != ordered[:-1]][: len(nodes)]
    firsts = np.flatnonzero(is_first)
    is_last = np.r_[(sorted_scores[1:] != sorted_scores[:-1]) | is_first[1:], True][: len(nodes)]
    lasts = np.flatnonzero(is_last)
    # The last one of a run of ties tells the rank of all.
    ends = lasts[np.searchsorted(lasts, np.arange(len(nodes)))]
    starts = firsts[np.cumsum(is_first) - 1] if len(nodes) else ends
    ranks = np.empty(len(nodes), dtype=np.int64)
    ranks[order] = ends - starts + 1
    return ranks
