"""Relations in two steps."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from forest_scrapy.alignment.joins import join_relations
from forest_scrapy.alignment.ontology import Ontology, build_ontology
from forest_scrapy.core.graph import Literal, Triple
from tests.alignment.graphs import GRAPHS, both_ways


def paths_of(ontology: Ontology, most: int = 100) -> dict[str, set[tuple[str, str]]]:
    joins = join_relations(ontology, np.arange(ontology.literal_count), most)
    found: dict[str, set[tuple[str, str]]] = {}
    nodes = joins.facts.keys >> 32
    others, relations = joins.facts.take(np.arange(len(nodes)))
    names = ontology.terms.names
    rows = zip(names(others), names(nodes), relations.tolist(), strict=True)
    for x, y, relation in rows:
        path = joins.name(ontology, relation).replace("<", "").replace(">", "")
        found.setdefault(path, set()).add((x, y))
    return found


@given(GRAPHS)
def test_joins_are_two_facts(triples: list[Triple]) -> None:
    facts = both_ways(triples)
    expected: dict[str, set[tuple[str, str]]] = {}
    entities = [fact for fact in facts if not any(node[0] == '"' for node in fact[1:])]
    for first, x, z in entities:
        for second, other, y in facts:
            if z == other and y.startswith('"'):
                expected.setdefault(f"{first}/{second}", set()).add((x, y))
    assert paths_of(build_ontology(triples)) == expected


def test_created_then_name() -> None:
    graph = [
        Triple("urn:emma", "urn:author", "urn:austen"),
        Triple("urn:persuasion", "urn:author", "urn:austen"),
        Triple("urn:austen", "urn:name", Literal("Jane Austen")),
    ]
    ontology = build_ontology(graph)
    joins = join_relations(ontology, np.array([0]), 100)
    assert joins.name(ontology, 4) == "<urn:author>/<urn:name>"
    assert joins.inverse_functionality.tolist() == [0.5]
    # What too many share is no evidence, but tells that the join is not functional.
    few = join_relations(ontology, np.array([0]), 1)
    assert (len(few.facts), few.inverse_functionality.tolist()) == (0, [0.5])
