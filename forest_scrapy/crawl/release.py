"""From a fetched page in the spool to a released one: it is placed, then released through the
scraper while the crawl runs, directly at close.

Pages are read from the spool a few at a time, so memory does not grow with their number.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.log import failure_to_exc_info
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from forest_scrapy import core
from forest_scrapy.core.page.urls import is_entry_url
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.engine import enqueue, is_open, wake
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.crawl.templates import Placement, read_features
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.background import take_steps
from forest_scrapy.responses.conversion import NO_PAGE, rebuild_page
from forest_scrapy.responses.probe import memory_of
from forest_scrapy.stores import SpooledPage, StoreFailed

logger = logging.getLogger(__name__)

#: Pages handed to the scraper at a time.
BATCH = 8


class Releaser:
    """Hands ready pages back to the scraper.

    Each page is a rebuilt response whose callback yields it, so it passes all spider
    middlewares and counts as activity.  Items must not be started directly while the crawl
    runs: if it is closed meanwhile, it hangs.
    """

    def __init__(self, crawler: Crawler, crawl: CrawlContext) -> None:
        self._crawler = crawler
        self._crawl = crawl
        self._release: Deferred[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a release is running."""
        return self._release is not None

    def start(self, flush: bool = False) -> None:
        """Release the ready pages in the background; with ``flush``, first decide on all waiting
        pages.

        A release that is running includes the pages that become ready meanwhile.  A failure is
        logged and counted; the pages are released at idle or at close.
        """
        if self._release is None and is_open(self._crawler):
            self._release = deferred_from_coro(self._run(flush))
            self._release.addErrback(self._report_failure)
            self._release.addBoth(self._finish)

    async def _run(self, flush: bool) -> None:
        if flush:
            await place_fetched_pages(self._crawl)
        templates = self._crawl.templates
        await take_steps(templates.choose_due())
        if flush:
            for host in self._crawl.spool.waiting_hosts():
                await take_steps(templates.flush_steps(host))
                await self._release_ready()
        await self._release_ready()
        while templates.has_due:  # meanwhile
            await take_steps(templates.choose_due())
            await self._release_ready()
        while flush and self._may_end_held and self._crawl.spool.release_held():
            await self._release_ready()

    @property
    def _may_end_held(self) -> bool:
        """Whether no further page of a thread was requested, or has come, meanwhile: all pages
        without an outcome are held."""
        spool = self._crawl.spool
        if not is_open(self._crawler) or self._crawl.failure.error:
            return False
        if not self._crawl.outstanding.is_empty:
            return False
        return spool.pending() == spool.held_pages.count()

    def _report_failure(self, failure: Failure) -> None:
        if self._crawl.failure.take(failure.value):
            return
        self._crawl.stats.inc_value("forest/release/failed")
        logger.error(
            "Releasing pages failed; trying again at idle or at close",
            exc_info=failure_to_exc_info(failure),
        )

    def _finish(self, _: Any) -> None:
        self._release = None
        wake(self._crawler)

    async def _release_ready(self) -> None:
        in_flight = self._crawl.in_flight
        while self._crawl.failure.error is None:
            keys = in_flight.claim(BATCH)
            if not keys:
                return
            waits = [self._enqueue(key) for key in keys]
            for wait in waits:
                if wait is not None:
                    await maybe_deferred_to_future(wait)
            for key in keys:
                if key in in_flight:  # it was handed on and did not come out
                    outcome = Outcome.dropped("kept_by_middleware")
                    self._crawl.ledger.record(key, outcome)
            if None in waits:
                return  # the crawl is closing; the remaining pages are released at close

    def _enqueue(self, key: str) -> Deferred[None] | None:
        """Hand one page to the scraper, unless that is closing: nothing may be added after its
        last page."""
        if not is_open(self._crawler):
            self._crawl.in_flight.remove(key)
            return None
        spooled = self._crawl.spool.read(key)
        page = rebuild_page(spooled, emit_page)
        return enqueue(self._crawler, page.response)


