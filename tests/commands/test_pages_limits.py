"""Limits on what commands fetch."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Request
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from forest_scrapy.commands.pages import Fetched, PageSpider, _collect_pages
from forest_scrapy.responses.downloads import DownloadGuard, RefusedUrl
from forest_scrapy.settings import read_settings

PAGE = "http://93.184.216.34/"


def _spider(urls: list[str], fetched: Fetched) -> tuple[Any, Any]:
    crawler = get_crawler(PageSpider)
    spider = crawler._create_spider(urls=urls, feed="", items=0, fetched=fetched)
    crawler.spider = spider
    return crawler, spider


@pytest.mark.parametrize("start", [PAGE, "http://127.0.0.1/"])
def test_a_redirect_to_a_private_host_is_refused_unless_the_user_names_one(start: str) -> None:
    crawler, _ = _spider([start], Fetched([]))
    guard = DownloadGuard.from_crawler(crawler)
    request = guard.process_request(Request("http://127.0.0.1/secret"))
    if start == PAGE:
        with pytest.raises(RefusedUrl, match="private_address"):
            asyncio.run(request)
    else:
        asyncio.run(request)


def test_the_guard_is_one_of_the_middlewares() -> None:
    settings = Settings()
    PageSpider.update_settings(settings)
    assert DownloadGuard in settings["DOWNLOADER_MIDDLEWARES"]


def test_a_page_that_unpacks_to_too_much_is_named() -> None:
    fetched = Fetched([])
    _, spider = _spider([PAGE], fetched)
    failure = Failure(IgnoreRequest("Ignored response: 2 bytes exceeded DOWNLOAD_MAXSIZE"))
    failure.request = Request(PAGE, cb_kwargs={"asked": PAGE})  # type: ignore[attr-defined]
    list(spider.failed(failure))
    assert fetched.errors == [f"{PAGE}: is larger than FOREST_MAX_BYTES"]


def test_a_page_that_takes_too_long_is_not_read() -> None:
    fetched = Fetched([])
    body = b"<p>a b " * 90_000
    fetched.responses[PAGE] = HtmlResponse(PAGE, body=body, encoding="utf-8")
    config = read_settings(Settings({"FOREST_PAGE_SECONDS": 0.01}))
    assert _collect_pages([PAGE], fetched, config) == []
    assert "takes too much time" in fetched.errors[0]
