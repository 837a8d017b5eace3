"""Pairs of equal nodes of two ontologies, with the probability that they are equal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from forest_scrapy.alignment.facts import (
    Bools,
    Floats,
    Ints,
    join_keys,
    look_up,
    mark_new_rows,
    split_keys,
    spread,
)
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
    def of(
        cls,
        left: Ints,
        right: Ints,
        probabilities: Floats,
    ) -> Pairs:
        """Sorted; no pair may come twice."""
        keys = join_keys(left, right)
        order = np.argsort(keys)
        return cls(
            keys=keys[order],
            probabilities=probabilities[order],
        )

    def swap(self) -> Pairs:
        """The same pairs seen from the right."""
        left_nodes, right_nodes = split_keys(self.keys)
        return Pairs.of(
            left=right_nodes,
            right=left_nodes,
            probabilities=self.probabilities,
        )

    def join(self, pairs: Pairs) -> Pairs:
        """The pairs of both, which have none in common."""
        keys = np.concatenate([self.keys, pairs.keys])
        probabilities = np.concatenate([self.probabilities, pairs.probabilities])
        left_nodes, right_nodes = split_keys(keys)
        return Pairs.of(left_nodes, right_nodes, probabilities)

    def count(self, nodes: Ints) -> Ints:
        """The number of equal nodes for each left node."""
        _, counts = self._ranges(nodes)
        return counts

    def expand(self, nodes: Ints) -> tuple[Ints, Ints, Floats]:
        """What the left nodes are equal to: the position of the node, the right node, and the
        probability."""
        starts, counts = self._ranges(nodes)
        positions, rows = spread(starts, counts)
        keys = self.keys[rows]
        probabilities = self.probabilities[rows]
        _, right_nodes = split_keys(keys)
        return positions, right_nodes, probabilities

    def find(self, left: Ints, right: Ints) -> Floats:
        """The probabilities of pairs; 0 for those that are not known."""
        keys = join_keys(left, right)
        return look_up(self.keys, self.probabilities, keys)

    def _ranges(self, nodes: Ints) -> tuple[Ints, Ints]:
        """The first row and the number of rows of each left node."""
        next_nodes = nodes + 1
        starts = np.searchsorted(self.keys, nodes << 32)
        stops = np.searchsorted(self.keys, next_nodes << 32)
        counts = stops - starts
        return starts, counts

    def __len__(self) -> int:
        return len(self.keys)


NO_PAIRS = Pairs(np.empty(0, dtype=np.int64), np.empty(0))


def match_literals(left: Ontology, right: Ontology) -> Pairs:
    """Literals with the same normal form.  Reads both lists once, and holds none of them."""
    left_names = left.terms.literals()
    right_names = right.terms.literals()
    common = list(_find_common(left_names, right_names))
    numbers = np.array(common, dtype=np.int64).reshape(-1, 2)
    return Pairs.of(
        left=numbers[:, 0],
        right=numbers[:, 1],
        probabilities=np.ones(len(numbers)),
    )


def _find_common(left: Iterator[str], right: Iterator[str]) -> Iterator[tuple[int, int]]:
    """The positions of the names that two sorted lists have in common."""
    left_number = 0
    right_number = 0
    left_name = next(left, None)
    right_name = next(right, None)
    while left_name is not None and right_name is not None:
        if left_name == right_name:
            yield left_number, right_number

        goes_on_left = left_name <= right_name
        goes_on_right = right_name <= left_name
        if goes_on_left:
            left_name = next(left, None)
            left_number += 1
        if goes_on_right:
            right_name = next(right, None)
            right_number += 1


@dataclass(frozen=True, eq=False)
class _Texts:
    """Literals that are texts, without their marks, and their numbers."""

    numbers: Ints
    texts: list[str]

    @classmethod
    def of(cls, ontology: Ontology) -> _Texts:
        """The texts of an ontology."""
        mark = f"{LITERAL_MARK}="
        numbers = []
        texts = []
        for number, name in enumerate(ontology.terms.literals()):
            if not name.startswith(mark):
                continue
            text = name.removeprefix(mark)
            numbers.append(number)
            texts.append(text.replace("\n", " "))
        return cls(
            numbers=np.array(numbers, dtype=np.int64),
            texts=texts,
        )


def match_similar(
    left: Ontology,
    right: Ontology,
    equal: Pairs,
    min_similarity: float,
    max_comparisons: int,
) -> Pairs | None:
    """Texts of at least this similarity, which is their probability; nothing is said of two texts
    that both have an equal one on the other side.  Only pairs in which one is the most similar one
    of the other are in the result.

    None if there are more than ``max_comparisons`` pairs with the same digits.
    """
    left_texts = _Texts.of(left)
    right_texts = _Texts.of(right)
    comparison_count = count_comparisons(left_texts.texts, right_texts.texts)
    if comparison_count > max_comparisons:
        return None

    is_right_smaller = len(right_texts.numbers) < len(left_texts.numbers)
    if is_right_smaller:
        similar = find_similar(right_texts.texts, left_texts.texts, min_similarity)
        left_nodes = left_texts.numbers[similar.large]
        right_nodes = right_texts.numbers[similar.small]
    else:
        similar = find_similar(left_texts.texts, right_texts.texts, min_similarity)
        left_nodes = left_texts.numbers[similar.small]
        right_nodes = right_texts.numbers[similar.large]

    equal_from_right = equal.swap()
    is_left_free = equal.count(left_nodes) == 0
    is_right_free = equal_from_right.count(right_nodes) == 0
    is_new = is_left_free | is_right_free
    left_nodes = left_nodes[is_new]
    right_nodes = right_nodes[is_new]
    scores = similar.scores[is_new]

    is_best_of_left = is_best(left_nodes, scores)
    is_best_of_right = is_best(right_nodes, scores)
    is_best_pair = is_best_of_left | is_best_of_right
    return Pairs.of(
        left=left_nodes[is_best_pair],
        right=right_nodes[is_best_pair],
        probabilities=scores[is_best_pair],
    )


def is_best(nodes: Ints, scores: Floats) -> Bools:
    """Whether no other pair of the same node has a higher score.  Ties are all best."""
    node_count = int(nodes.max()) + 1 if len(nodes) else 0
    highest = np.zeros(node_count)
    rounded = np.round(scores, _DECIMALS)
    np.maximum.at(highest, nodes, rounded)
    return rounded >= highest[nodes]


def rank(nodes: Ints, scores: Floats) -> Ints:
    """The number of pairs of the same node whose score is at least as high.

    >>> rank(np.array([4, 4, 7, 4]), np.array([0.5, 0.9, 0.1, 0.5]))
    array([3, 1, 1, 3])
    """
    if not len(nodes):
        return np.empty(0, dtype=np.int64)
    rounded = np.round(scores, _DECIMALS)
    order = np.lexsort((-rounded, nodes))
    sorted_nodes = nodes[order]
    sorted_scores = rounded[order]

    is_first_of_node = mark_new_rows(sorted_nodes)
    is_first_of_tie = mark_new_rows(sorted_nodes, sorted_scores)
    is_last_of_tie = np.append(is_first_of_tie[1:], True)
    starts_of_nodes = np.flatnonzero(is_first_of_node)
    ends_of_ties = np.flatnonzero(is_last_of_tie)

    # The last one of a run of ties tells the rank of all.
    node_numbers = np.cumsum(is_first_of_node) - 1
    tie_numbers = np.cumsum(is_first_of_tie) - 1
    starts = starts_of_nodes[node_numbers]
    ends = ends_of_ties[tie_numbers]
    ranks = np.empty(len(nodes), dtype=np.int64)
    ranks[order] = ends - starts + 1
    return ranks
