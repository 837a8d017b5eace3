"""Requests for the further pages of articles of a project's own spider; real crawls are in
``tests/crawls/test_article_pages.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scrapy import Request, Spider

from forest_scrapy.crawl import further_pages
from forest_scrapy.crawl.further_pages import FurtherPages, follow_pages_of
from forest_scrapy.responses.notes import PageNotes
from tests.crawlers import make_crawler

from .helpers import open_crawl, url_of


def crawler_of(follows_pages: bool = True, **settings: Any) -> Any:
    class Own(Spider):
        name = "own"

    crawler = make_crawler(Own, settings)
    crawler.spider = crawler._create_spider()
    crawler.spider.follows_pages = follows_pages  # type: ignore[attr-defined]
    return crawler


@pytest.mark.crawl  # a crawler needs a reactor
def test_a_spider_can_refuse_further_pages(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        assert follow_pages_of(crawler_of(follows_pages=False), crawl) is None
        assert follow_pages_of(crawler_of(), crawl) is not None


@pytest.mark.crawl  # a crawler needs a reactor
def test_further_pages_are_requested_down_to_the_depth_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[Request] = []
    monkeypatch.setattr(further_pages, "takes_requests", lambda crawler: True)
    monkeypatch.setattr(further_pages, "send_request", lambda _, request: requests.append(request))
    with open_crawl(tmp_path) as crawl:
        follow = FurtherPages(crawler_of(DEPTH_LIMIT=2), crawl).follow
        assert follow(url_of(1), PageNotes(number=2, depth=2))
        assert not follow(url_of(2), PageNotes(number=3, depth=3))
    assert [(request.url, request.meta["depth"]) for request in requests] == [(url_of(1), 2)]
