"""Exporters that flush after every item, so that a killed crawl has written every article that it
recorded."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exporters import BaseItemExporter, CsvItemExporter, JsonLinesItemExporter

from forest_scrapy.exporters.values import table_value
from forest_scrapy.runtime.context import context_of
from forest_scrapy.runtime.job.disk_failure import DiskFailure

__all__ = ["FlushedCsvItemExporter", "FlushedJsonLinesItemExporter"]


class _Flushed(BaseItemExporter):
    """Writes each item at once, completely or not at all.

    If that fails, the crawl ends, and nothing more is written to the file.
    """

    is_flushed = True
    _failure: DiskFailure | None = None
    _output: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: Any, **options: Any) -> Self:
        exporter = cls(file, **options)  # type: ignore[call-arg]
        exporter._failure, exporter._output = context_of(crawler).failure, file
        return exporter

    def export_item(self, item: Any) -> None:
        if self._failure and self._failure.in_export:
            return
        size = self._size()
        try:
            self.write_item(item)
        except OSError as error:
            if self._failure is None:
                raise
            self._failure.report(error, in_export=True)
            self._abandon(size)

    def write_item(self, item: Any) -> None:
        """Write an item and what is in the buffers."""
        raise NotImplementedError

    def _size(self) -> int:
        with suppress(OSError, AttributeError):
            return os.fstat(self._output.fileno()).st_size
        return 0

    def _abandon(self, size: int) -> None:
        """Remove a part of an item.  What is left in the buffers goes to the null device, since
        Scrapy closes the file, which would write it."""
        with suppress(OSError, AttributeError):
            number = self._output.fileno()
            os.ftruncate(number, size)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, number)
            os.close(null)


class FlushedJsonLinesItemExporter(_Flushed, JsonLinesItemExporter):
    """Scrapy's exporter of JSON lines, flushed after every item."""

    def write_item(self, item: Any) -> None:
        JsonLinesItemExporter.export_item(self, item)
        self.file.flush()


class FlushedCsvItemExporter(_Flushed, CsvItemExporter):
    """Scrapy's exporter of CSV, flushed after every item.  Lists of texts are joined by commas, as
    Scrapy does; objects and lists of objects are JSON."""

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        return table_value(super().serialize_field(field, name, value))

    def write_item(self, item: Any) -> None:
        CsvItemExporter.export_item(self, item)
        self.stream.flush()
