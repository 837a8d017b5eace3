"""The spiders' reading of feeds."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.statscollectors import MemoryStatsCollector

from forest_scrapy.core.page.urls import page_key
from forest_scrapy.responses.accept import FEED_TYPES, SITEMAP_TYPES
from forest_scrapy.spiders.feeds_spider import FeedsSpider
from forest_scrapy.stores import FeedRecord, PageRecord
from tests.crawl.helpers import open_crawl

FEED, URL = "http://a.example/feed", "http://a.example/1"


def test_new_articles_of_a_feed_are_asked_for_again_by_one_crawl(tmp_path: Path) -> None:
    """Two would emit the same correction."""
    response = Response(FEED, status=304, request=Request(FEED))

    async def asked() -> list[str]:
        return [request.url async for request in spider.parse_feed(response)]

    with open_crawl(tmp_path, only_new=True) as crawl:
        crawler = Crawler(FeedsSpider)
        crawler.stats = MemoryStatsCollector(crawler)
        crawler._forest_context = crawl  # type: ignore[attr-defined]
        spider = FeedsSpider.from_crawler(crawler, feeds=FEED)
        seen = crawl.history.now - 2 * 3600
        page = PageRecord(page_key(URL), "a.example", URL, seen, seen, seen, outcome="article",
                          feed=FEED)  # fmt: skip
        crawl.history.store.save(page, feed=FeedRecord(FEED))
        with claimed_elsewhere(crawl.history.store.database.name):
            assert asyncio.run(asked()) == []
        assert asyncio.run(asked()) == [URL]


def test_feeds_and_sitemaps_are_asked_for_as_such(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        crawler = Crawler(FeedsSpider)
        crawler._forest_context = crawl  # type: ignore[attr-defined]
        spider = FeedsSpider.from_crawler(crawler, feeds=FEED)
        request = spider.feed_request(FEED)
        assert request.headers["Accept"] == FEED_TYPES.encode()
        (sitemap_request,) = spider.sitemap_requests(["http://a.example/sitemap.xml"])
        assert sitemap_request.headers["Accept"] == SITEMAP_TYPES.encode()
        assert "Accept" not in spider.page_request(URL).headers


@contextmanager
def claimed_elsewhere(place: str) -> Iterator[None]:
    """Another process reads the feed."""
    code = (
        "import sys; from forest_scrapy.stores import HistoryStore;"
        f"print(HistoryStore({place!r}).claim_feed({FEED!r}), flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as other:
        assert other.stdout and other.stdout.readline() == "True\n"
        yield
        other.kill()
