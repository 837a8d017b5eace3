"""Stats of a crawl, written to a file when it is closed (``FAULT_STATS``)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scrapy.statscollectors import MemoryStatsCollector


class FileStats(MemoryStatsCollector):
    """Writes the final stats as JSON."""

    def _persist_stats(self, stats: dict[str, Any]) -> None:
        place = Path(self._crawler.settings["FAULT_STATS"])
        place.write_text(json.dumps(stats, default=str), encoding="utf-8")
