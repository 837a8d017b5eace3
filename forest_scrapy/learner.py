"""Learning the wrappers of a crawl's templates, each once, beside the event loop."""

from __future__ import annotations

import logging
from asyncio import Lock
from collections import defaultdict
from collections.abc import Sequence

from forest_scrapy.core import Page, Params, Wrapper, learn
from forest_scrapy.crawl import Crawl, in_thread
from forest_scrapy.pages import page_of, rebuild_page
from forest_scrapy.stores import SpooledPage
from forest_scrapy.templates import Template

__all__ = ["Learner"]

logger = logging.getLogger(__name__)


class Learner:
    """Learns from the pages in the spool."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)

    async def wrapper_of(self, template: Template) -> Wrapper:
        """The template's wrapper, learned when it is asked for first.

        Waits for a thread, never for another page.
        """
        if template.wrapper is None:
            async with self._locks[template.name]:
                if template.wrapper is None:
                    sample = self._crawl.templates.sample(template)
                    await self._learn(template, sample)
            self._locks.pop(template.name, None)
        assert template.wrapper is not None
        return template.wrapper

    async def learn_again(self) -> None:
        """Learn the wrappers whose sample changed as more pages came, for the next crawl."""
        for template, sample in self._crawl.templates.outdated():
            await self._learn(template, sample)

    async def _learn(self, template: Template, sample: Sequence[SpooledPage]) -> None:
        stats, params = self._crawl.templates.stats, self._crawl.config.params
        try:
            wrapper = await in_thread(learn_from, sample, params)
        except Exception:
            logger.exception("Cannot learn template %s of %s", template.name, template.host)
            stats.inc_value("forest/templates/failed")
            wrapper = Wrapper("none")
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


def learn_from(sample: Sequence[SpooledPage], params: Params) -> Wrapper:
    """Parse the pages and learn; runs in a thread, so that it shares no tree."""
    pages: list[Page] = []
    for spooled in sample:
        item = rebuild_page(spooled)
        pages.append(page_of(item.response, item.entry))
    return learn(pages, params)
