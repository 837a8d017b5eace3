"""Alignment of two ontologies by PARIS, iterated to a fixed point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from forest_scrapy.alignment.classes import ClassesOf, ClassScores, are_siblings, score_classes
from forest_scrapy.alignment.comparison import agreement, weigh_against
from forest_scrapy.alignment.entities import AlignmentState, EntityPairs, match_entities
from forest_scrapy.alignment.facts import Bools, split_keys
from forest_scrapy.alignment.joins import Joins, join_relations
from forest_scrapy.alignment.ontology import Ontology
from forest_scrapy.alignment.pairs import NO_PAIRS, Pairs, match_literals, match_similar
from forest_scrapy.alignment.relations import InitialScores, Scores, Side, score_relations
from forest_scrapy.core.plurals import count


@dataclass(frozen=True)
class AlignmentOptions:
    """The parameters of an alignment.

    ``theta``: P(r ⊆ r') at the start, and the least probability of relations and entities during
    the rounds (section 5.1: the results do not depend on it).  ``max_rounds``; the rounds end
    before if fewer than ``min_change`` of the entities have another equal one (section 5.2).
    ``similarity``: the least similarity of texts that may be equal; 0 compares no texts.
    ``max_comparisons``: texts are not compared if there are more pairs of them.  ``joins``:
    relations also against two steps.  ``negative``: with the negative evidence of equation 14.
    ``max_pairs``: a value that more pairs of entities share is no evidence.  ``min_probability``:
    that of the entities in the result.  ``agreement``: the share of their comparable facts in which
    equal entities agree (see ``agreement``); ``siblings``: entities of a class are not aligned with
    another class than most of them (see ``are_siblings``).
    """

    theta: float = 0.1
    max_rounds: int = 10
    min_change: float = 0.01
    similarity: float = 0.8
    max_comparisons: int = 2_000_000_000
    joins: bool = True
    negative: bool = False
    max_pairs: int = 10_000
    min_probability: float = 0.5
    agreement: float = 0.3
    siblings: bool = True


class EntityLink(NamedTuple):
    """Two entities that are the same."""

    left: str
    right: str
    probability: float


class SubLink(NamedTuple):
    """What is below what: relations, as paths of SPARQL, or classes.

    ``is_left``: the narrow one is of the left ontology.  ``evidence``: the number of facts, or of
    instances, that it comes from.
    """

    narrow: str
    wide: str
    probability: float
    is_left: bool
    evidence: float


@dataclass(frozen=True)
class Alignment:
    """What two ontologies have in common, in order.

    ``similar``: the number of pairs of texts that are similar; None if there were too many to
    compare.  ``changed``: the share of entities that had another equal one in the last round.
    """

    entities: tuple[EntityLink, ...]
    relations: tuple[SubLink, ...]
    classes: tuple[SubLink, ...]
    rounds: int
    changed: float
    similar: int | None


def align(
    left: Ontology,
    right: Ontology,
    options: AlignmentOptions = AlignmentOptions(),
    watch: Callable[[str], None] = lambda _: None,
) -> Alignment:
    """Align the ontologies.  ``watch`` is called with a description of each step.

    Each round costs time in proportion to the facts of both, and to the pairs of entities that
    share a value; memory 16 bytes for each such pair.
    """
    literals = match_literals(left, right)
    watch(count(len(literals), "equal literal"))

    similar = _match_similar(left, right, literals, options)
    if similar is None:
        watch("too many texts to compare")
    else:
        watch(count(len(similar), "similar text"))
        literals = literals.join(similar)

    evidence = _start(left, right, literals, options)
    left_types = ClassesOf(left)
    right_types = ClassesOf(right)
    candidates = EntityPairs.none()
    changed = 1.0
    rounds = 0
    while rounds < options.max_rounds and changed >= options.min_change:
        is_first = rounds == 0
        candidates = _match_once(evidence, options, is_first=is_first)
        if options.siblings:
            candidates = candidates.take(_agree_with_siblings(candidates, left_types, right_types))

        entities = candidates.pairs()
        changed = _share_changed(evidence.entities, entities)
        rounds += 1
        evidence = _score_relations(evidence, entities, options.theta)
        equal = count(len(entities), "equal entity", "equal entities")
        watch(f"round {rounds}: {equal}, {changed:.1%} changed")

    assigned = _assign(candidates, options.min_probability)
    return Alignment(
        entities=_name_entities(left, right, assigned),
        relations=_name_relations(evidence),
        classes=_name_classes(left, right, assigned, options.theta),
        rounds=rounds,
        changed=changed,
        similar=None if similar is None else len(similar),
    )


def _match_similar(
    left: Ontology,
    right: Ontology,
    literals: Pairs,
    options: AlignmentOptions,
) -> Pairs | None:
    if not options.similarity:
        return NO_PAIRS
    return match_similar(
        left,
        right,
        literals,
        min_similarity=options.similarity,
        max_comparisons=options.max_comparisons,
    )


def _start(
    left: Ontology,
    right: Ontology,
    literals: Pairs,
    options: AlignmentOptions,
) -> AlignmentState:
    """The evidence before the first round: equal literals, and θ for the relations."""
    left_joins = Joins.none()
    right_joins = Joins.none()
    if options.joins:
        left_literals, right_literals = split_keys(literals.keys)
        left_joins = join_relations(left, np.unique(left_literals), options.max_pairs)
        right_joins = join_relations(right, np.unique(right_literals), options.max_pairs)

    left_count = 2 * len(left.relations)
    right_count = 2 * len(right.relations)
    return AlignmentState(
        left=Side(left, left_joins),
        right=Side(right, right_joins),
        literals=literals,
        entities=NO_PAIRS,
        left_in_right=InitialScores(options.theta, narrow=left_count, wide=right_count),
        right_in_left=InitialScores(options.theta, narrow=right_count, wide=left_count),
    )


def _match_once(
    evidence: AlignmentState,
    options: AlignmentOptions,
    *,
    is_first: bool,
) -> EntityPairs:
    """The best pairs of a round.  In the first one no relations are aligned that could tell facts
    that differ."""
    candidates = match_entities(evidence, options.theta, options.max_pairs)
    if options.negative and not is_first:
        candidates = weigh_against(candidates, evidence, options.theta)
    candidates = candidates.best()
    if is_first:
        return candidates
    agrees = agreement(candidates, evidence) >= options.agreement
    return candidates.take(agrees)


def _agree_with_siblings(
    candidates: EntityPairs,
    left_types: ClassesOf,
    right_types: ClassesOf,
) -> Bools:
    """Whether the pairs agree with the siblings of their left and of their right entity."""
    left_agrees = are_siblings(candidates.left, candidates.right, left_types, right_types)
    right_agrees = are_siblings(candidates.right, candidates.left, right_types, left_types)
    return left_agrees & right_agrees


def _score_relations(
    evidence: AlignmentState,
    entities: Pairs,
    theta: float,
) -> AlignmentState:
    """The evidence for the next round, with the equal entities of this one."""
    left = evidence.left
    right = evidence.right
    pairs = evidence.literals.join(entities)
    return replace(
        evidence,
        entities=entities,
        left_in_right=score_relations(left, right, pairs, theta),
        right_in_left=score_relations(right, left, pairs.swap(), theta),
    )


def _share_changed(before: Pairs, after: Pairs) -> float:
    """The share of pairs that are only before or only after."""
    changed = np.setxor1d(before.keys, after.keys, assume_unique=True)
    union = np.union1d(before.keys, after.keys)
    return len(changed) / max(len(union), 1)


def _assign(candidates: EntityPairs, min_probability: float) -> EntityPairs:
    """At most one pair for each entity; of several with the same evidence the first by name."""
    candidates = candidates.take(candidates.probabilities >= min_probability)
    rounded = np.round(candidates.evidence, 6)
    order = np.lexsort((candidates.right, candidates.left, -rounded))
    left_nodes = candidates.left.tolist()
    right_nodes = candidates.right.tolist()

    assigned_left: set[int] = set()
    assigned_right: set[int] = set()
    is_assigned = np.zeros(len(order), dtype=bool)
    for row in order.tolist():
        left_node = left_nodes[row]
        right_node = right_nodes[row]
        if left_node in assigned_left or right_node in assigned_right:
            continue
        is_assigned[row] = True
        assigned_left.add(left_node)
        assigned_right.add(right_node)
    return candidates.take(is_assigned)


def _name_entities(
    left: Ontology,
    right: Ontology,
    assigned: EntityPairs,
) -> tuple[EntityLink, ...]:
    left_names = left.terms.names(assigned.left)
    right_names = right.terms.names(assigned.right)
    probabilities = np.round(assigned.probabilities, 6).tolist()
    return tuple(sorted(map(EntityLink, left_names, right_names, probabilities)))


def _name_relations(evidence: AlignmentState) -> tuple[SubLink, ...]:
    left = evidence.left
    right = evidence.right
    links = [
        *_link_relations(evidence.left_in_right, left, right, is_left=True),
        *_link_relations(evidence.right_in_left, right, left, is_left=False),
    ]
    return tuple(sorted(links, key=_link_order))


def _link_relations(
    scores: Scores | InitialScores,
    narrow: Side,
    wide: Side,
    *,
    is_left: bool,
) -> Iterator[SubLink]:
    if isinstance(scores, InitialScores):
        return  # no round was made
    narrow_numbers, wide_numbers = split_keys(scores.keys)
    for row in range(len(scores.keys)):
        narrow_relation = int(narrow_numbers[row])
        wide_relation = int(wide_numbers[row])
        if _is_mirrored(narrow, narrow_relation, wide, wide_relation):
            continue
        yield SubLink(
            narrow=narrow.name(narrow_relation),
            wide=wide.name(wide_relation),
            probability=round(float(scores.probabilities[row]), 6),
            is_left=is_left,
            evidence=round(float(scores.facts[row]), 3),
        )


def _is_mirrored(
    narrow: Side,
    narrow_relation: int,
    wide: Side,
    wide_relation: int,
) -> bool:
    """Whether the same is said by the inverses of both."""
    is_narrow_join = narrow_relation >= 2 * len(narrow.ontology.relations)
    is_wide_join = wide_relation >= 2 * len(wide.ontology.relations)
    is_inverse = narrow_relation % 2 == 1
    return is_inverse and not is_narrow_join and not is_wide_join


def _name_classes(
    left: Ontology,
    right: Ontology,
    assigned: EntityPairs,
    min_probability: float,
) -> tuple[SubLink, ...]:
    pairs = assigned.pairs()
    left_scores = score_classes(left, right, pairs, min_probability)
    right_scores = score_classes(right, left, pairs.swap(), min_probability)
    links = [
        *_link_classes(left_scores, left, right, is_left=True),
        *_link_classes(right_scores, right, left, is_left=False),
    ]
    return tuple(sorted(links, key=_link_order))


def _link_classes(
    scores: ClassScores,
    narrow: Ontology,
    wide: Ontology,
    *,
    is_left: bool,
) -> Iterator[SubLink]:
    for row in range(len(scores.narrow)):
        yield SubLink(
            narrow=narrow.classes[int(scores.narrow[row])],
            wide=wide.classes[int(scores.wide[row])],
            probability=round(float(scores.probabilities[row]), 6),
            is_left=is_left,
            evidence=int(scores.instances[row]),
        )


def _link_order(link: SubLink) -> tuple[bool, str, float, str]:
    """Left ones first; then by name, the most probable first."""
    return not link.is_left, link.narrow, -link.probability, link.wide
