"""Crawls of a recorded site with the spiders of the package, in this process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import AsyncCrawlerRunner

from benchmarks.sets.recorded_site import RecordedSite, SiteServer
from forest_scrapy.items import Article
from forest_scrapy.spiders.feeds_spider import FeedsSpider
from forest_scrapy.spiders.site_spider import SiteSpider

#: The ways to crawl a site: its feed; its home page, or one article, without the feed.
WAYS = ("feed", "home", "article")

_SETTINGS = {
    "ADDONS": {"forest_scrapy.Addon": 500},
    "LOG_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "RETRY_ENABLED": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "DOWNLOAD_DELAY": 0,
}


def start_url(site: RecordedSite, way: str) -> str:
    """Where a way starts, with http; ``""`` if nothing is recorded to start from."""
    if way == "feed":
        url = site.group.feed_url
    else:
        page = site.home if way == "home" else next(iter(site.group.articles), None)
        url = page.url if page else ""
    return url.replace("https:", "http:", 1)


async def crawl_site(
    server: SiteServer,
    site: RecordedSite,
    way: str,
    more: Mapping[str, Any] | None = None,
) -> list[Article]:
    """The articles of a crawl, in the order in which they were emitted.

    ``more``: more settings.
    """
    server.site = site
    os.environ["http_proxy"] = server.url
    site.with_feed = way == "feed"
    spider: type[Spider] = FeedsSpider if way == "feed" else SiteSpider
    argument = {"feed": "feeds", "home": "url", "article": "article"}[way]
    articles: list[Article] = []
    with TemporaryDirectory() as folder:
        store = str(Path(folder, "wrappers.db"))
        runner = AsyncCrawlerRunner({**_SETTINGS, "FOREST_STORE": store, **(more or {})})
        crawler = runner.create_crawler(spider)
        # Weakly referenced: the receiver must live as long as the crawl.
        receive = lambda item: articles.append(item)  # noqa: E731
        crawler.signals.connect(receive, signal=signals.item_scraped)
        await runner.crawl(crawler, **{argument: start_url(site, way)})
    return articles
