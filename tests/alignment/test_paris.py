"""Alignment to a fixed point."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings

from forest_scrapy.alignment import Alignment, AlignmentOptions, align, build_ontology
from forest_scrapy.core.graph import Literal, Triple
from tests.alignment.graphs import GRAPHS, library


@pytest.fixture(scope="module")
def aligned() -> Alignment:
    records, ontology = library()
    return align(build_ontology(records), build_ontology(ontology))


def test_all_books_of_the_ontology_are_found(aligned: Alignment) -> None:
    links = {(link.left, link.right) for link in aligned.entities}
    assert links == {(f"urn:record:{n}", f"urn:book:{n}") for n in range(40) if n % 3}
    assert all(link.probability > 0.9 for link in aligned.entities)


def test_title_and_author_by_a_join(aligned: Alignment) -> None:
    found = {(r.narrow, r.wide) for r in aligned.relations if r.is_left and r.probability > 0.9}
    assert found == {
        ("<urn:td1>", "<urn:title>"),
        ("<urn:td2>", "^<urn:created>/<urn:name>"),
    }


def test_without_joins_the_author_is_not_found() -> None:
    records, ontology = library()
    options = AlignmentOptions(joins=False)
    found = align(build_ontology(records), build_ontology(ontology), options)
    assert {r.narrow for r in found.relations if r.is_left} == {"<urn:td1>"}


def test_classes(aligned: Alignment) -> None:
    record, book = (next(c for c in aligned.classes if c.is_left == left) for left in (True, False))
    assert (record.narrow, record.wide, record.evidence) == ("urn:Record", "urn:Book", 26)
    assert record.probability == pytest.approx(26 / 40, abs=0.02)
    assert (book.narrow, book.wide) == ("urn:Book", "urn:Record")
    assert book.probability == pytest.approx(1, abs=0.03)


def test_it_ends_at_a_fixed_point(aligned: Alignment) -> None:
    records, ontology = library()
    index = build_ontology(records), build_ontology(ontology)
    longer = align(*index, AlignmentOptions(min_change=0, max_rounds=aligned.rounds + 3))
    assert longer.entities == aligned.entities
    assert aligned.changed < 0.01


def test_steps_are_told() -> None:
    records, ontology = library()
    steps: list[str] = []
    align(build_ontology(records), build_ontology(ontology), watch=steps.append)
    assert steps[0] == "34 equal literals"
    assert steps[-1].endswith("26 equal entities, 0.0% changed")


def swap(alignment: Alignment) -> tuple[object, ...]:
    links = sorted((link.right, link.left, link.probability) for link in alignment.entities)
    relations = sorted(link._replace(is_left=not link.is_left) for link in alignment.relations)
    return links, relations


@given(GRAPHS, GRAPHS)
@settings(deadline=None)
def test_the_sides_are_treated_alike(one: list[Triple], other: list[Triple]) -> None:
    left, right = build_ontology(one), build_ontology(other)
    found, swapped = align(left, right), align(right, left)
    relations = sorted(swapped.relations)
    assert [link[:2] for link in swap(found)[0]] == [link[:2] for link in swapped.entities]
    for one_link, other_link in zip(swap(found)[1], relations, strict=True):
        assert one_link[:2] == other_link[:2]
        assert one_link[2] == pytest.approx(other_link[2], abs=1e-5)


def test_the_order_of_triples_does_not_matter(aligned: Alignment) -> None:
    records, ontology = library()
    for seed in range(3):
        Random(seed).shuffle(records)
        Random(seed).shuffle(ontology)
        assert align(build_ontology(records), build_ontology(ontology)) == aligned


def test_the_only_one_of_several_that_tie_is_the_first_by_name() -> None:
    left = [Triple("urn:a", "urn:name", Literal("Jane Austen"))]
    right = [Triple(f"urn:{i}", "urn:name", Literal("Jane Austen")) for i in (2, 1)]
    options = AlignmentOptions(min_probability=0.1)
    found = align(build_ontology(left), build_ontology(right), options)
    assert [(link.left, link.right) for link in found.entities] == [("urn:a", "urn:1")]
    assert found.entities[0].probability <= 0.5


@pytest.mark.parametrize("graph", [[], [Triple("urn:a", "urn:p", "urn:b")]])
def test_graphs_without_literals(graph: list[Triple]) -> None:
    found = align(build_ontology(graph), build_ontology(graph))
    assert (found.entities, found.relations, found.classes) == ((), (), ())
