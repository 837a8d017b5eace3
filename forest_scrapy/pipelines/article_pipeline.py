"""The article pipeline: extracts the article of a page."""

from __future__ import annotations

import gc
import logging
from asyncio import Task, create_task, shield
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from forest_scrapy.core import Extract, Page, Wrapper, extract
from forest_scrapy.core.page.encoding import is_mojibake
from forest_scrapy.core.page.language import load_detector
from forest_scrapy.crawl.articles import apply_formats, make_article
from forest_scrapy.crawl.comments import CommentReader
from forest_scrapy.crawl.context import CrawlContext, context_of, wait_for_stores
from forest_scrapy.crawl.duplicates import Duplicates
from forest_scrapy.crawl.entries import ENTRY, extract_entry, find_full_text
from forest_scrapy.crawl.record_items import RecordItems
from forest_scrapy.crawl.redesigns import Redesigns
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.crawl.threads import Follow
from forest_scrapy.crawl.wrapper_provider import WrapperProvider
from forest_scrapy.integrations.zyte import product_to_zyte, to_zyte
from forest_scrapy.items import Article, ArticlePage, Product
from forest_scrapy.responses.background import is_large, run, to_thread
from forest_scrapy.responses.conversion import page_of
from forest_scrapy.responses.date_range import ANY_DATE, DateRange
from forest_scrapy.spiders.base import ArticleSpider

__all__ = ["ArticlePipeline", "NoArticle"]

logger = logging.getLogger(__name__)

#: Characters of a full text from which on it is read in a thread, which takes some 50 ms.
_LONG = 100_000
#: Fields whose sources are counted.
COUNTED_FIELDS = ("title", "published", "authors")


class NoArticle(DropItem):
    """The page is not an article: ``no_content`` if no method found any text on it and no feed
    entry describes it, ``several_articles`` if it has several whole articles.  Or the crawl does
    not want it: ``duplicate``, ``unchanged``, ``too_old``, ``too_new``; ``other_kind`` if it does
    not want articles."""

    def __init__(self, reason: str, url: str) -> None:
        super().__init__(f"{url}: {reason}", log_level="DEBUG")
        self.reason = reason


