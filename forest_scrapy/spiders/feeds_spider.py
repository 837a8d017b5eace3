"""``scrapy crawl feeds``: the articles that feeds list."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urljoin

from scrapy import Request
from scrapy.http import HtmlResponse, Response
from twisted.python.failure import Failure

from forest_scrapy.feeds.discovery import USUAL_PATHS, discover_feeds
from forest_scrapy.feeds.reader import FeedItem, read_feed
from forest_scrapy.runtime.responses import decode_headers
from forest_scrapy.runtime.threads import to_thread
from forest_scrapy.spiders.arguments import BadArgument, read_lines, read_url, read_urls
from forest_scrapy.spiders.base import ArticleSpider, conditional_meta, failed_status

__all__ = ["FeedsSpider"]

_NOTHING = (
    "nothing to crawl: name a feed with -a feeds=URL, a file with -a feeds_file=PATH,"
    " or a site with -a site=URL"
)


class FeedsSpider(ArticleSpider):
    """Crawls the items of feeds.

    - ``-a feeds=URL[,URL...]``: the feeds; ``-a feeds_file=PATH``: a file with one feed URL on
      each line.
    - ``-a site=URL[,URL...]``: the feeds of a site: those that the page links, or else the
      first one found at the usual paths.
    - ``-a follow=N``: also follow links within the site for N steps (default: 0); of the pages
      found, those that belong to a template of feed items are articles.
    - the other arguments of ``ArticleSpider``.

    Raises ``BadArgument``, also if none of the first three is given.
    """

    name = "feeds"

    def __init__(
        self,
        *args: Any,
        feeds: str = "",
        feeds_file: str = "",
        site: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        listed = read_lines(feeds_file) if feeds_file else []
        self._feeds = list(dict.fromkeys([*read_urls(feeds), *map(read_url, listed)]))
        self._sites = read_urls(site)
        if not self._feeds and not self._sites:
            self._feeds = self.default_feeds()
        self.start_urls = [*self._feeds, *self._sites]

    def default_feeds(self) -> list[str]:
        """The feeds to crawl if no argument names any; raises ``BadArgument``."""
        raise BadArgument(_NOTHING)

    async def start(self) -> AsyncIterator[Any]:
        for url in self._feeds:
            yield self._feed_request(url)
        for url in self._sites:
            yield Request(url, self.parse_site, errback=self.feed_failed, dont_filter=True)

    async def parse_feed(
        self, response: Response, is_linked: bool = False
    ) -> AsyncIterator[Request]:
        """Requests for the feed's items, or for the feeds that a page links.  No feeds are taken
        from a page that a page links as feed (``is_linked``): they may link each other."""
        if self.history.feeds.is_not_modified(response):
            self.logger.info("Feed %s: not modified", response.url)
            return
        linked = [] if is_linked else self._linked_feeds(response)
        items = await self._read(response, quiet=bool(linked))
        for request in self._item_requests(response, items) or linked:
            yield request

    def parse_site(self, response: Response) -> Any:
        """Requests for the feeds that a site's page links, or for the first usual path."""
        linked = list(self._linked_feeds(response))
        return linked or [self._probe(response.url, USUAL_PATHS)]

    async def parse_probe(
        self, response: Response, site: str, left: tuple[str, ...]
    ) -> AsyncIterator[Request]:
        """Requests for the items of a feed at a usual path, or for the next path."""
        items = await self._read(response, quiet=True)
        if not items and left:
            yield self._probe(site, left)
        elif not items:
            self._no_feed(site)
        for request in self._item_requests(response, items):
            yield request

    def probe_failed(self, failure: Failure) -> Any:
        """A request for the next usual path."""
        request = failure.request  # type: ignore[attr-defined]
        site, left = request.cb_kwargs["site"], tuple(request.cb_kwargs["left"])
        if left:
            return [self._probe(site, left)]
        self._no_feed(site)
        return []

    def feed_failed(self, failure: Failure) -> None:
        """Count a feed or a site's page that could not be fetched."""
        self.count("forest/feeds/failed")
        url = failure.request.url  # type: ignore[attr-defined]
        self.history.feeds.has_failed(url, failed_status(failure))
        self.logger.warning("Feed %s cannot be fetched: %s", url, failure.getErrorMessage())

    async def _read(self, response: Response, quiet: bool = False) -> list[FeedItem]:
        headers = decode_headers(response)
        items, problem = await to_thread(read_feed, response.body, response.url, headers)
        if items:
            self.count("forest/feeds/read")
            self.count("forest/feeds/items", len(items))
            self.logger.info("Feed %s: %d items", response.url, len(items))
        elif not quiet:
            self.count("forest/feeds/unreadable")
            self.logger.warning("Feed %s: %s", response.url, problem)
        return items

    def _item_requests(self, response: Response, items: list[FeedItem]) -> list[Request]:
        """Requests for the items of a feed that are wanted."""
        follow, requests = self.follow_steps(0), {}
        for page in self.history.plan_feed(response, items):
            steps = follow if page.entry else 0
            known = {"headers": page.headers, "was_article": page.entry is None}
            for request in self.page_requests(page.url, page.entry, steps, **known):
                requests[page.url] = request
        self.history.was_read(response, items, requests)
        return list(requests.values())

    def _linked_feeds(self, response: Response) -> list[Request]:
        if not isinstance(response, HtmlResponse) or not response.body:
            return []
        links = discover_feeds(response.selector.root, response.url)
        if links:
            self.logger.info("%s links %d feeds", response.url, len(links))
        return [self._feed_request(url, True) for url in links if url != response.url]

    def _feed_request(self, url: str, is_linked: bool = False) -> Request:
        headers = self.history.feeds.headers(url)
        return Request(
            url,
            self.parse_feed,
            errback=self.feed_failed,
            cb_kwargs={"is_linked": is_linked},
            headers=headers,
            meta=conditional_meta(headers),
            dont_filter=True,
        )

    def _probe(self, site: str, paths: tuple[str, ...]) -> Request:
        return Request(
            urljoin(site, paths[0]),
            self.parse_probe,
            errback=self.probe_failed,
            cb_kwargs={"site": site, "left": paths[1:]},
            dont_filter=True,
        )

    def _no_feed(self, site: str) -> None:
        self.count("forest/feeds/not_found")
        self.logger.warning(
            "%s does not link a feed, and there is none at the usual paths; name one with "
            "-a feeds=URL, or crawl without a feed: scrapy crawl site -a url=%s",
            site,
            site,
        )
