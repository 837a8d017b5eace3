"""JSON lines that are on disk when the item is done."""

from __future__ import annotations

from typing import Any

from scrapy.exporters import JsonLinesItemExporter

__all__ = ["FlushedJsonLinesItemExporter"]


class FlushedJsonLinesItemExporter(JsonLinesItemExporter):
    """Scrapy's own, flushed after every item: a killed crawl has lost no line that it counted."""

    def export_item(self, item: Any) -> None:
        super().export_item(item)
        self.file.flush()
