"""Requests for the older items of feeds, page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from forest_scrapy.feeds.feed_items import FeedItem
from forest_scrapy.feeds.older import older_page
from forest_scrapy.runtime.context import context_of
from forest_scrapy.runtime.pages.responses import asked_url, page_key
from forest_scrapy.spiders.arguments import read_number
from forest_scrapy.spiders.feed_reading import FeedReading

__all__ = ["OlderItems"]


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