class ArticlePipeline:
    """Turns each ``ArticlePage`` into an ``Article``, or into a ``Thread``, ``Product`` or
    ``Listing`` if ``FOREST_KINDS`` has these; other items are passed on."""

    def __init__(
        self, crawl: CrawlContext, dates: DateRange = ANY_DATE, follow: Follow | None = None
    ) -> None:
        self._crawl, self._dates, self._provider = crawl, dates, WrapperProvider(crawl)
        self._redesigns = Redesigns(crawl, self._provider)
        self._records = RecordItems(crawl, self._provider, follow)
        self._comments = CommentReader(crawl)
        self._duplicates = Duplicates(crawl.spool.articles, crawl.stats)
        self._loading: Task[Any] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        spider, crawl = crawler.spider, context_of(crawler)
        if isinstance(spider, ArticleSpider):
            return cls(crawl, spider.scope.dates, spider.follow_thread)
        return cls(crawl)

    async def process_item(self, item: Any) -> Any:
        settings = self._crawl.settings
        if not isinstance(item, ArticlePage):
            is_ours = isinstance(item, Article)  # one that is gone
            return to_zyte(item) if is_ours and settings.item == "zyte" else item
        is_slow = is_large(item.response)
        await self._load_detector()
        uses_entry = settings.feed_fields or not _was_fetched(item)
        page = await run(is_slow, page_of, item.response, item.entry, uses_entry)
        template = self._crawl.templates.get(item.template_key)
        if record := await self._records.find_item(item, page, template):
            item.method = type(record).__name__.lower()
            if settings.item == "zyte" and isinstance(record, Product):
                return product_to_zyte(record)
            return record
        if "article" not in settings.kinds:
            raise NoArticle("other_kind", page.url)
        if template and not template.is_of_articles:
            raise NoArticle("not_article", page.url)
        learned, wrapper, found = await self._find_text(item, page, template, is_slow)
        if not found.text:
            raise NoArticle("no_content", page.url)
        if not item.is_article and wrapper.shows_several(found):
            raise NoArticle("several_articles", page.url)
        found = found.with_captions(settings.captions)
        item.method = wrapper.method
        if template and wrapper is learned:
            template.has_articles = True
        template_id, fields = template.id if template else "", learned.fields
        # Without a template the page's own sources are ranked, which is slow.
        article = await run(
            is_slow or not fields, make_article, item, page, template_id, wrapper, found, fields
        )
        if reason := self._dates.check(article.published):
            raise NoArticle(reason, page.url)
        if await self._is_duplicate(item, article):
            raise NoArticle("duplicate", page.url)
        article.comments = await self._comments.read(page, template, learned, found)
        await wait_for_stores(self._crawl)
        article.change = self._crawl.history.compare(item, article)
        if settings.only_new and article.change["kind"] == "unchanged":
            raise NoArticle("unchanged", page.url)
        self._count_fields(article)
        apply_formats(article, settings.formats)
        return to_zyte(article) if settings.item == "zyte" else article

    async def _load_detector(self) -> None:
        """Load the language detector, which takes half a second, in a thread, with the first page:
        many crawls have nothing new."""
        if self._loading is None:
            self._loading = create_task(to_thread(load_detector))
            await shield(self._loading)
            # Models and modules need not be looked through each time garbage is collected.
            gc.freeze()
        elif not self._loading.done():
            await shield(self._loading)

    def close_spider(self) -> None:
        """Let what this crawl has be collected."""
        gc.unfreeze()

    async def _find_text(
        self, item: ArticlePage, page: Page, template: Template | None, is_slow: bool
    ) -> tuple[Wrapper, Wrapper, Extract]:
        """The wrapper of the page's template, the wrapper that found the text, and the text."""
        learned = await self._provider.wrapper_for(page, template)
        if item.entry and not _was_fetched(item):
            return learned, ENTRY, extract_entry(item.entry, page.url)
        wrapper, found = await self._extract(page, learned, is_slow)
        if template and learned.keep:
            by_template = found if wrapper is learned else Extract()
            fitting = await self._redesigns.check(item, page, template, learned, by_template)
            if fitting is not learned:
                learned = fitting
                wrapper, found = await self._extract(page, learned, is_slow)
        full = await self._find_full_text(page, wrapper, found)
        return (learned, ENTRY, full) if full else (learned, wrapper, found)

    async def _extract(
        self, page: Page, learned: Wrapper, is_slow: bool
    ) -> tuple[Wrapper, Extract]:
        """The content, and the wrapper that found it."""
        # Without a template's wrapper all segments of the page are classified, which is slow.
        is_slow = is_slow or not learned.keep
        wrapper, found = await run(is_slow, extract, page, learned, self._crawl.settings.params)
        if wrapper is not learned and learned.keep:
            self._crawl.stats.inc_value("forest/wrappers/missed")
        if found.unseen:
            self._crawl.stats.inc_value("forest/segments/unseen", found.unseen)
        return wrapper, found

    async def _find_full_text(self, page: Page, wrapper: Wrapper, found: Extract) -> Extract | None:
        """The full text of the feed entry if it is better than what was found."""
        if page.entry is None or not page.entry.content:
            return None
        full = await run(len(page.entry.content) > _LONG, find_full_text, page, wrapper, found)
        self._crawl.stats.inc_value(f"forest/full_text/{'feed' if full else 'page'}")
        return full

    async def _is_duplicate(self, item: ArticlePage, article: Article) -> bool:
        """Whether the article was found before, under another URL."""
        if self._crawl.failure.error is None:
            with self._crawl.failure.guard():
                return await self._duplicates.check(item, article)
        return False

    def _count_fields(self, article: Article) -> None:
        stats = self._crawl.stats
        for name in COUNTED_FIELDS:
            stats.inc_value(f"forest/fields/{name}/{article.sources.get(name, 'none')}")
        if is_mojibake(f"{article.title}\n{article.text}"):
            stats.inc_value("forest/pages/mojibake")
            logger.debug("%s has mojibake: it was decoded with the wrong encoding", article.url)


def _was_fetched(item: ArticlePage) -> bool:
    """Whether there is a page, and not only its feed entry (see ``emit_entry``)."""
    status = item.response.status
    return bool(item.response.body) or 0 < status < 400
