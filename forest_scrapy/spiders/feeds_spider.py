"""``scrapy crawl feeds``: from feeds to the articles that they announce."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urljoin

from scrapy import Request, signals
from scrapy.http import HtmlResponse, Response
from twisted.python.failure import Failure

from forest_scrapy.demo import DemoServer
from forest_scrapy.feeds.reader import USUAL_PATHS, FeedItem, discover_feeds, read_feed
from forest_scrapy.runtime.context import in_thread
from forest_scrapy.spiders.base import ArticleSpider, as_url, read_lines, read_steps

__all__ = ["FeedsSpider"]


class FeedsSpider(ArticleSpider):
    """Crawls the items of feeds.

    - ``-a feeds=URL[,URL...]``: these feeds; ``-a feeds_file=PATH``: a file with one a line.
    - ``-a site=URL[,URL...]``: the feeds of a site: those that the page links, else the first
      found under the usual paths.
    - ``-a follow=N``: also intra-site links, N steps from the items; of the pages found, those
      that fall into a template of feed items are articles.

    With none of the first three, a demo site on loopback is served and crawled.
    """

    name = "feeds"

    def __init__(
        self,
        *args: Any,
        feeds: str = "",
        feeds_file: str = "",
        site: str = "",
        follow: str | int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        listed = [url for url in feeds.split(",") if url.strip()]
        listed += read_lines(feeds_file) if feeds_file else []
        self._feeds = list(dict.fromkeys(as_url(url) for url in listed))
        self._sites = [as_url(url) for url in site.split(",") if url.strip()]
        self._follow = read_steps("follow", follow)

    async def start(self) -> AsyncIterator[Any]:
        feeds = self._feeds if self._feeds or self._sites else [self._serve_demo()]
        for url in feeds:
            yield self._feed_request(url)
        for url in self._sites:
            yield Request(url, self.parse_site, errback=self.feed_failed, dont_filter=True)

    async def parse_feed(self, response: Response) -> AsyncIterator[Request]:
        """Requests for the feed's items."""
        linked = self._linked_feeds(response)
        items = await self._read(response, quiet=bool(linked))
        for request in self._item_requests(items) or linked:
            yield request

    def parse_site(self, response: Response) -> Any:
        """Requests for the feeds of a site, by its links, else by the usual paths."""
        linked = list(self._linked_feeds(response))
        return linked or [self._probe(response.url, USUAL_PATHS)]

    async def parse_probe(
        self, response: Response, site: str, left: tuple[str, ...]
    ) -> AsyncIterator[Request]:
        """Take the first usual path that is a feed."""
        items = await self._read(response, quiet=True)
        if not items and left:
            yield self._probe(site, left)
        elif not items:
            self._no_feed(site)
        for request in self._item_requests(items):
            yield request

    def probe_failed(self, failure: Failure) -> Any:
        request = failure.request  # type: ignore[attr-defined]
        site, left = request.cb_kwargs["site"], tuple(request.cb_kwargs["left"])
        if left:
            return [self._probe(site, left)]
        self._no_feed(site)
        return []

    def feed_failed(self, failure: Failure) -> None:
        self.count("forest/feeds/failed")
        url = failure.request.url  # type: ignore[attr-defined]
        self.logger.warning("Feed %s cannot be fetched: %s", url, failure.getErrorMessage())

    async def _read(self, response: Response, quiet: bool = False) -> list[FeedItem]:
        headers = {str(k): str(v) for k, v in response.headers.to_unicode_dict().items()}
        items, wrong = await in_thread(read_feed, response.body, response.url, headers)
        if items:
            self.count("forest/feeds/read")
            self.count("forest/feeds/items", len(items))
            self.logger.info("Feed %s: %d items", response.url, len(items))
        elif not quiet:
            self.count("forest/feeds/unreadable")
            self.logger.warning("Feed %s: %s", response.url, wrong)
        return items

    def _item_requests(self, items: list[FeedItem]) -> list[Request]:
        return [
            self.page_request(url, entry, self._follow)
            for url, entry in items
            if not self.is_done(url, self._follow)
        ]

    def _linked_feeds(self, response: Response) -> list[Request]:
        if not isinstance(response, HtmlResponse) or not response.body:
            return []
        links = discover_feeds(response.selector.root, response.url)
        if links:
            self.logger.info("%s links %d feeds", response.url, len(links))
        return [self._feed_request(url) for url in links if url != response.url]

    def _feed_request(self, url: str) -> Request:
        return Request(url, self.parse_feed, errback=self.feed_failed, dont_filter=True)

    def _probe(self, site: str, paths: tuple[str, ...]) -> Request:
        return Request(
            urljoin(site, paths[0]),
            self.parse_probe,
            errback=self.probe_failed,
            cb_kwargs={"site": site, "left": paths[1:]},
            dont_filter=True,
        )

    def _no_feed(self, site: str) -> None:
        self.count("forest/feeds/not_found")
        self.logger.warning(
            "%s links no feed and has none under the usual paths; name one with -a feeds=URL, "
            "or crawl without a feed: scrapy crawl site -a url=%s",
            site,
            site,
        )

    def _serve_demo(self) -> str:
        server = DemoServer()
        server.start()
        self.crawler.signals.connect(lambda: server.close(), signals.spider_closed, weak=False)
        self.logger.info(
            "No feed named: crawling the demo site, %s; name yours with -a feeds=URL", server.url
        )
        return server.feed_url
