"""The item processor: records the outcome of each page, and releases the last pages at close.

``close_spider_async`` of the item processor is the only hook at close in which items can still
be processed: pipelines are closed concurrently, and at ``spider_closed`` the exports are closed.
"""

import logging
from contextvars import ContextVar
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.utils.job import job_dir
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.python.failure import Failure

from forest_scrapy.crawl.context import (
    CrawlContext,
    CrawlEnd,
    context_of,
    finish_stores,
    wait_for_stores,
)
from forest_scrapy.crawl.engine import process_item
from forest_scrapy.crawl.exports import WatchedFeedExporter
from forest_scrapy.crawl.joining import JOINED_OUTCOME, PageHeld, keep_for_next_run
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.crawl.progress import summarize_crawl
from forest_scrapy.crawl.recovery import open_exports, warn_of_unsafe_exports
from forest_scrapy.crawl.release import remaining_pages
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.responses.background import take_steps
from forest_scrapy.responses.conversion import rebuild_page

logger = logging.getLogger(__name__)

#: The page whose item has passed the pipelines and is about to be announced, or an article that is
#: gone, in the task that processes it.  (Not by the item: pipelines may return one object for many
#: pages, or None.)
_processed: ContextVar[ArticlePage | Article | None] = ContextVar("processed", default=None)


class PageLeft(DropItem):
    """A page without an outcome, because a store failed; see ``Ledger.give_up``."""


class ForestItemProcessor:
    """Wraps the project's own item processor (``FOREST_ITEM_PROCESSOR``)."""

    def __init__(self, crawler: Crawler, crawl: CrawlContext, project_processor: Any) -> None:
        self._crawler = crawler
        self._crawl = crawl
        self._project_processor = project_processor

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        project_class = load_object(crawler.settings["FOREST_ITEM_PROCESSOR"])
        crawl = context_of(crawler)
        processor = cls(crawler, crawl, build_from_crawler(project_class, crawler))
        connect = crawler.signals.connect
        connect(processor.item_scraped, signal=signals.item_scraped)
        connect(processor.item_dropped, signal=signals.item_dropped)
        connect(processor.item_error, signal=signals.item_error)
        connect(processor.spider_opened, signal=signals.spider_opened)
        connect(processor.spider_closed, signal=signals.spider_closed)
        connect(processor.engine_stopped, signal=signals.engine_stopped)
        return processor

    async def open_spider_async(self) -> None:
        await take_steps(self._crawl.templates.recall())
        self._crawl.spool.file.begin_run()
        await self._project_processor.open_spider_async()

    def spider_opened(self) -> None:
        # Connected after the feed exports, which are open now, and before the first page: what is
        # exported before the first commit is found by these sizes.
        with self._crawl.failure.guard():
            self._crawl.spool.file.commit(open_exports(self._crawler))
        if job_dir(self._crawler.settings):
            warn_of_unsafe_exports(self._crawler)

    async def process_item_async(self, item: Any) -> Any:
        with self._crawl.failure.guard():
            output = await self._project_processor.process_item_async(item)
            is_page = isinstance(item, ArticlePage) and item.key
            _processed.set(item if is_page or _is_gone(item) else None)
            return output
        raise PageLeft(f"the disk failed: {self._crawl.failure.error}", log_level="DEBUG")

    async def close_spider_async(self) -> None:
        try:
            with self._crawl.failure.guard():
                await self._release_remaining()
        except Exception:  # the project's pipelines are closed in any case
            self._crawl.stats.inc_value("forest/release/failed")
            logger.exception("Releasing the last pages failed")
        finally:
            await self._project_processor.close_spider_async()
        with self._crawl.failure.guard():
            await finish_stores(self._crawl)

    async def _release_remaining(self) -> None:
        if self._crawl.failure.error is None:
            async for item in remaining_pages(self._crawl, self._keeps_held):
                await process_item(self._crawler, item, item.response)
        if self._crawl.failure.error is None:
            await self._crawl.learner.finish()

    def _keeps_held(self) -> bool:
        return keep_for_next_run(self._crawl, self._crawler)

    def item_scraped(self, item: Any) -> None:
        # Connected after the feed exports: when the page is done, its line is written.
        processed = _processed.get()
        error = self._crawl.failure.take_refused(item)
        if processed is None or self._crawl.failure.in_export:
            return
        if isinstance(processed, ArticlePage):
            outcome = Outcome.error(error) if error else Outcome.article(processed.method)
            self._record(processed, outcome)
        elif not error:
            self._note_gone(processed)

    def item_dropped(self, item: Any, exception: BaseException) -> None:
        if isinstance(exception, PageHeld):
            self._crawl.in_flight.remove(item.key)
            return
        is_left = isinstance(exception, PageLeft)
        if _is_gone(item) and not is_left:
            self._note_gone(item)
        if isinstance(item, ArticlePage) and item.key and not is_left:
            self._record(item, Outcome.dropped(getattr(exception, "reason", "by_pipeline")))

    def item_error(self, item: Any, failure: Failure) -> None:
        if isinstance(item, ArticlePage) and item.key:
            self._record(item, Outcome.error(failure.value))

    def _record(self, page: ArticlePage, outcome: Outcome) -> None:
        if page.is_joined:
            self._record_joined(page)
        self._crawl.ledger.record(page.key, outcome, page.url, page)
        if outcome.kind == "error":
            self._crawl.history.failed(page)
            return
        is_article = outcome.kind == "article"
        with self._crawl.failure.guard():
            is_held = is_article and self._holds_articles
            self._crawl.history.done(page, "article" if is_article else outcome.detail, is_held)

    def _note_gone(self, article: Article) -> None:
        with self._crawl.failure.guard():
            self._crawl.history.gone(article, self._holds_articles)

    def _record_joined(self, carrier: ArticlePage) -> None:
        """Record the other pages of a thread or an article."""
        spool = self._crawl.spool
        with self._crawl.failure.guard():
            keys = spool.held_pages.carried_by(carrier.key)
            pages = [rebuild_page(spool.read(key)) for key in keys]
            for page in pages:
                self._record(page, JOINED_OUTCOME)

    @property
    def _exporter(self) -> WatchedFeedExporter | None:
        return self._crawler.get_extension(WatchedFeedExporter)

    @property
    def _holds_articles(self) -> bool:
        return self._exporter is not None and self._exporter.holds_articles

    async def spider_closed(self, reason: str) -> None:
        if self._exporter is not None:
            await self._exporter.wait_closed()
        if self._crawl.failure.error is None:
            with self._crawl.failure.guard():
                await wait_for_stores(self._crawl)
                self._crawl.history.release_held()
                await finish_stores(self._crawl)
        if self._crawl.failure.error:
            self._crawl.ledger.give_up(bool(job_dir(self._crawler.settings)))

        summary = summarize_crawl(
            self._crawl.stats.get_stats(),
            self._crawl.settings.wants_records,
            self._crawl.unfetched.summary(),
        )
        logger.info("%s", summary)
        try:
            for finish in self._crawl.at_end:
                await finish(CrawlEnd(reason, summary, self._crawl.failure.describe()))
        finally:
            with self._crawl.failure.guard():
                await self._crawl.close_in_thread()

    def engine_stopped(self) -> None:
        if self._crawl.failure.error or self._crawl.failure.has_refused:
            # Scrapy's exit status is 1 for a crawler without a spider; there is no other way.
            self._crawler.spider = None


def _is_gone(item: Any) -> bool:
    return isinstance(item, Article) and (item.change or {}).get("kind") == "gone"
