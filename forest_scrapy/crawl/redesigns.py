"""Noticing that a template was redesigned, and learning it again from its new pages only."""

from __future__ import annotations

import logging
from asyncio import Lock
from collections import defaultdict
from collections.abc import Sequence

from forest_scrapy.core import Extract, Page, Wrapper, extract
from forest_scrapy.core.changes import share_changed
from forest_scrapy.core.templates.redesigns import agree
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.crawl.wrapper_provider import NOTHING, WrapperProvider, read_sample
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.background import to_thread
from forest_scrapy.settings import ForestSettings

__all__ = ["Redesigns"]

logger = logging.getLogger(__name__)

#: How much less a new wrapper may agree with the classifier than the old one, on pages that both
#: match: the estimate is not more exact.
_TOLERANCE = 0.01


class Redesigns:
    """Checks on each page whether the wrapper of its template still fits."""

    def __init__(self, crawl: CrawlContext, provider: WrapperProvider) -> None:
        self._crawl, self._provider = crawl, provider
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)

    async def check(
        self, item: ArticlePage, page: Page, template: Template, learned: Wrapper, found: Extract
    ) -> Wrapper:
        """The wrapper for a page: the template's, ``learned``, or the one that replaces it if it
        does not fit the template's latest pages any more.

        ``found``: what ``learned`` finds on the page.
        """
        fits = bool(found.text) and await self._fits(page, template, found)
        template.fit = template.fit.add(len(found.text), fits)
        if fits or not template.is_stored:
            return learned
        self._crawl.stats.inc_value("forest/wrappers/misfits")
        # The pages that do not fit are learned from apart from the others.
        self._crawl.spool.make_ready(item.key, template.misfits_key)
        async with self._locks[template.key]:
            if template.wrapper is learned and template.fit.has_failed:
                await self._replace(template)
        return template.wrapper or learned

    async def _fits(self, page: Page, template: Template, found: Extract) -> bool:
        lines = found.text.count("\n") + 1
        if not template.fit.is_unusual(len(found.text), found.unseen / lines):
            return True
        params = self._crawl.settings.params
        _, single = await to_thread(extract, page, NOTHING, params)
        return agree(found.text, single.text)

    async def _replace(self, template: Template) -> None:
        """Learn a redesigned template again, unless a person has edited its wrapper or the new
        one is no better."""
        settings = self._crawl.settings
        failed, template.fit = template.fit, template.fit.restart()
        if template.is_edited:
            logger.warning(
                "Template %s of %s does not fit its latest pages; it is kept, because its wrapper "
                "was edited: scrapy forest forget %s --template %s --force",
                *(template.id, template.host) * 2,
            )
            return
        sample = self._provider.samples.misfits(template)
        old = template.wrapper or NOTHING
        wrapper = await self._provider.learn(template, sample)
        pages = await to_thread(read_sample, sample, settings)
        if not wrapper.keep or await to_thread(is_worse, wrapper, old, pages, settings):
            logger.info("Template %s of %s: nothing better was learned", template.id, template.host)
            return
        self._crawl.stats.inc_value("forest/templates/redesigned")
        version = self._provider.replace(template, wrapper, sample)
        logger.warning(
            "Template %s of %s was redesigned: %d of its latest pages did not fit; learned again "
            "from %d pages: version %d, %s",
            template.id,
            template.host,
            round(failed.misfits),
            len(sample),
            version,
            wrapper.xpath,
        )


def is_worse(new: Wrapper, old: Wrapper, pages: Sequence[Page], settings: ForestSettings) -> bool:
    """Whether a new wrapper agrees less with the classifier than the old one, on the pages that
    both match."""
    difference = 0.0
    for page in pages:
        texts = [wrapper.apply(page).text for wrapper in (new, old)]
        if all(texts):
            single = extract(page, NOTHING, settings.params)[1].text
            by_new, by_old = (share_changed(text, single) for text in texts)
            difference += by_new - by_old
    return difference > _TOLERANCE * len(pages)
