"""Requests for feeds and for their items."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from forest_scrapy.feeds.discovery import discover_feeds
from forest_scrapy.feeds.feed_items import FeedItem, page_url
from forest_scrapy.feeds.opml import is_opml, read_opml
from forest_scrapy.runtime.context import context_of
from forest_scrapy.runtime.history.planning import PlannedPage
from forest_scrapy.runtime.pages.responses import asked_url, decode_headers, page_key
from forest_scrapy.runtime.pages.threads import to_thread
from forest_scrapy.spiders.base import ArticleSpider, conditional_meta, failed_status
from forest_scrapy.spiders.links import page_start

__all__ = ["FeedReading"]

#: Items whose requests are planned at a time, which takes some 10 ms.
_BATCH = 50


class FeedReading(ArticleSpider):
    """Base of spiders that read feeds.  ``feeds_left``: the number of feeds that were not read
    yet; ``default_steps``: for which links are followed if no limit is given."""

    feeds_left = 0
    default_steps = 0

    def feed_request(self, url: str, is_linked: bool = False) -> Request:
        """A request for a feed, or for a page that links feeds."""
        headers = self.history.feeds.headers(url)
        self.outstanding.add(url)
        return Request(
            url,
            self.parse_feed,
            errback=self.feed_failed,
            cb_kwargs={"is_linked": is_linked},
            headers=headers,
            meta=conditional_meta(headers),
            dont_filter=True,
        )

    async def parse_feed(
        self, response: Response, is_linked: bool = False
    ) -> AsyncIterator[Request]:
        """Requests for the feed's items, or for the feeds that the page links.  No feeds are taken
        from a page that a page links as feed (``is_linked``): they may link each other."""
        self.feeds_left -= 1
        if self.history.feeds.is_not_modified(response):
            return  # not logged: Scrapy logs the status, and most feeds answer so
        if is_opml(response.body):
            for request in await self.listed_feeds(response, is_linked):
                yield request
            return
        linked = [] if is_linked else self.linked_feeds(response)
        items = await self.read_items(response, quiet=bool(linked))
        for request in await self.item_requests(response, items) or linked:
            yield request

    def feed_failed(self, failure: Failure) -> None:
        """Count a feed or a site's page that could not be fetched."""
        self.feeds_left -= 1
        self.count("forest/feeds/failed")
        request: Request = failure.request  # type: ignore[attr-defined]
        self.outstanding.remove(request)
        url = request.url
        answer = getattr(failure.value, "response", None)
        retry_after = decode_headers(answer).get("Retry-After", "") if answer else ""
        self.history.feeds.has_failed(url, failed_status(failure), retry_after)
        self.logger.warning("Feed %s cannot be fetched: %s", url, failure.getErrorMessage())

    async def read_items(self, response: Response, quiet: bool = False) -> list[FeedItem]:
        """The items of a feed.  ``quiet``: nothing is said of a page that is not a feed."""
        items, problem = await context_of(self.crawler).probe.read_feed(response)
        if items:
            self.count("forest/feeds/read")
            self.count("forest/feeds/items", len(items))
            self.logger.info("Feed %s: %d items", response.url, len(items))
        elif not quiet:
            self.history.feeds.has_failed(asked_url(response), response.status)
            self.count("forest/feeds/unreadable")
            self.logger.warning("Feed %s: %s", response.url, problem)
        return items

    async def item_requests(self, response: Response, items: list[FeedItem]) -> list[Request]:
        """Requests for the items of a feed that are wanted."""
        vanished = self.wanted_requests(self.history.plan.vanished(response, items))
        requests, is_complete = await self.list_items(asked_url(response), items)
        if items:
            self.history.feeds.was_read(response, items, is_complete)
        return list({**requests, **vanished}.values())

    async def list_items(self, feed: str, items: list[FeedItem]) -> tuple[dict[str, Request], bool]:
        """Requests for items of a feed that are wanted, by URL, and whether all items were
        requested, now or earlier.  Other tasks get a turn every few milliseconds."""
        requests, is_complete = {}, True
        for start in range(0, len(items), _BATCH):
            some = items[start : start + _BATCH]
            wanted = self.wanted_requests(self.history.plan.pages(some))
            is_complete &= self.history.plan.was_listed(feed, some, wanted)
            requests.update(wanted)
            await sleep(0)
        return requests, is_complete

    def wanted_requests(self, planned: list[PlannedPage]) -> dict[str, Request]:
        """Requests for the planned pages that are in the scope, by URL."""
        follow, requests = self.follow_steps(self.default_steps), {}
        for page in planned:
            if self.watch:
                self._forget(page.url)
            steps = follow if page.entry else 0
            known: dict[str, Any] = {"headers": page.headers, "was_article": page.entry is None}
            for request in self.page_requests(page.url, page.entry, steps, **known):
                requests[page.url] = request
        return requests

    async def listed_feeds(self, response: Response, is_linked: bool) -> list[Request]:
        """Requests for the feeds in an OPML file; none for a file that another one lists."""
        given = [] if is_linked else await to_thread(read_opml, response.body)
        urls = [url for one in given if (url := page_url(one, response.url))]
        self.logger.info("%s lists %d feeds", response.url, len(urls))
        if unreadable := len(given) - len(urls) or int(not urls):
            self.count("forest/feeds/unreadable", unreadable)
        self.feeds_left += len(urls)
        return [self.feed_request(url, True) for url in urls]

    def _forget(self, url: str) -> None:
        """Forget a page that was requested before in this crawl, so that it is requested again."""
        self._seen.discard(page_key(url))
        context_of(self.crawler).spool.forget(page_key(url))

    def linked_feeds(self, response: Response, most: int | None = None) -> list[Request]:
        """Requests for the feeds that an HTML page links; at most the first ``most``."""
        root = page_start(response)
        links = [] if root is None else discover_feeds(root, response.url)[:most]
        requests = [self.feed_request(url, True) for url in links if url != response.url]
        if links:
            self.logger.info("%s links %d feeds", response.url, len(links))
        self.feeds_left += len(requests)
        return requests
