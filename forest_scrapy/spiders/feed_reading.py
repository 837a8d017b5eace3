"""Requests for feeds and for their items."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from forest_scrapy.crawl.context import context_of
from forest_scrapy.crawl.feed_plan import PlannedPage
from forest_scrapy.feeds.discovery import discover_feeds, is_opml, older_page, read_opml
from forest_scrapy.feeds.feed_items import FeedItem, page_url
from forest_scrapy.responses.background import to_thread
from forest_scrapy.responses.conversion import asked_url, decode_headers, page_key
from forest_scrapy.spiders.arguments import read_number
from forest_scrapy.spiders.base import ArticleSpider, conditional_meta, failed_status, page_start

__all__ = ["FeedReading", "OlderItems"]

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


class OlderItems(FeedReading):
    """Base of spiders that read the older items of feeds.

    - ``-a history=N``: also read up to N pages with the older items of each feed.

    The last page is one whose oldest item, the last, was on an earlier page of the feed, is older
    than ``since``, or, with ``only_new``, is known from an earlier crawl.
    """

    def __init__(self, *args: Any, history: str | int = 0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._most_pages = read_number("history", history)
        #: The keys of the items on the pages read so far, by feed.
        self._listed: dict[str, set[str]] = {}

    async def item_requests(self, response: Response, items: list[FeedItem]) -> list[Request]:
        """Requests for the items of a feed that are wanted, and for the page with older ones."""
        requests = await super().item_requests(response, items)
        return requests + self._older_requests(response, items, asked_url(response), 1)

    async def parse_older(self, response: Response, feed: str, page: int) -> AsyncIterator[Request]:
        """Requests for the older items of a feed, and for the next page, ``page``."""
        self.feeds_left -= 1
        items, _ = await context_of(self.crawler).probe.read_feed(response)
        requests, _ = await self.list_items(feed, items)
        self.count("forest/feeds/older_pages")
        self.logger.info(
            "Feed %s: %d older items, %d of them wanted, at %s",
            *(feed, len(items), len(requests), response.url),
        )
        for request in requests.values():
            yield request
        for request in self._older_requests(response, items, feed, page):
            yield request

    def older_failed(self, failure: Failure) -> None:
        """Note a page that cannot be fetched: beyond the last one many servers answer 404."""
        self.feeds_left -= 1
        request: Request = failure.request  # type: ignore[attr-defined]
        self.outstanding.remove(request)
        self._listed.pop(request.cb_kwargs["feed"], None)
        self.logger.info("No older items at %s: %s", request.url, failure.getErrorMessage())

    def _older_requests(
        self, response: Response, items: list[FeedItem], feed: str, page: int
    ) -> list[Request]:
        """The request for the page after this one, which is its ``page``-th older one; none if
        this one is the last."""
        listed = self._listed.pop(feed, set())
        if page > self._most_pages or not items or self._is_last(items, listed):
            return []
        url = older_page(response.url, response.body, len(items), is_first=page == 1)
        if not url:
            return []
        self._listed[feed] = listed | {page_key(one) for one, _ in items}
        self.feeds_left += 1
        self.outstanding.add(url)
        return [
            Request(
                url,
                self.parse_older,
                errback=self.older_failed,
                cb_kwargs={"feed": feed, "page": page + 1},
                dont_filter=True,
            )
        ]

    def _is_last(self, items: list[FeedItem], listed: set[str]) -> bool:
        url, entry = items[-1]
        is_too_old = self.scope.dates.check(entry.published) == "too_old"
        is_known = page_key(url) in listed or self.history.plan.was_known(url)
        return is_too_old or is_known or self.scope.has_enough(self._pages)
