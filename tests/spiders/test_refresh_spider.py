"""The spider that takes articles from kept pages."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse
from scrapy.statscollectors import MemoryStatsCollector

from forest_scrapy.core.page.urls import page_key
from forest_scrapy.crawl.page_records import page_digest
from forest_scrapy.spiders.refresh_spider import RefreshSpider
from forest_scrapy.stores import PageRecord
from tests.crawl.helpers import open_crawl
from tests.crawls.helpers import story

URL = "http://a.example/1"


def test_a_page_that_a_crawl_has_fetched_meanwhile_is_left(tmp_path: Path) -> None:
    """The spider has asked for it before."""
    response = HtmlResponse(URL, body=story(1).encode(), request=Request(URL))

    async def parse() -> int:
        return len([output async for output in spider.parse_page(response)])

    with open_crawl(tmp_path) as crawl:
        crawler = Crawler(RefreshSpider)
        crawler.stats = MemoryStatsCollector(crawler)
        crawler._forest_context = crawl  # type: ignore[attr-defined]
        spider = RefreshSpider.from_crawler(crawler, host="a.example")
        page = PageRecord(page_key(URL), "a.example", URL, 1, 1, 1, outcome="article")
        crawl.history.store.save(replace(page, page_digest=page_digest(response)))
        assert asyncio.run(parse()) == 1
        crawl.history.store.save(replace(page, page_digest=b"other"))
        assert asyncio.run(parse()) == 0
        assert crawler.stats.get_value("forest/refresh/other_page") == 1
