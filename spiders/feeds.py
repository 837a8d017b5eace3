"""``scrapy crawl feeds`` of this checkout."""

from __future__ import annotations

from typing import Any

from demo import DemoServer
from forest_scrapy.spiders.feeds_spider import FeedsSpider


class Feeds(FeedsSpider):
    """The feeds spider; if no argument says what to crawl, it serves and crawls the demo site."""

    name = "feeds"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._demo: DemoServer | None = None
        super().__init__(*args, **kwargs)

    def default_feeds(self) -> list[str]:
        self._demo = DemoServer()
        self._demo.start()
        self.logger.info(
            "Crawling the demo site, %s; name a feed with -a feeds=URL", self._demo.url
        )
        return [self._demo.feed_url]

    def closed(self, reason: str) -> None:
        if self._demo:
            self._demo.close()
