"""Items by stored rules, for those who cannot wait until a template is learned: page objects and
``scrapy parse``."""

from __future__ import annotations

from forest_scrapy.core import Extraction, Page, Template, extract_page
from forest_scrapy.core.hosts import HostTemplates
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.core.templates.grouping import read_fingerprint
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import page_of, visit_of, was_fetched
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import RulesStore

__all__ = ["StoredTemplates"]


class StoredTemplates:
    """The templates in a store, which recognise pages."""

    def __init__(self, settings: ForestSettings, store: RulesStore) -> None:
        self._settings, self._store = settings, store
        self._hosts: dict[str, HostTemplates] = {}

    def extract(self, item: ArticlePage) -> Extraction:
        """What becomes of a page: by the stored rules of its template, or by itself if none are
        stored."""
        uses_entry = self._settings.feed_fields or not was_fetched(item)
        page = page_of(item.response, item.entry, uses_entry)
        template = self._recognise(page)
        rules = template.rules if template else None
        return extract_page(page, rules, self._settings.options, visit_of(item, template))

    def _recognise(self, page: Page) -> Template | None:
        """The stored template of the page; None if there is none."""
        host = host_of(page.url)
        if host not in self._hosts:
            stored = self._store.load(host)
            self._hosts[host] = HostTemplates(host, self._settings.options, stored)
        known = self._hosts[host]
        if not known.templates:
            return None
        fingerprint = read_fingerprint(page, self._settings.distance)
        known.grouping.add(fingerprint)  # more pages show better which of them share a template
        return known.recognise(fingerprint)
