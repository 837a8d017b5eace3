"""Letting waiting pages go: during the crawl and at idle through the scraper, at close by hand.

Pages that wait are read from the spool a few at a time, so that their number costs no memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.defer import _schedule_coro, maybe_deferred_to_future

from forest_scrapy.items import ArticlePage
from forest_scrapy.runtime.responses import rebuild_page
from forest_scrapy.runtime.templates import Templates

__all__ = ["Releaser"]

#: Pages handed to the scraper at a time.
BATCH = 8


class Releaser:
    """Hands ready pages back to the scraper.

    Each page goes as a rebuilt response whose callback yields it, so it passes all spider
    middlewares and counts as activity.  Items must not be started by hand while the crawl
    runs: if it closes meanwhile, it would hang.
    """

    def __init__(self, crawler: Crawler, templates: Templates) -> None:
        self._crawler, self._templates = crawler, templates
        self.is_busy = False

    def start(self, settle: bool = False) -> None:
        """Begin to release what is ready; with ``settle``, decide on all that wait, too.

        One that is under way already takes up what became ready meanwhile.
        """
        if not self.is_busy:
            self.is_busy = True
            _schedule_coro(self._run(settle))

    def remaining(self) -> Iterator[ArticlePage]:
        """Settle all hosts, then read every page that is left: for the close, when no other
        page is under way."""
        self._templates.in_flight.clear()
        for host in self._templates.spool.waiting_hosts():
            self._templates.settle(host)
        while keys := self._templates.claim(BATCH):
            yield from (item for key in keys if (item := self._read(key)))

    async def _run(self, settle: bool) -> None:
        try:
            for host in self._templates.spool.waiting_hosts() if settle else ():
                self._templates.settle(host)
                await self._release_ready()
            await self._release_ready()
        finally:
            self.is_busy = False
            _wake_engine(self._crawler)

    async def _release_ready(self) -> None:
        while keys := self._templates.claim(BATCH):
            waits = [self._enqueue(key) for key in keys]
            for wait in waits:
                if wait is not None:
                    await maybe_deferred_to_future(wait)
            for key in keys:
                self._templates.give_up(key)
            if None in waits:
                return  # the crawl closes; the rest goes at close

    def _enqueue(self, key: str) -> Any:
        """Hand one page to the scraper, unless that is closing: after its last page is done
        nothing may be added."""
        scraper = self._crawler.engine.scraper if self._crawler.engine else None
        if scraper is None or scraper.slot is None or scraper.slot.closing is not None:
            self._templates.in_flight.discard(key)
            return None
        item = self._read(key, emit_page)
        assert item.response.request is not None
        return scraper.enqueue_scrape(item.response, item.response.request)

    def _read(self, key: str, callback: Any = None) -> ArticlePage:
        return rebuild_page(self._templates.spool.read(key), callback)


def _wake_engine(crawler: Crawler) -> None:
    """Let the engine look for idleness now.  It does so by itself every 5 seconds; there is no
    public way to ask for it."""
    slot = getattr(crawler.engine, "_slot", None)
    if slot is not None:
        slot.nextcall.schedule()


def emit_page(response: Response, item: ArticlePage) -> Iterator[ArticlePage]:
    """The callback of released pages."""
    yield item
