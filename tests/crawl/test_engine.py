"""What a crawl asks of Scrapy's engine; the tests of crawls have real ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings

from forest_scrapy.crawl.engine import has_requests, is_open, takes_requests, wake


def crawler_with(scraper_slot: Any, slot: Any = None, **settings: Any) -> Crawler:
    crawler: Any = Crawler(Spider, Settings(settings))
    crawler.engine = SimpleNamespace(scraper=SimpleNamespace(slot=scraper_slot), _slot=slot)
    return crawler


@pytest.mark.parametrize(
    ("slot", "expected"),
    [
        (SimpleNamespace(closing=None), True),
        (SimpleNamespace(closing=object()), False),
        (None, False),
    ],
    ids=["open", "closing", "closed"],
)
def test_a_crawl_that_closes_takes_requests_for_its_next_run_only(
    slot: Any, expected: bool
) -> None:
    assert is_open(crawler_with(slot)) is expected
    assert takes_requests(crawler_with(slot)) is expected
    assert takes_requests(crawler_with(slot, JOBDIR="job"))


@pytest.mark.parametrize("pending", [True, False])
def test_the_queue_of_requests(pending: bool) -> None:
    scheduler = SimpleNamespace(has_pending_requests=lambda: pending)
    calls: list[int] = []
    nextcall = SimpleNamespace(schedule=lambda: calls.append(1))
    crawler = crawler_with(None, SimpleNamespace(scheduler=scheduler, nextcall=nextcall))
    assert has_requests(crawler) is pending
    wake(crawler)
    assert calls == [1]
