"""Learning the wrappers of a crawl's templates, each once, beside the event loop."""

from __future__ import annotations

import logging
from asyncio import Lock
from collections import defaultdict
from collections.abc import Sequence

from forest_scrapy.core import PAGE_METHODS, NotEnoughPages, Page, Params, Wrapper, learn
from forest_scrapy.runtime.context import CrawlContext, in_thread
from forest_scrapy.runtime.responses import page_of, rebuild_page
from forest_scrapy.runtime.templates import Template
from forest_scrapy.stores import SpooledPage

__all__ = ["WrapperProvider"]

logger = logging.getLogger(__name__)

#: The wrapper of a template that taught nothing; each of its pages is taken alone.
NOTHING = Wrapper("none")


class WrapperProvider:
    """Learns from the pages in the spool."""

    def __init__(self, crawl: CrawlContext) -> None:
        self._crawl = crawl
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)

    async def wrapper_for(self, page: Page, template: Template | None) -> Wrapper:
        """The wrapper for a page: its template's, learned when it is asked for first; with a
        method that looks at each page for itself, the page's own.

        Waits for a thread, never for another page.
        """
        params = self._crawl.config.params
        if template is None:
            return NOTHING
        if params.method in PAGE_METHODS:
            return await in_thread(learn, [page], params)
        if template.wrapper is None:
            async with self._locks[template.name]:
                if template.wrapper is None:
                    await self._learn(template, self._crawl.templates.sample(template))
            self._locks.pop(template.name, None)
        return template.wrapper or NOTHING

    async def learn_again(self) -> None:
        """Learn the wrappers whose sample changed as more pages came, for the next crawl."""
        for template, sample in self._crawl.templates.outdated():
            await self._learn(template, sample)

    async def _learn(self, template: Template, sample: Sequence[SpooledPage]) -> None:
        stats, config = self._crawl.templates.stats, self._crawl.config
        try:
            wrapper = await in_thread(learn_from, sample, config.params, config.feed_fields)
        except NotEnoughPages:
            wrapper = NOTHING
        except Exception:
            logger.exception("Cannot learn template %s of %s", template.name, template.host)
            stats.inc_value("forest/templates/failed")
            wrapper = NOTHING
        again = " again" if template.wrapper else ""
        stats.inc_value(f"forest/templates/learned{again.replace(' ', '_')}")
        self._crawl.templates.learned(template, wrapper, sample)
        logger.info(
            "Learned%s template %s of %s from %d pages: %s by %s, score %.4g",
            again,
            template.id,
            template.host,
            len(sample),
            wrapper.xpath or "nothing",
            wrapper.method,
            wrapper.evidence.score,
        )


def learn_from(sample: Sequence[SpooledPage], params: Params, feed_fields: bool) -> Wrapper:
    """Parse the pages and learn; runs in a thread, so that it shares no tree."""
    pages: list[Page] = []
    for spooled in sample:
        item = rebuild_page(spooled)
        pages.append(page_of(item.response, item.entry, feed_fields))
    return learn(pages, params)
