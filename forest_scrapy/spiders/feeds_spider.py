"""``scrapy crawl feeds``: the articles that feeds list."""

import time
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import urljoin

from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from scrapy.utils.reactor import CallLaterOnce
from twisted.python.failure import Failure

from forest_scrapy.core.page.urls import page_key
from forest_scrapy.crawl.engine import send_request
from forest_scrapy.feeds.discovery import USUAL_PATHS, older_page
from forest_scrapy.feeds.feed_items import Feed, FeedItem
from forest_scrapy.responses.conversion import asked_url, first_url
from forest_scrapy.spiders.arguments import (
    BadArgument,
    read_feeds_file,
    read_flag,
    read_number,
    read_urls,
)
from forest_scrapy.spiders.sources import FeedReading, SitemapReading

#: Seconds between two looks at what is due.
_TICK = 2.0
#: Seconds after which a feed is requested again whose poll was never noted.
_LOST = 600


class FeedWatch:
    """Requests a spider's feeds when they are due, and keeps the spider open meanwhile.

    When a feed is due is kept in the history, so it survives a restart.
    """

    def __init__(self, spider: FeedReading, feeds: Sequence[str]) -> None:
        self._spider, self._feeds = spider, feeds
        #: When each feed was requested for the time at which it was due.
        self._asked: dict[tuple[str, int], float] = {}
        self._next = CallLaterOnce(self._poll)
        connect = spider.crawler.signals.connect
        connect(self.spider_idle, signal=signals.spider_idle)
        connect(self.spider_closed, signal=signals.spider_closed)

    def start(self) -> list[Request]:
        """Requests for the feeds that are due now; the others follow."""
        self._next.schedule(_TICK)
        return self._due_requests()

    def spider_idle(self) -> None:
        raise DontCloseSpider

    def spider_closed(self) -> None:
        self._next.cancel()

    def _poll(self) -> None:
        crawler = self._spider.crawler
        if crawler.engine is None or not crawler.engine.running:
            return
        with self._spider.crawl.failure.guard():
            for request in self._due_requests():
                send_request(crawler, request)
            self._next.schedule(_TICK)

    def _due_requests(self) -> list[Request]:
        now, history = time.time(), self._spider.crawl.history
        requests: list[Request] = []
        if history.store.database.seconds_unavailable() is not None:
            return requests  # it is not known what is due
        for url in self._feeds:
            due = history.feeds.due(url)
            if due <= now and now - self._asked.get((url, due), 0) > _LOST:
                self._asked[url, due] = now
                requests.append(self._spider.feed_request(url))
        return requests


_NOTHING = (
    "nothing to crawl: name a feed with -a feeds=URL, a file with -a feeds_file=PATH,"
    " a site with -a site=URL, or a sitemap with -a sitemap=URL"
)


