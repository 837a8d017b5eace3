"""Requests for feeds and sitemaps, and for the pages that these list."""

from asyncio import sleep
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.http import HtmlResponse, Response
from twisted.python.failure import Failure

from forest_scrapy.core.moments import read_moments
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.feed_history import PlannedPage
from forest_scrapy.crawl.unfetched import failed_status, failure_reason
from forest_scrapy.feeds.discovery import discover_feeds, has_opml_end, is_opml, read_opml
from forest_scrapy.feeds.feed_items import Feed, FeedItem, page_url
from forest_scrapy.feeds.own_pages import place_on_feed
from forest_scrapy.feeds.sitemap import (
    MAX_SITEMAP_BYTES,
    Sitemap,
    SitemapUrl,
    has_sitemap_end,
    read_robots,
)
from forest_scrapy.responses.accept import FEED_TYPES, SITEMAP_TYPES, accept_headers
from forest_scrapy.responses.background import in_thread
from forest_scrapy.responses.conversion import (
    asked_url,
    decode_headers,
    first_url,
    read_link_header,
)
from forest_scrapy.responses.downloads import describe_limit, is_cut_in_transit, is_too_large
from forest_scrapy.responses.no_pages import describe_file
from forest_scrapy.responses.notes import PageNotes
from forest_scrapy.spiders.arguments import read_urls
from forest_scrapy.spiders.base import ArticleSpider, conditional_meta, page_start

#: Items whose requests are planned at a time, which takes some 10 ms.
ITEM_BATCH_SIZE = 50
#: Pages of a sitemap after which other work of the event loop is done.
PAGE_BATCH_SIZE = 100
#: Feeds that are read of an OPML file on a server.
MAX_LISTED_FEEDS = 5_000
#: The key in the meta of a request: whether a response that the connection has cut is an error.
_FAIL_ON_LOSS = "download_fail_on_dataloss"
#: The flag of a response that the connection has cut.
_DATA_LOSS = "dataloss"
#: How the problem of a feed starts that no parser reads to its end.
_UNPARSED = "not a feed:"
#: What to do where a file is named as a feed.
_REMEDY_OF_FILES = "name the feed, -a feeds=URL, or a page of its site, -a site=URL"


