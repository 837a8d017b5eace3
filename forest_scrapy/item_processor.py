"""The item processor: records the outcome of each page, and releases the last pages at close.

``close_spider_async`` of the item processor is the only hook at close in which items can still
be processed: pipelines are closed concurrently, and at ``spider_closed`` the exports are closed.
"""

from __future__ import annotations

import logging
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.python.failure import Failure

from forest_scrapy.items import ArticlePage
from forest_scrapy.runtime.context import CrawlContext, context_of
from forest_scrapy.runtime.outcomes import Outcome
from forest_scrapy.runtime.release import remaining_pages
from forest_scrapy.runtime.summary import summarize_crawl
from forest_scrapy.runtime.wrapper_provider import WrapperProvider

__all__ = ["ForestItemProcessor"]

logger = logging.getLogger(__name__)


class ForestItemProcessor:
    """Wraps the project's own item processor (``FOREST_ITEM_PROCESSOR``)."""

    def __init__(self, crawler: Crawler, crawl: CrawlContext, inner: Any) -> None:
        self._crawler, self._crawl, self._inner = crawler, crawl, inner
        #: Processed items, by identity, that Scrapy is about to announce, with their pages.
        self._processed: dict[int, ArticlePage] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        inner = load_object(crawler.settings["FOREST_ITEM_PROCESSOR"])
        processor = cls(crawler, context_of(crawler), build_from_crawler(inner, crawler))
        for handler, signal in (
            (processor.item_scraped, signals.item_scraped),
            (processor.item_dropped, signals.item_dropped),
            (processor.item_error, signals.item_error),
            (processor.spider_closed, signals.spider_closed),
        ):
            crawler.signals.connect(handler, signal=signal)
        return processor

    async def open_spider_async(self) -> None:
        await self._inner.open_spider_async()

    async def process_item_async(self, item: Any) -> Any:
        output = await self._inner.process_item_async(item)
        if isinstance(item, ArticlePage) and item.key:
            self._processed[id(output)] = item
        return output

    async def close_spider_async(self) -> None:
        try:
            scraper = self._crawler.engine.scraper if self._crawler.engine else None
            assert scraper is not None
            async for item in remaining_pages(self._crawl):
                await scraper.start_itemproc_async(item, response=item.response)
            await WrapperProvider(self._crawl).finish()
        finally:
            await self._inner.close_spider_async()

    def item_scraped(self, item: Any) -> None:
        # Connected after the feed exports: when the page is done, its line is written.
        if page := self._processed.pop(id(item), None):
            self._crawl.ledger.record(page.key, Outcome.article(page.method))
            self._crawl.history.done(page)

    def item_dropped(self, item: Any, exception: BaseException) -> None:
        if isinstance(item, ArticlePage) and item.key:
            reason = getattr(exception, "reason", "by_pipeline")
            self._crawl.ledger.record(item.key, Outcome.dropped(reason), item.url)
            self._crawl.history.done(item, reason)

    def item_error(self, item: Any, failure: Failure) -> None:
        if isinstance(item, ArticlePage) and item.key:
            self._crawl.ledger.record(item.key, Outcome.error(failure.value), item.url)
            self._crawl.history.failed(item)

    def spider_closed(self) -> None:
        logger.info("%s", summarize_crawl(self._crawl.stats.get_stats()))
        self._crawl.close()
