"""Threads, products and listings among the pages of a crawl: wrappers for them, each learned
once."""

from __future__ import annotations

import logging
from asyncio import Lock
from collections import defaultdict
from collections.abc import Sequence

from forest_scrapy.core import Page, RecordWrapper, learn_records
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.records import RecordItem, make_record
from forest_scrapy.crawl.templates.bounded import choose_affordable
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.crawl.threads import Follow, ThreadPages
from forest_scrapy.crawl.wrapper_provider import WrapperProvider, read_sample
from forest_scrapy.items import ArticlePage, Thread
from forest_scrapy.responses.background import to_thread
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import SpooledPage

__all__ = ["RecordItems", "learn_page_records"]

logger = logging.getLogger(__name__)

#: The wrapper of a template that cannot be learned.
_NOTHING = RecordWrapper()


class RecordItems:
    """Makes threads, products and listings of the pages whose template is of one of these kinds,
    if ``FOREST_KINDS`` has it.  ``follow``: see ``ThreadPages``."""

    def __init__(
        self, crawl: CrawlContext, provider: WrapperProvider, follow: Follow | None = None
    ) -> None:
        self._crawl, self._provider = crawl, provider
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        self._pages = ThreadPages(crawl, follow)

    async def find_item(
        self, item: ArticlePage, page: Page, template: Template | None
    ) -> RecordItem | None:
        """The item of a page; None if the pages of its template are of another kind, or no record
        was found.  A page without a template is learned from by itself.  Of a thread it is the
        whole thread that the page completes; raises ``PageHeld`` for a page that waits for the
        others of its thread."""
        if not self._crawl.settings.wants_records:
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
    ) -> RecordItem | None:
        """The item as far as it is on the page; None if there is none, or it is not wanted."""
        kinds, id = self._crawl.settings.kinds, template.id if template else ""
        found = await to_thread(make_record, item, page, wrapper, id, kinds)
        is_thread = wrapper.kind.name == "thread" and "thread" in kinds
        if is_thread and template and template.wrapper:
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
            wrapper = await to_thread(_learn_from, sample, page, settings, template.is_of_articles)
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


def learn_page_records(
    pages: Sequence[Page], settings: ForestSettings, is_of_articles: bool = True
) -> RecordWrapper:
    """The wrapper for the records of the pages of a template; in doubt they are articles, if these
    are wanted and the pages may be some (``is_of_articles``)."""
    prefer_articles = is_of_articles and "article" in settings.kinds
    chosen = choose_affordable(pages)
    return learn_records(chosen, settings.params, prefer_articles=prefer_articles)


def _learn_from(
    sample: Sequence[SpooledPage], page: Page, settings: ForestSettings, is_of_articles: bool = True
) -> RecordWrapper:
    return learn_page_records(read_sample(sample, settings) or [page], settings, is_of_articles)
