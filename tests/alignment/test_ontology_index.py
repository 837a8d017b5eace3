"""The index of an ontology on disk is the same as in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import forest_scrapy.alignment.ontology_index as module
from forest_scrapy.alignment import Ontology, align, build_ontology
from forest_scrapy.alignment.ontology import RDFS, TYPE
from forest_scrapy.alignment.ontology_index import open_ontology, write_ontology
from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.stores.database import UnusableFile
from tests.alignment.graphs import GRAPHS, library

EXTRA = [
    Triple("urn:x", TYPE, "urn:Novel"),
    Triple("urn:Novel", f"{RDFS}subClassOf", "urn:Book"),
    Triple("urn:x", "urn:p", Literal("HAMLET")),
    Triple("urn:y", "urn:p", Literal("Hamlet", language="en")),
    Triple("urn:y", "urn:p", Literal("Hamlet", "urn:type")),
]


def assert_same(one: Ontology, other: Ontology) -> None:
    nodes = np.arange(len(one.terms))
    literals = nodes[: one.literal_count]
    assert len(other.terms) == len(one.terms)
    assert other.terms.names(nodes) == one.terms.names(nodes)
    assert other.terms.values(literals) == one.terms.values(literals)
    assert list(other.terms.literals()) == list(one.terms.literals())
    names = [*one.terms.names(nodes), "urn:none", '"=none', ""]
    assert [other.terms.number(n) for n in names] == [one.terms.number(n) for n in names]
    assert other.literal_count == one.literal_count
    assert (other.relations, other.classes) == (one.relations, one.classes)
    for mine, stored in (
        (one.facts.keys, other.facts.keys),
        (one.facts.relations, other.facts.relations),
        (one.inverse_functionality, other.inverse_functionality),
        (one.types, other.types),
    ):
        assert np.array_equal(mine, stored)


@given(triples=GRAPHS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_small_graphs(tmp_path_factory: pytest.TempPathFactory, triples: list[Triple]) -> None:
    folder = tmp_path_factory.mktemp("index") / "graph"
    assert_same(build_ontology(triples), write_ontology(folder, triples))


@pytest.mark.parametrize("seed", range(3))
def test_in_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    for name, value in (("_TRIPLES", 7), ("_ROWS", 20), ("_NAMES", 5)):
        monkeypatch.setattr(module, name, value)
    triples = [*library()[1], *EXTRA]
    expected = build_ontology(triples)
    Random(seed).shuffle(triples)
    assert_same(expected, write_ontology(tmp_path / "index", triples))
    assert_same(expected, open_ontology(tmp_path / "index"))


def test_alignments_are_the_same(tmp_path: Path) -> None:
    records, ontology = library()
    stored = write_ontology(tmp_path / "a", records), write_ontology(tmp_path / "b", ontology)
    assert align(*stored) == align(build_ontology(records), build_ontology(ontology))


def test_an_empty_graph(tmp_path: Path) -> None:
    assert_same(build_ontology([]), write_ontology(tmp_path / "index", []))


def test_nothing_is_left_of_what_cannot_be_read(tmp_path: Path) -> None:
    def broken() -> Iterator[Triple]:
        yield EXTRA[0]
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        write_ontology(tmp_path / "index", broken())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 99}'])
def test_what_is_no_index(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnusableFile, match=r"no index of an ontology .*; delete it"):
        open_ontology(tmp_path)
    (tmp_path / "index.json").write_text(text, encoding="utf-8")
    with pytest.raises(UnusableFile, match="delete it"):
        open_ontology(tmp_path)
