"""What counts against a pair of entities: facts of the one that differ from those of the other.

Equations are those of PARIS (Suchanek et al. 2011).  Nothing is stored: ontologies are only read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from forest_scrapy.alignment.entities import MIN_FACTOR, AlignmentState, EntityPairs
from forest_scrapy.alignment.facts import (
    Floats,
    Ints,
    add_up,
    chunks,
    mark_new_rows,
    spread,
)

#: The number of rows that are made at once.
_ROWS = 1 << 21


@dataclass(frozen=True, eq=False)
class _ComparedFacts:
    """Facts of the one entity of which the other has facts of the same relation.

    ``candidates``: the numbers of the pairs of entities.  ``weights``: fun(r) P(r' ⊆ r).
    ``equal``: the probability that a fact of the other entity has an equal object.
    """

    candidates: Ints
    weights: Floats
    equal: Floats


def weigh_against(
    candidates: EntityPairs,
    evidence: AlignmentState,
    min_probability: float,
) -> EntityPairs:
    """The candidates with the negative evidence of equation 14: facts of one entity for which the
    other has facts of the same relation, and none with an equal object.

    Other than in the paper, nothing follows from facts that the other entity does not have:
    records of web pages, and ontologies, are incomplete.
    """
    logs = np.zeros(len(candidates.left))
    for compared in _compare_both(candidates, evidence):
        unequal = 1 - compared.equal
        factors = 1 - compared.weights * unequal
        factor_logs = np.log(np.maximum(factors, MIN_FACTOR))
        numbers, sums = add_up(compared.candidates, factor_logs)
        logs[numbers] += sums

    positive = 1 - np.exp(-candidates.evidence)
    negative = np.exp(logs)
    probability = positive * negative
    complement = np.maximum(1 - probability, MIN_FACTOR)
    reduced_evidence = -np.log(complement)

    # Ties among those without negative evidence are still decided by the evidence for them.
    has_negative = logs < 0
    weighed_evidence = np.where(has_negative, reduced_evidence, candidates.evidence)
    weighed = EntityPairs(candidates.left, candidates.right, weighed_evidence)
    is_probable = probability >= min_probability
    return weighed.take(is_probable)


def agreement(candidates: EntityPairs, evidence: AlignmentState) -> Floats:
    """The share of the facts with an equal one, of those for which the other entity has facts of
    the same relation; each weighs as in equation 14, and agrees if an aligned join holds.

    Equation 13 counts only what speaks for a pair: two books of an author of few books are then
    the same, whatever their titles.
    """
    agreeing = np.zeros(len(candidates.left))
    total = np.zeros(len(candidates.left))
    for compared in _compare_both(candidates, evidence):
        agreeing_weights = compared.weights * compared.equal
        numbers, sums = add_up(compared.candidates, agreeing_weights)
        agreeing[numbers] += sums
        numbers, sums = add_up(compared.candidates, compared.weights)
        total[numbers] += sums
    has_facts = total > 0
    shares = agreeing / np.maximum(total, MIN_FACTOR)
    return np.where(has_facts, shares, 1.0)


def _compare_both(candidates: EntityPairs, evidence: AlignmentState) -> Iterator[_ComparedFacts]:
    """The facts of the left entities, then those of the right ones."""
    yield from _compare_facts(candidates, evidence)
    yield from _compare_joins(candidates, evidence)

    swapped = EntityPairs(
        left=candidates.right,
        right=candidates.left,
        evidence=candidates.evidence,
    )
    swapped_evidence = evidence.swap()
    yield from _compare_facts(swapped, swapped_evidence)
    yield from _compare_joins(swapped, swapped_evidence)


def _compare_facts(candidates: EntityPairs, evidence: AlignmentState) -> Iterator[_ComparedFacts]:
    """For each fact r(x, y) and each relation r' of which x' has facts: the probability that one of
    these facts has an equal object is 1 - Π(1 - P(y ≡ y'))."""
    left = evidence.left.ontology
    right_facts = evidence.right.ontology.facts
    pairs = evidence.pairs
    left_starts, left_counts = left.facts.ranges(candidates.left)
    right_starts, right_counts = right_facts.ranges(candidates.right)
    sizes = left_counts * right_counts

    for part in chunks(sizes, _ROWS):
        part_sizes = sizes[part]
        first_rows = np.zeros(len(part_sizes), dtype=np.int64)
        numbers, within = spread(first_rows, part_sizes)
        numbers += part.start
        left_within, right_within = np.divmod(within, right_counts[numbers])
        left_rows = left_starts[numbers] + left_within
        right_rows = right_starts[numbers] + right_within

        # The node is x, so the row has the inverse of r, whose inverse functionality is fun(r).
        left_ends, inverse = left.facts.take(left_rows)
        right_ends, right_relations = right_facts.take(right_rows)
        probabilities = evidence.right_in_left.find(right_relations, inverse)
        weights = probabilities * left.inverse_functionality[inverse]

        comparable = np.flatnonzero(weights > 0)
        numbers = numbers[comparable]
        weights = weights[comparable]
        left_rows = left_rows[comparable]
        left_ends = left_ends[comparable]
        right_relations = right_relations[comparable]
        right_ends = right_ends[comparable]
        equal = pairs.find(left_ends, right_ends)
        unequal = np.maximum(1 - equal, MIN_FACTOR)
        logs = np.log(unequal)

        order = np.lexsort((right_relations, left_rows, numbers))
        numbers = numbers[order]
        weights = weights[order]
        logs = logs[order]
        left_rows = left_rows[order]
        right_relations = right_relations[order]
        is_first = mark_new_rows(numbers, left_rows, right_relations)
        firsts = np.flatnonzero(is_first)
        if not len(firsts):
            continue
        log_sums = np.add.reduceat(logs, firsts)
        differing = np.exp(log_sums)
        yield _ComparedFacts(
            candidates=numbers[firsts],
            weights=weights[firsts],
            equal=1 - differing,
        )


def _compare_joins(candidates: EntityPairs, evidence: AlignmentState) -> Iterator[_ComparedFacts]:
    """The same for facts for which a join of the other side holds.  The other values of a join are
    not known."""
    left = evidence.left.ontology
    starts, counts = left.facts.ranges(candidates.left)
    numbers, rows = spread(starts, counts)
    left_ends, inverse = left.facts.take(rows)

    positions, right_ends, equal = evidence.literals.expand(left_ends)
    numbers = numbers[positions]
    inverse = inverse[positions]

    join_facts = evidence.right.joins.facts
    right_entities = candidates.right[numbers]
    joined, joins = join_facts.find(right_ends, right_entities)
    if not len(joined):
        return
    # Joins have the literal as the node, and so are the inverse of what x' has.
    relations = inverse[joined]
    direct_relations = relations ^ 1
    probabilities = evidence.right_in_left.find(joins, direct_relations)
    functionality = left.inverse_functionality[relations]
    yield _ComparedFacts(
        candidates=numbers[joined],
        weights=probabilities * functionality,
        equal=equal[joined],
    )
