"""``scrapy crawl feeds`` of this checkout."""

from __future__ import annotations

from typing import Any

from forest_scrapy.demo import DemoServer
from forest_scrapy.spiders.feeds_spider import FeedsSpider


class Feeds(FeedsSpider):
    """The feeds spider; without an argument, it serves and crawls the demo site."""

    name = "feeds"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._demo: DemoServer | None = None
        if not {"feeds", "feeds_file", "site"} & kwargs.keys():
            self._demo = DemoServer()
            self._demo.start()
            kwargs["feeds"] = self._demo.feed_url
        super().__init__(*args, **kwargs)
        if self._demo:
            self.logger.info(
                "Crawling the demo site, %s; name a feed with -a feeds=URL", self._demo.url
            )

    def closed(self, reason: str) -> None:
        if self._demo:
            self._demo.close()
