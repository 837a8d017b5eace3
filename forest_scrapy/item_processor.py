"""The item processor: keeps book of what became of each page, and releases the last ones.

``close_spider_async`` of the item processor is the one hook at close where items can still
be processed: pipelines close side by side, and at ``spider_closed`` the exports are shut.
"""

from __future__ import annotations

import logging
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.misc import build_from_crawler, load_object

from forest_scrapy.items import ArticlePage
from forest_scrapy.runtime.context import CrawlContext, context_of
from forest_scrapy.runtime.summary import summarize_crawl
from forest_scrapy.runtime.wrapper_provider import WrapperProvider

__all__ = ["ForestItemProcessor"]

logger = logging.getLogger(__name__)


class ForestItemProcessor:
    """Wraps the project's own item processor (``FOREST_ITEM_PROCESSOR``)."""

    def __init__(self, crawler: Crawler, crawl: CrawlContext, inner: Any) -> None:
        self._crawler, self._crawl, self._inner = crawler, crawl, inner
        #: Finished items, by identity, that Scrapy is about to announce, with their pages.
        self._coming_out: dict[int, ArticlePage] = {}

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
            self._coming_out[id(output)] = item
        return output

    async def close_spider_async(self) -> None:
        scraper = self._crawler.engine.scraper if self._crawler.engine else None
        assert scraper is not None
        for item in self._crawl.releaser.remaining():
            await scraper.start_itemproc_async(item, response=item.response)
        await WrapperProvider(self._crawl).learn_again()
        await self._inner.close_spider_async()

    def item_scraped(self, item: Any) -> None:
        # Connected after the feed exports, so the line is written when the page is done.
        if page := self._coming_out.pop(id(item), None):
            self._crawl.templates.finish(page.key, page.method)

    def item_dropped(self, item: Any, exception: BaseException) -> None:
        if isinstance(item, ArticlePage) and item.key:
            reason = getattr(exception, "reason", "by_pipeline")
            self._crawl.templates.drop(item.key, reason, item.url)

    def item_error(self, item: Any) -> None:
        if isinstance(item, ArticlePage) and item.key:
            self._crawl.templates.drop(item.key, "error", item.url)

    def spider_closed(self) -> None:
        assert self._crawler.stats is not None
        logger.info("%s", summarize_crawl(self._crawler.stats.get_stats()))
        self._crawl.templates.close()