async def remaining_pages(
    crawl: CrawlContext,
    keeps_held: Callable[[], bool] = lambda: False,
) -> AsyncIterator[ArticlePage]:
    """All pages that are left to release, when the crawl closes and no page is in flight; last
    those of incomplete threads, unless the crawl ``keeps_held``."""
    crawl.in_flight.clear()
    await place_fetched_pages(crawl)
    for host in crawl.spool.waiting_hosts():
        await take_steps(crawl.templates.flush_steps(host))
    async for item in _ready_pages(crawl):
        yield item
    may_release = not keeps_held()
    while may_release and crawl.failure.error is None and crawl.spool.release_held():
        async for item in _ready_pages(crawl):
            yield item


async def _ready_pages(crawl: CrawlContext) -> AsyncIterator[ArticlePage]:
    while crawl.failure.error is None:
        keys = crawl.in_flight.claim(BATCH)
        if not keys:
            return
        for key in keys:
            spooled = crawl.spool.read(key)
            yield rebuild_page(spooled)


async def place_fetched_pages(crawl: CrawlContext) -> None:
    """Read and place the pages that an earlier run spooled and did not read."""
    for key in crawl.spool.fetched_keys(crawl.in_flight):
        spooled = crawl.spool.read(key)
        item = rebuild_page(spooled)
        await place_page(crawl, item, spooled)
        crawl.in_flight.remove(key)  # it is released like the others


def emit_page(response: Response, item: ArticlePage) -> Iterator[ArticlePage]:
    """The callback of released pages."""
    yield item


async def place_page(crawl: CrawlContext, item: ArticlePage, page: SpooledPage) -> Placement:
    """Read and place a page that was spooled as fetched.  It is in flight meanwhile, and stays
    so if it may be passed on at once.

    A feed entry without a page of its own is made ready; a page that takes too long is refused.
    One that cannot be read is recorded as an error, and harms no other page.
    """
    if is_entry_url(page.url):
        return refuse_spooled(crawl, item, page, NO_PAGE)
    crawl.in_flight.add(page.key)
    try:
        if await crawl.probe.is_too_slow(item.response):
            return refuse_spooled(crawl, item, page, "too_slow")
        settings = crawl.settings
        features = await read_features(item, settings.fingerprint_kind, settings.feed_fields)
        feature_count = len(features.fingerprint.features)
        is_unusual = feature_count > core.MANY_FEATURES
        if is_unusual and await crawl.probe.is_too_slow(item.response, is_unusual):
            return refuse_spooled(crawl, item, page, "too_slow")
    except StoreFailed:
        raise
    except Exception as error:
        logger.warning("Page %s cannot be read: %s: %s", page.url, type(error).__name__, error)
        crawl.ledger.record(page.key, Outcome.error(error), page.url)
        return Placement()
    item.fingerprint = features.fingerprint.digest
    record = crawl.history.known(item.response)
    placement = crawl.templates.place(page, features, record)
    if placement.template is None and not placement.is_described:
        crawl.in_flight.remove(page.key)
    elif features.page is not None:
        item.parsed = (item.response, features.page)
    if placement.is_refused:  # or a feed that lists the page would have it requested each time
        crawl.history.done(item, "not_article")
    return placement


def refuse_spooled(
    crawl: CrawlContext,
    item: ArticlePage,
    page: SpooledPage,
    reason: str,
) -> Placement:
    """Drop a page that cannot be read.  If a feed entry describes it, it is made ready instead,
    and in flight.  Its body is deleted, so that it is not parsed in another way or run."""
    crawl.stats.inc_value(f"forest/refused/{reason}")
    if reason == "too_slow":
        logger.info(
            "%s is not read: it takes too long (FOREST_PAGE_SECONDS=%s), or more than %d MB;"
            " a higher FOREST_PAGE_SECONDS allows more time and memory",
            page.url,
            crawl.settings.page_seconds,
            memory_of(crawl.settings.page_seconds) // 1_000_000,
        )
    item.response = item.response.replace(body=b"")
    if page.entry is None:
        crawl.ledger.record(page.key, Outcome.dropped(reason), page.url)
        return Placement()
    crawl.spool.make_ready(page.key, "")
    crawl.in_flight.add(page.key)
    return Placement(is_described=True)
