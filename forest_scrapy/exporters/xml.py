"""Scrapy's XML format, without ``None``."""

from __future__ import annotations

from typing import Any

from scrapy.exporters import XmlItemExporter

from forest_scrapy.exporters.values import plain_value

__all__ = ["PlainXmlItemExporter"]


class PlainXmlItemExporter(XmlItemExporter):
    """Scrapy's exporter; values that are missing are empty elements."""

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        return plain_value(super().serialize_field(field, name, value))
