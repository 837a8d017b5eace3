"""Crawl recorded pages on several days, without Scrapy's engine: wrappers and history are kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.statscollectors import MemoryStatsCollector

from benchmarks.sets.bench_set import BenchPage
from benchmarks.sets.offline import HeldReleaser
from forest_scrapy.crawl.article_pipeline import ArticlePipeline
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.middlewares import TemplateMiddleware
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.crawl.release import remaining_pages
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import HistoryStore, RulesStore, Spool


@dataclass(frozen=True)
class Day:
    """The articles of one day's crawl by their URL, and its ``forest/`` stats without that."""

    articles: dict[str, Article]
    stats: dict[str, int]

    def count(self, stat: str) -> int:
        """A stat, 0 if it was never counted."""
        return self.stats.get(stat, 0)


async def crawl_day(folder: Path, pages: Sequence[BenchPage], config: ForestSettings) -> Day:
    """Crawl these articles with the stores in ``folder``, which the days before have filled."""
    stats = MemoryStatsCollector(Crawler(Spider))
    crawl = CrawlContext.create(
        config,
        stats,
        Spool(str(folder / "spool.db"), temporary=True),
        RulesStore(str(folder / "wrappers.db"), config.fingerprint_kind),
        HistoryStore(str(folder / "history.db")),
    )
    with closing(crawl):
        articles = await _crawl(crawl, pages)
    named = stats.get_stats()
    return Day(articles, {name.removeprefix("forest/"): named[name] for name in named})


async def _crawl(crawl: CrawlContext, pages: Sequence[BenchPage]) -> dict[str, Article]:
    middleware = TemplateMiddleware(crawl, HeldReleaser(Crawler(Spider), crawl))
    pipeline = ArticlePipeline(crawl)
    articles: dict[str, Article] = {}
    for page in pages:
        item = ArticlePage(page.make_response(), page.entry, url=page.url)
        if await middleware.receive(item):
            await _process(crawl, pipeline, item, articles)
    async for item in remaining_pages(crawl):
        await _process(crawl, pipeline, item, articles)
    await crawl.learner.finish()
    return articles


async def _process(
    crawl: CrawlContext,
    pipeline: ArticlePipeline,
    item: ArticlePage,
    articles: dict[str, Article],
) -> None:
    """What the item processor does with a page."""
    try:
        articles[item.url] = await pipeline.process_item(item)
        outcome = Outcome.article(item.method)
    except DropItem as dropped:
        outcome = Outcome.dropped(getattr(dropped, "reason", "by_pipeline"))
    crawl.ledger.record(item.key, outcome, item.url)
    crawl.history.done(item, "article" if outcome.is_article else outcome.detail)
