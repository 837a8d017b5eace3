"""``scrapy crawl feeds`` of this checkout."""

from __future__ import annotations

from typing import Any

from demo import DemoServer
from demo.server import DEFAULT_PORT, find_lasting_server
from forest_scrapy.spiders.feeds_spider import FeedsSpider


class Feeds(FeedsSpider):
    """The feeds spider; if no argument says what to crawl, it crawls the demo site: the one that
    ``python -m demo`` serves, or else its own, at the same port if that is free."""

    name = "feeds"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._demo: DemoServer | None = None
        super().__init__(*args, **kwargs)

    def default_feeds(self) -> list[str]:
        url = find_lasting_server(DEFAULT_PORT)
        if not url:
            self._demo = DemoServer(port=DEFAULT_PORT, may_move=True)
            self._demo.start()
            url = self._demo.url
        self.logger.info("Crawling the demo site, %s; name a feed with -a feeds=URL", url)
        return [f"{url}/feed.xml"]

    def closed(self, reason: str) -> None:
        if self._demo:
            self._demo.close()
