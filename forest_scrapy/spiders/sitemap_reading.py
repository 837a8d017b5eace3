"""Requests for sitemaps and for their pages."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.utils.sitemap import sitemap_urls_from_robots
from twisted.python.failure import Failure

from forest_scrapy.feeds.feed_items import page_url
from forest_scrapy.feeds.sitemap import LARGEST, Sitemap, SitemapUrl, read_sitemap
from forest_scrapy.responses.background import to_thread
from forest_scrapy.responses.date_range import read_moments
from forest_scrapy.spiders.arguments import read_urls
from forest_scrapy.spiders.feed_reading import FeedReading

__all__ = ["SitemapReading"]

#: Indexes within indexes that are read, sitemaps, and pages of sitemaps: a site can list pages
#: without end.  ``-a max_pages`` can be larger.
_DEEPEST, _MOST_SITEMAPS, _MOST_PAGES = 3, 1_000, 100_000
#: Pages after which other work of the event loop is done.
_BATCH = 100


class SitemapReading(FeedReading):
    """Base of spiders that read sitemaps.

    - ``-a sitemap=URL[,URL...]``: crawl the pages of these sitemaps, newest first.  For the URL of
      a robots.txt, or of a page, these are the sitemaps that the site's robots.txt names.
    """

    def __init__(self, *args: Any, sitemap: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sitemaps = read_urls(sitemap)
        self._sitemaps_seen: set[str] = set()
        self._sitemap_pages = 0

    def sitemap_requests(self, urls: list[str], depth: int = 0) -> list[Request]:
        """Requests for sitemaps that were not requested before."""
        room = _MOST_SITEMAPS - len(self._sitemaps_seen)
        new = [url for url in dict.fromkeys(urls) if url not in self._sitemaps_seen][:room]
        self._sitemaps_seen.update(new)
        self.feeds_left += len(new)
        return [self._sitemap_request(url, depth) for url in new]

    def _sitemap_request(self, url: str, depth: int) -> Request:
        self.outstanding.add(url)
        # A robots.txt may always be fetched (RFC 9309).
        meta = {"download_maxsize": LARGEST, "dont_obey_robotstxt": _is_robots(url)}
        return Request(
            url,
            self.parse_sitemap,
            errback=self.sitemap_failed,
            cb_kwargs={"depth": depth},
            meta=meta,
            dont_filter=True,
        )

    async def parse_sitemap(self, response: Response, depth: int) -> AsyncIterator[Request]:
        """Requests for the pages of a sitemap, or for the sitemaps that an index, a robots.txt,
        or the robots.txt of the page's site names."""
        self.feeds_left -= 1
        if _is_robots(response.url):
            for request in self._robots_sitemaps(response):
                yield request
            return
        sitemap = await to_thread(read_sitemap, response.body, response.url)
        if sitemap.kind == "feed":
            self.feeds_left += 1
            async for request in self.parse_feed(response, is_linked=True):
                yield request
        elif not sitemap.kind and isinstance(response, HtmlResponse) and depth == 0:
            for request in self.sitemap_requests([urljoin(response.url, "/robots.txt")]):
                yield request
        else:
            self._report(response.url, sitemap)
            for request in self._child_requests(sitemap, depth):
                yield request
            async for request in self._page_requests(sitemap):
                yield request

    def sitemap_failed(self, failure: Failure) -> list[Request]:
        """Count a sitemap that could not be fetched; without a robots.txt, a request for the usual
        path."""
        self.feeds_left -= 1
        request: Request = failure.request  # type: ignore[attr-defined]
        self.outstanding.remove(request)
        url = request.url
        if _is_robots(url):
            return self.sitemap_requests([urljoin(url, "/sitemap.xml")], 1)
        self.count("forest/sitemaps/failed")
        self.logger.warning("Sitemap %s cannot be fetched: %s", url, failure.getErrorMessage())
        return []

    def _robots_sitemaps(self, response: Response) -> list[Request]:
        named = sitemap_urls_from_robots(response.body, response.url)
        urls = [url for one in named if (url := page_url(one, response.url))]
        self.logger.info("%s names %d sitemaps", response.url, len(urls))
        return self.sitemap_requests(urls or [urljoin(response.url, "/sitemap.xml")], 1)

    def _report(self, url: str, sitemap: Sitemap) -> None:
        if sitemap.kind:
            self.count("forest/sitemaps/read")
            self.count("forest/sitemaps/urls", len(sitemap.urls))
            self.logger.info("Sitemap %s: %d URLs", url, len(sitemap.urls))
        else:
            self.count("forest/sitemaps/unreadable")
            self.logger.warning("Sitemap %s: %s", url, sitemap.problem)

    def _child_requests(self, sitemap: Sitemap, depth: int) -> list[Request]:
        """Requests for the sitemaps of an index, the newest first, without those that have not
        changed since the date from which on articles are wanted."""
        if sitemap.kind != "index" or depth >= _DEEPEST:
            return []
        wanted = [one for one in sitemap.urls if self.scope.dates.check(one.modified) != "too_old"]
        self.count("forest/sitemaps/skipped", len(sitemap.urls) - len(wanted))
        urls = [one.url for one in sorted(wanted, key=_newest_first)]
        return self.sitemap_requests(urls, depth + 1)

    async def _page_requests(self, sitemap: Sitemap) -> AsyncIterator[Request]:
        if sitemap.kind != "pages":
            return
        most, steps = self.scope.max_pages or _MOST_PAGES, self.follow_steps(self.default_steps)
        pages = sorted(sitemap.urls, key=_newest_first)
        for i, one in enumerate(pages):
            if max(self._pages, self._sitemap_pages) >= most:
                self.count("forest/skipped/max_pages", len(pages) - i)
                return
            if self.scope.dates.check(one.modified) == "too_old":
                self.count("forest/skipped/too_old")
                continue
            for request in self.page_requests(one.url, one.entry, steps, lastmod=one.modified):
                self._sitemap_pages += 1
                yield request
            if i % _BATCH == _BATCH - 1:
                await sleep(0)


def _is_robots(url: str) -> bool:
    return urlsplit(url).path == "/robots.txt"


def _newest_first(one: SitemapUrl) -> float:
    """A key to sort by; without a date last."""
    published = one.entry.published if one.entry else ""
    moments = read_moments(published) or read_moments(one.modified)
    return -(moments[0] - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() if moments else 0.0
