"""Sub-relations: P(r ⊆ r'), equation 12 of PARIS."""

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
)
from forest_scrapy.alignment.joins import Joins
from forest_scrapy.alignment.ontology import Ontology
from forest_scrapy.alignment.pairs import Pairs

#: So many rows are read or made at once.
_ROWS = 1 << 20
#: Logarithms of probabilities below this are not taken.
_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class Side:
    """An ontology with its joins; their relations are numbered on from those of the facts."""

    ontology: Ontology
    joins: Joins

    @property
    def inverse_functionality(self) -> Floats:
        """Of all relations and joins."""
        both = [self.ontology.inverse_functionality, self.joins.inverse_functionality]
        return np.concatenate(both)

    def name(self, relation: int) -> str:
        """The relation as a path of SPARQL."""
        if relation < 2 * len(self.ontology.relations):
            return self.ontology.name_relation(relation)
        return self.joins.name(self.ontology, relation)


@dataclass(frozen=True, eq=False)
class Scores:
    """P(r ⊆ r') by key of (r, r'), sorted; 0 for other pairs.

    ``facts``: the number of facts of r that each is computed from.
    """

    keys: Ints
    probabilities: Floats
    facts: Floats

    def find(self, narrow: Ints, wide: Ints) -> Floats:
        """The probabilities of pairs of relations."""
        if not len(self.keys):
            return np.zeros(len(narrow))
        keys = join_keys(narrow, wide)
        rows = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[rows] == keys, self.probabilities[rows], 0.0)


@dataclass(frozen=True)
class InitialScores:
    """θ for all pairs of relations (section 5.1), and θ² for those with a join, which takes two
    relations to be right.

    With θ for all, an entity is as much like one that is a step away from its like: an address
    like the person who lives there.  ``narrow`` and ``wide`` are the numbers of relations that are
    no joins.
    """

    theta: float
    narrow: int
    wide: int

    def find(self, narrow: Ints, wide: Ints) -> Floats:
        """The probabilities of pairs of relations."""
        has_join = (narrow >= self.narrow) | (wide >= self.wide)
        return np.where(has_join, self.theta**2, self.theta)


def score_relations(narrow: Side, wide: Side, pairs: Pairs, least: float) -> Scores:
    """P(r ⊆ r') of at least ``least`` for the relations r of ``narrow`` and r' of ``wide``, of
    which one may be a join; ``pairs``: equal nodes, those of ``narrow`` on the left.

    Each fact r(x, y) of which both ends have equal ones on the other side counts with the
    probability that they are equal; of these the share that r' holds for is the result.
    """
    facts, joins = narrow.ontology.facts, narrow.joins.facts
    parts = [
        *_judge(facts, [wide.ontology.facts, wide.joins.facts], pairs, is_direct=True),
        *_judge(joins, [wide.ontology.facts], pairs, is_direct=False),
    ]
    if not parts:
        return Scores(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))
    keys, held = add_up(*(np.concatenate([part[i] for part in parts]) for i in (0, 1)))
    totals, possible = add_up(*(np.concatenate([part[i] for part in parts]) for i in (2, 3)))
    relations, wider = split_keys(keys)
    sums = possible[np.searchsorted(totals, relations)]
    shares = np.minimum(held / sums, 1.0)
    keep = shares >= least
    relations, wider, shares, sums = relations[keep], wider[keep], shares[keep], sums[keep]
    # Of a relation and its inverse the same is true.
    inverted = (relations < 2 * len(narrow.ontology.relations)) & (
        wider < 2 * len(wide.ontology.relations)
    )
    keys = np.r_[join_keys(relations, wider), join_keys(relations ^ 1, wider ^ 1)[inverted]]
    order = np.argsort(keys)
    shares, sums = np.r_[shares, shares[inverted]], np.r_[sums, sums[inverted]]
    return Scores(keys[order], shares[order], sums[order])


def _judge(
    facts: Facts, targets: list[Facts], pairs: Pairs, is_direct: bool
) -> Iterator[tuple[Ints, Floats, Ints, Floats]]:
    """For parts of the facts: the keys of (r, r') with the sum of the probabilities that r' holds,
    and the relations r with the sum of the probabilities that it could."""
    for first in range(0, len(facts), _ROWS):
        rows = np.arange(first, min(first + _ROWS, len(facts)))
        if is_direct:  # each fact once, with its object as the node
            rows = rows[facts.relations[rows] % 2 == 0]
        y, (x, r) = split_keys(facts.keys[rows])[0], facts.take(rows)
        counts = pairs.count(y)
        counts[counts > 0] *= pairs.count(x[counts > 0])
        some = counts > 0
        y, x, r, counts = y[some], x[some], r[some], counts[some]
        for part in chunks(counts, _ROWS):
            yield _judge_part(x[part], y[part], r[part], targets, pairs)


def _judge_part(
    x: Ints, y: Ints, r: Ints, targets: list[Facts], pairs: Pairs
) -> tuple[Ints, Floats, Ints, Floats]:
    fact, other_y, p_y = pairs.expand(y)
    again, other_x, p_x = pairs.expand(x[fact])
    fact, other_y, both = fact[again], other_y[again], p_x * p_y[again]
    possible = _any_of(fact, both)
    found = [target.find(other_y, other_x) for target in targets]
    positions = np.concatenate([one[0] for one in found])
    wider = np.concatenate([one[1] for one in found])
    held_keys, held = _any_of(join_keys(fact[positions], wider), both[positions])
    held_fact, held_wider = split_keys(held_keys)
    return join_keys(r[held_fact], held_wider), held, r[possible[0]], possible[1]


def _any_of(keys: Ints, probabilities: Floats) -> tuple[Ints, Floats]:
    """The probability that one of those with the same key is true, 1 - Π(1 - p)."""
    keys, logs = add_up(keys, np.log(np.maximum(1 - probabilities, _LEAST)))
    return keys, 1 - np.exp(logs)
