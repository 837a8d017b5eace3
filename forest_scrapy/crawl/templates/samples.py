"""The pages that a crawl learns its templates from, also those that earlier crawls have kept."""

from __future__ import annotations

from scrapy.statscollectors import StatsCollector

from forest_scrapy.crawl.templates.table import TemplateTable
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import Spool, SpooledPage, WrapperStore

__all__ = ["Samples"]


class Samples:
    """The pages to learn from.

    With ``only_new`` a crawl sees each page once, so that a new layout whose articles come one a
    day would never have two pages to learn from: the pages of a template without a stored wrapper,
    and those that a stored wrapper does not fit, are kept for the next crawls.
    """

    def __init__(
        self,
        settings: ForestSettings,
        spool: Spool,
        wrappers: WrapperStore,
        templates: TemplateTable,
        stats: StatsCollector,
    ) -> None:
        self._settings, self._spool, self._stats = settings, spool, stats
        self._kept, self._templates = wrappers.kept_pages, templates

    def of(self, template: Template) -> list[SpooledPage]:
        """The pages to learn a template from: those of this crawl, then kept ones."""
        return self._fill(template.key, template)

    def misfits(self, template: Template) -> list[SpooledPage]:
        """The pages that the wrapper of a template does not fit, to learn it again from."""
        return self._fill(template.misfits_key, template)

    def keep(self, template: Template) -> None:
        """Keep the pages of a template for the next crawls if it has no stored wrapper, or one
        that does not fit; else delete those that are kept.  For the end of a crawl."""
        if not self._settings.only_new:
            return
        if (template.is_stored and not template.fit.misfits) or template.is_learned:
            self._kept.delete(template.host, [page.key for page in self._kept_of(template)])
        elif pages := self.misfits(template) if template.is_stored else self.of(template):
            table = self._spool.fingerprints
            found = ((table.find(page.host, page.fingerprint), page) for page in pages)
            self._kept.keep((fingerprint, page) for fingerprint, page in found if fingerprint)
            self._stats.inc_value("forest/templates/pages_kept", len(pages))

    def _fill(self, key: str, template: Template) -> list[SpooledPage]:
        found = self._spool.sample(key, self._settings.pages)
        room = self._settings.pages - len(found)
        if not self._settings.only_new or not found or not room:
            return found
        keys = {page.key for page in found}
        kept = [page for page in self._kept_of(template) if page.key not in keys]
        return found + kept[-room:]

    def _kept_of(self, template: Template) -> list[SpooledPage]:
        host = self._templates.host(template.host)
        kept = self._kept.load(template.host)
        return [page for found, page in kept if host.recognise(found) is template]
