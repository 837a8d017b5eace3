"""Equal entities: P(x ≡ x'), equations 13 and 14 of PARIS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from forest_scrapy.alignment.facts import (
    Facts,
    Floats,
    Ints,
    add_up,
    chunks,
    join_keys,
    split_keys,
    spread,
)
from forest_scrapy.alignment.pairs import Pairs, is_best, rank
from forest_scrapy.alignment.relations import InitialScores, Scores, Side

#: So many rows are made at once.
_ROWS = 1 << 21
#: Sums for so many pairs are held before they are added up.
_SUMS = 1 << 24
#: No evidence is certain: a factor of a product is at least this.
_LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of entities with their evidence, -log(1 - P(x ≡ x')).  It tells more than a
    probability that is 1 for a computer."""

    left: Ints
    right: Ints
    evidence: Floats

    def take(self, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Candidates:
        """Those of the rows."""
        return Candidates(self.left[rows], self.right[rows], self.evidence[rows])

    def best(self) -> Candidates:
        """The pairs in which each is the best one of the other: the maximal assignment of section
        5.2, in both directions.  More than one for an entity if they tie.

        An ontology has no duplicates (section 3), so that one of k entities that are equal to the
        same one to the same degree has only one k-th of the probability.
        """
        ranks = np.maximum(rank(self.left, self.evidence), rank(self.right, self.evidence))
        shared = -np.log1p(-(1 - np.exp(-self.evidence)) / np.maximum(ranks, 2))
        evidence = np.where(ranks == 1, self.evidence, shared)
        keep = is_best(self.left, evidence) & is_best(self.right, evidence)
        return Candidates(self.left, self.right, evidence).take(keep)

    def pairs(self) -> Pairs:
        """With their probabilities."""
        return Pairs.of(self.left, self.right, 1 - np.exp(-self.evidence))


@dataclass(frozen=True, eq=False)
class Evidence:
    """What equal entities are computed from: the two sides, equal literals, the equal entities of
    the round before, and the sub-relations in both directions."""

    left: Side
    right: Side
    literals: Pairs
    entities: Pairs
    left_in_right: Scores | InitialScores
    right_in_left: Scores | InitialScores

    @property
    def pairs(self) -> Pairs:
        """All equal nodes."""
        return self.literals.join(self.entities)

    def swap(self) -> Evidence:
        """The same from the other side."""
        return Evidence(
            self.right,
            self.left,
            self.literals.swap(),
            self.entities.swap(),
            self.right_in_left,
            self.left_in_right,
        )


def match_entities(evidence: Evidence, least: float, most_pairs: int) -> Candidates:
    """All pairs of entities whose probability by equation 13 is at least ``least``.

    Equal nodes that more than ``most_pairs`` pairs of entities share are no evidence: the
    functionality of their relations is so low that they would add next to nothing.
    """
    left, right = evidence.left, evidence.right
    sources = [
        (left.ontology.facts, right.ontology.facts, evidence.pairs),
        (left.ontology.facts, right.joins.facts, evidence.literals),
        (left.joins.facts, right.ontology.facts, evidence.literals),
    ]
    parts: list[tuple[Ints, Floats]] = []
    held = 0
    for left_facts, right_facts, pairs in sources:
        for part in _logs(left_facts, right_facts, pairs, evidence, most_pairs):
            parts.append(part)
            held += len(part[0])
            if held > _SUMS:
                parts = [_sum_parts(parts)]
                held = len(parts[0][0])
    keys, logs = _sum_parts(parts)
    keep = -logs >= -np.log(1 - least)
    x, other = split_keys(keys[keep])
    return Candidates(x, other, -logs[keep])


def _sum_parts(parts: list[tuple[Ints, Floats]]) -> tuple[Ints, Floats]:
    if not parts:
        return np.empty(0, dtype=np.int64), np.empty(0)
    return add_up(*(np.concatenate([part[i] for part in parts]) for i in (0, 1)))


def _logs(
    left_facts: Facts, right_facts: Facts, pairs: Pairs, evidence: Evidence, most_pairs: int
) -> Iterator[tuple[Ints, Floats]]:
    """Keys of (x, x') with the logarithm of the product of equation 13, for parts of the pairs."""
    y, other_y = split_keys(pairs.keys)
    starts, counts = left_facts.ranges(y, evidence.left.ontology.literal_count)
    other_starts, other_counts = right_facts.ranges(other_y, evidence.right.ontology.literal_count)
    sizes = counts * other_counts
    some = np.flatnonzero((sizes > 0) & (sizes <= most_pairs))
    for part in chunks(sizes[some], _ROWS):
        rows = some[part]
        positions, within = spread(np.zeros(len(rows), dtype=np.int64), sizes[rows])
        rows = rows[positions]
        x, r = left_facts.take(starts[rows] + within // other_counts[rows])
        other_x, other_r = right_facts.take(other_starts[rows] + within % other_counts[rows])
        p = pairs.probabilities[rows]
        by_left = evidence.right_in_left.find(other_r, r) * evidence.left.inverse_functionality[r]
        by_right = (
            evidence.left_in_right.find(r, other_r) * evidence.right.inverse_functionality[other_r]
        )
        factors = np.maximum(1 - by_left * p, _LEAST) * np.maximum(1 - by_right * p, _LEAST)
        yield add_up(join_keys(x, other_x), np.log(factors))
