"""Learning the wrappers of a crawl's templates, each once and in a thread, and storing them."""

from __future__ import annotations

import logging
from asyncio import Lock
from collections import defaultdict
from collections.abc import Sequence

from forest_scrapy.core import (
    PAGE_METHODS,
    NotEnoughPages,
    Page,
    RecordWrapper,
    Wrapper,
    learn,
)
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.records import wrap_records
from forest_scrapy.crawl.templates.recognition import HostTemplates
from forest_scrapy.crawl.templates.samples import Samples
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.responses.background import to_thread
from forest_scrapy.responses.conversion import page_of, rebuild_page
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import SpooledPage
from forest_scrapy.stores.fingerprints import FingerprintTable

__all__ = ["NOTHING", "WrapperProvider", "choose_fingerprints", "read_sample"]

logger = logging.getLogger(__name__)

#: The wrapper of a template from which nothing could be learned; each of its pages is extracted
#: as a single page.
NOTHING = Wrapper("none")
#: Fingerprints stored with a wrapper.
_MAX_FINGERPRINTS = 64


class WrapperProvider:
    """Gives the wrappers of a crawl's templates, learned from the pages in the spool."""

    def __init__(self, crawl: CrawlContext) -> None:
        self._crawl = crawl
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        self.samples = Samples(
            crawl.settings, crawl.spool, crawl.wrappers, crawl.templates, crawl.stats
        )

    async def wrapper_for(self, page: Page, template: Template | None) -> Wrapper:
        """The wrapper for a page: that of its template, learned on the first call.  A method
        that looks at each page by itself learns a wrapper for the page.

        Waits for a thread, never for another page.
        """
        params = self._crawl.settings.params
        if template is None:
            return NOTHING
        if params.method in PAGE_METHODS:
            return await to_thread(learn, [page], params)
        if template.wrapper is None:
            async with self._locks[template.key]:
                if template.wrapper is None:
                    await self._learn(template, self.samples.of(template))
            self._locks.pop(template.key, None)
        return template.wrapper or NOTHING

    async def finish(self) -> None:
        """Store the wrappers learned in this crawl with the fingerprints of all its pages.

        A wrapper of several pages that has given an article stays as it is, so that the next
        crawl extracts the same text; others are learned again if their sample has changed.
        """
        templates = self._crawl.templates.learned()
        for name in sorted({template.host for template in templates}):
            self._crawl.templates.host(name).measure()
        for template in templates:
            sample = self.samples.of(template)
            if sample and template.wrapper and _is_final(template, sample):
                self._store(template, template.wrapper, sample)
            elif sample:
                await self._learn(template, sample)
        for template in self._crawl.templates.with_wrapper():
            if template.is_stored or len(template.sample or ()) > 1:
                self._crawl.wrappers.save_fit(template.host, template.id, template.fit)
            self.samples.keep(template)

    async def learn(self, template: Template, sample: Sequence[SpooledPage]) -> Wrapper:
        """A wrapper from these pages of a template; one without expressions if that fails."""
        try:
            return await to_thread(learn_from, sample, self._crawl.settings)
        except NotEnoughPages:
            return NOTHING
        except Exception:
            logger.exception("Cannot learn the template of %s", sample[0].url)
            self._crawl.stats.inc_value("forest/templates/failed")
            return NOTHING

    def replace(self, template: Template, wrapper: Wrapper, sample: Sequence[SpooledPage]) -> int:
        """Replace the stored wrapper of a template, which its latest pages do not fit, and delete
        its rules for comments; the number of its version."""
        host = self._crawl.templates.host(template.host)
        template.wrapper, template.comments = wrapper.with_cut(*host.cut), None
        self._crawl.wrappers.comments.save(template.host, template.id, None)
        return self._save(template, sample, "redesign")

    def store_records(
        self, template: Template, records: RecordWrapper, sample: Sequence[SpooledPage]
    ) -> None:
        """Store the wrapper for the records of a template, with one that takes their text, whose
        versions are kept like those of articles."""
        template.has_articles, template.records = True, records  # it is not learned again
        self._store(template, wrap_records(records, len(sample)), sample)
        if len(sample) > 1:
            self._crawl.wrappers.records.save(template.host, template.id, records)

    async def _learn(self, template: Template, sample: Sequence[SpooledPage]) -> None:
        example = sample[0].url if sample else template.host
        wrapper = await self.learn(template, sample)
        again = " again" if template.wrapper else ""
        self._crawl.stats.inc_value(f"forest/templates/learned{again.replace(' ', '_')}")
        self._store(template, wrapper, sample)
        logger.info(
            "Learned%s a template of %s from %d pages, such as %s: %s by %s, score %.4g",
            again,
            template.host,
            len(sample),
            example,
            wrapper.xpath or "nothing",
            wrapper.method,
            wrapper.evidence.score,
        )

    def _store(self, template: Template, wrapper: Wrapper, sample: Sequence[SpooledPage]) -> None:
        """Assign a wrapper to its template, and store it unless it was learned from one page,
        which says too little about the template's other pages."""
        host = self._crawl.templates.host(template.host)
        template.wrapper = wrapper.with_cut(*host.cut)
        is_first, template.sample = template.sample is None, _keys(sample)
        template.id = template.id or host.new_id(wrapper)
        if wrapper.keep and len(sample) > 1:
            superseded = host.find_superseded(len(sample)) if is_first else None
            reason = f"redesign of {superseded.id}" if superseded else "new template"
            self._save(template, sample, reason)
            if superseded:
                self._crawl.stats.inc_value("forest/templates/redesigned")
                logger.warning(
                    "Template %s of %s was redesigned: its pages have another layout now, "
                    "template %s",
                    superseded.id,
                    template.host,
                    template.id,
                )

    def _save(self, template: Template, sample: Sequence[SpooledPage], reason: str) -> int:
        assert template.wrapper is not None
        host, table = self._crawl.templates.host(template.host), self._crawl.spool.fingerprints
        digests = choose_fingerprints(host, table, sample)
        # Fingerprints of stored templates are in the clusters, but not in this crawl's spool.
        found = (table.find(template.host, digest) for digest in digests)
        return self._crawl.wrappers.save(
            template.host, template.id, template.wrapper, [one for one in found if one], reason
        )


