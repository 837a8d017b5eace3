"""The templates that earlier crawls have stored, for whoever cannot wait until one is learned."""

from dataclasses import replace

from forest_scrapy.core import Extraction, Page, Refusal, Template, extract_page
from forest_scrapy.core.hosts import HostTemplates
from forest_scrapy.core.page.urls import host_with_port
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.background import is_large, run
from forest_scrapy.responses.conversion import page_of_item, refuse_page, visit_of
from forest_scrapy.responses.probe import Probe
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import RulesStore


class StoredTemplates:
    """The templates in a store, for those who cannot wait until a template is learned: page
    objects, ``scrapy parse`` and ``scrapy shell``."""

    def __init__(
        self,
        settings: ForestSettings,
        store: RulesStore | None,
        probe: Probe | None = None,
        kind: str = "",
    ) -> None:
        """``store``: None if there is none; ``probe``: None if a slow page may be waited for;
        ``kind``: the only kind of items wanted, by the templates of crawls for all those of the
        settings; ``""``: the kinds of the settings."""
        self._settings = settings
        self._options = settings.options
        self._kind = kind
        self._store = store
        self._probe = probe
        self._hosts: dict[str, HostTemplates] = {}

    async def extract(self, item: ArticlePage) -> Extraction:
        """The item of a page, or why it has none: by the stored rules of its template, or by itself
        if none are stored."""
        response = item.response
        max_bytes = self._settings.max_bytes
        reason = refuse_page(response, max_bytes)
        if not reason and self._probe:
            is_fast = await self._probe.admits(response)
            if not is_fast:
                reason = "too_slow"

        in_background = is_large(response)
        return await run(in_background, self._extract_or_refuse, item, reason)

    def extract_at_once(self, item: ArticlePage) -> Extraction:
        """As ``extract``, in this thread."""
        max_bytes = self._settings.max_bytes
        reason = refuse_page(item.response, max_bytes)
        return self._extract_or_refuse(item, reason)

    def _extract_or_refuse(self, item: ArticlePage, reason: str | None) -> Extraction:
        """``reason``: why the page is refused; None if it is not."""
        if not reason:
            return self._extract(item)
        # Its feed entry may describe it.
        empty_response = item.response.replace(body=b"")
        item.response = empty_response
        extraction = self._extract(item)
        if extraction.item is not None:
            return extraction
        refusal = Refusal(reason)
        return replace(extraction, outcome=refusal)

    def _extract(self, item: ArticlePage) -> Extraction:
        page = page_of_item(item, self._settings.feed_fields)
        template = self._recognise(page)
        rules = None
        if template:
            rules = template.rules
        visit = visit_of(item, template)
        options = self._options
        if self._kind:
            options = replace(options, kinds=(self._kind,))
        return extract_page(page, rules, options, visit)

    def _recognise(self, page: Page) -> Template | None:
        """The stored template of the page; None if there is none."""
        host = host_with_port(page.url)
        if host not in self._hosts:
            self._hosts[host] = self._load(host)
        templates = self._hosts[host]
        # More pages show better which of them share a template.
        template = templates.recognise_page(page, counts=True)
        if template and self._kind:
            is_of_another_kind = template.is_of_threads or template.is_of_records
            return None if is_of_another_kind else template
        return template

    def _load(self, host: str) -> HostTemplates:
        """The templates that are stored for a host; none without a store."""
        stored_templates: list[Template] = []
        if self._store:
            stored_templates = self._store.load(host)
        return HostTemplates(host, self._options, stored_templates)
