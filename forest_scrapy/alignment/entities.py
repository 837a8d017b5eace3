"""Equal entities: P(x ≡ x'), equations 13 and 14 of PARIS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from forest_scrapy.alignment.facts import (
    Bools,
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

#: The number of rows that are made at once.
_ROWS = 1 << 21
#: Sums for at most so many pairs are held before they are added up.
MAX_SUMS = 1 << 24
#: No evidence is certain: a factor of a product is at least this.
MIN_FACTOR = 1e-9


@dataclass(frozen=True, eq=False)
class EntityPairs:
    """Pairs of entities with their evidence, -log(1 - P(x ≡ x')).  It distinguishes more than a
    probability that is 1 for a computer."""

    left: Ints
    right: Ints
    evidence: Floats

    @classmethod
    def none(cls) -> EntityPairs:
        """No pairs."""
        nodes = np.empty(0, dtype=np.int64)
        return cls(nodes, nodes, np.empty(0))

    @property
    def probabilities(self) -> Floats:
        """P(x ≡ x')."""
        return 1 - np.exp(-self.evidence)

    def take(self, rows: Bools) -> EntityPairs:
        """The selected pairs."""
        return EntityPairs(self.left[rows], self.right[rows], self.evidence[rows])

    def best(self) -> EntityPairs:
        """The pairs in which each is the best one of the other: the maximal assignment of section
        5.2, in both directions.  More than one for an entity if they tie.

        An ontology has no duplicates (section 3), so that one of k entities that are equal to the
        same one to the same degree has only one k-th of the probability.
        """
        left_ranks = rank(self.left, self.evidence)
        right_ranks = rank(self.right, self.evidence)
        ranks = np.maximum(left_ranks, right_ranks)

        is_first = ranks == 1
        shares = self.probabilities / np.maximum(ranks, 2)
        shared_evidence = -np.log1p(-shares)
        evidence = np.where(is_first, self.evidence, shared_evidence)

        is_best_of_left = is_best(self.left, evidence)
        is_best_of_right = is_best(self.right, evidence)
        is_best_pair = is_best_of_left & is_best_of_right
        ranked_pairs = EntityPairs(self.left, self.right, evidence)
        return ranked_pairs.take(is_best_pair)

    def pairs(self) -> Pairs:
        """The pairs with their probabilities."""
        return Pairs.of(self.left, self.right, self.probabilities)


@dataclass(frozen=True, eq=False)
class AlignmentState:
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

    def swap(self) -> AlignmentState:
        """The same from the other side."""
        return AlignmentState(
            left=self.right,
            right=self.left,
            literals=self.literals.swap(),
            entities=self.entities.swap(),
            left_in_right=self.right_in_left,
            right_in_left=self.left_in_right,
        )


def match_entities(
    evidence: AlignmentState,
    min_probability: float,
    max_pairs: int,
) -> EntityPairs:
    """All pairs of entities whose probability by equation 13 is at least ``min_probability``.

    Equal nodes that more than ``max_pairs`` pairs of entities share are no evidence: the
    functionality of their relations is so low that they would add next to nothing.
    """
    left = evidence.left
    right = evidence.right
    sources = [
        (left.ontology.facts, right.ontology.facts, evidence.pairs),
        (left.ontology.facts, right.joins.facts, evidence.literals),
        (left.joins.facts, right.ontology.facts, evidence.literals),
    ]
    sums = _Sums()
    for left_facts, right_facts, equal_nodes in sources:
        weighed_parts = _weigh_pairs(left_facts, right_facts, equal_nodes, evidence, max_pairs)
        for keys, logs in weighed_parts:
            sums.add(keys, logs)

    keys, logs = sums.close()
    pair_evidence = -logs
    min_evidence = -np.log(1 - min_probability)
    is_probable = pair_evidence >= min_evidence
    left_nodes, right_nodes = split_keys(keys[is_probable])
    return EntityPairs(
        left=left_nodes,
        right=right_nodes,
        evidence=pair_evidence[is_probable],
    )


class _Sums:
    """Adds up values by key.  Holds at most some ``MAX_SUMS`` terms of distinct keys."""

    def __init__(self) -> None:
        self._keys: list[Ints] = []
        self._values: list[Floats] = []
        self._size = 0

    def add(self, keys: Ints, values: Floats) -> None:
        """Add the values to the sums of their keys."""
        self._keys.append(keys)
        self._values.append(values)
        self._size += len(keys)
        if self._size > MAX_SUMS:
            sum_keys, sums = self.close()
            self._keys = [sum_keys]
            self._values = [sums]
            self._size = len(sum_keys)

    def close(self) -> tuple[Ints, Floats]:
        """The keys in order, and their sums."""
        if not self._keys:
            return np.empty(0, dtype=np.int64), np.empty(0)
        keys = np.concatenate(self._keys)
        values = np.concatenate(self._values)
        return add_up(keys, values)


def _weigh_pairs(
    left_facts: Facts,
    right_facts: Facts,
    equal_nodes: Pairs,
    evidence: AlignmentState,
    max_pairs: int,
) -> Iterator[tuple[Ints, Floats]]:
    """Keys of (x, x') with the logarithm of the product of equation 13, for parts of the equal
    nodes (y, y')."""
    left_nodes, right_nodes = split_keys(equal_nodes.keys)
    left_functionality = evidence.left.inverse_functionality
    right_functionality = evidence.right.inverse_functionality
    # Entities are numbered after the literals.
    first_left_entity = evidence.left.ontology.literal_count
    first_right_entity = evidence.right.ontology.literal_count
    left_starts, left_counts = left_facts.ranges(left_nodes, first_left_entity)
    right_starts, right_counts = right_facts.ranges(right_nodes, first_right_entity)
    sizes = left_counts * right_counts
    is_usable = (sizes > 0) & (sizes <= max_pairs)
    usable = np.flatnonzero(is_usable)

    for part in chunks(sizes[usable], _ROWS):
        part_rows = usable[part]
        part_sizes = sizes[part_rows]
        first_rows = np.zeros(len(part_rows), dtype=np.int64)
        positions, within = spread(first_rows, part_sizes)
        rows = part_rows[positions]
        left_within, right_within = np.divmod(within, right_counts[rows])
        left_rows = left_starts[rows] + left_within
        right_rows = right_starts[rows] + right_within
        left_entities, left_relations = left_facts.take(left_rows)
        right_entities, right_relations = right_facts.take(right_rows)

        probabilities = equal_nodes.probabilities[rows]
        right_in_left = evidence.right_in_left.find(right_relations, left_relations)
        left_in_right = evidence.left_in_right.find(left_relations, right_relations)
        by_left = right_in_left * left_functionality[left_relations]
        by_right = left_in_right * right_functionality[right_relations]

        left_factors = np.maximum(1 - by_left * probabilities, MIN_FACTOR)
        right_factors = np.maximum(1 - by_right * probabilities, MIN_FACTOR)
        factors = left_factors * right_factors
        keys = join_keys(left_entities, right_entities)
        yield add_up(keys, np.log(factors))
