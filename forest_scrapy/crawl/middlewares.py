"""The template middleware: spools every article page, and passes it on once its template can be
applied."""

import logging
from collections.abc import AsyncIterator, Collection
from typing import Any, Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Request, Response
from scrapy.spidermiddlewares.httperror import HttpError

from forest_scrapy.core.page.urls import is_entry_url
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.context import CrawlContext, context_of, wait_for_stores
from forest_scrapy.crawl.engine import enqueue_empty, enqueue_failure, is_open
from forest_scrapy.crawl.release import Releaser, place_page, refuse_spooled
from forest_scrapy.crawl.unfetched import DroppedByMiddleware, UrlTooLong
from forest_scrapy.items import ArticlePage, Item
from forest_scrapy.responses.conversion import (
    NOT_FETCHED,
    asked_url,
    first_url,
    refuse_page,
    repair_encoding,
    spool_page,
)
from forest_scrapy.responses.downloads import GuardedSpider
from forest_scrapy.responses.notes import has_notes, is_for_scrapy_parse
from forest_scrapy.stores import SpooledPage

logger = logging.getLogger(__name__)


class RequestWatch:
    """Spider middleware that is next to the spider: notes the requests of our spiders, so that
    ``TemplateMiddleware``, next to the engine, knows which of them others have dropped."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for output in start:
            self._note(None, output)
            yield output

    async def process_spider_output(
        self,
        response: Response,
        result: AsyncIterator[Any],
    ) -> AsyncIterator[Any]:
        async for output in result:
            self._note(response, output)
            yield output

    def _note(self, response: Response | None, output: Any) -> None:
        if not isinstance(output, Request):
            return
        if not isinstance(self._crawler.spider, GuardedSpider):
            return
        crawl = context_of(self._crawler)
        crawl.made.add(response, output)


class TemplateMiddleware:
    """Spider middleware that takes ``ArticlePage`` items out of the spiders' output.

    A page whose template has a wrapper is passed on at once.  The others are released when
    their template has enough pages to learn from, when the spider is idle, or when the crawl
    closes.  All other output is passed on, but for requests of feed entries without a page of
    their own, which are answered here.
    """

    def __init__(self, crawl: CrawlContext, releaser: Releaser) -> None:
        self._crawl = crawl
        self._releaser = releaser
        self._crawler: Crawler | None = None
        #: Pages that were pending, and all that were fetched, when the spider was idle.
        self._at_idle = (-1, -1)
        crawl.outstanding.on_complete = self._hosts_complete
        crawl.on_ready.append(releaser.start)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = context_of(crawler)
        releaser = Releaser(crawler, crawl)
        middleware = cls(crawl, releaser)
        middleware._crawler = crawler
        connect = crawler.signals.connect
        connect(middleware.spider_opened, signal=signals.spider_opened)
        connect(middleware.spider_idle, signal=signals.spider_idle)
        connect(middleware.request_dropped, signal=signals.request_dropped)
        return middleware

    def spider_opened(self, spider: Spider) -> None:
        """Continue with the requests of the last run of this job."""
        # Connected after Scrapy's extension that reads the state of the last run.
        spool = self._crawl.spool
        state = getattr(spider, "state", {})
        is_recovery = spool.run.was_killed or spool.was_lost
        self._crawl.outstanding.resume(state, is_recovery)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """End the crawl if our spiders cannot read a store when they start."""
        with self._crawl.failure.guard():
            await wait_for_stores(self._crawl)
            async for output in start:
                if isinstance(output, Request):
                    self._crawl.made.note_sent(None, output)
                yield output
        self._report_dropped(None)

    async def process_spider_output(
        self,
        response: Response,
        result: AsyncIterator[Any],
    ) -> AsyncIterator[Any]:
        with self._crawl.failure.guard():
            await wait_for_stores(self._crawl)
        has_lost_page = False
        try:
            async for output in result:
                if isinstance(output, Request):
                    self._crawl.made.note_sent(response, output)
                    if is_entry_url(output.url):
                        self._answer(output)
                        continue
                is_new = _is_new_page(output)
                if is_new and self._is_lost(output.response):
                    has_lost_page = True
                elif not is_new or await self.receive(output):
                    yield output
            if has_lost_page or (self._is_of_project() and self._is_lost(response)):
                for gone in self._note_lost(response):
                    yield gone
        finally:
            self._report_dropped(response)
            if response.request:
                self._crawl.outstanding.remove(response.request)

    def _answer(self, request: Request) -> None:
        """Answer the request for a feed entry without a page of its own: nothing is sent.  When the
        crawl closes, it is left to the next run, which reads the feed again."""
        if self._crawler is not None and is_open(self._crawler):
            enqueue_empty(self._crawler, request)

    def _is_of_project(self) -> bool:
        """Whether the spider is none of ours, which note by themselves what has failed."""
        if self._crawler is None:
            return True
        return not isinstance(self._crawler.spider, GuardedSpider)

    def _is_lost(self, response: Response) -> bool:
        """Whether the page of a response was there and does not exist any more; False if a spider
        of ours has noted that, which hands on the feed entry only."""
        if NOT_FETCHED in response.flags:
            return False
        url = asked_url(response)
        return self._crawl.history.is_lost(url, response.status)

    def _note_lost(self, response: Response) -> list[Item]:
        """Note that a page does not exist any more; the item that says so, unless it was said
        before."""
        url = asked_url(response)
        gone = self._crawl.history.request_failed(url, response.status)
        if not gone:
            return []
        return [gone]

    def _report_dropped(self, response: Response | None) -> None:
        """Call the errbacks of the requests made for a response, or at the start, that a spider
        middleware has dropped, which Scrapy does not tell."""
        dropped = self._crawl.made.take_dropped(response)
        crawler = self._crawler
        for request in dropped:
            if crawler is None or not is_open(crawler):
                continue
            max_length = crawler.settings.getint("URLLENGTH_LIMIT")
            is_too_long = 0 < max_length < len(request.url)
            error = UrlTooLong(max_length) if is_too_long else DroppedByMiddleware()
            enqueue_failure(crawler, request, error)

    def process_spider_exception(
        self,
        response: Response,
        exception: Exception,
    ) -> list[Any] | None:
        """End the crawl if a callback of our spiders could not read or write the spool.  For a
        spider of a project whose request has failed: the item of an article that is gone."""
        if self._crawl.failure.take(exception):
            return []
        if isinstance(exception, HttpError) and self._is_lost(response):
            return self._note_lost(response) or None
        return None

    async def receive(self, item: ArticlePage) -> bool:
        """Spool a page as it was received, then read and place it; whether it may be passed on
        at once.

        If it completes its template, the template's waiting pages are released in the
        background.
        """
        refused = refuse_page(item.response, self._crawl.settings.max_bytes)
        if refused:
            item.response = item.response.replace(body=b"")  # it must not be parsed later
        else:
            self._repair(item)
        page = spool_page(item)
        item.url = page.url
        item.key = page.key
        item.fetched_at = page.fetched_at
        with self._crawl.failure.guard():
            is_added = self._add(item, page)
            return is_added and await self._pass_on(item, page, refused)
        return False

    def _add(self, item: ArticlePage, page: SpooledPage) -> bool:
        """Spool a page; False if it was there, or if nothing can be spooled any more."""
        crawl = self._crawl
        if crawl.failure.error:
            crawl.ledger.record_fetched()
            return False
        if not crawl.spool.add(page):
            crawl.ledger.record_duplicate(page.url)
            crawl.history.done(item, "duplicate")
            return False
        crawl.ledger.record_fetched()
        return True

    async def _pass_on(
        self,
        item: ArticlePage,
        page: SpooledPage,
        refused: str | None,
    ) -> bool:
        if refused:
            placement = refuse_spooled(self._crawl, item, page, refused)
        else:
            placement = await place_page(self._crawl, item, page)
        if placement.template:
            item.template_key = placement.template.key
        elif placement.completes_template:
            self._releaser.start()
        return placement.template is not None or placement.is_described

    def _hosts_complete(self, hosts: Collection[str]) -> None:
        self._crawl.templates.complete(hosts)
        self._releaser.start()

    def _repair(self, item: ArticlePage) -> None:
        repaired = repair_encoding(item.response)
        if repaired is item.response:
            return
        self._crawl.stats.inc_value("forest/pages/encoding_repaired")
        item.response = repaired

    def request_dropped(self, request: Request) -> None:
        """Count a page of our spiders that redirects to one that was requested before."""
        self._crawl.outstanding.remove(request)
        if has_notes(request) and request.meta.get("redirect_times"):
            self._crawl.ledger.record_duplicate(request.url, first_url(request))

    def spider_idle(self) -> None:
        """Release all pending pages, and keep the spider open meanwhile."""
        if self._releaser.is_busy:
            raise DontCloseSpider
        crawl = self._crawl
        if crawl.failure.error:
            return
        crawl.in_flight.clear()
        crawl.outstanding.clear()
        pending = 0
        with crawl.failure.guard():
            pending = crawl.spool.pending()
        fetched = crawl.stats.get_value("forest/pages/spooled", 0)
        at_idle = (pending, fetched)
        if not pending or at_idle == self._at_idle:
            return
        self._at_idle = at_idle
        logger.info("Idle with %s pending; released now", count(pending, "page"))
        self._releaser.start(flush=True)
        raise DontCloseSpider


def _is_new_page(output: Any) -> bool:
    """Whether the output of a spider is a page to be spooled."""
    if not isinstance(output, ArticlePage) or output.key:
        return False
    return not is_for_scrapy_parse(output.response)
