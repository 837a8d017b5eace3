"""The downloader middleware that has pages rendered (``FOREST_RENDER``), and its setup."""

import logging
from dataclasses import dataclass
from typing import Self

from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Request, Response
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

from forest_scrapy.core import Page
from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.page.rendered import is_shell, visible_characters
from forest_scrapy.core.page.urls import host_with_port
from forest_scrapy.rendering.browser import Browser, RenderFailed
from forest_scrapy.responses.conversion import page_of
from forest_scrapy.responses.downloads import AddressGuard, GuardedSpider
from forest_scrapy.responses.probe import needs_probe
from forest_scrapy.settings import BadSetting, read_settings

logger = logging.getLogger(__name__)

#: Pages of a template that are rendered to see whether that brings text.
MAX_TRIALS = 2
#: Characters of text that rendering must add to a page.
MIN_GAIN = 200
#: The middleware is the last to see a response: it has been decompressed, and redirects have been
#: followed.
_ORDER = 60
_REMEDY = (
    "run `playwright install chromium`, or name one: "
    'PLAYWRIGHT_LAUNCH_OPTIONS = {"executable_path": "/usr/bin/chromium"}'
)


@dataclass
class _Trials:
    """How many pages of a template were rendered, and how many of them gained text."""

    rendered: int = 0
    gained: int = 0

    @property
    def is_useless(self) -> bool:
        return self.rendered >= MAX_TRIALS and not self.gained


class RenderMiddleware:
    """Replaces the HTML of a page by what a browser shows.

    ``auto``: only of pages with scripts and next to no text, until two pages of a template have
    shown that rendering brings none.  ``always``: of all pages.  If no browser can be started, this
    is logged once, and pages stay as they are.
    """

    def __init__(
        self,
        crawler: Crawler,
        mode: str,
        browser: Browser,
    ) -> None:
        assert crawler.stats is not None
        self._mode = mode
        self._browser = browser
        self._stats = crawler.stats
        #: By template.
        self._trials: dict[tuple[str, str], _Trials] = {}
        self._has_browser = True

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = read_settings(crawler.settings)
        guard = AddressGuard(crawler, settings.allow_private)

        async def check_url(resolve: bool, url: str) -> None:
            if isinstance(crawler.spider, GuardedSpider):
                await guard.check_url(url, resolve)

        timeout = crawler.settings.getfloat("PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT", 30_000)
        browser = Browser(crawler, settings.max_bytes, timeout / 1000, check_url)
        return cls(crawler, settings.render, browser)

    async def process_response(self, request: Request, response: Response) -> Response:
        if not self._has_browser or not _may_be_rendered(request, response):
            return response
        page = page_of(response)
        if self._mode == "auto" and not is_shell(page):
            return response
        trials = self._trials.setdefault(_template_of(page), _Trials())
        if self._mode == "auto" and trials.is_useless:
            self._stats.inc_value("forest/render/skipped")
            return response
        return await self._render(request, response, page, trials)

    async def _render(
        self,
        request: Request,
        response: Response,
        page: Page,
        trials: _Trials,
    ) -> Response:
        """The rendered response; the one that was fetched if it cannot be rendered."""
        try:
            rendered = await self._browser.render(request)
        except RenderFailed as error:
            self._explain(request, error)
            self._record(host_with_port(request.url), trials, has_gained=False)
            return response
        has_gained = _gain(page, rendered) >= MIN_GAIN
        stat = "gained" if has_gained else "no_gain"
        self._stats.inc_value(f"forest/render/{stat}")
        self._record(host_with_port(request.url), trials, has_gained)
        encoding = getattr(rendered, "encoding", "utf-8")
        return response.replace(body=rendered.body, encoding=encoding)

    def _record(
        self,
        host: str,
        trials: _Trials,
        has_gained: bool,
    ) -> None:
        trials.rendered += 1
        trials.gained += has_gained
        if self._mode == "auto" and trials.rendered == MAX_TRIALS:
            result = "has no text in the HTML; its pages are rendered"
            if trials.is_useless:
                result = "has no text in a browser either; its other pages are not rendered"
            logger.info("%s: a template %s (two pages were tried)", host, result)

    def _explain(self, request: Request, error: Exception) -> None:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        if "BrowserType." not in reason:  # the method that starts the browser
            self._stats.inc_value("forest/render/failed")
            logger.warning("Page %s cannot be rendered: %s", request.url, reason)
        elif self._has_browser:
            self._has_browser = False
            logger.error("No browser can be started, so no page is rendered; %s", _REMEDY)
            logger.debug("The browser: %s", error)


def _may_be_rendered(request: Request, response: Response) -> bool:
    return (
        isinstance(response, HtmlResponse)
        and response.status == 200
        and request.method == "GET"
        and not request.meta.get("playwright")
        and not needs_probe(response)  # read by the probe later
    )


def _template_of(page: Page) -> tuple[str, str]:
    """The host, and a digest of the tags of the page: shells of one template have the same."""
    tags = " ".join(node.tag for node in page.outline.nodes)
    return host_with_port(page.url), hex_digest(tags)


def _gain(page: Page, rendered: Response) -> int:
    """The characters of visible text that rendering has added."""
    if needs_probe(rendered):
        return len(rendered.body)
    before = sum(visible_characters(page))
    after = sum(visible_characters(page_of(rendered)))
    return after - before


def add_browser(settings: BaseSettings) -> None:
    """Let scrapy-playwright's handler download; without ``meta["playwright"]`` it does what
    Scrapy's own does.  Raises ``BadSetting`` if the project has another handler."""
    handlers = settings["DOWNLOAD_HANDLERS"]
    for scheme in ("http", "https"):
        handler = handlers.get(scheme)
        if handler is None:
            handlers.set(scheme, ScrapyPlaywrightDownloadHandler, priority="addon")
        elif not issubclass(load_object(handler), ScrapyPlaywrightDownloadHandler):
            name = f"DOWNLOAD_HANDLERS[{scheme!r}]"
            raise BadSetting(name, handler, "scrapy-playwright's, for FOREST_RENDER")
    settings.setdefault_in_component_priority_dict(
        "DOWNLOADER_MIDDLEWARES", RenderMiddleware, _ORDER
    )
