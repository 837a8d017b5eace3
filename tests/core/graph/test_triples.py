"""Triples are plain values."""

from __future__ import annotations

from forest_scrapy.core.graph import Literal, Triple


def test_equal_triples_are_one() -> None:
    hamlet = Triple("urn:1", "urn:title", Literal("Hamlet", language="en"))
    assert {hamlet, Triple("urn:1", "urn:title", Literal("Hamlet", None, "en"))} == {hamlet}
    assert hamlet != Triple("urn:1", "urn:title", Literal("Hamlet"))
    assert hamlet != Triple("urn:1", "urn:title", "Hamlet")
