"""Entities as objects of JSON-LD."""

from __future__ import annotations

from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.core.graph.jsonld import write_entities
from forest_scrapy.core.graph.vocabulary import SCHEMA, TERMS, TYPE, XSD


def test_terms_are_short_and_values_in_order() -> None:
    page = "https://a.example/"
    statements = [
        Triple(page, TYPE, f"{SCHEMA}Article"),
        Triple(page, f"{SCHEMA}keywords", Literal("owls")),
        Triple(page, f"{SCHEMA}keywords", Literal("birds")),
        Triple("urn:b", f"{page}#n", Literal("1", f"{XSD}integer")),
        Triple(page, f"{TERMS}references", "urn:b"),
        Triple("urn:b", f"{SCHEMA}#n", "https://schema.org/x"),
    ]
    assert write_entities(statements) == [
        {
            "@id": page,
            "@type": "Article",
            "keywords": ["owls", "birds"],
            "dcterms:references": {"@id": "urn:b"},
        },
        {
            "@id": "urn:b",
            f"{page}#n": {"@value": "1", "@type": "xsd:integer"},
            f"{SCHEMA}#n": {"@id": "https://schema.org/x"},
        },
    ]
