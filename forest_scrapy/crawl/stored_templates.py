"""The templates that earlier crawls have stored, for whoever cannot wait until one is learned."""

from dataclasses import replace

from forest_scrapy.core import Extraction, Page, Refusal, Template, extract_page
from forest_scrapy.core.hosts import HostTemplates
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.background import is_large, run
from forest_scrapy.responses.conversion import page_of, refuse_page, visit_of, was_fetched
from forest_scrapy.responses.probe import Probe
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import RulesStore


class StoredTemplates:
    """The templates in a store, for those who cannot wait until a template is learned: page objects
    ``scrapy parse`` and ``scrapy shell``."""

    def __init__(
        self, settings: ForestSettings, store: RulesStore | None, probe: Probe | None = None
    ) -> None:
        """``store``: None if there is none; ``probe``: None if a slow page may be waited for."""
        self._settings = settings
        self._store = store
        self._probe = probe
        self._hosts: dict[str, HostTemplates] = {}

    async def extract(self, item: ArticlePage) -> Extraction:
        """What becomes of a page: by the stored rules of its template, or by itself if none are
        stored."""
        refused = refuse_page(item.response, self._settings.max_bytes)
        if not refused and self._probe and not await self._probe.admits(item.response):
            refused = "too_slow"
        return await run(is_large(item.response), self._extract_or_refuse, item, refused)

    def extract_at_once(self, item: ArticlePage) -> Extraction:
        """As ``extract``, in this thread."""
        return self._extract_or_refuse(item, refuse_page(item.response, self._settings.max_bytes))

    def _extract_or_refuse(self, item: ArticlePage, refused: str | None) -> Extraction:
        if refused:
            item.response = item.response.replace(body=b"")  # its feed entry may describe it
        extraction = self._extract(item)
        if refused and extraction.item is None:
            return replace(extraction, outcome=Refusal(refused))
        return extraction

    def _extract(self, item: ArticlePage) -> Extraction:
        uses_entry = self._settings.feed_fields or not was_fetched(item)
        page = page_of(item.response, item.entry, uses_entry)
        template = self._recognise(page)
        rules = template.rules if template else None
        return extract_page(page, rules, self._settings.options, visit_of(item, template))

    def _recognise(self, page: Page) -> Template | None:
        """The stored template of the page; None if there is none."""
        host = host_of(page.url)
        if host not in self._hosts:
            stored = self._store.load(host) if self._store else []
            self._hosts[host] = HostTemplates(host, self._settings.options, stored)
        # More pages show better which of them share a template.
        return self._hosts[host].recognise_page(page, counts=True)
