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
    look_up,
    split_keys,
)
from forest_scrapy.alignment.joins import Joins
from forest_scrapy.alignment.ontology import Ontology
from forest_scrapy.alignment.pairs import Pairs

#: The number of rows that are read or made at once.
_ROWS = 1 << 20
#: Logarithms of probabilities below this are not taken.
MIN_PROBABILITY = 1e-12


@dataclass(frozen=True, eq=False)
class Side:
    """An ontology with its joins; their relations are numbered on from those of the facts."""

    ontology: Ontology
    joins: Joins

    @property
    def inverse_functionality(self) -> Floats:
        """Of all relations and joins."""
        of_relations = self.ontology.inverse_functionality
        of_joins = self.joins.inverse_functionality
        return np.concatenate([of_relations, of_joins])

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
        keys = join_keys(narrow, wide)
        return look_up(self.keys, self.probabilities, keys)


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
        is_narrow_join = narrow >= self.narrow
        is_wide_join = wide >= self.wide
        has_join = is_narrow_join | is_wide_join
        return np.where(has_join, self.theta**2, self.theta)


def score_relations(
    narrow: Side,
    wide: Side,
    pairs: Pairs,
    min_probability: float,
) -> Scores:
    """P(r ⊆ r') of at least ``min_probability`` for the relations r of ``narrow`` and r' of
    ``wide``, of which one may be a join; ``pairs``: equal nodes, those of ``narrow`` on the left.

    Each fact r(x, y) of which both ends have equal ones on the other side counts with the
    probability that they are equal; of these the share that r' holds for is the result.
    """
    wide_facts = wide.ontology.facts
    parts = [
        *_judge(narrow.ontology.facts, [wide_facts, wide.joins.facts], pairs, is_direct=True),
        *_judge(narrow.joins.facts, [wide_facts], pairs, is_direct=False),
    ]
    if not parts:
        no_keys = np.empty(0, dtype=np.int64)
        return Scores(no_keys, np.empty(0), np.empty(0))
    keys, true_facts = add_up(
        np.concatenate([part.relation_pairs for part in parts]),
        np.concatenate([part.is_true for part in parts]),
    )
    judged_relations, judged_facts = add_up(
        np.concatenate([part.relations for part in parts]),
        np.concatenate([part.is_judged for part in parts]),
    )

    narrow_relations, wide_relations = split_keys(keys)
    rows = np.searchsorted(judged_relations, narrow_relations)
    facts = judged_facts[rows]
    shares = np.minimum(true_facts / facts, 1.0)
    is_probable = shares >= min_probability
    narrow_relations = narrow_relations[is_probable]
    wide_relations = wide_relations[is_probable]
    facts = facts[is_probable]
    shares = shares[is_probable]

    # Of a relation and its inverse the same is true.
    is_narrow_relation = narrow_relations < 2 * len(narrow.ontology.relations)
    is_wide_relation = wide_relations < 2 * len(wide.ontology.relations)
    has_inverse = is_narrow_relation & is_wide_relation
    direct_keys = join_keys(narrow_relations, wide_relations)
    inverse_keys = join_keys(narrow_relations ^ 1, wide_relations ^ 1)

    keys = np.concatenate([direct_keys, inverse_keys[has_inverse]])
    shares = np.concatenate([shares, shares[has_inverse]])
    facts = np.concatenate([facts, facts[has_inverse]])
    order = np.argsort(keys)
    return Scores(
        keys=keys[order],
        probabilities=shares[order],
        facts=facts[order],
    )


@dataclass(frozen=True, eq=False)
class _JudgedFacts:
    """Facts whose ends have equal ones on the other side.

    ``relation_pairs``: keys of (r, r') of each fact and each r', with the probability that r' holds
    for it, ``is_true``.  ``relations``: r of each fact, with the probability that the other side
    could have it, ``is_judged``.
    """

    relation_pairs: Ints
    is_true: Floats
    relations: Ints
    is_judged: Floats


def _judge(
    facts: Facts,
    targets: list[Facts],
    pairs: Pairs,
    *,
    is_direct: bool,
) -> Iterator[_JudgedFacts]:
    """Judge the facts by those of the other side, in parts."""
    for first in range(0, len(facts), _ROWS):
        end = min(first + _ROWS, len(facts))
        rows = np.arange(first, end)
        if is_direct:  # each fact once, with its object as the node
            has_object_as_node = facts.relations[rows] % 2 == 0
            rows = rows[has_object_as_node]
        objects, _ = split_keys(facts.keys[rows])
        subjects, relations = facts.take(rows)

        counts = pairs.count(objects)
        has_equal_object = counts > 0
        counts[has_equal_object] *= pairs.count(subjects[has_equal_object])
        has_equal_ends = counts > 0
        subjects = subjects[has_equal_ends]
        objects = objects[has_equal_ends]
        relations = relations[has_equal_ends]
        for part in chunks(counts[has_equal_ends], _ROWS):
            yield _judge_part(subjects[part], objects[part], relations[part], targets, pairs)


def _judge_part(
    subjects: Ints,
    objects: Ints,
    relations: Ints,
    targets: list[Facts],
    pairs: Pairs,
) -> _JudgedFacts:
    # All pairs (x', y') that the ends of each fact may be equal to.
    object_facts, all_objects, object_probabilities = pairs.expand(objects)
    fact_subjects = subjects[object_facts]
    positions, equal_subjects, subject_probabilities = pairs.expand(fact_subjects)
    fact = object_facts[positions]
    equal_objects = all_objects[positions]
    both_are_equal = subject_probabilities * object_probabilities[positions]
    judged_facts, is_judged = _any_of(fact, both_are_equal)

    matches = [target.find(equal_objects, equal_subjects) for target in targets]
    rows = np.concatenate([match_rows for match_rows, _ in matches])
    wide_relations = np.concatenate([match_relations for _, match_relations in matches])
    fact_relations = join_keys(fact[rows], wide_relations)
    true_keys, is_true = _any_of(fact_relations, both_are_equal[rows])

    true_facts, true_relations = split_keys(true_keys)
    return _JudgedFacts(
        relation_pairs=join_keys(relations[true_facts], true_relations),
        is_true=is_true,
        relations=relations[judged_facts],
        is_judged=is_judged,
    )


def _any_of(keys: Ints, probabilities: Floats) -> tuple[Ints, Floats]:
    """The probability that one of those with the same key is true, 1 - Π(1 - p)."""
    complements = np.maximum(1 - probabilities, MIN_PROBABILITY)
    distinct_keys, logs = add_up(keys, np.log(complements))
    return distinct_keys, 1 - np.exp(logs)
