"""What speaks against a pair of entities: facts of one that differ from those of the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from forest_scrapy.alignment.entities import Candidates, Evidence
from forest_scrapy.alignment.facts import Floats, Ints, add_up, chunks, spread

#: So many rows are made at once.
_ROWS = 1 << 21
#: No evidence is certain: a factor of a product is at least this.
_LEAST = 1e-9


def weigh_against(candidates: Candidates, evidence: Evidence, least: float) -> Candidates:
    """The candidates with the negative evidence of equation 14: facts of one entity for which the
    other has facts of the same relation, and none with an equal object.

    Other than in the paper, nothing follows from facts that the other entity does not have:
    records of web pages, and ontologies, are incomplete.
    """
    logs = np.zeros(len(candidates.left))
    for rows, weights, equal in _compare_both(candidates, evidence):
        numbers, sums = add_up(rows, np.log(np.maximum(1 - weights * (1 - equal), _LEAST)))
        logs[numbers] += sums
    probability = (1 - np.exp(-candidates.evidence)) * np.exp(logs)
    weighed = -np.log(np.maximum(1 - probability, _LEAST))
    # Ties among those that nothing speaks against are still told by the evidence for them.
    weighed = np.where(logs < 0, weighed, candidates.evidence)
    result = Candidates(candidates.left, candidates.right, weighed)
    return result.take(probability >= least)


def agreement(candidates: Candidates, evidence: Evidence) -> Floats:
    """The share of the facts with an equal one, of those for which the other entity has facts of
    the same relation; each weighs as in equation 14, and agrees if an aligned join holds.

    Equation 13 counts only what speaks for a pair: two books of an author of few books are then
    the same, whatever their titles.
    """
    agree, total = np.zeros(len(candidates.left)), np.zeros(len(candidates.left))
    for rows, weights, equal in _compare_both(candidates, evidence):
        numbers, sums = add_up(rows, weights * equal)
        agree[numbers] += sums
        numbers, sums = add_up(rows, weights)
        total[numbers] += sums
    return np.where(total > 0, agree / np.maximum(total, _LEAST), 1.0)


def _compare_both(
    candidates: Candidates, evidence: Evidence
) -> Iterator[tuple[Ints, Floats, Floats]]:
    swapped = Candidates(candidates.right, candidates.left, candidates.evidence)
    for pairs, side in ((candidates, evidence), (swapped, evidence.swap())):
        yield from _compare(pairs, side)
        yield from _compare_joins(pairs, side)


def _compare(candidates: Candidates, evidence: Evidence) -> Iterator[tuple[Ints, Floats, Floats]]:
    """For each fact r(x, y) and each relation r' of which x' has facts: the number of the
    candidate, fun(r) P(r' ⊆ r), and the probability that one of these facts has an equal object,
    1 - Π(1 - P(y ≡ y'))."""
    facts, other_facts = evidence.left.ontology.facts, evidence.right.ontology.facts
    functionality, pairs = evidence.left.ontology.inverse_functionality, evidence.pairs
    starts, counts = facts.ranges(candidates.left)
    other_starts, other_counts = other_facts.ranges(candidates.right)
    sizes = counts * other_counts
    for part in chunks(sizes, _ROWS):
        rows, within = spread(np.zeros(part.stop - part.start, dtype=np.int64), sizes[part])
        rows += part.start
        fact = starts[rows] + within // other_counts[rows]
        # The node is x, so the row has the inverse of r, whose inverse functionality is fun(r).
        y, inverse = facts.take(fact)
        other_y, other = other_facts.take(other_starts[rows] + within % other_counts[rows])
        weights = evidence.right_in_left.find(other, inverse) * functionality[inverse]
        some = np.flatnonzero(weights > 0)
        rows, fact, other, weights = rows[some], fact[some], other[some], weights[some]
        differs = np.log(np.maximum(1 - pairs.find(y[some], other_y[some]), _LEAST))
        order = np.lexsort((other, fact, rows))
        rows, fact, other = rows[order], fact[order], other[order]
        is_first = np.ones(len(rows), dtype=bool)
        is_first[1:] = (rows[1:] != rows[:-1]) | (fact[1:] != fact[:-1]) | (other[1:] != other[:-1])
        firsts = np.flatnonzero(is_first)
        if len(firsts):
            equal = 1 - np.exp(np.add.reduceat(differs[order], firsts))
            yield rows[firsts], weights[order][firsts], equal


def _compare_joins(
    candidates: Candidates, evidence: Evidence
) -> Iterator[tuple[Ints, Floats, Floats]]:
    """The same for the facts that a join of the other side holds for.  Other values of a join are
    not known."""
    facts = evidence.left.ontology.facts
    positions, rows = spread(*facts.ranges(candidates.left))
    y, inverse = facts.take(rows)
    again, other_y, equal = evidence.literals.expand(y)
    positions, inverse = positions[again], inverse[again]
    found, joins = evidence.right.joins.facts.find(other_y, candidates.right[positions])
    # Joins have the literal as the node, and so are the inverse of what x' has.
    relations = inverse[found] ^ 1
    weights = (
        evidence.right_in_left.find(joins, relations)
        * evidence.left.ontology.inverse_functionality[inverse[found]]
    )
    if len(found):
        yield positions[found], weights, equal[found]
