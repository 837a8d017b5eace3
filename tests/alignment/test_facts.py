"""Facts as sorted arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.alignment.facts import Facts, inverse_functionalities
from forest_scrapy.alignment.ontology import build_ontology
from forest_scrapy.core.graph import Triple
from tests.alignment.graphs import GRAPHS, both_ways, functionality, inverse

TRIPLES = st.lists(st.tuples(*(st.integers(0, n) for n in (9, 3, 9))), min_size=1, max_size=40)


@given(TRIPLES, st.integers(0, 9), st.integers(0, 9))
def test_rows_are_what_is_said_of_a_node(
    triples: list[tuple[int, int, int]], node: int, least: int
) -> None:
    facts = Facts.of_triples(*np.array(triples).T)
    starts, counts = facts.ranges(np.array([node]), least)
    others, relations = facts.take(np.arange(starts[0], starts[0] + counts[0]))
    expected = {(s, 2 * p) for s, p, o in triples if o == node and s >= least}
    expected |= {(o, 2 * p + 1) for s, p, o in triples if s == node and o >= least}
    assert sorted(expected) == list(zip(others.tolist(), relations.tolist(), strict=True))


@given(TRIPLES, st.integers(0, 9), st.integers(0, 9))
def test_relations_between_two_nodes(
    triples: list[tuple[int, int, int]], node: int, other: int
) -> None:
    facts = Facts.of_triples(*np.array(triples).T)
    positions, relations = facts.find(np.array([node]), np.array([other]))
    expected = {2 * p for s, p, o in triples if (s, o) == (other, node)}
    expected |= {2 * p + 1 for s, p, o in triples if (s, o) == (node, other)}
    assert (set(relations.tolist()), set(positions.tolist()) - {0}) == (expected, set())


@given(GRAPHS, st.integers(1, 5))
def test_functionalities_are_those_of_the_paper(triples: list[Triple], rows: int) -> None:
    ontology = build_ontology(triples)
    count = 2 * len(ontology.relations)
    values = inverse_functionalities(ontology.facts, count, rows)
    expected = functionality(both_ways(triples))
    for relation, value in enumerate(values.tolist()):
        name = ontology.name_relation(relation).replace("<", "").replace(">", "")
        assert value == expected[inverse(name)]


def test_a_relation_without_facts_is_functional() -> None:
    facts = Facts.of_triples(*np.array([[0, 0, 1]]).T)
    assert inverse_functionalities(facts, 4).tolist() == [1, 1, 1, 1]
