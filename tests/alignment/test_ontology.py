"""The index of a graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.alignment.ontology import (
    MAX_SUPERCLASSES,
    RDFS,
    SUBCLASS,
    TYPE,
    build_ontology,
    is_fact,
)
from forest_scrapy.core.graph import Literal, Triple
from tests.alignment.graphs import GRAPHS


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (f"{RDFS}label", True),
        (f"{RDFS}domain", False),
        (TYPE, False),
        ("http://www.w3.org/2002/07/owl#sameAs", False),
        ("https://schema.org/name", True),
    ],
)
def test_facts_and_the_schema(predicate: str, expected: bool) -> None:
    assert is_fact(predicate) == expected


@given(GRAPHS, st.randoms(use_true_random=False))
def test_the_order_of_triples_does_not_matter(triples: list[Triple], random: object) -> None:
    one = build_ontology(triples)
    random.shuffle(triples)  # type: ignore[attr-defined]
    other = build_ontology([*triples, triples[0]])
    nodes = np.arange(len(one.terms))
    assert one.terms.names(nodes) == other.terms.names(nodes)
    assert np.array_equal(one.facts.keys, other.facts.keys)
    assert np.array_equal(one.facts.relations, other.facts.relations)
    assert np.array_equal(one.inverse_functionality, other.inverse_functionality)


def test_literals_come_first_and_keep_a_value() -> None:
    graph = [
        Triple("urn:x", "urn:p", Literal("HAMLET")),
        Triple("_:b", "urn:p", Literal("Hamlet", language="en")),
        Triple("_:b", "urn:p", Literal("Emma")),
    ]
    ontology = build_ontology(graph)
    assert ontology.terms.names(np.arange(4)) == ['"=emma', '"=hamlet', "_:b", "urn:x"]
    assert ontology.terms.values(np.arange(2)) == [Literal("Emma"), Literal("HAMLET")]
    assert (ontology.literal_count, ontology.terms.number("urn:x")) == (2, 3)
    assert ontology.terms.number("urn:none") is None


def test_instances_are_in_all_superclasses() -> None:
    graph = [
        Triple("urn:x", TYPE, "urn:Novel"),
        Triple("urn:y", TYPE, "urn:Book"),
        Triple("urn:Novel", SUBCLASS, "urn:Book"),
        Triple("urn:Book", SUBCLASS, "urn:Work"),
        Triple("urn:Work", SUBCLASS, "urn:Book"),  # a circle
    ]
    ontology = build_ontology(graph)
    assert ontology.classes == ("urn:Book", "urn:Novel", "urn:Work")
    members = [(key >> 32, key & 0xFFFFFFFF) for key in ontology.types.tolist()]
    assert members == [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)]


def test_an_empty_graph() -> None:
    ontology = build_ontology([])
    assert (len(ontology.terms), len(ontology.facts), ontology.relations) == (0, 0, ())


@pytest.mark.slow
def test_a_circle_of_many_classes_has_a_bounded_closure() -> None:
    """Each is a superclass of all: without a bound these are a million pairs."""
    triples = []
    for i in range(1_000):
        triples.append(Triple(f"x:{i}", TYPE, f"c:{i}"))
        triples.append(Triple(f"c:{i}", SUBCLASS, f"c:{(i + 1) % 1_000}"))
    ontology = build_ontology(triples)
    assert len(ontology.types) == 1_000 * (MAX_SUPERCLASSES + 1)
