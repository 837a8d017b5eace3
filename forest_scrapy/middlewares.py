"""The template middleware: every article page is spooled and placed, and goes when it may."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response

from forest_scrapy.items import ArticlePage
from forest_scrapy.runtime.context import LARGE, CrawlContext, context_of, in_thread
from forest_scrapy.runtime.responses import page_key, refuse_page, repair_encoding, spool_page

__all__ = ["TemplateMiddleware"]

logger = logging.getLogger(__name__)


class TemplateMiddleware:
    """Spider middleware.  ``ArticlePage`` items are taken out of the spiders' output; those
    whose template has a wrapper go on at once, the others when their template is ripe, at
    idle, or at close.  All else passes."""

    def __init__(self, crawl: CrawlContext) -> None:
        self._crawl = crawl
        self._templates, self._releaser = crawl.templates, crawl.releaser
        self._pending_at_idle = -1

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(context_of(crawler))
        crawler.signals.connect(middleware.spider_idle, signal=signals.spider_idle)
        return middleware

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for output in result:
            is_new = isinstance(output, ArticlePage) and not output.key
            if not is_new or await self.receive(output):
                yield output

    async def receive(self, item: ArticlePage) -> bool:
        """Spool and place a page; whether it may go on at once.

        When it makes its template ripe, the pages that wait are released in the background.
        """
        templates, config = self._templates, self._crawl.config
        item.url, item.key = item.response.url, page_key(item.response.url)
        if templates.spool.knows(item.key):
            templates.count_duplicate(item.url)
            return False
        refused = refuse_page(item.response, config.max_bytes)
        mended = repair_encoding(item.response)
        if mended is not item.response:
            templates.stats.inc_value("forest/pages/encoding_repaired")
            item.response = mended
        if refused:
            item.response = item.response.replace(body=b"")  # nobody shall try to read it
            page, fingerprint = spool_page(item, config.distance, refused=True)
        elif len(item.response.body) > LARGE:
            page, fingerprint = await in_thread(spool_page, item, config.distance)
        else:
            page, fingerprint = spool_page(item, config.distance)
        item.fetched_at = page.fetched_at
        if refused:
            return templates.refuse(page, fingerprint, refused)
        template = templates.receive(page, fingerprint)
        if template:
            item.template = template.name
        elif templates.has_ripe:
            templates.has_ripe = False
            self._releaser.start()
        return template is not None

    def spider_idle(self) -> None:
        """Nothing is under way: let all go that waits, and stay open meanwhile."""
        if self._releaser.is_busy:
            raise DontCloseSpider
        self._templates.in_flight.clear()
        pending = self._templates.spool.pending()
        if pending and pending != self._pending_at_idle:
            self._pending_at_idle = pending
            logger.info("Idle with %d pages waiting; letting them go", pending)
            self._releaser.start(settle=True)
            raise DontCloseSpider
