"""Patterns in the values of one relation."""

from __future__ import annotations

import pytest

from forest_scrapy.alignment import build_ontology
from forest_scrapy.alignment.patterns import Affixes, clean_values, find_affixes
from forest_scrapy.core.graph import Literal, Triple

NAMES = ("Emma", "Dracula", "Hamlet", "Odyssey", "Silas Marner", "Middlemarch")


@pytest.mark.parametrize(
    ("pattern", "affixes"),
    [
        ("by {}", Affixes(("by",))),
        ("{} [paper back]", Affixes((), ("[paper", "back]"))),
        ("ISBN:{}", Affixes(("ISBN:",))),
        ("The {} of all", Affixes(("The",), ("of", "all"))),
        ("{}", Affixes()),
    ],
)
def test_what_nearly_all_values_have(pattern: str, affixes: Affixes) -> None:
    values = [pattern.format(name) for name in NAMES]
    assert find_affixes(values) == affixes
    assert [affixes.strip(value) for value in values] == list(NAMES)
    assert find_affixes(values[:4]) == Affixes()


def test_what_a_few_values_have_is_no_pattern() -> None:
    values = [f"by {name}" for name in NAMES[:4]] + ["Anonymous", "Unknown"]
    assert find_affixes(values) == Affixes()


def statements(prefix: str, predicate: str, pattern: str) -> list[Triple]:
    values = [Literal(pattern.format(name)) for name in NAMES]
    return [Triple(f"{prefix}{i}", predicate, value) for i, value in enumerate(values)]


def test_values_are_cleaned_only_if_the_other_graph_has_them_so() -> None:
    records = [
        *statements("urn:r", "urn:by", "by {}"),
        *statements("urn:r", "urn:place", "University of {}"),
        *statements("urn:r", "urn:note", "see {}"),
    ]
    ontology = [
        *statements("urn:e", "urn:name", "{}"),
        *statements("urn:e", "urn:school", "University of {}"),
    ]
    # "see Emma" is Emma there, too: the cleaned values of a relation may be wherever they are.
    cleaned = clean_values(records, build_ontology(ontology))
    assert cleaned[: len(NAMES)] == statements("urn:r", "urn:by", "{}")
    assert cleaned[len(NAMES) : 2 * len(NAMES)] == statements(
        "urn:r", "urn:place", "University of {}"
    )
    assert clean_values(records, build_ontology([])) == records
