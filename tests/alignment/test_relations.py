"""Sub-relations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.alignment.facts import Facts, split_keys
from forest_scrapy.alignment.joins import Joins
from forest_scrapy.alignment.ontology import Ontology, build_ontology
from forest_scrapy.alignment.pairs import Pairs
from forest_scrapy.alignment.relations import InitialScores, Side, score_relations
from forest_scrapy.core.graph import Triple
from tests.alignment.graphs import GRAPHS, both_ways, contained

EMPTY = np.empty(0, dtype=np.int64)
NO_JOINS = Joins(Facts(EMPTY, EMPTY.astype(np.int32)), (), np.empty(0))


def equal_nodes(
    left: Ontology, right: Ontology, probabilities: list[float]
) -> tuple[Pairs, dict[tuple[str, str], float]]:
    """Nodes with the same name, with some probabilities."""
    names = left.terms.names(np.arange(len(left.terms)))
    numbers = [(i, right.terms.number(name)) for i, name in enumerate(names)]
    both = np.array([(i, j) for i, j in numbers if j is not None], dtype=np.int64).reshape(-1, 2)
    values = [probabilities[i % len(probabilities)] for i in range(len(both))]
    pairs = Pairs.of(both[:, 0], both[:, 1], np.array(values, dtype=float))
    return pairs, {(names[i], names[i]): p for i, p in zip(both[:, 0], values, strict=True)}


PROBABILITIES = st.lists(st.sampled_from([0.2, 0.5, 0.9, 1.0]), min_size=1, max_size=4)


@given(GRAPHS, GRAPHS, PROBABILITIES)
def test_scores_are_those_of_equation_12(
    one: list[Triple], other: list[Triple], probabilities: list[float]
) -> None:
    left, right = build_ontology(one), build_ontology(other)
    pairs, equal = equal_nodes(left, right, probabilities)
    scores = score_relations(Side(left, NO_JOINS), Side(right, NO_JOINS), pairs, 0.0)
    found = {
        tuple(
            ontology.name_relation(r).replace("<", "").replace(">", "")
            for ontology, r in ((left, narrow), (right, wide))
        ): p
        for narrow, wide, p in zip(
            *(part.tolist() for part in split_keys(scores.keys)),
            scores.probabilities.tolist(),
            strict=True,
        )
    }
    assert found == pytest.approx(contained(both_ways(one), both_ways(other), equal), abs=1e-6)


def test_a_join_starts_with_less() -> None:
    scores = InitialScores(0.1, 4, 6)
    narrow, wide = np.array([3, 4, 3]), np.array([5, 5, 6])
    assert scores.find(narrow, wide).tolist() == pytest.approx([0.1, 0.01, 0.01])
