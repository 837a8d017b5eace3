"""Process recorded pages with the components of a crawl, without Scrapy's engine.

The template middleware groups them into templates, the releaser releases them, and the article
pipeline learns and applies wrappers; only fetching and exporting are missing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.statscollectors import MemoryStatsCollector

from benchmarks.sets.bench_set import BenchPage
from forest_scrapy.crawl.article_pipeline import ArticlePipeline
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.middlewares import TemplateMiddleware
from forest_scrapy.crawl.release import Releaser, remaining_pages
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import HistoryStore, RulesStore, Spool


class HeldReleaser(Releaser):
    """Releases nothing before all pages are in, since there is no scraper to release them to."""

    def start(self, flush: bool = False) -> None:
        pass


async def crawl_pages(pages: Iterable[BenchPage], config: ForestSettings) -> dict[str, Article]:
    """The articles of one site by their URL.  All pages are in before any is released, as in a
    crawl of few pages that goes idle."""
    articles = {}
    with _open_crawl(config) as crawl:
        pipeline = ArticlePipeline(crawl)
        async for item in _place(crawl, list(pages)):
            try:
                articles[item.url] = await pipeline.process_item(item)
            except DropItem:
                continue
    return articles


async def place_pages(
    pages: Iterable[BenchPage], config: ForestSettings
) -> list[tuple[str, list[ArticlePage]]]:
    """The pages that a crawl of one site releases as articles, by the key of their template
    (``""``: pages without a template)."""
    templates: dict[str, list[ArticlePage]] = {}
    with _open_crawl(config) as crawl:
        async for item in _place(crawl, list(pages)):
            templates.setdefault(item.template_key, []).append(item)
    return sorted(templates.items())


async def _place(crawl: CrawlContext, pages: Sequence[BenchPage]) -> AsyncIterator[ArticlePage]:
    """The pages that are released after all were received.

    Pages with a feed entry are articles.  If no page has one, those of kind article are, as if
    the user had named them.
    """
    middleware = TemplateMiddleware(crawl, HeldReleaser(Crawler(Spider), crawl))
    fed = any(page.entry for page in pages)
    for page in pages:
        await middleware.receive(_item(page, page.entry is not None if fed else page.is_article))
    async for item in remaining_pages(crawl):
        yield item


@contextmanager
def _open_crawl(config: ForestSettings) -> Iterator[CrawlContext]:
    with TemporaryDirectory() as folder:
        crawl = CrawlContext.create(
            config,
            MemoryStatsCollector(Crawler(Spider)),
            Spool(str(Path(folder, "spool.db"))),
            RulesStore(str(Path(folder, "wrappers.db")), config.fingerprint_kind),
            HistoryStore(str(Path(folder, "history.db"))),
        )
        with closing(crawl):
            yield crawl


def _item(page: BenchPage, is_article: bool) -> ArticlePage:
    return ArticlePage(page.make_response(), page.entry, is_article, url=page.url)
