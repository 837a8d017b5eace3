"""Images and PDF that a user has named as a page or a feed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.statscollectors import MemoryStatsCollector

from forest_scrapy.spiders.feeds_spider import FeedsSpider
from forest_scrapy.spiders.form_spider import FormSpider
from forest_scrapy.spiders.site_spider import SiteSpider
from tests.crawl.helpers import open_crawl

URL = "http://a.example/owl"


async def _parse_site(spider: SiteSpider, response: Response) -> None:
    async for _ in spider.parse_start(response, is_article=False):
        pass


async def _parse_feed(spider: FeedsSpider, response: Response) -> None:
    await spider.read_feed(response)


async def _parse_site_with_feed(spider: FeedsSpider, response: Response) -> None:
    spider.parse_site(response)


async def _parse_form(spider: FormSpider, response: Response) -> None:
    async for _ in spider._begin(response):
        pass


@pytest.mark.parametrize(
    ("spider_class", "arguments", "parse", "remedy"),
    [
        (SiteSpider, {"url": URL}, _parse_site, "no page: name the page that shows or links it"),
        (FeedsSpider, {"feeds": URL}, _parse_feed, "no feed: name the feed, -a feeds=URL, or"),
        (FeedsSpider, {"site": URL}, _parse_site_with_feed, "name the feed, -a feeds=URL, or a"),
        (FormSpider, {"url": URL}, _parse_form, "no page: name the page with the form"),
    ],
)
@pytest.mark.parametrize(
    ("kind", "body", "file"),
    [("image/png", b"\x89PNG\r\n", "an image"), ("application/pdf", b"%PDF-1.7", "a PDF")],
)
def test_a_file_in_place_of_a_page(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    spider_class: type[Spider],
    arguments: dict[str, str],
    parse,
    remedy: str,
    kind: str,
    body: bytes,
    file: str,
) -> None:
    response = Response(URL, headers={"Content-Type": kind}, body=body, request=Request(URL))
    with open_crawl(tmp_path) as crawl:
        crawler = Crawler(spider_class)
        crawler.stats = MemoryStatsCollector(crawler)
        crawler._forest_context = crawl  # type: ignore[attr-defined]
        spider = spider_class.from_crawler(crawler, **arguments)
        asyncio.run(parse(spider, response))
    (message,) = [text for text in caplog.messages if file in text]
    assert remedy in message and URL in message
