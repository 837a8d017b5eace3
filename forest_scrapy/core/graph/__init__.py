"""Labelled graphs: what records say, as triples."""

from forest_scrapy.core.graph.triples import Literal, Triple

__all__ = ["Literal", "Triple"]
