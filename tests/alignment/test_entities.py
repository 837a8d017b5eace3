"""Equal entities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from forest_scrapy.alignment.entities import (
    AlignmentState,
    EntityPairs,
    match_entities,
)
from forest_scrapy.alignment.ontology import Ontology, build_ontology
from forest_scrapy.alignment.pairs import NO_PAIRS, match_literals
from forest_scrapy.alignment.relations import InitialScores, Side
from forest_scrapy.core.graph import Literal, Triple
from tests.alignment.graphs import GRAPHS, both_ways, equal_entities
from tests.alignment.test_relations import NO_JOINS, PROBABILITIES, equal_nodes


def evidence_of(left: Ontology, right: Ontology) -> AlignmentState:
    initial = InitialScores(0.1, 99, 99)
    sides = Side(left, NO_JOINS), Side(right, NO_JOINS)
    return AlignmentState(*sides, match_literals(left, right), NO_PAIRS, initial, initial)


@given(GRAPHS, GRAPHS, PROBABILITIES)
def test_probabilities_are_those_of_equation_13(
    one: list[Triple], other: list[Triple], probabilities: list[float]
) -> None:
    left, right = build_ontology(one), build_ontology(other)
    pairs, equal = equal_nodes(left, right, probabilities)
    first = evidence_of(left, right)
    evidence = AlignmentState(
        first.left, first.right, pairs, NO_PAIRS, first.left_in_right, first.right_in_left
    )
    found = match_entities(evidence, 1e-9, 1000)
    names = left.terms.names(found.left), right.terms.names(found.right)
    result = dict(zip(zip(*names, strict=True), (1 - np.exp(-found.evidence)), strict=True))
    facts = both_ways(one), both_ways(other)
    relations = [{relation for relation, _, _ in side} for side in facts]
    theta = {(r, s): 0.1 for r in relations[0] for s in relations[1]}
    swapped = {(s, r): 0.1 for r, s in theta}
    expected = equal_entities(*facts, equal, theta, swapped)
    assert result == pytest.approx(expected, abs=1e-9)


def candidates(*rows: tuple[int, int, float]) -> EntityPairs:
    left, right = (np.array([row[i] for row in rows], dtype=np.int64) for i in (0, 1))
    return EntityPairs(left, right, -np.log(1 - np.array([row[2] for row in rows])))


def members(found: EntityPairs) -> list[tuple[int, int]]:
    return list(zip(found.left.tolist(), found.right.tolist(), strict=True))


def test_each_is_the_best_of_the_other() -> None:
    found = candidates((1, 1, 0.9), (1, 2, 0.8), (2, 2, 0.7), (3, 3, 0.2), (4, 1, 0.3))
    assert members(found.best()) == [(1, 1), (3, 3)]


def test_one_of_many_that_tie_is_less_probable() -> None:
    """Records of books by one author are all like the author, and each like its book."""
    books = [(record, 10 + record, 0.8) for record in range(3)]
    author = [(record, 99, 0.9) for record in range(3)]
    best = candidates(*books, *author).best()
    assert members(best) == [(0, 10), (1, 11), (2, 12)]


def test_what_too_many_share_is_no_evidence() -> None:
    graph = [Triple(f"urn:{i}", "urn:p", Literal("same")) for i in range(3)]
    evidence = evidence_of(build_ontology(graph), build_ontology(graph))
    counts = [len(match_entities(evidence, 0.01, most).left) for most in (8, 9)]
    assert counts == [0, 9]
