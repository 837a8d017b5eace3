"""The article pipeline: what becomes of a page."""

from __future__ import annotations

import gc
import logging
from contextlib import suppress
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from forest_scrapy import core
from forest_scrapy.core.encoding import is_mojibake
from forest_scrapy.crawl.context import CrawlContext, context_of, wait_for_stores
from forest_scrapy.crawl.joining import PageJoining
from forest_scrapy.crawl.redesigns import ReadPage, Redesigns
from forest_scrapy.crawl.scope import PageScope
from forest_scrapy.items import Article, ArticlePage, Item, Thread
from forest_scrapy.joining.duplicates import Duplicates
from forest_scrapy.joining.pages import describe_held_page
from forest_scrapy.responses.background import is_large, run
from forest_scrapy.responses.conversion import page_of_item, visit_of, was_fetched
from forest_scrapy.responses.notes import is_for_scrapy_parse
from forest_scrapy.stores.database import StoreFailed, StoreUnavailable
from forest_scrapy.zyte_items import convert_item

logger = logging.getLogger(__name__)

#: Characters of a full text from which on it is read in a thread, which takes some 50 ms.
MIN_LONG_TEXT = 100_000
#: Fields whose sources are counted.
COUNTED_FIELDS = ("title", "published", "authors")


class NoArticle(DropItem):
    """The page has no item; ``reason``: that of a ``Refusal``, or the crawl does not want it:
    ``duplicate``, ``unchanged``, ``gone``, ``too_old``, ``too_new``, ``other_language``,
    ``no_match``."""

    def __init__(self, reason: str, url: str, is_shown: bool = False) -> None:
        super().__init__(f"{url}: {reason}", log_level="INFO" if is_shown else "DEBUG")
        self.reason = reason


def _freeze_modules() -> None:
    """Load what pages are read with, and let no module be looked through each time garbage is
    collected."""
    for name in ("extract_page", "learn_rules"):
        getattr(core, name)
    gc.freeze()


class _PageReader:
    """Takes the page of an item that was placed just now, or parses it when it is first asked for;
    large pages in a thread."""

    def __init__(self, item: ArticlePage, feed_fields: bool) -> None:
        self._item = item
        self._feed_fields = feed_fields
        self._page: core.Page | None = None
        if item.parsed is not None:
            response, page = item.parsed
            if response is item.response:
                self._page = page
        item.parsed = None  # some items are kept until the crawl ends

    async def __call__(self) -> core.Page:
        if self._page is None:
            is_slow = is_large(self._item.response)
            self._page = await run(is_slow, page_of_item, self._item, self._feed_fields)
        return self._page