class FeedReading(ArticleSpider):
    """Base of spiders that read feeds.  ``default_steps``: the steps for which links are followed
    if no limit is given."""

    default_steps = 0

    def source_request(
        self,
        url: str,
        callback: Callable[..., Any],
        errback: Callable[[Failure], Any],
        *,
        headers: dict[str, str] | None = None,
        meta: dict[str, Any] | None = None,
        types: str = FEED_TYPES,
        **arguments: Any,
    ) -> Request:
        """A request for a feed, a sitemap, or a page that is asked for these.

        ``types``: the formats that are asked for, ``""`` for those of the project;
        ``arguments``: those of the callback.
        """
        self.crawl.outstanding.add(url, is_source=True)
        accepted = accept_headers(self.crawler.settings, types) if types else {}
        return Request(
            url,
            callback,
            errback=errback,
            cb_kwargs=arguments,
            headers={**accepted, **(headers or {})},
            meta=meta,
            dont_filter=True,
        )

    def feed_request(self, url: str, is_linked: bool = False) -> Request:
        """A request for a feed, or for a page that links feeds."""
        headers = self.crawl.history.feeds.headers(url)
        return self.source_request(
            url,
            self.parse_feed,
            self.feed_failed,
            headers=headers,
            meta=conditional_meta(headers),
            is_linked=is_linked,
        )

    async def parse_feed(
        self,
        response: Response,
        is_linked: bool = False,
    ) -> AsyncIterator[Request]:
        """Requests for the feed's items, or for the feeds that the page links.  No feeds are taken
        from a page that a page links as feed (``is_linked``): they may link each other."""
        if self.crawl.history.feeds.is_not_modified(response):
            # Not logged: Scrapy logs the status, and most feeds answer so.
            young_pages = self.crawl.history.feeds.young(asked_url(response))
            if young_pages and not self.is_read_elsewhere(response):
                for request in self.wanted_requests(young_pages).values():
                    yield request
            return
        if self.is_read_elsewhere(response):
            return
        if is_opml(response.body):
            for request in await self.listed_feeds(response, is_linked):
                yield request
            return

        linked_feeds = [] if is_linked else self.linked_feeds(response)
        feed = await self.read_feed(response, quiet=bool(linked_feeds))
        requests: list[Request] = []
        if feed.items or not linked_feeds:
            requests = await self.item_requests(response, feed)
        for request in requests or linked_feeds:
            yield request

    def is_read_elsewhere(self, response: Response) -> bool:
        """Whether the feed is left to another crawl, which is logged."""
        is_elsewhere = self.crawl.history.feeds.is_read_elsewhere(response)
        if is_elsewhere:
            self.logger.warning("Feed %s is left to another crawl, which reads it", response.url)
        return is_elsewhere

    def feed_failed(self, failure: Failure) -> list[Request]:
        """Count a feed or a site's page that could not be fetched; what to request instead: the
        same by http if https has failed, or the reverse, once; and one that the connection has cut
        each time as far as it comes, since its first items are whole."""
        # Imported here: in most crawls no feed fails.
        from forest_scrapy.spiders.other_scheme import (
            first_reason,
            request_other_scheme,
            was_asked_otherwise,
        )

        request = self.failed_request(failure)
        url = first_url(request)
        if is_too_large(failure.value):
            reason = describe_limit(self.crawler.settings)
        else:
            reason = failure_reason(failure)
        cut_request = self.request_cut_source(request, failure)
        if cut_request is not None:
            return [cut_request]

        other_request = request_other_scheme(request, failure, reason)
        if other_request is not None:
            self.crawl.outstanding.add(url, is_source=True)
            self.count("forest/feeds/other_scheme")
            self.logger.warning(
                "Feed %s cannot be fetched: %s; trying %s",
                url,
                reason,
                other_request.url,
            )
            return [other_request]

        reason = first_reason(request, reason)
        status = 0 if was_asked_otherwise(request) else failed_status(failure)
        answer = getattr(failure.value, "response", None)
        retry_after = decode_headers(answer).get("Retry-After", "") if answer else ""
        self.count("forest/feeds/failed")
        self.crawl.unfetched.add("feed", url, reason)
        self.crawl.history.feeds.has_failed(url, status, retry_after)
        self.logger.warning("Feed %s cannot be fetched: %s", url, reason)
        return []

    def request_cut_source(self, request: Request, failure: Failure) -> Request | None:
        """A request for what the connection has cut each time, as far as it comes; None if it has
        failed for another reason, or was asked for so."""
        fails_on_loss = request.meta.get(_FAIL_ON_LOSS, True)
        if not fails_on_loss or not is_cut_in_transit(failure.value):
            return None
        self.crawl.outstanding.add(first_url(request), is_source=True)
        meta = {**request.meta, _FAIL_ON_LOSS: False}
        return request.replace(meta=meta, dont_filter=True)

    async def read_feed(
        self,
        response: Response,
        quiet: bool = False,
    ) -> Feed:
        """The feed of a response.  ``quiet``: a page that is not a feed is not logged."""
        feed = await self.crawl.probe.read_feed(response)
        if not feed.items:
            feed = replace(feed, problem=_problem_of(feed, response))
        feed = place_on_feed(feed, response.url, asked_url(response))
        feed = self.crawl.history.feeds.recall_shared_pages(asked_url(response), feed)
        if feed.items:
            self.count("forest/feeds/read")
            self.count("forest/feeds/items", len(feed.items))
            self.logger.info("Feed %s: %s", response.url, count(len(feed.items), "item"))
            if feed.is_cut:
                self.count("forest/feeds/cut")
                self.logger.warning(
                    "Feed %s is cut off after %s; it is read again by the next crawl, also with"
                    " only_new",
                    response.url,
                    count(len(feed.items), "item"),
                )
        elif not quiet:
            self.crawl.history.feeds.has_failed(asked_url(response), response.status)
            self.count("forest/feeds/unreadable")
            self.crawl.unfetched.add("feed", asked_url(response), feed.problem)
            self.logger.warning("Feed %s: %s", response.url, feed.problem)
        return feed

    async def item_requests(
        self,
        response: Response,
        feed: Feed,
    ) -> list[Request]:
        """Requests for the items of a feed that are wanted."""
        history = self.crawl.history.feeds
        gap = history.note_gap(response, feed.items)
        if gap:
            self.logger.warning(
                "Feed %s: %s since it was read last; it lists %d: poll it more often",
                response.url,
                gap.describe(),
                len(feed.items),
            )
        vanished_pages = self.wanted_requests(history.vanished(response, feed.items))
        requests, is_complete = await self.list_items(asked_url(response), feed.items)
        if feed.items:
            history.was_read(response, feed, is_complete and not feed.is_cut)
        requests.update(vanished_pages)
        return list(requests.values())

    async def list_items(
        self,
        feed: str,
        items: Sequence[FeedItem],
    ) -> tuple[dict[str, Request], bool]:
        """Requests for items of a feed that are wanted, by URL, and whether all items were
        requested, now or earlier.  Other tasks get a turn every few milliseconds."""
        history = self.crawl.history.feeds
        requests: dict[str, Request] = {}
        is_complete = True
        for start in range(0, len(items), ITEM_BATCH_SIZE):
            batch = items[start : start + ITEM_BATCH_SIZE]
            batch_requests = self.wanted_requests(history.pages(batch))
            is_complete &= history.was_listed(feed, batch, batch_requests)
            requests.update(batch_requests)
            await sleep(0)
        return requests, is_complete

    def wanted_requests(self, planned: list[PlannedPage]) -> dict[str, Request]:
        """Requests for the planned pages that are in the scope, by URL."""
        steps = self.follow_steps(self.default_steps)
        requests = {}
        for page in planned:
            if self.watch:
                self.forget(page.url)
            notes = PageNotes(
                entry=page.entry,
                follow=steps if page.entry else 0,
                was_article=page.entry is None,
            )
            for request in self.page_requests(page.url, notes, page.headers):
                requests[page.url] = request
        return requests

    async def listed_feeds(
        self,
        response: Response,
        is_linked: bool,
    ) -> list[Request]:
        """Requests for the feeds in an OPML file; none for a file that another one lists."""
        addresses = [] if is_linked else await in_thread(read_opml, response.body)
        if _DATA_LOSS in response.flags and not has_opml_end(response.body):
            self.logger.warning(
                "List %s is cut off after %s; the next crawl reads it again",
                response.url,
                count(len(addresses), "feed"),
            )
        if len(addresses) > MAX_LISTED_FEEDS:
            self.logger.warning(
                "%s lists %d feeds; only the first %d are read: -a feeds_file=FILE reads all",
                response.url,
                len(addresses),
                MAX_LISTED_FEEDS,
            )
            del addresses[MAX_LISTED_FEEDS:]

        urls = [url for address in addresses if (url := page_url(address, response.url))]
        self.logger.info("%s lists %s", response.url, count(len(urls), "feed"))
        if unreadable := len(addresses) - len(urls) or int(not urls):
            self.count("forest/feeds/unreadable", unreadable)
        return [self.feed_request(url, True) for url in urls]

    def linked_feeds(
        self,
        response: Response,
        max_feeds: int | None = None,
    ) -> list[Request]:
        """Requests for the feeds that an HTML page links; at most the first ``max_feeds``."""
        root = page_start(response)
        if root is None:
            return []
        links = discover_feeds(root, response.url, read_link_header(response))[:max_feeds]
        if links:
            self.logger.info("%s links %s", response.url, count(len(links), "feed"))
        requests = []
        for url in links:
            if url != response.url:
                requests.append(self.feed_request(url, True))
        return requests


