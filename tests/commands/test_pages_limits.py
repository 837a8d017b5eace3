"""Limits on what commands fetch."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from crawls.helpers import Server, rss, story
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Request
from scrapy.settings import Settings
from twisted.python.failure import Failure

from forest_scrapy.commands.pages import Fetched, PageSpider, _collect_pages, _read_feed_file
from forest_scrapy.responses.downloads import CodecMiddleware, DownloadGuard, RefusedUrl
from forest_scrapy.settings import read_settings
from tests.crawlers import make_crawler

from .conftest import Run

PAGE = "http://93.184.216.34/"


def _spider(urls: list[str], fetched: Fetched) -> tuple[Any, Any]:
    crawler = make_crawler(PageSpider)
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


@pytest.mark.parametrize("middleware", [DownloadGuard, CodecMiddleware])
def test_the_guards_of_crawls_are_among_the_middlewares(middleware: type) -> None:
    settings = Settings()
    PageSpider.update_settings(settings)
    assert middleware in settings["DOWNLOADER_MIDDLEWARES"]


def test_a_page_that_declares_a_codec_that_is_not_for_text_is_fetched(scrapy: Run) -> None:
    """Scrapy looks for a redirect in its text, which this codec refuses, and others take minutes
    for."""
    with Server() as server:
        server.add("/story", story(1), "text/html; charset=undefined")
        done = scrapy("explain", f"{server.url}/story", f"{server.url}/none")
    assert f"{server.url}/none: cannot be fetched: status 404" in done.err
    assert len(done.err.splitlines()) == 1
    assert "single, learned from 1 page" in done.out


@pytest.mark.slow
def test_a_feed_that_is_a_file_is_read_with_limits(tmp_path: Path) -> None:
    feed = tmp_path / "feed.xml"
    urls = [f"http://a.example/{'a' * 300}/{number}" for number in range(2_000)]
    feed.write_bytes(rss(urls))
    fetched = Fetched([])
    config = read_settings(Settings({"FOREST_PAGE_SECONDS": 0.01}))
    _read_feed_file(str(feed), fetched, config)
    assert fetched.items == []
    assert fetched.errors == [
        f"{feed.as_uri()}: takes more than 0.01 s (FOREST_PAGE_SECONDS) to read"
    ]


@pytest.mark.slow
def test_a_page_with_an_unusual_tree_is_read_with_limits() -> None:
    """Nothing in its bytes is unusual."""
    fetched = Fetched([])
    nested = "".join(f"<ol><li class=c{number}x>a" for number in range(400))
    fetched.responses[PAGE] = HtmlResponse(PAGE, body=nested.encode(), encoding="utf-8")
    config = read_settings(Settings({"FOREST_PAGE_SECONDS": 0.001}))
    assert _collect_pages([PAGE], fetched, config) == []
    assert "takes too much time" in fetched.errors[0]


def test_a_page_that_unpacks_to_too_much_is_named() -> None:
    fetched = Fetched([])
    _, spider = _spider([PAGE], fetched)
    failure = Failure(IgnoreRequest("Ignored response: 2 bytes exceeded DOWNLOAD_MAXSIZE"))
    failure.request = Request(PAGE, cb_kwargs={"asked": PAGE})  # type: ignore[attr-defined]
    list(spider.failed(failure))
    assert fetched.errors == [f"{PAGE}: is larger than FOREST_MAX_BYTES"]


@pytest.mark.slow
def test_a_page_that_takes_too_long_is_not_read() -> None:
    fetched = Fetched([])
    body = b"<p>a b " * 90_000
    fetched.responses[PAGE] = HtmlResponse(PAGE, body=body, encoding="utf-8")
    config = read_settings(Settings({"FOREST_PAGE_SECONDS": 0.01}))
    assert _collect_pages([PAGE], fetched, config) == []
    assert "takes too much time" in fetched.errors[0]


@pytest.mark.slow
def test_a_report_is_made_without_the_page_that_takes_too_long(run: Run, folder: Path) -> None:
    (folder / "attributes.html").write_text(f"<p {' '.join(f'a{i}' for i in range(60_000))}>a b")
    names = sorted(path.name for path in folder.glob("journal-*"))[:3]
    done = run("report", *names, "attributes.html", "-o", "out")
    assert done.status == 1
    reason = "takes too much time or memory to read (FOREST_PAGE_SECONDS)"
    assert done.err == f"scrapy forest report: attributes.html: {reason}\n"
    assert done.out.startswith("out/index.html: 3 pages, ")
