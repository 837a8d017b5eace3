"""Rendering one page in a browser, through scrapy-playwright."""

import asyncio
import logging
from base64 import b64decode
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Request, Response
from scrapy_playwright.page import PageMethod

from forest_scrapy.core import ForestError
from forest_scrapy.core.page.rendered import STYLE_ATTRIBUTE
from forest_scrapy.core.page.urls import site_of
from forest_scrapy.responses.downloads import RefusedUrl

logger = logging.getLogger(__name__)

_LAYOUT = Path(__file__).with_name("layout.js").read_text(encoding="utf-8")
#: A page is complete when its text has not grown for so many seconds, or after so many in all.
SECONDS_WITHOUT_GROWTH = 0.5
MAX_SECONDS = 8.0
#: Seconds that a page may take to close.
MAX_CLOSING_SECONDS = 8.0
#: Seconds between two looks at the text.
POLL_INTERVAL = 0.1
_TEXT_LENGTH = "document.body ? document.body.innerText.length : 0"
#: The types of what is needed neither for the text nor for the layout.
_NOT_LOADED = frozenset(("image", "media", "font", "websocket", "eventsource", "manifest"))
_CONTEXT: dict[str, Any] = {"service_workers": "block", "accept_downloads": False}

#: A page is rendered once, and never from a cache.
_NO_MIDDLEWARE = {
    "dont_cache": True,
    "dont_retry": True,
    "dont_redirect": True,
    "handle_httpstatus_all": True,
}

_CheckUrl = Callable[[bool, str], Awaitable[None]]


class RenderFailed(ForestError):
    """The page could not be rendered; the message says why."""


class Browser:
    """Renders pages.  A page is closed after ``seconds``; ``check_url``, called with whether to
    resolve names and a URL, raises ``RefusedUrl`` for what scripts must not request."""

    def __init__(
        self,
        crawler: Crawler,
        max_bytes: int,
        seconds: float,
        check_url: _CheckUrl,
    ) -> None:
        self._crawler = crawler
        self._max_bytes = max_bytes
        self._seconds = seconds
        self._check_url = check_url

    async def render(self, request: Request) -> Response:
        """The page as the browser shows it, with the styles of its elements.

        It passes the downloader middlewares and the slot of its site, as any request, and the
        browser uses the same proxy.  Raises ``RenderFailed``, with the reason that they or the
        browser give.
        """
        assert self._crawler.engine is not None
        proxy = request.meta.get("proxy") or ""
        check_url = partial(self._check_url, not proxy)
        visit = _Visit(check_url, self._max_bytes, self._seconds)
        meta = {
            "playwright": True,
            "playwright_context": f"forest-scrapy {proxy}".strip(),
            "playwright_context_kwargs": _CONTEXT | _proxy_of(request, proxy),
            "playwright_page_init_callback": visit.start,
            "playwright_page_methods": [PageMethod(visit.read)],
            "playwright_page_goto_kwargs": {"wait_until": "domcontentloaded"},
            **_NO_MIDDLEWARE,
        }
        browser_request = Request(request.url, dont_filter=True, meta=meta)
        download = self._crawler.engine.download_async(browser_request)
        visit.download = asyncio.ensure_future(download)
        try:
            rendered = await visit.download
        except asyncio.CancelledError:
            if not visit.problem:  # this task is cancelled, not the download
                raise
            raise RenderFailed(visit.problem) from None
        except Exception as error:
            raise RenderFailed(visit.problem or str(error) or type(error).__name__) from error
        if visit.problem:
            raise RenderFailed(visit.problem)
        if rendered.status != 200 or not isinstance(rendered, HtmlResponse):
            raise RenderFailed(f"the browser got a response with status {rendered.status}")
        if site_of(rendered.url) != site_of(request.url):
            raise RenderFailed(f"its script leads to {rendered.url}")
        return rendered


class _Visit:
    """One page in the browser, until it is closed."""

    def __init__(
        self,
        check_url: Callable[[str], Awaitable[None]],
        max_bytes: int,
        seconds: float,
    ) -> None:
        self._check_url = check_url
        self._max_bytes = max_bytes
        self._seconds = seconds
        self._watch: asyncio.Task[None] | None = None
        self.download: asyncio.Future[Any] | None = None
        self.problem = ""

    async def start(self, page: Any, request: Request) -> None:
        """Called for the new page, and again if scrapy-playwright tries again because the page was
        closed."""
        if self.problem:
            await page.close()
            return
        await page.route("**/*", self._filter)
        await page.route_web_socket("**/*", _refuse)
        self._watch = asyncio.create_task(self._close_late(page))
        page.on("close", lambda _: self._stop())
        page.on("popup", _close)

    async def read(self, page: Any) -> None:
        """Wait for the text, and write the styles of the elements into the page."""
        length = -1
        seconds_without_growth = 0.0
        seconds = 0.0
        while length <= self._max_bytes and seconds < MAX_SECONDS:
            await asyncio.sleep(POLL_INTERVAL)
            seconds += POLL_INTERVAL
            previous_length = length
            length = await page.evaluate(_TEXT_LENGTH)
            if length == previous_length:
                seconds_without_growth += POLL_INTERVAL
            else:
                seconds_without_growth = 0.0
            if seconds_without_growth >= SECONDS_WITHOUT_GROWTH:
                break

        length_with_styles = await page.evaluate(_LAYOUT, STYLE_ATTRIBUTE)
        if max(length, length_with_styles) > self._max_bytes:
            self.problem = f"it has more than {self._max_bytes} bytes (FOREST_MAX_BYTES)"
            await page.close()

    async def _filter(self, route: Any) -> None:
        if await self._is_refused(route.request):
            await route.abort()
        else:
            await route.fallback()  # to scrapy-playwright, which adds the headers

    async def _is_refused(self, request: Any) -> bool:
        if request.resource_type in _NOT_LOADED:
            return True
        if request.url.startswith(("data:", "blob:")):
            return False
        try:
            await self._check_url(request.url)
        except RefusedUrl as error:
            logger.debug("Not requested by the browser: %s", error)
            return True
        return False

    async def _close_late(self, page: Any) -> None:
        await asyncio.sleep(self._seconds)
        self.problem = (
            f"it was not ready within {self._seconds:g} s (PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT)"
        )
        try:
            await asyncio.wait_for(page.close(), MAX_CLOSING_SECONDS)
        except TimeoutError:  # Chromium may not close a page that reloads itself all the time
            if self.download is not None:
                self.download.cancel()

    def _stop(self) -> None:
        if self._watch and self._watch is not asyncio.current_task():
            self._watch.cancel()


def _proxy_of(request: Request, proxy: str) -> dict[str, Any]:
    """The browser's setting for the proxy of a request, with its user and password."""
    if not proxy:
        return {}
    values = {"server": proxy}
    header = request.headers.get("Proxy-Authorization") or b""
    scheme, _, encoded = header.partition(b" ")
    if scheme == b"Basic":
        user, _, password = b64decode(encoded).decode().partition(":")
        values["username"] = unquote(user)
        values["password"] = unquote(password)
    return {"proxy": values}


async def _close(page: Any) -> None:
    await page.close()


async def _refuse(socket: Any) -> None:
    await socket.close()