class FeedsSpider(SitemapReading):
    """Crawls the items of feeds, and the pages of sitemaps.

    - ``-a feeds=URL[,URL...]``: the feeds, or pages that link them; ``-a feeds_file=PATH``: a file
      with one feed URL on each line, or OPML.
    - ``-a site=URL[,URL...]``: the feeds of a site: those that the page links, or else the
      first one found at the usual paths, or else its sitemaps.
    - ``-a sitemap=URL[,URL...]``: see ``SitemapReading``.
    - ``-a older=N``: also read up to N pages with the older items of each feed.  The last page is
      one whose oldest item, the last, was on an earlier page of the feed, is older than ``since``,
      or, with ``only_new``, is known from an earlier crawl.
    - ``-a follow=N``: also follow links within the site for N steps (default: 0); of the pages
      found, those that belong to a template of feed items are articles.
    - ``-a watch=yes``: poll the ``feeds`` when they are due, until the crawl is stopped; implies
      ``only_new``.
    - the other arguments of ``ArticleSpider``.

    Raises ``BadArgument``, also if none of the first four is given.
    """

    name = "feeds"

    def __init__(
        self,
        *args: Any,
        feeds: str = "",
        feeds_file: str = "",
        site: str = "",
        older: str | int = 0,
        watch: str = "",
        **kwargs: Any,
    ) -> None:
        self.watch = bool(watch) and read_flag("watch", watch)
        if self.watch:
            kwargs.setdefault("only_new", "yes")
        super().__init__(*args, **kwargs)
        self._most_older = read_number("older", older)
        #: The sites of which no feed was read yet, by the key of each feed that they link.
        self._linked: dict[str, str] = {}
        #: The keys of the items on the pages read so far, by feed.
        self._listed: dict[str, set[str]] = {}
        listed, self._broken = read_feeds_file(feeds_file) if feeds_file else ([], [])
        self._feeds = list(dict.fromkeys([*read_urls(feeds), *listed]))
        self._sites = read_urls(site)
        if not self._feeds and not self._sites and not self.sitemaps:
            self._feeds = self.default_feeds()
        self._feeds, self._sites, self.sitemaps = map(
            self.shard.select, (self._feeds, self._sites, self.sitemaps)
        )
        self.start_urls = [*self._feeds, *self._sites, *self.sitemaps]

    def default_feeds(self) -> list[str]:
        """The feeds to crawl if no argument names any; raises ``BadArgument``."""
        raise BadArgument(_NOTHING)

    async def start(self) -> AsyncIterator[Any]:
        for text in self._broken:
            self.count("forest/feeds/unreadable")
            self.logger.warning("Feed %s of the OPML file is not a URL", text[:200])
        for url in [] if self.watch else self.start_urls:
            self.crawl.outstanding.add(url, is_source=True)
        if self.watch:
            feeds = FeedWatch(self, self._feeds).start()
            self.logger.info("Watching %d feeds; %d are due", len(self._feeds), len(feeds))
        for request in feeds if self.watch else map(self.feed_request, self._feeds):
            yield request
        for request in self.sitemap_requests(self.sitemaps):
            yield request
        for url in self._sites:
            yield self.source_request(url, self.parse_site, self.feed_failed)

    def parse_site(self, response: Response) -> Any:
        """Requests for the feeds that a site's page links, or for the first usual path."""
        return self.linked_feeds(response) or [self._probe(response.url, USUAL_PATHS)]

    def linked_feeds(self, response: Response, most: int | None = None) -> list[Request]:
        """Requests for the feeds that a page links, of which one has to be read."""
        requests = super().linked_feeds(response, most)
        self._linked |= {page_key(one.url): response.url for one in requests}
        return requests

    async def read_feed(self, response: Response, quiet: bool = False) -> Feed:
        """The feed of a response; one that a site links makes its others needless."""
        feed = await super().read_feed(response, quiet)
        site = self._linked.get(page_key(asked_url(response)))
        if feed.items and site:
            self._linked = {key: one for key, one in self._linked.items() if one != site}
        return feed

    def feed_failed(self, failure: Failure) -> list[Request]:
        """A request for the first usual path, if all feeds that a site links have failed."""
        super().feed_failed(failure)
        return self._without_feed(first_url(self.failed_request(failure)))

    def _without_feed(self, url: str) -> list[Request]:
        """A request for the first usual path, if a site links this feed, which cannot be read, and
        none that can be, or may be."""
        site = self._linked.pop(page_key(url), "")
        return [self._probe(site, USUAL_PATHS)] if site not in ("", *self._linked.values()) else []

    async def parse_probe(
        self, response: Response, site: str, left: tuple[str, ...]
    ) -> AsyncIterator[Request]:
        """Requests for the items of a feed at a usual path, or for the next path."""
        feed = await self.read_feed(response, quiet=True)
        if feed.items and self.is_read_elsewhere(response):
            return
        if not feed.items and left:
            yield self._probe(site, left)
            return
        requests = await self.item_requests(response, feed) if feed.items else self._no_feed(site)
        for request in requests:
            yield request

    def probe_failed(self, failure: Failure) -> Any:
        """A request for the next usual path."""
        request = self.failed_request(failure)
        site, left = request.cb_kwargs["site"], tuple(request.cb_kwargs["left"])
        return [self._probe(site, left)] if left else self._no_feed(site)

    def _probe(self, site: str, paths: tuple[str, ...]) -> Request:
        url = urljoin(site, paths[0])
        return self.source_request(
            url, self.parse_probe, self.probe_failed, site=site, left=paths[1:]
        )

    def _no_feed(self, site: str) -> list[Request]:
        """Requests for the sitemaps of a site without a feed."""
        self.count("forest/feeds/not_found")
        self.logger.warning(
            "%s does not link a feed, and there is none at the usual paths: reading its sitemaps; "
            "name a feed with -a feeds=URL, or follow links: scrapy crawl site -a url=%s",
            site,
            site,
        )
        return self.sitemap_requests([urljoin(site, "/robots.txt")])

    async def item_requests(self, response: Response, feed: Feed) -> list[Request]:
        """Requests for the items of a feed that are wanted, and for the page with older ones."""
        requests = await super().item_requests(response, feed)
        url = asked_url(response)
        return requests + (
            self._older_requests(response, feed, url, 1) if feed.items else self._without_feed(url)
        )

    async def parse_older(self, response: Response, feed: str, page: int) -> AsyncIterator[Request]:
        """Requests for the older items of a feed, and for the next page, ``page``."""
        document = await self.crawl.probe.read_feed(response)
        requests, _ = await self.list_items(feed, document.items)
        self.count("forest/feeds/older_pages")
        self.logger.info(
            "Feed %s: %d older items, %d of them wanted, at %s",
            *(feed, len(document.items), len(requests), response.url),
        )
        for request in requests.values():
            yield request
        for request in self._older_requests(response, document, feed, page):
            yield request

    def older_failed(self, failure: Failure) -> None:
        """Note a page that cannot be fetched: beyond the last one many servers answer 404."""
        request = self.failed_request(failure)
        self._listed.pop(request.cb_kwargs["feed"], None)
        self.logger.info("No older items at %s: %s", request.url, failure.getErrorMessage())

    def _older_requests(
        self, response: Response, document: Feed, feed: str, page: int
    ) -> list[Request]:
        """The request for the page after this one, which is its ``page``-th older one; none if
        this one is the last."""
        items, listed = document.items, self._listed.pop(feed, set())
        if page > self._most_older or not items or self._is_last(items, listed):
            return []
        url = older_page(response.url, document, is_first=page == 1)
        if not url:
            return []
        self._listed[feed] = listed | {page_key(one) for one, _ in items}
        return [
            self.source_request(url, self.parse_older, self.older_failed, feed=feed, page=page + 1)
        ]

    def _is_last(self, items: Sequence[FeedItem], listed: set[str]) -> bool:
        url, entry = items[-1]
        is_too_old = self.scope.dates.check(entry.published) == "too_old"
        is_known = page_key(url) in listed or self.crawl.history.feeds.was_known(url)
        return is_too_old or is_known or self.scope.has_enough(self._pages)
