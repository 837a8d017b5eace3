"""``scrapy crawl feeds``: the articles that feeds list."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Collection, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import HtmlResponse, Response
from scrapy.utils.reactor import CallLaterOnce
from twisted.python.failure import Failure

from forest_scrapy.core import Entry
from forest_scrapy.core.page.urls import own_host, page_key
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.engine import send_request
from forest_scrapy.feeds.discovery import USUAL_PATHS, older_page
from forest_scrapy.feeds.feed_items import Feed, FeedItem
from forest_scrapy.feeds.own_pages import place_on_feed
from forest_scrapy.responses.accept import SITEMAP_TYPES
from forest_scrapy.responses.background import in_thread
from forest_scrapy.responses.conversion import asked_url, first_url, page_of
from forest_scrapy.responses.no_pages import describe_file
from forest_scrapy.responses.notes import PageNotes
from forest_scrapy.settings import crawl_command
from forest_scrapy.spiders.arguments import (
    BadArgument,
    read_feeds_file,
    read_flag,
    read_number,
    read_urls,
)
from forest_scrapy.spiders.sources import (
    MAX_SITEMAP_DEPTH,
    FeedReading,
    SitemapReading,
    is_robots,
    sitemap_meta,
    sitemaps_of_robots,
)

if TYPE_CHECKING:
    from forest_scrapy.feeds.list_pages import ListPage
    from forest_scrapy.spiders.gap_sitemaps import GapSitemaps

#: Seconds between two looks at which feeds are due.
POLL_INTERVAL = 2.0
#: Seconds after which a feed is requested again whose poll was never recorded.
LOST_POLL_SECONDS = 600


class FeedWatch:
    """Requests a spider's feeds when they are due, and keeps the spider open meanwhile.

    The history has the time at which each feed is due, so it survives a restart.
    """

    def __init__(self, spider: FeedReading, feeds: Sequence[str]) -> None:
        self._spider = spider
        self._feeds = feeds
        #: When each feed was requested, by its URL and the time at which it was due.
        self._asked: dict[tuple[str, int], float] = {}
        self._next = CallLaterOnce(self._poll)
        spider.crawler.signals.connect(self.spider_idle, signal=signals.spider_idle)
        spider.crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    def start(self) -> list[Request]:
        """Requests for the feeds that are due now; the others follow."""
        self._next.schedule(POLL_INTERVAL)
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
            self._next.schedule(POLL_INTERVAL)

    def _due_requests(self) -> list[Request]:
        now = time.time()
        history = self._spider.crawl.history
        requests: list[Request] = []
        if history.store.database.seconds_unavailable() is not None:
            return requests  # it is not known which are due
        for url in self._feeds:
            due = history.feeds.due(url)
            seconds_since_request = now - self._asked.get((url, due), 0)
            if due <= now and seconds_since_request > LOST_POLL_SECONDS:
                self._asked[url, due] = now
                requests.append(self._spider.feed_request(url))
        return requests


_NOTHING = (
    "nothing to crawl: name a feed with -a feeds=URL, a file with -a feeds_file=PATH,"
    " a site with -a site=URL, or a sitemap with -a sitemap=URL"
)


#: Pages with older items that are read of a feed of which entries were missed between two polls;
#: if they do not have them, the sitemaps of its site are read, and so many pages of them requested.
MAX_PAGES_OF_GAP = 10
MAX_SITEMAP_PAGES_OF_GAP = 500


def _read_list_page(response: Response, keys: Collection[str], places: Sequence[str]) -> ListPage:
    from forest_scrapy.feeds.list_pages import read_list_page  # few crawls read lists

    return read_list_page(page_of(response, shares_tree=False), keys, places)


class FeedsSpider(SitemapReading):
    """Crawls the items of feeds, and the pages of sitemaps.

    - ``-a feeds=URL[,URL...]``: the feeds, or pages that link them; ``-a feeds_file=PATH``: a file
      with one feed URL on each line, or OPML.
    - ``-a site=URL[,URL...]``: the feeds of a site: those that the page links, or else the
      first one found at the usual paths, or else its sitemaps.
    - ``-a sitemap=URL[,URL...]``: see ``SitemapReading``.
    - ``-a older=N``: also read up to N pages with the older items of each feed.  The last page is
      one whose oldest item, the last, was on an earlier page of the feed, is older than ``since``,
      or, with ``only_new``, is known from an earlier crawl.  If the feed has no such pages, these
      are the next pages of the one that it belongs to and that lists its items.
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
        self._max_older_pages = read_number("older", older)
        #: The sites of which no feed was read yet, by the key of each feed that they link.
        self._linked: dict[str, str] = {}
        #: The keys of the items on the pages read so far, by feed.
        self._listed: dict[str, set[str]] = {}
        #: The page that each feed belongs to.
        self._homes: dict[str, str] = {}
        #: A page of each feed, on whose site the sitemaps are if entries of it were missed; and the
        #: sitemaps of these sites, by the site's host.
        self._feed_pages: dict[str, str] = {}
        self._gap_sitemaps: dict[str, GapSitemaps] = {}
        #: What of a file of feeds cannot be read.
        self._problems: tuple[str, ...] = ()
        listed_urls: tuple[str, ...] = ()
        if feeds_file:
            listed_feeds = read_feeds_file(feeds_file)
            listed_urls = listed_feeds.urls
            self._problems = listed_feeds.problems
        self._feeds = list(dict.fromkeys([*read_urls(feeds), *listed_urls]))
        self._sites = read_urls(site)
        if not self._feeds and not self._sites and not self.sitemaps:
            self._feeds = self.default_feeds()

        self._feeds = self.shard.select(self._feeds)
        self._sites = self.shard.select(self._sites)
        self.sitemaps = self.shard.select(self.sitemaps)
        self.start_urls = [*self._feeds, *self._sites, *self.sitemaps]

    def default_feeds(self) -> list[str]:
        """The feeds to crawl if no argument names any; raises ``BadArgument``."""
        raise BadArgument(_NOTHING)

    async def start(self) -> AsyncIterator[Any]:
        for problem in self._problems:
            self.count("forest/feeds/unreadable")
            self.logger.warning("%s", problem)

        if self.watch:
            feed_requests = FeedWatch(self, self._feeds).start()
            feeds = count(len(self._feeds), "feed")
            self.logger.info("Watching %s; due now: %d", feeds, len(feed_requests))
            for request in feed_requests:
                yield request
        else:
            for url in self.start_urls:
                self.crawl.outstanding.add(url, is_source=True)
            for url in self._feeds:
                yield self.feed_request(url)

        for request in self.sitemap_requests(self.sitemaps):
            yield request
        for url in self._sites:
            yield self.source_request(url, self.parse_site, self.feed_failed, types="")

    def parse_site(self, response: Response) -> Any:
        """Requests for the feeds that a site's page links, or for the first usual path."""
        file = describe_file(response)
        if file:
            self.logger.warning(
                "%s is %s, no page: the feeds of its site are looked for at the usual paths; name"
                " the feed, -a feeds=URL, or a page of the site, -a site=URL",
                response.url,
                file,
            )
        linked_feeds = self.linked_feeds(response)
        return linked_feeds or [self._probe(response.url, USUAL_PATHS)]

    def linked_feeds(
        self,
        response: Response,
        max_feeds: int | None = None,
    ) -> list[Request]:
        """Requests for the feeds that a page links, of which one has to be read."""
        requests = super().linked_feeds(response, max_feeds)
        for request in requests:
            self._linked[page_key(request.url)] = response.url
        return requests

    async def read_feed(
        self,
        response: Response,
        quiet: bool = False,
    ) -> Feed:
        """The feed of a response; if a site links it, one that can be read is enough."""
        feed = await super().read_feed(response, quiet)
        site = self._linked.get(page_key(asked_url(response)))
        if feed.items and site:
            feeds_of_site = []
            for key, linking in self._linked.items():
                if linking == site:
                    feeds_of_site.append(key)
            for key in feeds_of_site:
                del self._linked[key]
        return feed

    def feed_failed(self, failure: Failure) -> list[Request]:
        """What to request instead of a feed; the first usual path, if all feeds that a site links
        have failed."""
        url = first_url(failure.request)  # type: ignore[attr-defined]
        return super().feed_failed(failure) or self._without_feed(url)

    def _without_feed(self, url: str) -> list[Request]:
        """A request for the first usual path, if a site links this feed, which cannot be read, and
        none that can be, or may be."""
        site = self._linked.pop(page_key(url), "")
        has_other_feeds = site in self._linked.values()
        if not site or has_other_feeds:
            return []
        return [self._probe(site, USUAL_PATHS)]

    async def parse_probe(
        self,
        response: Response,
        site: str,
        left: tuple[str, ...],
    ) -> AsyncIterator[Request]:
        """Requests for the items of a feed at a usual path, or for the next path.  ``left``: the
        paths after this one; the name is stored with requests in ``JOBDIR``."""
        feed = await self.read_feed(response, quiet=True)
        if feed.items and self.is_read_elsewhere(response):
            return
        if not feed.items and left:
            yield self._probe(site, left)
            return
        if feed.items:
            requests = await self.item_requests(response, feed)
        else:
            requests = self._no_feed(site)
        for request in requests:
            yield request

    def probe_failed(self, failure: Failure) -> Any:
        """A request for the next usual path."""
        request = self.failed_request(failure)
        site = request.cb_kwargs["site"]
        paths = tuple(request.cb_kwargs["left"])
        if not paths:
            return self._no_feed(site)
        return [self._probe(site, paths)]

    def _probe(self, site: str, paths: tuple[str, ...]) -> Request:
        """A request for the first of the paths, which may be that of a feed."""
        return self.source_request(
            urljoin(site, paths[0]),
            self.parse_probe,
            self.probe_failed,
            site=site,
            left=paths[1:],
        )

    def _no_feed(self, site: str) -> list[Request]:
        """Requests for the sitemaps of a site without a feed."""
        self.count("forest/feeds/not_found")
        self.logger.warning(
            "%s does not link a feed, and there is none at the usual paths: reading its sitemaps; "
            "name a feed with -a feeds=URL, or follow links: %s site -a url=%s",
            site,
            crawl_command(),
            site,
        )
        return self.sitemap_requests([urljoin(site, "/robots.txt")])

    async def item_requests(
        self,
        response: Response,
        feed: Feed,
    ) -> list[Request]:
        """Requests for the items of a feed that are wanted, and for the page with older ones."""
        requests = await super().item_requests(response, feed)
        url = asked_url(response)
        if feed.items:
            page, _ = feed.items[0]
            self._feed_pages[url] = page
            self._homes[url] = feed.home
            requests += self._older_requests(response, feed, url, 1)
        else:
            requests += self._without_feed(url)
        return requests

    async def parse_older(
        self,
        response: Response,
        feed: str,
        page: int,
    ) -> AsyncIterator[Request]:
        """Requests for the older items of a feed, and for the next page, ``page``."""
        document = await self.crawl.probe.read_feed(response)
        document = place_on_feed(document, response.url, feed)
        document = self.crawl.history.feeds.recall_shared_pages(feed, document)
        requests, _ = await self.list_items(feed, document.items)
        self.crawl.history.feeds.recover(feed, document.items, len(requests))
        self.count("forest/feeds/older_pages")
        self.logger.info(
            "Feed %s: %s, %d of them wanted, at %s",
            feed,
            count(len(document.items), "older item"),
            len(requests),
            response.url,
        )
        for request in requests.values():
            yield request
        for request in self._older_requests(response, document, feed, page):
            yield request

    def older_failed(self, failure: Failure) -> list[Request]:
        """Note a page that cannot be fetched: beyond the last one many servers answer 404."""
        request = self.failed_request(failure)
        feed: str = request.cb_kwargs["feed"]
        keys = self._listed.pop(feed, set())
        reason = f"No older items at {request.url}: {failure.getErrorMessage()}"
        requests = []
        if request.cb_kwargs["page"] == 2:
            requests = self._list_requests(feed, keys, reason)
        else:
            self._note_last_page(feed, reason)
        return [*requests, *self._gap_requests(feed)]

    def _older_requests(
        self,
        response: Response,
        document: Feed,
        feed: str,
        page: int,
    ) -> list[Request]:
        """The request for the page after this one, which is its ``page``-th older one; if this one
        is the last, those for sitemaps if entries are missed all the same, and for the pages of its
        site that list items if it has no pages of its own."""
        items = document.items
        listed_keys = self._listed.pop(feed, set())
        max_pages = self._max_older_pages
        if feed in self.crawl.history.feeds.gaps:
            max_pages = max(max_pages, MAX_PAGES_OF_GAP)
        has_no_pages = page == 2 and (not items or page_key(items[-1][0]) in listed_keys)
        if page > max_pages and not has_no_pages:
            if max_pages:
                self._note_last_page(feed, f"{count(max_pages, 'older page')} read")
            return self._gap_requests(feed)

        all_keys = listed_keys | {page_key(item_url) for item_url, _ in items}
        # The list of a crawl that was killed is known, and what is before it was never read.
        is_continued = page == 1 and feed in self.crawl.history.feeds.reopened
        reason = "" if is_continued else self._why_last(items, listed_keys)
        url = ""
        if not items:
            reason = f"{response.url} is no feed with items"
        elif not reason:
            url = older_page(response.url, document, is_first=page == 1)
            if not url:
                reason = "the feed names no older page that can be requested"
                has_no_pages = page == 1
        if reason:
            requests = []
            if has_no_pages:
                requests = self._list_requests(feed, all_keys, reason)
            else:
                self._note_last_page(feed, reason)
            return [*requests, *self._gap_requests(feed)]

        self._listed[feed] = all_keys
        request = self.source_request(
            url,
            self.parse_older,
            self.older_failed,
            feed=feed,
            page=page + 1,
        )
        return [request]

    def _note_last_page(self, feed: str, reason: str) -> None:
        self.logger.info("Feed %s: no further older items are looked for: %s", feed, reason)

    def _list_requests(self, feed: str, keys: set[str], reason: str) -> list[Request]:
        """The request for the page that a feed belongs to, whose next pages list older items; none
        if it names no such page, or if no older items were asked for.  ``keys``: those of the items
        of the feed; ``reason``: why the feed has none that are older."""
        home = self._homes.pop(feed, "")
        if not home or not self._max_older_pages:
            self._note_last_page(feed, reason)
            return []
        self.logger.info("Feed %s: %s; older items are looked for on %s", feed, reason, home)
        return [self._list_request(home, feed, 1, keys, ())]

    def _list_request(
        self,
        url: str,
        feed: str,
        page: int,
        keys: Collection[str],
        places: Sequence[str],
    ) -> Request:
        return self.source_request(
            url,
            self.parse_list_page,
            self.list_page_failed,
            types="",
            feed=feed,
            page=page,
            keys=sorted(keys),
            places=list(places),
        )

    async def parse_list_page(
        self,
        response: Response,
        feed: str,
        page: int,
        keys: list[str],
        places: list[str],
    ) -> AsyncIterator[Request]:
        """Requests for the items that a page lists and the feed does not, and for its next page.
        ``page``: its number; ``keys``: of the items of the feed and of the pages before, which a
        crawl that is resumed has of the request; ``places``: see ``read_list_page``."""
        is_page = isinstance(response, HtmlResponse) and bool(response.body)
        if not is_page or not await self.crawl.probe.admits(response):
            self._note_last_page(feed, f"{response.url} is no page that can be read")
            return
        known_keys = set(keys)
        listed = await in_thread(_read_list_page, response, known_keys, places)
        items = [(url, Entry()) for url in listed.urls]
        requests, _ = await self.list_items(feed, items)
        self.count("forest/feeds/list_pages")
        self.logger.info(
            "Feed %s: %s, %d of them wanted, at %s",
            feed,
            count(len(items), "older item"),
            len(requests),
            response.url,
        )
        for request in requests.values():
            yield request

        reason = ""
        if not listed.places:
            reason = f"{response.url} does not list its items"
        elif page > 1 and not requests:
            reason = f"{response.url} lists no item that is wanted and new"
        elif page > self._max_older_pages:
            reason = f"{count(self._max_older_pages, 'older page')} read"
        elif self.scope.has_enough(self._pages):
            reason = "enough pages were requested"
        elif not listed.next_url:
            reason = f"{response.url} has no next page"
        if reason:
            self._note_last_page(feed, reason)
            return
        known_keys.update(page_key(url) for url in listed.urls)
        yield self._list_request(listed.next_url, feed, page + 1, known_keys, listed.places)

    def list_page_failed(self, failure: Failure) -> list[Request]:
        """Note a page of a list that cannot be fetched."""
        request = self.failed_request(failure)
        feed: str = request.cb_kwargs["feed"]
        self._note_last_page(feed, f"{request.url}: {failure.getErrorMessage()}")
        return []

    def _gap_requests(self, feed: str) -> list[Request]:
        """Requests for what the sitemaps of its site have of a feed of which entries are missed
        that none of its pages has; for the site's robots.txt, if they were not read yet."""
        page = self._feed_pages.get(feed, "")
        gap = self.crawl.history.feeds.gaps.get(feed)
        if not page or gap is None or self.scope.has_enough(self._pages):
            return []
        from forest_scrapy.spiders.gap_sitemaps import (
            GapSitemaps,
        )  # of few feeds entries are missed

        host = own_host(page)
        sitemaps = self._gap_sitemaps.get(host)
        if sitemaps is None or sitemaps.is_outdated():
            sitemaps = GapSitemaps(host)
            self._gap_sitemaps[host] = sitemaps
            sitemaps.add_gap(feed, gap)
            return [self._gap_request(urljoin(page, "/robots.txt"), host, 0)]

        sitemaps.add_gap(feed, gap)
        requests = []
        for url in sitemaps.urls_read():
            requests += self._pages_of_gap(sitemaps, url, feed)
        return requests + self._further_gap_sitemaps(sitemaps)

    def _gap_request(self, url: str, site: str, depth: int) -> Request:
        return self.source_request(
            url,
            self.parse_gap_sitemap,
            self.gap_sitemap_failed,
            meta=sitemap_meta(url),
            types=SITEMAP_TYPES,
            site=site,
            depth=depth,
        )

    async def parse_gap_sitemap(
        self,
        response: Response,
        site: str,
        depth: int,
    ) -> AsyncIterator[Request]:
        """Requests for the pages of a sitemap that have the time in which entries of feeds of the
        site were missed, or for the sitemaps that an index or a robots.txt names."""
        sitemaps = self._gap_sitemaps.get(site)
        if sitemaps is None:
            return  # the crawl was interrupted: what is missed was told then
        if is_robots(response.url):
            urls = sitemaps_of_robots(response) or [urljoin(response.url, "/sitemap.xml")]
            sitemaps.add_urls(urls, depth=1)
            for request in self._further_gap_sitemaps(sitemaps):
                yield request
            return
        sitemap = await self.crawl.probe.read_sitemap(response)
        if sitemap.kind == "index" and depth < MAX_SITEMAP_DEPTH:
            sitemaps.add_index(sitemap, depth + 1)
            for request in self._further_gap_sitemaps(sitemaps):
                yield request
        if sitemap.kind == "pages":
            self.count("forest/feeds/gap_sitemaps")
            sitemaps.add_pages(response.url, sitemap)
            for feed in list(sitemaps.gaps):
                for request in self._pages_of_gap(sitemaps, response.url, feed):
                    yield request

    def gap_sitemap_failed(self, failure: Failure) -> list[Request]:
        """Note a sitemap that cannot be fetched; without a robots.txt, a request for the usual
        path."""
        request = self.failed_request(failure)
        sitemaps = self._gap_sitemaps.get(request.cb_kwargs["site"])
        if sitemaps is not None and is_robots(request.url):
            url = urljoin(request.url, "/sitemap.xml")
            sitemaps.add_urls([url], depth=1)
            return self._further_gap_sitemaps(sitemaps)
        self.logger.info("No sitemap at %s: %s", request.url, failure.getErrorMessage())
        return []

    def _further_gap_sitemaps(self, sitemaps: GapSitemaps) -> list[Request]:
        """Requests for the sitemaps of a site that may have what is missed."""
        return [
            self._gap_request(url, sitemaps.host, depth) for url, depth in sitemaps.take_further()
        ]

    def _pages_of_gap(self, sitemaps: GapSitemaps, url: str, feed: str) -> list[Request]:
        """Requests for the pages of a sitemap that are not known, and have the time in which
        entries of a feed were missed, within the bound for a feed."""
        history = self.crawl.history.feeds
        gap = sitemaps.gaps[feed]
        if feed not in history.gaps:
            return []
        requests: list[Request] = []
        pages = sitemaps.pages_of_gap(url, feed)
        found_pages = 0
        for page in pages.urls:
            key = page_key(page.url)
            if key in sitemaps.requested_keys or history.was_found(feed, page.url, gap):
                found_pages += 1
                sitemaps.note_found(feed, key)
                continue
            has_room = sitemaps.requests[feed] < MAX_SITEMAP_PAGES_OF_GAP
            if not has_room or self.scope.has_enough(self._pages):
                pages = pages.without_end()
                break
            if history.is_known(page.url):
                continue
            notes = PageNotes(page.entry, lastmod=page.modified)
            page_requests = list(self.page_requests(page.url, notes))
            if page_requests:
                found_pages += 1
                requests += page_requests
                sitemaps.note_found(feed, key, is_requested=True)

        # A sitemap of authors or of another section has no pages of the feed, and fills no gap.
        feed_pages = [page.url for page in (*pages.urls, *pages.older)]
        is_closed = bool(pages.older) and history.has_listed_any(feed, feed_pages)
        history.recover_from_sitemap(feed, found_pages, is_closed)
        self.logger.info(
            "Feed %s: %s that it has not listed, in the sitemap %s",
            feed,
            count(found_pages, "page"),
            url,
        )
        return requests

    def _why_last(
        self,
        items: Sequence[FeedItem],
        listed_keys: set[str],
    ) -> str:
        """Why the page of a feed with these items is the last; ``""`` if it is not."""
        if not items:
            return ""
        url, entry = items[-1]
        if self.scope.dates.check(entry.published) == "too_old":
            return f"its oldest item, {url}, is older than wanted"
        if page_key(url) in listed_keys:
            return f"its oldest item, {url}, was on an earlier page"
        if self.crawl.history.feeds.was_known(url):
            return f"its oldest item, {url}, is known from an earlier crawl"
        if self.scope.has_enough(self._pages):
            return "enough pages were requested"
        return ""