class ArticlePipeline:
    """Turns each ``ArticlePage`` into an ``Article``, or into a ``Thread``, ``Product``,
    ``Listing`` or ``WebPage`` if ``FOREST_KINDS`` has these; other items are passed on.

    ``extract_page`` says what becomes of a page; the pipeline adds what only a crawl knows: the
    pages of a thread, the dates that are wanted, duplicates, and what has changed.
    """

    def __init__(self, crawl: CrawlContext, scope: PageScope | None = None) -> None:
        """``scope``: what is wanted of the pages; None for all articles, each of a single page."""
        scope = scope or PageScope()
        self._crawl = crawl
        self._dates = scope.dates
        self._topic = scope.topic
        self._keeps_rules = scope.keeps_rules
        self._learner = crawl.learner
        self._redesigns = Redesigns(crawl)
        self._joining = PageJoining(crawl, scope.follow, scope.followed)
        self._duplicates = Duplicates(crawl.spool.articles, crawl.stats.inc_value)
        self._is_warm = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = context_of(crawler)
        if crawl.scope is not None:
            return cls(crawl, crawl.scope)
        # A project's own spider, which requests the pages of threads itself.
        from forest_scrapy.crawl.further_pages import follow_pages_of

        follow = follow_pages_of(crawler, crawl)
        return cls(crawl, PageScope(follow=follow, followed=("article",)))

    async def process_item(self, item: Any) -> Any:
        kind = self._crawl.settings.item
        if not isinstance(item, ArticlePage):
            return convert_item(item, kind)  # an item that is gone
        if is_for_scrapy_parse(item.response):
            item.item = await self._extract_alone(item)
            return convert_item(item.item, kind)
        joined = self._joining.take_released(item)
        if joined:
            return await self._finish(item, joined)

        if not self._is_warm:
            self._is_warm = True
            _freeze_modules()
        read_page = _PageReader(item, self._crawl.settings.feed_fields)
        extraction = await self._extract(item, read_page)
        content = extraction.item
        if content is None:
            raise NoArticle(extraction.reason, item.response.url)
        content.extra = item.extra
        item.item = content
        item.method = extraction.method

        if extraction.is_record or self._crawl.settings.comments:
            page = await read_page()
            if page.outline.is_cut:
                self._crawl.stats.inc_value("forest/pages/cut")
                url = item.response.url
                logger.info("%s is very long: the records at its end are not read", url)

        thread_page: core.Page | None = None
        if isinstance(content, Thread):
            thread_page = await read_page()
        held_page = describe_held_page(item, extraction, thread_page)
        if held_page is None:
            return await self._finish(item, content)
        # An article that is too old, or too new, is not worth the requests for its further pages.
        is_unwanted = isinstance(content, Article) and self._dates.check(content.published)
        joined = self._joining.add(item, held_page, may_follow=not is_unwanted)
        return await self._finish(item, joined)

    async def _finish(self, item: ArticlePage, content: Item) -> Any:
        """The item of a page, or of several that were joined, in the class that is wanted."""
        if isinstance(content, Thread):
            item.method = "thread"
        reason = ""
        if isinstance(content, Article):
            item.method = content.method
            reason = self._dates.check(content.published)
        if self._topic and not reason:
            reason = self._topic.check(content)
        if reason:
            raise NoArticle(reason, item.url)
        await self._note_change(item, content)
        if isinstance(content, Article):
            self._count_fields(content)
        return convert_item(content, self._crawl.settings.item)

    async def _extract_alone(self, item: ArticlePage) -> Item:
        """The item of a page under ``scrapy parse``, which has not come through the middleware."""
        from forest_scrapy.crawl.stored_templates import StoredTemplates  # no crawl needs it

        crawl = self._crawl
        stored_templates = StoredTemplates(crawl.settings, crawl.rules, crawl.probe)
        extraction = await stored_templates.extract(item)
        if extraction.item is None:
            raise NoArticle(extraction.reason, item.url, is_shown=True)
        extraction.item.extra = item.extra
        return extraction.item

    async def _extract(self, item: ArticlePage, read_page: ReadPage) -> core.Extraction:
        """What becomes of a page, by the rules of its template as they are after it."""
        template = await self._learner.template_of(item)
        extraction = await self._extract_by(item, read_page, template)
        if template and self._keeps_rules:
            fits_template = await self._redesigns.fits(read_page, template, extraction)
            if not fits_template:
                raise NoArticle("other_layout", item.url)
        elif template and was_fetched(item):
            has_new_rules = await self._redesigns.check(item, read_page, template, extraction)
            if has_new_rules:
                template = await self._learner.template_of(item)
                extraction = await self._extract_by(item, read_page, template)
        if template and extraction.by_template and extraction.item:
            self._learner.emitted(template)
        self._count(extraction)
        return extraction

    async def _extract_by(
        self,
        item: ArticlePage,
        read_page: ReadPage,
        template: core.Template | None,
    ) -> core.Extraction:
        extraction = self._learner.take_extracted(item.key, template)
        if extraction is None:
            page = await read_page()
            extraction = await self._extract_page(item, page, template)
        if extraction.missed:
            self._crawl.stats.inc_value("forest/wrappers/missed")
        return extraction

    async def _extract_page(
        self,
        item: ArticlePage,
        page: core.Page,
        template: core.Template | None,
    ) -> core.Extraction:
        if template is not None:  # blocked pages have none, see ``PagePlacer.place``
            core.note_unblocked(page)
        rules = template.rules if template else None
        may_be_outdated = self._learner.may_be_outdated(template)
        visit = visit_of(item, template, may_be_outdated)
        is_slow = self._is_slow(item, template)
        return await run(
            is_slow,
            core.extract_page,
            page,
            rules,
            self._crawl.settings.options,
            visit,
        )

    def _is_slow(self, item: ArticlePage, template: core.Template | None) -> bool:
        """Whether a page is extracted from in a thread."""
        options = self._crawl.settings.options
        if options.comments or options.wants_records:
            return True
        # Without the wrapper of a template all segments of the page are classified.
        if template is None or not template.wrapper.keep:
            return True
        if is_large(item.response):
            return True
        if item.entry is None:
            return False
        return len(item.entry.content) > MIN_LONG_TEXT

    async def _note_change(self, item: ArticlePage, content: Item) -> None:
        """Note what has changed in an item, and drop one that is known."""
        if isinstance(content, Article):
            if await self._is_duplicate(item, content):
                raise NoArticle("duplicate", item.url)
            if self._crawl.settings.comments:
                self._crawl.stats.inc_value("forest/comments/found", len(content.comments))
        content.change = await self._compare(item, content)
        if content.change["kind"] == "unchanged":
            if self._crawl.settings.only_new:
                raise NoArticle("unchanged", item.url)
            if self._crawl.history.is_gone(item):
                raise NoArticle("gone", item.url)

    async def _compare(self, item: ArticlePage, content: Item) -> dict[str, Any]:
        """How the item has changed.  Waits for a history that is unavailable."""
        while True:
            await wait_for_stores(self._crawl)
            if self._crawl.failure.error is not None:
                raise StoreFailed("the crawl ends")
            with suppress(StoreUnavailable):
                return self._crawl.history.compare(item, content, is_exact=self._keeps_rules)

    def close_spider(self) -> None:
        """Let what this crawl has be collected."""
        gc.unfreeze()

    async def _is_duplicate(self, item: ArticlePage, article: Article) -> bool:
        """Whether the article was found before, under another URL."""
        if self._crawl.failure.error is None:
            with self._crawl.failure.guard():
                return await self._duplicates.check(item, article)
        return False

    def _count(self, extraction: core.Extraction) -> None:
        stats = self._crawl.stats
        unseen = extraction.found.unseen
        recovered = extraction.found.recovered
        if unseen:
            stats.inc_value("forest/segments/unseen", unseen)
        if recovered:
            stats.inc_value("forest/prose/recovered", recovered)
        if extraction.comments_failed:
            stats.inc_value("forest/comments/failed")
        if extraction.full_text is not None:
            source = "feed" if extraction.full_text else "page"
            stats.inc_value(f"forest/full_text/{source}")

    def _count_fields(self, article: Article) -> None:
        stats = self._crawl.stats
        for name in COUNTED_FIELDS:
            source = article.sources.get(name, "none")
            stats.inc_value(f"forest/fields/{name}/{source}")
        if article.published_raw and not article.published:
            stats.inc_value("forest/pages/future_dates")
            logger.debug(
                "%s has no date of publication: %r lies in the future",
                article.url,
                article.published_raw,
            )
        if is_mojibake(f"{article.title}\n{article.text}"):
            stats.inc_value("forest/pages/mojibake")
            logger.debug("%s has mojibake: it was decoded with the wrong encoding", article.url)
