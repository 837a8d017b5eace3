"""A crawl without Scrapy's engine: recorded pages through the very components of a crawl.

The template middleware places them, the releaser lets them go, the article pipeline learns
and applies; only fetching and exporting are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse, Request
from scrapy.statscollectors import MemoryStatsCollector

from benchmarks.bench_set import BenchPage
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.middlewares import TemplateMiddleware
from forest_scrapy.pipelines.article_pipeline import ArticlePipeline
from forest_scrapy.runtime.context import CrawlContext
from forest_scrapy.runtime.release import Releaser, remaining_pages
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import Spool, WrapperStore

__all__ = ["crawl_pages", "place_pages"]


class HeldReleaser(Releaser):
    """Lets nothing go before all pages are in: there is no scraper to hand them to."""

    def start(self, flush: bool = False) -> None:
        pass


async def crawl_pages(pages: Iterable[BenchPage], config: ForestSettings) -> dict[str, Article]:
    """The articles of one site's pages, by the pages' URL; all pages are in before any is
    released, as at the idle of a crawl of few pages.
    """
    articles = {}
    with _open_crawl(config) as crawl:
        pipeline = ArticlePipeline(crawl)
        for item in await _place(crawl, list(pages)):
            try:
                articles[item.url] = await pipeline.process_item(item)
            except DropItem:
                continue
    return articles


async def place_pages(
    pages: Iterable[BenchPage], config: ForestSettings
) -> list[tuple[str, list[ArticlePage]]]:
    """The pages that a crawl of one site lets go, by the name of their template (``""``: pages
    without one); those that it takes for no articles are left out."""
    templates: dict[str, list[ArticlePage]] = {}
    with _open_crawl(config) as crawl:
        for item in await _place(crawl, list(pages)):
            templates.setdefault(item.template_key, []).append(item)
    return sorted(templates.items())


async def _place(crawl: CrawlContext, pages: Sequence[BenchPage]) -> Iterator[ArticlePage]:
    """Hand all pages in; those that are let go.

    Pages with a feed entry are articles; where no page has one, those of kind article are, as
    if the user had named them.
    """
    middleware = TemplateMiddleware(crawl, HeldReleaser(Crawler(Spider), crawl))
    fed = any(page.entry for page in pages)
    for page in pages:
        await middleware.receive(_item(page, page.entry is not None if fed else page.is_article))
    return remaining_pages(crawl)


@contextmanager
def _open_crawl(config: ForestSettings) -> Iterator[CrawlContext]:
    with TemporaryDirectory() as folder:
        crawl = CrawlContext.create(
            config,
            MemoryStatsCollector(Crawler(Spider)),
            Spool(str(Path(folder, "spool.db"))),
            WrapperStore(str(Path(folder, "wrappers.db")), config.distance),
        )
        with closing(crawl):
            yield crawl


def _item(page: BenchPage, is_article: bool) -> ArticlePage:
    response = HtmlResponse(
        page.url,
        body=page.html,
        headers={"Content-Type": "text/html"},
        request=Request(page.url),
    )
    return ArticlePage(response, page.entry, is_article, url=page.url)
