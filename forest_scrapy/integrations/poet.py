"""scrapy-poet: page objects may ask for our article.

    SCRAPY_POET_PROVIDERS = {"forest_scrapy.integrations.poet.ArticleProvider": 500}

The package is optional: ``pip install forest-scrapy[poet]``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from datetime import UTC, datetime
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy_poet.injection import Injector
from scrapy_poet.page_input_providers import PageObjectInputProvider

from forest_scrapy.core import Page, Wrapper, extract
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.crawl.articles import make_article
from forest_scrapy.crawl.comments import find_comments
from forest_scrapy.crawl.context import open_wrappers
from forest_scrapy.crawl.templates.recognition import HostTemplates, fingerprint_of
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.responses.conversion import page_of, refuse_page, repair_encoding
from forest_scrapy.settings import read_settings

__all__ = ["ArticleProvider"]


class ArticleProvider(PageObjectInputProvider):
    """Provides an ``Article`` at once, because a page object cannot wait until its template is
    learned: by the stored wrapper of the page's template, or from the single page if none is
    stored.  A page that cannot be read, or is not an article, gives an article without text."""

    provided_classes = {Article}  # noqa: RUF012 - as scrapy-poet declares it
    name = "forest_article"

    def __init__(self, injector: Injector) -> None:
        super().__init__(injector)  # type: ignore[no-untyped-call]
        self._settings = read_settings(injector.crawler.settings)
        self._store = open_wrappers(self._settings)
        self._hosts: dict[str, HostTemplates] = {}
        injector.crawler.signals.connect(self._close, signal=signals.spider_closed)

    def _close(self) -> None:
        self._store.close()

    def __call__(
        self, to_provide: Set[Callable[..., Any]], response: Response, crawler: Crawler
    ) -> Sequence[Article]:
        fetched_at = datetime.now(UTC).isoformat(timespec="seconds")
        if refuse_page(response, self._settings.max_bytes):
            return [Article(response.url, fetched_at=fetched_at)]
        item = ArticlePage.from_response(repair_encoding(response))
        item.fetched_at = fetched_at
        page = page_of(item.response)
        template = self._recognise(page)
        stored = (template.wrapper if template else None) or Wrapper("none")
        wrapper, found = extract(page, stored, self._settings.params)
        assert crawler.stats is not None
        crawler.stats.inc_value(f"forest/poet/{wrapper.method if found.text else 'no_content'}")
        found = found.with_captions(self._settings.captions)
        template_id = template.id if template and wrapper is stored else ""
        article = make_article(item, page, template_id, wrapper, found, stored.fields)
        if self._settings.comments:
            article.comments = find_comments(page, template, found)
        return [article]

    def _recognise(self, page: Page) -> Template | None:
        """The stored template of the page; None if there is none."""
        host = host_of(page.url)
        if host not in self._hosts:
            self._hosts[host] = HostTemplates(host, self._settings, self._store.load(host))
        known = self._hosts[host]
        if not known.templates:
            return None
        fingerprint = fingerprint_of(page, self._settings.distance)
        known.add(fingerprint)  # more pages show better which of them share a template
        return known.recognise(fingerprint)
