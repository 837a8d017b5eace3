"""From a page in the spool to a released one; real crawls are in ``tests/crawls``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from forest_scrapy.core import Entry, Page
from forest_scrapy.crawl import article_pipeline, release
from forest_scrapy.crawl.article_pipeline import ArticlePipeline
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.crawl.release import (
    place_fetched_pages,
    place_page,
    refuse_spooled,
    remaining_pages,
)
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import page_of_item, spool_page

from .helpers import article_page, counted, key_of, open_crawl, place


def remaining_keys(crawl: CrawlContext) -> list[str]:
    async def collect() -> list[str]:
        return [page.key async for page in remaining_pages(crawl)]

    return asyncio.run(collect())


def spool(crawl: CrawlContext, item: ArticlePage) -> None:
    assert crawl.spool.add(spool_page(item))


def test_pages_that_wait_are_released_at_close(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=10) as crawl:
        for number in range(release.BATCH + 2):
            place(crawl, number)
        assert sorted(remaining_keys(crawl)) == sorted(key_of(i) for i in range(10))


def test_pages_that_were_spooled_and_not_read_are_placed_first(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        spool(crawl, article_page(0))
        asyncio.run(place_fetched_pages(crawl))
        assert list(crawl.spool.fetched_keys(crawl.in_flight)) == []
        assert remaining_keys(crawl) == [key_of(0)]


def test_nothing_is_released_after_a_failure(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        place(crawl, 0)
        crawl.failure.report(OSError("the disk is full"))
        assert remaining_keys(crawl) == []


def test_a_page_that_cannot_be_read_harms_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_features = release.read_features

    async def fail_for_the_first(item: ArticlePage, *options: Any) -> object:
        if item.url.endswith("/0"):
            raise RuntimeError("no tree")
        return await read_features(item, *options)

    monkeypatch.setattr(release, "read_features", fail_for_the_first)
    with open_crawl(tmp_path) as crawl:
        spool(crawl, article_page(0))
        spool(crawl, article_page(1))
        assert remaining_keys(crawl) == [key_of(1)]
        assert crawl.spool.outcome(key_of(0)) == Outcome.error(RuntimeError("no tree")).detail


@pytest.mark.parametrize("has_entry", [True, False])
def test_a_refused_page_becomes_its_feed_entry(tmp_path: Path, has_entry: bool) -> None:
    with open_crawl(tmp_path) as crawl:
        item = article_page(0, has_entry=has_entry)
        spool(crawl, item)
        placement = refuse_spooled(crawl, item, spool_page(item), "too_slow")
        assert item.response.body == b""
        assert placement.is_described is has_entry
        assert (key_of(0) in crawl.in_flight) is has_entry
        assert crawl.spool.is_pending(key_of(0)) is has_entry
        assert counted(crawl, "refused") == {"too_slow": 1}
        assert (item.entry is not None) is isinstance(item.entry, Entry) is has_entry


async def extract_remaining(crawl: CrawlContext) -> None:
    pipeline = ArticlePipeline(crawl)
    async for page in remaining_pages(crawl):
        await pipeline.process_item(page)
        crawl.ledger.record(page.key, Outcome.article(page.method), page.url, page)


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_page_that_is_released_at_once_is_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_replaced: bool
) -> None:
    with open_crawl(tmp_path, pages=3) as crawl:
        for number in range(3):
            place(crawl, number)
        asyncio.run(extract_remaining(crawl))
        item = article_page(3)
        spooled = spool_page(item)
        assert crawl.spool.add(spooled)
        item.key = spooled.key
        item.url = spooled.url
        placement = asyncio.run(place_page(crawl, item, spooled))
        assert placement.template is not None
        item.template_key = placement.template.key

        if is_replaced:  # by a component of a project
            item.response = item.response.replace(body=article_page(4).response.body)
        parsed_items = []

        def parse(item: ArticlePage, feed_fields: bool) -> Page:
            parsed_items.append(item)
            return page_of_item(item, feed_fields)

        monkeypatch.setattr(article_pipeline, "page_of_item", parse)
        article = asyncio.run(ArticlePipeline(crawl).process_item(item))
        assert len(parsed_items) == int(is_replaced)
        assert f"Paragraph 0 of {4 if is_replaced else 3}" in article.text
        assert item.parsed is None