def _problem_of(feed: Feed, response: Response) -> str:
    """Why a feed has no items: it is a file of another kind, the connection has cut it, or as its
    reader says."""
    file = describe_file(response)
    if file:
        return f"{file}, no feed: {_REMEDY_OF_FILES}"
    # Servers also name wrong lengths of what is whole, such as an HTML page.
    is_incomplete = feed.is_cut or not response.body or feed.problem.startswith(_UNPARSED)
    if is_incomplete and _DATA_LOSS in response.flags:
        return "cut off by the connection"
    return feed.problem


#: Indexes within indexes that are read, sitemaps, and pages of sitemaps: a site can list pages
#: without end.  ``-a max_pages`` can be larger.
MAX_SITEMAP_DEPTH = 3
MAX_SITEMAPS = 1_000
MAX_SITEMAP_PAGES = 100_000


class SitemapReading(FeedReading):
    """Base of spiders that read sitemaps.

    - ``-a sitemap=URL[,URL...]``: crawl the pages of these sitemaps, newest first.  For the URL of
      a robots.txt, or of a page, these are the sitemaps that the site's robots.txt names.
    """

    def __init__(
        self,
        *args: Any,
        sitemap: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.sitemaps = read_urls(sitemap)
        self._sitemaps_seen: set[str] = set()
        self._sitemap_pages = 0

    def sitemap_requests(
        self,
        urls: list[str],
        depth: int = 0,
    ) -> list[Request]:
        """Requests for sitemaps that were not requested before."""
        new_urls = []
        for url in dict.fromkeys(urls):
            if url not in self._sitemaps_seen:
                new_urls.append(url)
        max_new_urls = MAX_SITEMAPS - len(self._sitemaps_seen)
        del new_urls[max_new_urls:]
        self._sitemaps_seen.update(new_urls)
        return [self._sitemap_request(url, depth) for url in new_urls]

    def _sitemap_request(self, url: str, depth: int) -> Request:
        return self.source_request(
            url,
            self.parse_sitemap,
            self.sitemap_failed,
            meta=sitemap_meta(url),
            types=SITEMAP_TYPES,
            depth=depth,
        )

    async def parse_sitemap(
        self,
        response: Response,
        depth: int,
    ) -> AsyncIterator[Request]:
        """Requests for the pages of a sitemap, or for the sitemaps that an index, a robots.txt,
        or the robots.txt of the page's site names."""
        if is_robots(response.url):
            for request in self._robots_sitemaps(response):
                yield request
            return
        sitemap = await self.crawl.probe.read_sitemap(response)
        if sitemap.kind == "feed":
            async for request in self.parse_feed(response, is_linked=True):
                yield request
        elif not sitemap.kind and isinstance(response, HtmlResponse) and depth == 0:
            for request in self.sitemap_requests([urljoin(response.url, "/robots.txt")]):
                yield request
        else:
            self._report(response.url, sitemap)
            if _DATA_LOSS in response.flags and not has_sitemap_end(response.body):
                self.logger.warning(
                    "Sitemap %s is cut off after %s; the next crawl reads it again",
                    response.url,
                    count(len(sitemap.urls), "URL"),
                )
            for request in self._child_requests(sitemap, depth):
                yield request
            async for request in self._page_requests(sitemap):
                yield request

    def sitemap_failed(self, failure: Failure) -> list[Request]:
        """Count a sitemap that could not be fetched; what to request instead: the usual path
        without a robots.txt, and one that the connection has cut as far as it comes."""
        request = self.failed_request(failure)
        url = request.url
        cut_request = self.request_cut_source(request, failure)
        if cut_request is not None:
            return [cut_request]
        if is_robots(url):
            return self.sitemap_requests([urljoin(url, "/sitemap.xml")], 1)
        self.count("forest/sitemaps/failed")
        reason = failure_reason(failure)
        if is_too_large(failure.value):
            reason = f"it has more than {MAX_SITEMAP_BYTES} bytes, the most of a sitemap"
        self.crawl.unfetched.add("sitemap", url, reason)
        self.logger.warning("Sitemap %s cannot be fetched: %s", url, reason)
        return []

    def _robots_sitemaps(self, response: Response) -> list[Request]:
        urls = sitemaps_of_robots(response)
        self.logger.info("%s names %s", response.url, count(len(urls), "sitemap"))
        return self.sitemap_requests(urls or [urljoin(response.url, "/sitemap.xml")], 1)

    def _report(self, url: str, sitemap: Sitemap) -> None:
        if sitemap.kind:
            self.count("forest/sitemaps/read")
            self.count("forest/sitemaps/urls", len(sitemap.urls))
            self.logger.info("Sitemap %s: %s", url, count(len(sitemap.urls), "URL"))
        else:
            self.count("forest/sitemaps/unreadable")
            self.logger.warning("Sitemap %s: %s", url, sitemap.problem)

    def _child_requests(
        self,
        sitemap: Sitemap,
        depth: int,
    ) -> list[Request]:
        """Requests for the sitemaps of an index, the newest first, without those that have not
        changed since the date from which on articles are wanted."""
        if sitemap.kind != "index" or depth >= MAX_SITEMAP_DEPTH:
            return []
        children = []
        for child in sitemap.urls:
            if self.scope.dates.check(child.modified) != "too_old":
                children.append(child)
        self.count("forest/sitemaps/skipped", len(sitemap.urls) - len(children))
        children.sort(key=newest_first)
        return self.sitemap_requests([child.url for child in children], depth + 1)

    async def _page_requests(self, sitemap: Sitemap) -> AsyncIterator[Request]:
        if sitemap.kind != "pages":
            return
        max_pages = self.scope.max_pages or MAX_SITEMAP_PAGES
        steps = self.follow_steps(self.default_steps)
        pages = sorted(sitemap.urls, key=newest_first)
        for i, page in enumerate(pages):
            if max(self._pages, self._sitemap_pages) >= max_pages:
                self.count("forest/skipped/max_pages", len(pages) - i)
                return
            if self.scope.dates.check(page.modified) == "too_old":
                self.count("forest/skipped/too_old")
                continue

            notes = PageNotes(page.entry, steps, lastmod=page.modified)
            for request in self.page_requests(page.url, notes):
                self._sitemap_pages += 1
                yield request
            if (i + 1) % PAGE_BATCH_SIZE == 0:
                await sleep(0)


def is_robots(url: str) -> bool:
    """Whether a URL is that of a robots.txt."""
    return urlsplit(url).path == "/robots.txt"


def sitemaps_of_robots(response: Response) -> list[str]:
    """The URLs of the sitemaps that a robots.txt names."""
    return read_robots(response.body, response.url)


def sitemap_meta(url: str) -> dict[str, Any]:
    """The meta of a request for a sitemap, or for a robots.txt, which may always be fetched
    (RFC 9309)."""
    return {"download_maxsize": MAX_SITEMAP_BYTES, "dont_obey_robotstxt": is_robots(url)}


def date_of(page: SitemapUrl) -> str:
    """When a page of a sitemap was published, or changed last; ``""`` if unknown."""
    published = page.entry.published if page.entry else ""
    return published or page.modified


def newest_first(page: SitemapUrl) -> float:
    """A key to sort by; without a date last."""
    published = page.entry.published if page.entry else ""
    moments = read_moments(published) or read_moments(page.modified)
    if not moments:
        return 0.0
    since_epoch = moments[0] - datetime(1970, 1, 1, tzinfo=UTC)
    return -since_epoch.total_seconds()