def choose_fingerprints(
    host: HostTemplates, table: FingerprintTable, sample: Sequence[SpooledPage]
) -> list[str]:
    """Digests of the fingerprints by which the next crawl recognises a template: those of its
    sample, then those in the same clusters."""
    own = sorted({page.fingerprint for page in sample})
    found = set(own)
    for digest in own:
        cluster = host.cluster_of(table.get(host.host, digest))
        found.update(cluster.digests if cluster else ())
    return sorted(found, key=lambda digest: (digest not in own, digest))[:_MAX_FINGERPRINTS]


def learn_from(sample: Sequence[SpooledPage], settings: ForestSettings) -> Wrapper:
    """Learn a wrapper from spooled pages.  Runs in a thread: it parses the pages itself, so that
    no tree is shared."""
    return learn(read_sample(sample, settings), settings.params)


def read_sample(sample: Sequence[SpooledPage], settings: ForestSettings) -> list[Page]:
    """The pages, parsed."""
    items = [rebuild_page(spooled) for spooled in sample]
    return [page_of(one.response, one.entry, settings.feed_fields, False) for one in items]


def _is_final(template: Template, sample: Sequence[SpooledPage]) -> bool:
    """Whether the template's wrapper must not be learned again from this sample."""
    has_emitted = template.has_articles and len(template.sample or ()) > 1
    return has_emitted or _keys(sample) == template.sample


def _keys(sample: Sequence[SpooledPage]) -> tuple[str, ...]:
    return tuple(page.key for page in sample)
