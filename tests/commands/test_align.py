"""``scrapy forest align``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_scrapy.alignment.ontology import TYPE
from forest_scrapy.alignment.rdf_files import read_rdf, write_rdf
from forest_scrapy.core.graph import Literal, Triple
from tests.alignment.graphs import library
from tests.commands.conftest import Run


@pytest.fixture
def files(folder: Path) -> Path:
    for name, triples in zip(("left.nt", "right.ttl"), library(), strict=True):
        (folder / name).write_text(write_rdf(name, triples), encoding="utf-8")
    return folder


def test_links_and_new_facts(run: Run, files: Path) -> None:
    done = run("align", "left.nt", "right.ttl", "-o", "links.ttl", "--enrich", "new.ttl")
    assert (done.status, done.err) == (0, "")
    assert "  1.000       26  <urn:td2> ⊆ ^<urn:created>/<urn:name>\n" in done.out
    assert "26 equal entities: P, left, right\n  1.000  urn:record:1 = urn:book:1\n" in done.out
    assert "\n42 new facts\n  1.000  26 of 26  urn:Record: urn:Book\n" in done.out
    assert (
        "relations that are aligned with nothing: how many facts\n       40  urn:td3\n" in done.out
    )
    links = set(read_rdf(files / "links.ttl"))
    same_as = "http://www.w3.org/2002/07/owl#sameAs"
    assert Triple("urn:record:1", same_as, "urn:book:1") in links
    assert Triple("urn:record:0", TYPE, "urn:Book") in set(read_rdf(files / "new.ttl"))


def test_values_to_try(run: Run, files: Path) -> None:
    ontology = library()[1]
    ontology += [
        Triple("urn:person:99", "urn:created", "urn:book:99"),
        Triple("urn:person:99", "urn:name", Literal("George Eliot")),
        Triple("urn:book:99", TYPE, "urn:Book"),
        Triple("urn:book:98", TYPE, "urn:Book"),
        Triple("urn:book:98", "urn:title", Literal("Middlemarch")),
        Triple("urn:film:1", TYPE, "urn:Film"),
        Triple("urn:film:1", "urn:title", Literal("Metropolis")),
    ]
    (files / "right.ttl").write_text(write_rdf("right.ttl", ontology), encoding="utf-8")
    done = run("align", "left.nt", "right.ttl", "--values", "values.json")
    assert (done.status, done.err) == (0, "")
    values = json.loads((files / "values.json").read_text(encoding="utf-8"))
    assert values == {"urn:td1": ["Middlemarch"], "urn:td2": ["George Eliot"]}


def test_json_and_a_kept_index(run: Run, files: Path) -> None:
    first = run("align", "left.nt", "right.ttl", "--json", "-o", "links.json", "--index", "kept")
    assert (first.status, first.err) == (0, "")
    found = json.loads(first.out)
    assert found["entities"][0] == {
        "left": "urn:record:1",
        "right": "urn:book:1",
        "probability": pytest.approx(1.0, abs=0.01),
    }
    assert json.loads((files / "links.json").read_text(encoding="utf-8")) == found
    assert len(list((files / "kept").iterdir())) == 2
    again = run("align", "left.nt", "right.ttl", "--json", "--index", "kept")
    assert json.loads(again.out) == found
    (files / "right.ttl").write_text("", encoding="utf-8")
    changed = run("align", "left.nt", "right.ttl", "--index", "kept")
    assert changed.status == 1


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("left.nt", "none.ttl"), 1, "none.ttl"),
        (("left.nt", "bad.ttl"), 1, "bad.ttl: no valid Turtle: "),
        (("left.nt", "page.html"), 1, "page.html: the name tells no format of RDF; rename it"),
        (("left.nt", "empty.ttl"), 1, "no relation is the same in both: they have too few"),
        (("left.nt", "right.ttl", "--enrich", "new.doc"), 1, "new.doc: the name tells no format"),
        (("left.nt", "right.ttl", "--least", "2"), 2, "name a number above 0 and up to 1"),
        (("left.nt", "right.ttl", "--rounds", "0"), 2, "name a number from 1, not '0'"),
        (("left.nt",), 2, "the following arguments are required: FILE"),
    ],
)
def test_what_cannot_be_aligned(
    run: Run, files: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    for name, text in (("bad.ttl", "<html>"), ("page.html", ""), ("empty.ttl", "")):
        (files / name).write_text(text, encoding="utf-8")
    done = run("align", *arguments)
    assert done.status == status
    assert message in done.err
    assert "Traceback" not in done.err


def test_one_schema_of_several_graphs(run: Run, files: Path) -> None:
    control = "\n<urn:control> <http://www.w3.org/ns/hydra/core#property> <urn:td1> ."
    with (files / "left.nt").open("a") as file:
        file.write(control)
    done = run("schema", "left.nt", "right.ttl", "-o", "schema.ttl")
    assert (done.status, done.err) == (0, "")
    assert "left.nt and right.ttl: 26 equal entities\n" in done.out
    title = "  left.nt: <urn:td1>, searched by a field without a label\n  right.ttl: <urn:title>\n"
    assert title in done.out
    below = "http://www.w3.org/2000/01/rdf-schema#subPropertyOf"
    schema = set(read_rdf(files / "schema.ttl"))
    assert {triple.subject for triple in schema if triple.predicate == below} >= {"urn:title"}
    single = run("schema", "left.nt")
    assert single.status == 2 and "two graphs or more" in single.err


def test_values_with_a_pattern_are_cleaned(run: Run, files: Path) -> None:
    """They are what the ontology calls them, also where no text is similar enough."""
    text = (files / "left.nt").read_text("utf-8")
    text = text.replace('"Writer ', '"written and told and printed by Writer ')
    (files / "left.nt").write_text(text, "utf-8")
    done = run("align", "left.nt", "right.ttl", "--enrich", "new.ttl")
    assert "  1.000       26  <urn:td2> ⊆ ^<urn:created>/<urn:name>\n" in done.out
    assert "printed by" not in (files / "new.ttl").read_text("utf-8")
    exact = run("align", "left.nt", "right.ttl", "--exact")
    assert "urn:created" not in exact.out
