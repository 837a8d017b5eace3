"""Which pages are rendered, with a browser that answers at once."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Request, Response
from scrapy.settings import Settings
from scrapy.spiders import Spider
from scrapy.statscollectors import MemoryStatsCollector

from forest_scrapy.settings import BadSetting

pytest.importorskip("scrapy_playwright")

from forest_scrapy.rendering.browser import RenderFailed
from forest_scrapy.rendering.middleware import RenderMiddleware, add_browser

SHELL = "<html><body><div id=app></div><script src=/app.js></script></body></html>"
TEXT = "The owls sat in the old barn, and the boats lay in the harbour all day. " * 20
FULL = f"<html><body><article><p>{TEXT}</p></article></body></html>"


class FakeBrowser:
    """``answer``: the HTML that a page has in the browser, or why it cannot be rendered."""

    def __init__(self, answer: str | RenderFailed) -> None:
        self._answer, self.urls = answer, list[str]()

    async def render(self, request: Request) -> Response:
        self.urls.append(request.url)
        if isinstance(self._answer, RenderFailed):
            raise self._answer
        return HtmlResponse(request.url, body=self._answer, encoding="utf-8")


def serve(mode: str, browser: Any, bodies: list[str], **values: Any) -> tuple[list[str], Any]:
    """The HTML of the pages after the middleware, and the stats of the crawl."""
    crawler = Crawler(Spider)
    crawler.stats = MemoryStatsCollector(crawler)
    middleware = RenderMiddleware(crawler, mode, browser)
    texts = []
    for number, body in enumerate(bodies):
        url = f"http://a.example/{number}"
        response = HtmlResponse(url, body=body, encoding="utf-8", **values)
        done = asyncio.run(middleware.process_response(Request(url), response))
        assert isinstance(done, HtmlResponse)
        texts.append(done.text)
    assert crawler.stats is not None
    return texts, crawler.stats.get_stats()


def test_only_pages_without_text_are_rendered() -> None:
    browser = FakeBrowser(FULL)
    texts, stats = serve("auto", browser, [SHELL, FULL])
    assert (texts, browser.urls) == ([FULL, FULL], ["http://a.example/0"])
    assert stats == {"forest/render/gained": 1}


def test_all_pages_are_rendered() -> None:
    browser = FakeBrowser(FULL)
    serve("always", browser, [SHELL, FULL])
    assert len(browser.urls) == 2


def test_a_template_that_gains_nothing_is_given_up() -> None:
    browser = FakeBrowser(SHELL)
    texts, stats = serve("auto", browser, [SHELL] * 4)
    assert (texts, len(browser.urls)) == ([SHELL] * 4, 2)
    assert stats == {"forest/render/no_gain": 2, "forest/render/skipped": 2}


def test_a_page_that_cannot_be_rendered_stays() -> None:
    texts, stats = serve("auto", FakeBrowser(RenderFailed("too slow")), [SHELL])
    assert (texts, stats) == ([SHELL], {"forest/render/failed": 1})


def test_no_browser_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    browser = FakeBrowser(RenderFailed("BrowserType.launch: no such file"))
    with caplog.at_level(logging.ERROR):
        texts, _ = serve("always", browser, [SHELL] * 3)
    assert (texts, len(browser.urls), len(caplog.records)) == ([SHELL] * 3, 1, 1)
    assert "playwright install chromium" in caplog.text


def test_errors_are_not_rendered() -> None:
    browser = FakeBrowser(FULL)
    serve("always", browser, [SHELL], status=500)
    assert browser.urls == []


def test_setup() -> None:
    settings = Settings()
    add_browser(settings)
    assert settings["DOWNLOADER_MIDDLEWARES"][RenderMiddleware] == 60
    assert settings["DOWNLOAD_HANDLERS"]["https"].__name__ == "ScrapyPlaywrightDownloadHandler"


def test_another_handler_is_refused() -> None:
    handler = "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"
    settings = Settings({"DOWNLOAD_HANDLERS": {"http": handler}})
    with pytest.raises(BadSetting, match="FOREST_RENDER"):
        add_browser(settings)
