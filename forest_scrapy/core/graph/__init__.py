"""Labelled graphs: items and records as triples."""

from forest_scrapy.core.graph.triples import Literal, Triple

__all__ = ["Literal", "Triple"]
