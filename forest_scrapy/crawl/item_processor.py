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
from forest_scrapy.crawl.outcomes import Outcome, found_nothing
from forest_scrapy.crawl.progress import summarize_crawl
from forest_scrapy.crawl.recovery import open_exports, warn_of_unsafe_exports
from forest_scrapy.crawl.release import remaining_pages
from forest_scrapy.items import ArticlePage, Item
from forest_scrapy.responses.background import take_steps
from forest_scrapy.responses.conversion import rebuild_page

logger = logging.getLogger(__name__)

#: The page whose item has passed the pipelines and is about to be announced, or an item that is
#: gone, in the task that processes it.  (Not by the item: pipelines may return one object for many
#: pages, or None.)
_processed: ContextVar[ArticlePage | Item | None] = ContextVar("processed", default=None)


class PageLeft(DropItem):
    """A page without an outcome, because a store failed; see ``Ledger.give_up``."""


class ForestItemProcessor:
    """Wraps the project's own item processor (``FOREST_ITEM_PROCESSOR``)."""

    def __init__(
        self,
        crawler: Crawler,
        crawl: CrawlContext,
        project_processor: Any,
    ) -> None:
        self._crawler = crawler
        self._crawl = crawl
        self._project_processor = project_processor

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        project_class = load_object(crawler.settings["FOREST_ITEM_PROCESSOR"])
        project_processor = build_from_crawler(project_class, crawler)
        processor = cls(crawler, context_of(crawler), project_processor)
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
            has_outcome = _is_spooled_page(item) or _is_gone(item)
            _processed.set(item if has_outcome else None)
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
        if processed is None:
            return
        if self._crawl.failure.in_export:
            return
        if isinstance(processed, ArticlePage):
            outcome = Outcome.article(processed.method)
            if error:
                outcome = Outcome.error(error)
            self._record(processed, outcome)
        elif not error:
            self._note_gone(processed)

    def item_dropped(self, item: Any, exception: BaseException) -> None:
        if isinstance(exception, PageHeld):
            self._crawl.in_flight.remove(item.key)
        elif isinstance(exception, PageLeft):
            return
        elif _is_gone(item):
            self._note_gone(item)
        elif _is_spooled_page(item):
            reason = getattr(exception, "reason", "by_pipeline")
            self._record(item, Outcome.dropped(reason))

    def item_error(self, item: Any, failure: Failure) -> None:
        if _is_spooled_page(item):
            self._record(item, Outcome.error(failure.value))

    def _record(self, page: ArticlePage, outcome: Outcome) -> None:
        if page.is_joined:
            self._record_joined(page)
        self._crawl.ledger.record(page.key, outcome, page.url, page)
        if outcome.kind == "error":
            self._crawl.history.failed(page)
            return
        if outcome.kind == "article":
            self._crawl.templates.survey.add(page.template_key, True, page)
        with self._crawl.failure.guard():
            if outcome.kind == "article":
                self._crawl.history.done(page, "article", self._holds_articles)
            else:
                self._crawl.history.done(page, outcome.detail, False)

    def _note_gone(self, content: Item) -> None:
        with self._crawl.failure.guard():
            self._crawl.history.gone(content, self._holds_articles)

    def _record_joined(self, carrier: ArticlePage) -> None:
        """Record the other pages of a thread or an article."""
        spool = self._crawl.spool
        with self._crawl.failure.guard():
            pages = []
            for key in spool.held_pages.carried_by(carrier.key):
                spooled = spool.read(key)
                pages.append(rebuild_page(spooled))
            for page in pages:
                self._record(page, JOINED_OUTCOME)

    @property
    def _exporter(self) -> WatchedFeedExporter | None:
        return self._crawler.get_extension(WatchedFeedExporter)

    @property
    def _holds_articles(self) -> bool:
        exporter = self._exporter
        return exporter is not None and exporter.holds_articles

    async def spider_closed(self, reason: str) -> None:
        crawl = self._crawl
        exporter = self._exporter
        if exporter is not None:
            await exporter.wait_closed()
        if crawl.failure.error is None:
            with crawl.failure.guard():
                await wait_for_stores(crawl)
                crawl.history.release_held()
                await finish_stores(crawl)
        if crawl.failure.error:
            may_resume = bool(job_dir(self._crawler.settings))
            crawl.ledger.give_up(may_resume)

        summary = summarize_crawl(
            crawl.stats.get_stats(),
            crawl.settings.wants_records,
            crawl.unfetched.summary(),
            crawl.settings.only_new,
            crawl.settings.method,
        )
        logger.info("%s", summary)
        other_kinds = await crawl.templates.survey.describe()
        if other_kinds:
            logger.info("%s", other_kinds)
        try:
            for finish in crawl.at_end:
                end = CrawlEnd(reason, summary, crawl.failure.describe())
                await finish(end)
            if crawl.failure.error is None:
                with crawl.failure.guard():
                    crawl.history.feeds.settle_gaps()
        finally:
            with crawl.failure.guard():
                await crawl.close_in_thread()

    def engine_stopped(self) -> None:
        has_failed = self._crawl.failure.error or self._crawl.failure.has_refused
        # What a project's own spider is after may be something else than pages.
        is_spider_of_ours = self._crawl.scope is not None
        is_vain = is_spider_of_ours and found_nothing(self._crawl.stats.get_stats())
        if has_failed or is_vain:
            # Scrapy's exit status is 1 for a crawler without a spider; there is no other way.
            self._crawler.spider = None


def _is_spooled_page(item: Any) -> bool:
    """Whether the item is a page of the spool, which gets an outcome."""
    if not isinstance(item, ArticlePage):
        return False
    return bool(item.key)


def _is_gone(item: Any) -> bool:
    """Whether the item says that the item of a page does not exist any more."""
    if not isinstance(item, Item) or not item.change:
        return False
    return item.change.get("kind") == "gone"
