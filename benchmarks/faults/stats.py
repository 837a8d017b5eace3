"""What runs inside of the crawls: their stats are written to a file, and one kills them."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector

from forest_scrapy.exporters.text_formats import FlushedJsonLinesItemExporter


class FileStats(MemoryStatsCollector):
    """Writes the final stats as JSON to the file ``FAULT_STATS``."""

    def _persist_stats(self, stats: dict[str, Any]) -> None:
        place = Path(self._crawler.settings["FAULT_STATS"])
        place.write_text(json.dumps(stats, default=str), encoding="utf-8")


class KillAtExport:
    """Kills the crawl when it has exported ``KILL_AT_EXPORT`` items, before the last one is
    recorded; an extension."""

    def __init__(self, exports: int) -> None:
        self._left = exports

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler.settings.getint("KILL_AT_EXPORT"))
        crawler.signals.connect(extension.item_scraped, signal=signals.item_scraped)
        return extension

    def item_scraped(self) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class KillingExporter(FlushedJsonLinesItemExporter):
    """JSON lines; the crawl is killed before ``KILL_BEFORE_WRITE`` items are written, when other
    exports may have the last one."""

    left = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: Any, **options: Any) -> Self:
        exporter = super().from_crawler(crawler, file, **options)
        exporter.left = crawler.settings.getint("KILL_BEFORE_WRITE")
        return exporter

    def write_item(self, item: Any) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        super().write_item(item)
