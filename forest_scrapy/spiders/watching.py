"""Polling feeds when they are due, for as long as the crawl runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.reactor import CallLaterOnce

from forest_scrapy.runtime.context import context_of
from forest_scrapy.stores import StoreFailed

__all__ = ["FeedWatch"]

#: Seconds between two looks at what is due.
_TICK = 2.0
#: Seconds after which a feed is requested again whose poll was never noted.
_LOST = 600


class _Reader(Protocol):
    def feed_request(self, url: str) -> Request: ...


class FeedWatch:
    """Requests a spider's feeds when they are due, and keeps the spider open meanwhile.

    When a feed is due is kept in the history, so it survives a restart.
    """

    def __init__(self, crawler: Crawler, reader: _Reader, feeds: Sequence[str]) -> None:
        self._crawler, self._reader, self._feeds = crawler, reader, feeds
        #: When each feed was requested for the time at which it was due.
        self._asked: dict[tuple[str, int], float] = {}
        self._next = CallLaterOnce(self._poll)
        crawler.signals.connect(self.spider_idle, signal=signals.spider_idle)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    def start(self) -> list[Request]:
        """Requests for the feeds that are due now; the others follow."""
        self._next.schedule(_TICK)
        return self._due_requests()

    def spider_idle(self) -> None:
        raise DontCloseSpider

    def spider_closed(self) -> None:
        self._next.cancel()

    def _poll(self) -> None:
        if self._crawler.engine is None or not self._crawler.engine.running:
            return
        try:
            requests = self._due_requests()
        except StoreFailed as error:
            context_of(self._crawler).failure.report(error)
            return
        for request in requests:
            self._crawler.engine.crawl(request)
        self._next.schedule(_TICK)

    def _due_requests(self) -> list[Request]:
        now, history = time.time(), context_of(self._crawler).history
        requests: list[Request] = []
        if history.store.database.seconds_away() is not None:
            return requests  # it is not known what is due
        for url in self._feeds:
            due = history.feeds.due(url)
            if due <= now and now - self._asked.get((url, due), 0) > _LOST:
                self._asked[url, due] = now
                requests.append(self._reader.feed_request(url))
        return requests
