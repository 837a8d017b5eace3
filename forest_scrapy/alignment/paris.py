"""Alignment of two ontologies by PARIS, iterated to a fixed point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from forest_scrapy.alignment.classes import ClassesOf, are_siblings, score_classes
from forest_scrapy.alignment.comparison import agreement, weigh_against
from forest_scrapy.alignment.entities import (
    Candidates,
    Evidence,
    match_entities,
)
from forest_scrapy.alignment.facts import Facts, split_keys
from forest_scrapy.alignment.joins import Joins, join_relations
from forest_scrapy.alignment.ontology import Ontology
from forest_scrapy.alignment.pairs import (
    NO_PAIRS,
    Pairs,
    match_literals,
    match_similar,
)
from forest_scrapy.alignment.relations import InitialScores, Scores, Side, score_relations


@dataclass(frozen=True)
class AlignmentOptions:
    """The parameters of an alignment.

    ``theta``: P(r ⊆ r') at the start, and the least probability that is kept (section 5.1: the
    results do not depend on it).  ``most_rounds``; the rounds end before if fewer than
    ``least_change`` of the entities have another equal one (section 5.2).  ``similarity``: the
    least similarity of texts that may be equal; 0 compares no texts.  ``most_comparisons``: texts
    are not compared if there are more pairs of them.  ``joins``: relations also against two steps.
    ``negative``: with the negative evidence of equation 14.  ``most_pairs``: a value that more
    pairs of entities share is no evidence.  ``least_probability``: that of the entities in the
    result.  ``agreement``: the share of their comparable facts in which equal entities agree (see
    ``agreement``); ``siblings``: entities of a class are not aligned with another class than most
    of them (see ``are_siblings``).
    """

    theta: float = 0.1
    most_rounds: int = 10
    least_change: float = 0.01
    similarity: float = 0.8
    most_comparisons: int = 2_000_000_000
    joins: bool = True
    negative: bool = False
    most_pairs: int = 10_000
    least_probability: float = 0.5
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
    """Align the ontologies.  ``watch`` is told of each step.

    Each round costs time in proportion to the facts of both, and to the pairs of entities that
    share a value; memory 16 bytes for each such pair.
    """
    literals = match_literals(left, right)
    watch(f"{len(literals)} equal literals")
    similar = _match_similar(left, right, literals, options)
    watch(f"{len(similar)} similar texts" if similar is not None else "too many texts to compare")
    literals = literals.join(similar) if similar is not None else literals
    sides = _add_joins(left, right, literals, options)
    counts = [2 * len(ontology.relations) for ontology in (left, right)]
    initial = [InitialScores(options.theta, *sizes) for sizes in (counts, counts[::-1])]
    types = ClassesOf(left), ClassesOf(right)
    evidence = Evidence(*sides, literals, NO_PAIRS, initial[0], initial[1])
    found, changed, rounds = Candidates(*(np.empty(0, np.int64),) * 2, np.empty(0)), 1.0, 0
    while rounds < options.most_rounds and changed >= options.least_change:
        found = match_entities(evidence, options.theta, options.most_pairs)
        if options.negative and rounds:
            found = weigh_against(found, evidence, options.theta)
        found = found.best()
        if rounds:
            found = found.take(agreement(found, evidence) >= options.agreement)
        if options.siblings:
            found = found.take(
                are_siblings(found.left, found.right, *types)
                & are_siblings(found.right, found.left, *types[::-1])
            )
        pairs = found.pairs()
        changed, rounds = _share_changed(evidence.entities, pairs), rounds + 1
        evidence = _score_relations(*sides, literals, pairs, options.theta)
        watch(f"round {rounds}: {len(pairs)} equal entities, {changed:.1%} changed")
    chosen = _choose(found, options.least_probability)
    return Alignment(
        _name_entities(left, right, chosen),
        _name_relations(evidence),
        _name_classes(left, right, chosen, options.theta),
        rounds,
        changed,
        None if similar is None else len(similar),
    )


def _match_similar(
    left: Ontology, right: Ontology, literals: Pairs, options: AlignmentOptions
) -> Pairs | None:
    if not options.similarity:
        return NO_PAIRS
    return match_similar(left, right, literals, options.similarity, options.most_comparisons)


def _add_joins(
    left: Ontology, right: Ontology, literals: Pairs, options: AlignmentOptions
) -> tuple[Side, Side]:
    empty = np.empty(0, dtype=np.int64)
    none = Joins(Facts(empty, empty.astype(np.int32)), (), np.empty(0))
    if not options.joins:
        return Side(left, none), Side(right, none)
    ends = [np.unique(nodes) for nodes in split_keys(literals.keys)]
    return (
        Side(left, join_relations(left, ends[0], options.most_pairs)),
        Side(right, join_relations(right, ends[1], options.most_pairs)),
    )


def _score_relations(
    left: Side, right: Side, literals: Pairs, entities: Pairs, theta: float
) -> Evidence:
    pairs = literals.join(entities)
    return Evidence(
        left,
        right,
        literals,
        entities,
        score_relations(left, right, pairs, theta),
        score_relations(right, left, pairs.swap(), theta),
    )


def _share_changed(before: Pairs, after: Pairs) -> float:
    """The share of pairs that are only before or only after."""
    changed = len(np.setxor1d(before.keys, after.keys, assume_unique=True))
    return changed / max(len(np.union1d(before.keys, after.keys)), 1)


def _choose(found: Candidates, least: float) -> Candidates:
    """At most one pair for each entity; of several with the same evidence the first by name."""
    found = found.take(1 - np.exp(-found.evidence) >= least)
    order = np.lexsort((found.right, found.left, -np.round(found.evidence, 6)))
    lefts: set[int] = set()
    rights: set[int] = set()
    keep = np.zeros(len(found.left), dtype=bool)
    for row, x, other in zip(
        order.tolist(), found.left[order].tolist(), found.right[order].tolist(), strict=True
    ):
        if x not in lefts and other not in rights:
            keep[row] = True
            lefts.add(x)
            rights.add(other)
    return found.take(keep)


def _name_entities(left: Ontology, right: Ontology, chosen: Candidates) -> tuple[EntityLink, ...]:
    probabilities = np.round(1 - np.exp(-chosen.evidence), 6).tolist()
    names = left.terms.names(chosen.left), right.terms.names(chosen.right)
    return tuple(sorted(map(EntityLink, *names, probabilities)))


def _name_relations(evidence: Evidence) -> tuple[SubLink, ...]:
    links = []
    for scores, narrow, wide in (
        (evidence.left_in_right, evidence.left, evidence.right),
        (evidence.right_in_left, evidence.right, evidence.left),
    ):
        is_left = narrow is evidence.left
        links += [
            SubLink(narrow.name(r), wide.name(other), round(p, 6), is_left, round(n, 3))
            for r, other, p, n in _rows(scores)
            if not _is_mirrored(narrow, r, wide, other)
        ]
    return tuple(sorted(links, key=_link_order))


def _rows(scores: Scores | InitialScores) -> list[tuple[int, int, float, float]]:
    if isinstance(scores, InitialScores):
        return []  # no round was made
    narrow, wide = split_keys(scores.keys)
    columns = narrow.tolist(), wide.tolist(), scores.probabilities.tolist(), scores.facts.tolist()
    return list(zip(*columns, strict=True))


def _is_mirrored(narrow: Side, relation: int, wide: Side, other: int) -> bool:
    """Whether the same is said by the inverses of both."""
    direct = relation < 2 * len(narrow.ontology.relations)
    return direct and relation % 2 == 1 and other < 2 * len(wide.ontology.relations)


def _name_classes(
    left: Ontology, right: Ontology, chosen: Candidates, least: float
) -> tuple[SubLink, ...]:
    pairs = chosen.pairs()
    links = []
    for narrow, wide, both in ((left, right, pairs), (right, left, pairs.swap())):
        rows = score_classes(narrow, wide, both, least)
        links += [
            SubLink(narrow.classes[c], wide.classes[other], round(p, 6), narrow is left, n)
            for c, other, p, n in zip(*(row.tolist() for row in rows), strict=True)
        ]
    return tuple(sorted(links, key=_link_order))


def _link_order(link: SubLink) -> tuple[bool, str, float, str]:
    """Left ones first; then by name, the most probable first."""
    return not link.is_left, link.narrow, -link.probability, link.wide
