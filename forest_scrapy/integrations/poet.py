"""scrapy-poet: page objects may ask for our article, and for the text of any page.

    SCRAPY_POET_PROVIDERS = {"forest_scrapy.integrations.poet.ArticleProvider": 500}

The package is optional: ``pip install 'forest-scrapy[poet]'``.
"""

from collections.abc import Callable, Sequence, Set
from datetime import UTC, datetime
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy_poet.injection import Injector
from scrapy_poet.page_input_providers import PageObjectInputProvider

from forest_scrapy.crawl.context import open_rules
from forest_scrapy.crawl.stored_templates import StoredTemplates
from forest_scrapy.items import Article, ArticlePage, WebPage
from forest_scrapy.responses.conversion import repair_encoding
from forest_scrapy.responses.probe import Probe
from forest_scrapy.settings import read_settings

#: What page objects may ask for, and the kind of page that gives it.
_KINDS: dict[Callable[..., Any], str] = {Article: "article", WebPage: "page"}


class ArticleProvider(PageObjectInputProvider):
    """Provides an ``Article`` at once, because a page object cannot wait until its template is
    learned: by the stored wrapper of the page's template, or from the single page if none is
    stored.  The page object asks for an article, whatever ``FOREST_KINDS`` says.  A page that
    cannot be read, or has no text, gives an article without text; a ``WebPage`` likewise."""

    provided_classes = {*_KINDS}  # noqa: RUF012 - as scrapy-poet declares it
    name = "forest_article"

    def __init__(self, injector: Injector) -> None:
        super().__init__(injector)  # type: ignore[no-untyped-call]
        settings = read_settings(injector.crawler.settings)
        self._store = open_rules(settings)
        self._probe = Probe(settings.page_seconds, settings.options)
        self._templates = {}
        for item_class, kind in _KINDS.items():
            templates = StoredTemplates(settings, self._store, self._probe, kind)
            self._templates[item_class] = templates
        injector.crawler.signals.connect(self._close, signal=signals.spider_closed)

    def _close(self) -> None:
        self._probe.close()
        self._store.close()

    async def __call__(
        self,
        to_provide: Set[Callable[..., Any]],
        response: Response,
        crawler: Crawler,
    ) -> Sequence[Any]:
        fetched_at = datetime.now(UTC).isoformat(timespec="seconds")
        assert crawler.stats is not None
        provided = []
        for item_class, templates in self._templates.items():
            if item_class not in to_provide:
                continue
            repaired_response = repair_encoding(response)
            page = ArticlePage.from_response(repaired_response)
            page.fetched_at = fetched_at

            extraction = await templates.extract(page)
            outcome = extraction.method if extraction.item else extraction.reason
            crawler.stats.inc_value(f"forest/poet/{outcome}")
            item = extraction.item or item_class(response.url, fetched_at=fetched_at)
            provided.append(item)
        return provided
