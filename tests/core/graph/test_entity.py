"""Statements about an entity and its parts."""

from __future__ import annotations

import pytest

from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.core.graph.entity import Entity, objects_of, property_iri, texts_of, typed_value
from forest_scrapy.core.graph.vocabulary import LABEL, PROPERTY, SCHEMA, TYPE, XSD

BASE = "https://a.example/"


def test_what_is_missing_is_not_stated() -> None:
    entity = Entity(BASE)
    entity.schema("name", None, "", Literal("Owls"))
    part = entity.part("offer", "Offer")
    part.schema("price", None)
    assert entity.triples == [
        Triple(BASE, f"{SCHEMA}name", Literal("Owls")),
        Triple(f"{BASE}#offer", TYPE, f"{SCHEMA}Offer"),
    ]


def test_properties_of_a_page_are_described() -> None:
    entity = Entity("urn:1")
    entity.has_values(BASE, [{"name": "Price", "value": "x"}, {"name": " ", "value": "x"}, 5])
    price = property_iri(BASE, "Price")
    assert entity.triples == [
        Triple(price, TYPE, PROPERTY),
        Triple(price, LABEL, Literal("Price")),
        Triple("urn:1", price, Literal("x")),
    ]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("url", f"{BASE}b", f"{BASE}b"),
        ("image", "javascript:x", Literal("javascript:x")),
        ("date", "2025", Literal("2025", f"{XSD}gYear")),
        ("number", "5", Literal("5", f"{XSD}integer")),
        ("text", "5", Literal("5")),
        (None, None, None),
    ],
)
def test_values_have_the_type_of_their_attribute(kind: str, value: str, expected: object) -> None:
    assert typed_value({"type": kind, "value": value}) == expected


def test_lists_of_other_types_are_empty() -> None:
    assert list(objects_of("abc")) == list(objects_of([1, None])) == texts_of({"a": 1}) == []
    assert texts_of(["a", 1, " ", "a"]) == ["a"]
