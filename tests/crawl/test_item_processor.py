"""The end of a crawl."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.extension import ExtensionManager
from scrapy.statscollectors import MemoryStatsCollector

from forest_scrapy.crawl.context import CrawlContext, CrawlEnd
from forest_scrapy.crawl.item_processor import ForestItemProcessor
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import HistoryStore, RulesStore, Spool


def test_stores_are_closed_also_if_the_report_has_a_bug(tmp_path: Path) -> None:
    async def write(end: CrawlEnd) -> None:
        raise ValueError("a bug")

    crawler = Crawler(Spider)
    crawler.extensions = ExtensionManager(crawler=crawler)
    crawl = CrawlContext.create(
        ForestSettings(),
        MemoryStatsCollector(crawler),
        Spool(str(tmp_path / "spool.db")),
        RulesStore(str(tmp_path / "wrappers.db"), "typed"),
        HistoryStore(str(tmp_path / "history.db")),
    )
    crawl.at_end.append(write)
    assert (tmp_path / "history.db-wal").exists()
    with pytest.raises(ValueError, match="a bug"):
        asyncio.run(ForestItemProcessor(crawler, crawl, None).spider_closed("finished"))
    assert not (tmp_path / "history.db-wal").exists()
