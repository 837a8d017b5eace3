"""A JSON lines exporter that flushes after every item."""

from __future__ import annotations

from typing import Any

from scrapy.exporters import JsonLinesItemExporter

__all__ = ["FlushedJsonLinesItemExporter"]


class FlushedJsonLinesItemExporter(JsonLinesItemExporter):
    """Scrapy's exporter, flushed after every item: a killed crawl has written every article that
    it recorded."""

    def export_item(self, item: Any) -> None:
        super().export_item(item)
        self.file.flush()
