"""Threads among the pages of a crawl: the wrappers for their posts, each learned once."""

from __future__ import annotations

import logging
from asyncio import Lock
from collections import defaultdict
from collections.abc import Sequence

from forest_scrapy.core import Page, RecordWrapper, learn_records
from forest_scrapy.core.records.thread_pages import next_thread_page
from forest_scrapy.items import ArticlePage, Thread
from forest_scrapy.runtime.context import CrawlContext
from forest_scrapy.runtime.pages.threads import to_thread
from forest_scrapy.runtime.templates.recognition import Template
from forest_scrapy.runtime.thread_pages import ThreadPages
from forest_scrapy.runtime.wrapper_provider import read_sample
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import SpooledPage

__all__ = ["ThreadWrappers"]

logger = logging.getLogger(__name__)

#: The wrapper of a template that cannot be learned.
_NOTHING = RecordWrapper()


class ThreadWrappers:
    """Makes threads of the pages whose template is one of threads, if ``FOREST_KINDS`` has
    them."""

    def __init__(self, crawl: CrawlContext) -> None:
        self._crawl = crawl
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        self._wrappers: dict[str, RecordWrapper] = {}
        self._pages = ThreadPages(crawl)

    @property
    def is_wanted(self) -> bool:
        """Whether the crawl wants threads."""
        return "thread" in self._crawl.settings.kinds

    async def find_thread(
        self, item: ArticlePage, page: Page, template: Template | None
    ) -> Thread | None:
        """The thread that a page completes; None if the pages of its template are of another
        kind, or no post was found.  A page without a template is learned from by itself.  Raises
        ``PageHeld`` for a page that waits for the others of its thread."""
        if not self.is_wanted:
            return None
        if thread := self._pages.take_released(item):
            return thread
        wrapper = await self._wrapper_for(page, template)
        if wrapper.kind.name != "thread":
            return None
        found = await to_thread(make_thread, item, page, wrapper, template)
        return self._pages.add(item, page, found) if found else None

    async def _wrapper_for(self, page: Page, template: Template | None) -> RecordWrapper:
        if template is None:
            return await to_thread(learn_records, [page], self._crawl.settings.params)
        if template.key not in self._wrappers:
            async with self._locks[template.key]:
                if template.key not in self._wrappers:
                    self._wrappers[template.key] = await self._learn(page, template)
        return self._wrappers[template.key]

    async def _learn(self, page: Page, template: Template) -> RecordWrapper:
        settings = self._crawl.settings
        sample = self._crawl.spool.sample(template.key, settings.pages)
        try:
            wrapper = await to_thread(_learn_from, sample, page, settings)
        except Exception:
            logger.exception("Cannot learn the records of %s", page.url)
            self._crawl.stats.inc_value("forest/records/failed")
            return _NOTHING
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
    return learn_records(read_sample(sample, settings) or [page], settings.params)


def make_thread(
    item: ArticlePage, page: Page, wrapper: RecordWrapper, template: Template | None
) -> Thread | None:
    """The thread as far as it is on a page; None if it has no post."""
    posts = [
        {
            "position": record.position,
            "author": record.get("author"),
            "date": record.get("date"),
            "text": record.text,
            "html": record.html,
            "quote": record.quote,
            "reply_to": record.reply_to,
        }
        for record in wrapper.apply(page, item.fetched_at)
    ]
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
