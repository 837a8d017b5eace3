"""A crawl without Scrapy's engine: its stores are files in a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse
from scrapy.statscollectors import MemoryStatsCollector

from forest_scrapy.core import Entry
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.templates import PageFeatures, Placement, read_features
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import spool_page
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import HistoryStore, PageRecord, RulesStore, Spool
from tests.crawls.helpers import story, story_title

HOST = "a.example"


@contextmanager
def open_crawl(folder: Path, **settings: Any) -> Iterator[CrawlContext]:
    """The context of a crawl; a second one in the same folder resumes the first."""
    forest_settings = ForestSettings(**settings)
    crawl = CrawlContext.create(
        forest_settings,
        MemoryStatsCollector(Crawler(Spider)),
        Spool(str(folder / "spool.db")),
        RulesStore(str(folder / "wrappers.db"), forest_settings.distance),
        HistoryStore(str(folder / "history.db")),
    )
    with closing(crawl):
        take(crawl.templates.recall())
        yield crawl


def url_of(number: int, template: str = "plain") -> str:
    return f"http://{HOST}/{template}/{number}"


def key_of(number: int, template: str = "plain") -> str:
    return page_key(url_of(number, template))


def article_page(number: int, template: str = "plain", has_entry: bool = True) -> ArticlePage:
    """A page of one of the two templates; without a feed entry it may be an article."""
    body = story(number, template) if template in ("plain", "fancy") else listing(number)
    entry = Entry(story_title(number), "A description") if has_entry else None
    response = HtmlResponse(url_of(number, template), body=body, encoding="utf-8")
    page = ArticlePage.from_response(response, entry)
    page.is_article = has_entry
    return page


def listing(number: int) -> str:
    rows = "".join(
        f"<li class='teaser'><h3><a href='/plain/{i}'>Story {i} of {number}</a></h3></li>"
        for i in range(9)
    )
    return f"<html><body><div class='list'><h2>All stories</h2><ul>{rows}</ul></div></body></html>"


def place(
    crawl: CrawlContext,
    number: int,
    template: str = "plain",
    has_entry: bool = True,
    known: PageRecord | None = None,
) -> Placement:
    """Spool a page and place it, as the middleware does."""
    item = article_page(number, template, has_entry)
    page = spool_page(item)
    assert crawl.spool.add(page)
    features = features_of(item, crawl.settings.distance)
    placement = crawl.templates.place(page, features, known)
    take(crawl.templates.choose_due())
    return placement


def features_of(item: ArticlePage, distance: str = "typed") -> PageFeatures:
    return asyncio.run(read_features(item, distance))


def flush(crawl: CrawlContext, host: str = HOST) -> None:
    take(crawl.templates.flush_steps(host))


def take(steps: Iterable[None]) -> None:
    """Take all steps at once."""
    for _ in steps:
        pass


def ready(crawl: CrawlContext) -> set[str]:
    """The keys of the pages that are ready."""
    return set(crawl.spool.ready_keys(1000))


def counted(crawl: CrawlContext, stage: str) -> dict[str, int]:
    """The stats under ``forest/<stage>/``."""
    start = f"forest/{stage}/"
    stats = crawl.stats.get_stats()
    return {name[len(start) :]: n for name, n in stats.items() if name.startswith(start)}
