"""Threads, products and listings among the pages of a crawl: wrappers for them, each learned
once."""

from __future__ import annotations

import logging
from asyncio import Lock
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from forest_scrapy.core import Page, RecordWrapper, learn_records
from forest_scrapy.core.records import ProductRules, read_listing, read_product
from forest_scrapy.core.records.thread_pages import next_thread_page
from forest_scrapy.items import ArticlePage, Listing, Product, Thread
from forest_scrapy.runtime.context import CrawlContext
from forest_scrapy.runtime.pages.threads import to_thread
from forest_scrapy.runtime.templates.template import Template
from forest_scrapy.runtime.thread_pages import ThreadPages
from forest_scrapy.runtime.wrapper_provider import WrapperProvider, read_sample
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import SpooledPage

__all__ = ["RecordItems"]

logger = logging.getLogger(__name__)

#: The wrapper of a template that cannot be learned.
_NOTHING = RecordWrapper()


class RecordItems:
    """Makes threads, products and listings of the pages whose template is of one of these kinds,
    if ``FOREST_KINDS`` has it."""

    def __init__(self, crawl: CrawlContext, provider: WrapperProvider) -> None:
        self._crawl, self._provider = crawl, provider
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        self._pages = ThreadPages(crawl)

    async def find_item(
        self, item: ArticlePage, page: Page, template: Template | None
    ) -> Thread | Product | Listing | None:
        """The item of a page; None if the pages of its template are of another kind, or no record
        was found.  A page without a template is learned from by itself.  Of a thread it is the
        whole thread that the page completes; raises ``PageHeld`` for a page that waits for the
        others of its thread."""
        kinds = self._crawl.settings.kinds
        if kinds == ("article",):
            return None
        if thread := self._pages.take_released(item):
            return thread
        wrapper = await self._wrapper_for(page, template)
        found = await self._read(item, page, wrapper, template)
        if found is None and template and template.is_stored and wrapper.kind.name == "thread":
            if template.fit.has_failed:
                wrapper = await self._relearn(page, template, wrapper)
                found = await self._read(item, page, wrapper, template)
            else:
                found = await self._read(item, page, await self._wrapper_for(page, None), None)
        return self._pages.add(item, page, found) if isinstance(found, Thread) else found

    async def _read(
        self, item: ArticlePage, page: Page, wrapper: RecordWrapper, template: Template | None
    ) -> Thread | Product | Listing | None:
        """The item as far as it is on the page; None if there is none, or it is not wanted."""
        kind = wrapper.kind.name
        if kind not in self._crawl.settings.kinds or kind == "article":
            return None
        found: Thread | Product | Listing | None
        found = await to_thread(_MAKERS[kind], item, page, wrapper, template)
        if kind == "thread" and template and template.wrapper:
            posts = found.posts if isinstance(found, Thread) else []
            characters = sum(len(post["text"]) for post in posts)
            template.fit = template.fit.add(characters, bool(posts))
            if not posts:
                self._crawl.stats.inc_value("forest/wrappers/misfits")
        return found

    async def _wrapper_for(self, page: Page, template: Template | None) -> RecordWrapper:
        if template is None:
            return await to_thread(_learn_from, [], page, self._crawl.settings)
        if template.records is None:
            async with self._locks[template.key]:
                if template.records is None:
                    template.records = await self._learn(page, template)
        return template.records

    async def _relearn(
        self, page: Page, template: Template, stored: RecordWrapper
    ) -> RecordWrapper:
        """The wrapper of a stored template that finds no post on its latest pages, learned again
        from the pages of this crawl; the stored one if these are no threads."""
        async with self._locks[template.key]:
            if template.records is not stored:  # learned meanwhile
                return template.records or stored
            template.fit = template.fit.restart()
            learned = await self._learn(page, template)
        if template.records is stored:
            return stored
        self._crawl.stats.inc_value("forest/templates/redesigned")
        logger.warning(
            "Template %s of %s was redesigned: no post was found on %s; learned again",
            *(template.id, template.host, page.url),
        )
        return learned

    async def _learn(self, page: Page, template: Template) -> RecordWrapper:
        settings = self._crawl.settings
        sample = self._crawl.spool.sample(template.key, settings.pages)
        try:
            wrapper = await to_thread(_learn_from, sample, page, settings)
        except Exception:
            logger.exception("Cannot learn the records of %s", page.url)
            self._crawl.stats.inc_value("forest/records/failed")
            return _NOTHING
        if wrapper.kind.name == "thread" and wrapper.rules and sample:
            self._provider.store_records(template, wrapper, sample)
        self._crawl.stats.inc_value(f"forest/records/{wrapper.kind.name}")
        logger.info(
            "The pages of a template of %s, such as %s, are of kind %s (%s)",
            template.host,
            page.url,
            wrapper.kind.name,
            "; ".join(wrapper.kind.evidence),
        )
        return wrapper


def _learn_from(
    sample: Sequence[SpooledPage], page: Page, settings: ForestSettings
) -> RecordWrapper:
    pages = read_sample(sample, settings) or [page]
    wants_articles = "article" in settings.kinds
    return learn_records(pages, settings.params, prefer_articles=wants_articles)


def make_thread(
    item: ArticlePage, page: Page, wrapper: RecordWrapper, template: Template | None
) -> Thread | None:
    """The thread as far as it is on a page; None if it has no post."""
    posts = [record.describe() for record in wrapper.apply(page, item.fetched_at)]
    if not posts:
        return None
    return Thread(
        url=item.response.url,
        title=page.declared.title,
        posts=posts,
        pages=[item.response.url],
        next_page=next_thread_page(page),
        language=page.language,
        fetched_at=item.fetched_at,
        template_id=template.id if template else "",
    )


def make_product(
    item: ArticlePage, page: Page, wrapper: RecordWrapper, template: Template | None
) -> Product | None:
    """The product of a page; None if it has no name."""
    product = read_product(page, wrapper.product or ProductRules(), item.fetched_at)
    product.url, product.template_id = item.response.url, template.id if template else ""
    product.text = wrapper.read_text(page)
    return product if product.name else None


def make_listing(
    item: ArticlePage, page: Page, wrapper: RecordWrapper, template: Template | None
) -> Listing | None:
    """The listing of a page; None if it has no item with a title."""
    listing = read_listing(page, wrapper, item.fetched_at)
    listing.url, listing.template_id = item.response.url, template.id if template else ""
    return listing if listing.items else None


_MAKERS: Mapping[str, Callable[..., Thread | Product | Listing | None]] = {
    "thread": make_thread,
    "product": make_product,
    "listing": make_listing,
}
