"""scrapy-poet: page objects may ask for our article.

    SCRAPY_POET_PROVIDERS = {"forest_scrapy.integrations.poet.ArticleProvider": 500}

The package is optional: ``pip install forest-scrapy[poet]``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy_poet.injection import Injector
from scrapy_poet.page_input_providers import PageObjectInputProvider

from forest_scrapy.core import Page, Wrapper, extract
from forest_scrapy.core.clustering.fingerprints import shared_distance
from forest_scrapy.core.clustering.tag_paths import DISTANCES
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.pipelines.article_pipeline import make_article
from forest_scrapy.runtime.context import open_wrappers
from forest_scrapy.runtime.responses import page_of, refuse_page, repair_encoding
from forest_scrapy.settings import read_settings
from forest_scrapy.stores import StoredWrapper

__all__ = ["ArticleProvider"]

#: A page is of the template of the stored page that is nearest to it, and no farther than this.
_FARTHEST = 0.5


class ArticleProvider(PageObjectInputProvider):
    """Gives an ``Article`` at once, for the page object cannot wait for the page's template: by
    the stored wrapper whose pages are nearest to this one, else by the page alone.  A page that
    cannot be read, or has no article, gives one without text."""

    provided_classes = {Article}  # noqa: RUF012 - as scrapy-poet declares it
    name = "forest_article"

    def __init__(self, injector: Injector) -> None:
        super().__init__(injector)  # type: ignore[no-untyped-call]
        self._config = read_settings(injector.crawler.settings)
        self._store = open_wrappers(self._config)
        self._known: dict[str, list[StoredWrapper]] = {}
        injector.crawler.signals.connect(self._close, signal=signals.spider_closed)

    def _close(self) -> None:
        self._store.close()

    def __call__(
        self, to_provide: Set[Callable[..., Any]], response: Response, crawler: Crawler
    ) -> Sequence[Article]:
        fetched_at = datetime.now(UTC).isoformat(timespec="seconds")
        if refuse_page(response, self._config.max_bytes):
            return [Article(response.url, fetched_at=fetched_at)]
        item = ArticlePage.from_response(repair_encoding(response))
        item.fetched_at = fetched_at
        page = page_of(item.response)
        template, known = self._recognise(page)
        wrapper, found = extract(page, known, self._config.params)
        assert crawler.stats is not None
        crawler.stats.inc_value(f"forest/poet/{wrapper.method if found.text else 'no_content'}")
        name = template if wrapper is known else ""
        return [make_article(item, page, name, wrapper, found, known.fields)]

    def _recognise(self, page: Page) -> tuple[str, Wrapper]:
        """The stored template that the page is nearest to, by id if several are, and its wrapper;
        one that finds nothing, where none is near."""
        host = (urlsplit(page.url).hostname or "").lower()
        if host not in self._known:
            self._known[host] = self._store.load(host)
        own = frozenset(DISTANCES[self._config.distance](page.outline))
        near = [
            (shared_distance(own, other.features), stored.template, stored.wrapper)
            for stored in self._known[host]
            for other in stored.fingerprints
        ]
        distance, template, wrapper = min(near, key=lambda one: one[:2], default=(1.0, "", None))
        if wrapper is None or distance > max(_FARTHEST, wrapper.evidence.cut):
            return "", Wrapper("none")
        return template, wrapper
