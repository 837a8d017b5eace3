"""Fields of forms, and values to try."""

from __future__ import annotations

from argparse import ArgumentParser

import pytest

from forest_scrapy.alignment import align, build_ontology
from forest_scrapy.alignment.probes import FieldMeaning, map_fields, probe_values
from forest_scrapy.alignment.siblings import type_siblings
from forest_scrapy.commands.probe import ProbeForm
from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.core.graph.property_paths import read_path
from tests.alignment.graphs import TYPE, library

AUTHOR = "^<urn:created>/<urn:name>"
GRAPH = [
    Triple("urn:ja", "urn:name", Literal("Jane Austen")),
    Triple("urn:ja", "urn:created", "urn:emma"),
    Triple("urn:ja", "urn:created", "urn:persuasion"),
    Triple("urn:ab", "urn:name", Literal("Anne Brontë")),
    Triple("urn:ab", "urn:created", "urn:grey"),
    Triple("urn:cb", "urn:name", Literal("Charlotte Brontë")),
    Triple("urn:cb", "urn:created", "urn:eyre"),
    Triple("urn:nobody", "urn:name", Literal("Nobody")),
    Triple("urn:emma", TYPE, "urn:Book"),
    Triple("urn:grey", TYPE, "urn:Book"),
]


@pytest.mark.parametrize(
    ("path", "known", "most", "subjects", "expected"),
    [
        (
            "^<urn:created>/<urn:name>",
            (),
            9,
            "",
            ["Jane Austen", "Anne Brontë", "Charlotte Brontë"],
        ),
        (AUTHOR, (), 2, "", ["Jane Austen", "Anne Brontë"]),
        (AUTHOR, ("JANE AUSTEN",), 1, "", ["Anne Brontë"]),
        (AUTHOR, (), 9, "urn:Book", ["Anne Brontë", "Jane Austen"]),
        (AUTHOR, (), 9, "urn:None", []),
        ("<urn:name>", (), 1, "", ["Anne Brontë"]),
        ("<urn:created>", (), 9, "", []),
        ("<urn:none>", (), 9, "", []),
    ],
    ids=[
        "by use",
        "the most used",
        "not the known",
        "of a class",
        "no class",
        "one step",
        "entities",
        "none",
    ],
)
def test_values_to_try(
    path: str, known: tuple[str, ...], most: int, subjects: str, expected: list[str]
) -> None:
    ontology = build_ontology(GRAPH)
    values = [Literal(value) for value in known]
    assert probe_values(read_path(path), ontology, values, most, subjects) == expected


def test_fields_of_a_form() -> None:
    records, ontology = library()
    index = build_ontology(ontology)
    found = align(build_ontology(records), index)
    types = type_siblings(records, index, found)
    fields = {"writer": ["urn:td2", "urn:td3"], "q": ["urn:td3"]}
    (meaning,) = map_fields(fields, found, types)
    assert meaning == FieldMeaning(
        "writer", "urn:td2", read_path(AUTHOR), "urn:Person", pytest.approx(1.0, abs=0.01)
    )


@pytest.mark.parametrize("confidence", ["nan", "inf", "0", "sure"])
def test_a_confidence_that_none_can_be_compared_with(
    confidence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = ArgumentParser()
    ProbeForm.add_options(parser.add_argument)
    with pytest.raises(SystemExit):
        parser.parse_args(["https://a.example/", "a.nt", "--confidence", confidence])
    assert f"name a number above 0, not '{confidence}'" in capsys.readouterr().err
