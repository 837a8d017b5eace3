"""The outcome of each page, the ledger that records it, and the requests without an outcome."""

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, Self

from scrapy import Request
from scrapy.statscollectors import StatsCollector

from forest_scrapy.core.page.urls import page_key, site_of
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.failure import DiskFailure
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import first_url
from forest_scrapy.stores import Spool

logger = logging.getLogger(__name__)

#: Reasons for drops that nobody asks for: there is an article, but it is not wanted, or not here.
_USUAL_REASONS = (
    "duplicate",
    "unchanged",
    "joined",
    "too_old",
    "too_new",
    "other_language",
    "no_match",
)


class InFlight:
    """The keys of the pages in flight, so that no page is released twice."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._keys: set[str] = set()

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def add(self, key: str) -> None:
        """Note a page that is passed on at once."""
        self._keys.add(key)

    def remove(self, key: str) -> None:
        """Note that a page is done, or could not be handed on."""
        self._keys.discard(key)

    def clear(self) -> None:
        """Note that no page is in flight: pages that are ready can be claimed again."""
        self._keys.clear()

    def claim(self, limit: int) -> list[str]:
        """The keys of at most ``limit`` ready pages that were not in flight; now they are."""
        keys = self._spool.ready_keys(limit, self._keys)
        self._keys.update(keys)
        return keys


@dataclass(frozen=True)
class Outcome:
    """How a page ended.

    ``detail``: the method that found the article, the reason for the drop, or the name of the
    error.
    """

    kind: Literal["article", "dropped", "error"]
    detail: str

    @classmethod
    def article(cls, method: str) -> Self:
        """The page went through all pipelines."""
        return cls("article", method)

    @classmethod
    def dropped(cls, reason: str) -> Self:
        """The page is not an article, or a component of the project dropped it."""
        return cls("dropped", reason)

    @classmethod
    def error(cls, error: BaseException | None) -> Self:
        """A pipeline failed on the page."""
        return cls("error", type(error).__name__)

    @property
    def is_article(self) -> bool:
        """Whether the page has an article, wanted or not, or posts."""
        return self.kind == "article" or self.detail in ("unchanged", "joined")

    @property
    def stat(self) -> str:
        """The stat that counts such outcomes.

        >>> Outcome.article("trained").stat, Outcome.dropped("no_content").stat
        ('forest/articles/trained', 'forest/dropped/no_content')
        >>> Outcome.error(ValueError("no")).stat
        'forest/dropped/error'
        """
        if self.kind == "article":
            return f"forest/articles/{self.detail}"
        return f"forest/dropped/{'error' if self.kind == 'error' else self.detail}"


class Ledger:
    """Records the outcome of each page in the stats, in the spool and in the log.

    ``pages``: the number of pages that the spool keeps of each template, to learn from.
    ``pending``: the number of pages that have no outcome yet.
    """

    def __init__(
        self,
        spool: Spool,
        stats: StatsCollector,
        in_flight: InFlight,
        failure: DiskFailure,
        pages: int,
    ) -> None:
        self._spool = spool
        self._stats = stats
        self._in_flight = in_flight
        self._failure = failure
        self._max_sample = pages
        #: Called with each outcome, the page's URL, and the page if it passed the pipelines.
        self.listeners: list[Callable[[Outcome, str, ArticlePage | None], None]] = []
        self.pending = spool.pending()
        if self.pending:
            pending = count(
                self.pending,
                "page of the previous run is",
                "pages of the previous run are",
            )
            logger.info("%s pending in the spool", pending)
            stats.set_value("forest/pages/recalled", self.pending)

    def record_fetched(self) -> None:
        """Count a page that is new in the spool."""
        self.pending += 1
        self._stats.inc_value("forest/pages/spooled")

    def record(
        self,
        key: str,
        outcome: Outcome,
        url: str = "",
        page: ArticlePage | None = None,
    ) -> None:
        """Record the outcome of the page with this key; the page is done."""
        self._in_flight.remove(key)
        self.pending -= 1
        self._stats.inc_value(outcome.stat)
        if self._failure.error is not None:
            return
        with self._failure.guard():
            self._announce(outcome, url or self._spool.url(key), page)
            max_sample = self._max_sample if outcome.is_article else 0
            self._spool.finish(key, outcome.kind, outcome.detail, max_sample)
            if not outcome.is_article:  # copies of it are no duplicates
                self._spool.articles.remove(key)

    def record_duplicate(self, url: str, redirecting_url: str = "") -> None:
        """Record a page that was fetched before, under another URL or in an earlier run; the
        spool keeps the outcome of the first.  ``redirecting_url``: that which leads to it."""
        outcome = Outcome.dropped("duplicate")
        self._stats.inc_value(outcome.stat)
        self._announce(outcome, url)
        self.note_url(url, redirecting_url or url)

    def note_url(self, url: str, further_url: str) -> None:
        """Count another URL of a page, and keep it for the article."""
        self._stats.inc_value("forest/duplicates/url")
        if self._failure.error is not None:
            return
        with self._failure.guard():
            self._spool.articles.add_url(page_key(url), further_url)

    def give_up(self, can_be_resumed: bool) -> None:
        """Count the pages that a crawl that cannot go on leaves without an outcome."""
        if self.pending <= 0:
            return
        event = "pages/left" if can_be_resumed else "dropped/disk_failure"
        self._stats.inc_value(f"forest/{event}", self.pending)

    def _announce(
        self,
        outcome: Outcome,
        url: str,
        page: ArticlePage | None = None,
    ) -> None:
        for listener in self.listeners:
            listener(outcome, url, page)
        if outcome.kind == "article":  # Scrapy logs the articles
            return
        was_expected = page is not None and page.is_article
        is_surprise = was_expected and outcome.detail not in _USUAL_REASONS
        level = logging.INFO if is_surprise else logging.DEBUG
        logger.log(level, "Dropped %s: %s", url, outcome.detail)


#: The key of the requests in the state of a spider.
_STATE = "forest_outstanding"
#: The group of the requests for feeds and sitemaps.
_SOURCES = "sources"


class OutstandingRequests:
    """The requests of our spiders for pages and feeds that have no outcome yet, by site and feed.

    They tell whether more pages of a host may come, so that its templates are learned from the
    same pages whatever the order of the responses, and how many feeds are left to read.  Requests
    are added when they are made, and removed when their response, or their failure, was processed.
    Those of other spiders are not known.

    ``on_complete``: called with the hosts of which no more pages are expected.
    """

    def __init__(self) -> None:
        self.on_complete: Callable[[Collection[str]], None] | None = None
        #: The groups of each request, which are its site, its feed and ``_SOURCES``, by the key of
        #: its URL.
        self._requests: dict[str, tuple[str, ...]] = {}
        self._by_group: Counter[str] = Counter()
        #: The sites and feeds from which a host has pages, and the hosts of each.
        self._groups: defaultdict[str, set[str]] = defaultdict(set)
        self._hosts: defaultdict[str, set[str]] = defaultdict(set)

    def resume(self, state: MutableMapping[str, Any], was_lost: bool) -> None:
        """Continue with the requests in the state of a spider, where they are kept for the next run
        of a job.  ``was_lost``: the queue of the last run was, and its requests with it."""
        requests = {} if was_lost else state.get(_STATE, {})
        requests.update(self._requests)  # those that were made before
        state[_STATE] = requests
        self._requests = requests
        self._by_group = Counter(chain.from_iterable(requests.values()))

    def add(self, url: str, feed: str = "", is_source: bool = False) -> None:
        """Note a request; ``feed``: the URL of the feed that lists the page; ``is_source``: whether
        it is for a feed or a sitemap, or a page that is asked for these."""
        key = page_key(url)
        if key in self._requests:
            return
        groups = [site_of(url), feed]
        if is_source:
            groups.append(_SOURCES)
        self._requests[key] = tuple(group for group in groups if group)
        self._by_group.update(self._requests[key])

    def remove(self, request: Request) -> None:
        """Note that a request has an outcome."""
        key = page_key(first_url(request))
        hosts_of_groups: set[str] = set()
        for group in self._requests.pop(key, ()):
            self._by_group[group] -= 1
            if not self._by_group[group]:
                del self._by_group[group]
                hosts_of_groups |= self._hosts.get(group, set())

        complete_hosts = [host for host in hosts_of_groups if not self.may_bring(host)]
        if complete_hosts and self.on_complete:
            self.on_complete(sorted(complete_hosts))

    def add_page(self, host: str, url: str, feed: str = "") -> None:
        """Note that a page of a host has come, listed by a feed or not."""
        groups = {site_of(url), feed} - {""}
        for group in groups - self._groups[host]:
            self._groups[host].add(group)
            self._hosts[group].add(host)

    def may_bring(self, host: str) -> bool:
        """Whether more pages of a host may come: there are requests to its site, or for items of
        a feed that has listed pages of it."""
        return any(group in self._by_group for group in self._groups.get(host, ()))

    @property
    def is_empty(self) -> bool:
        """Whether all requests that were added have an outcome."""
        return not self._requests

    @property
    def feeds_left(self) -> int:
        """The number of feeds and sitemaps that are requested and were not read yet."""
        return self._by_group[_SOURCES]

    def clear(self) -> None:
        """Forget all requests: the crawl is idle."""
        self._requests.clear()
        self._by_group.clear()


#: Stats of feeds and sitemaps that could not be read, and how those of pages begin.
_FAILED_SOURCE_STATS = (
    "forest/feeds/failed",
    "forest/feeds/unreadable",
    "forest/feeds/not_found",
    "forest/sitemaps/failed",
)
_FAILED_PAGE_STATS = "forest/failed/"
#: Stats of feeds and sitemaps that were read.
_READ_SOURCE_STATS = ("forest/feeds/read", "forest/sitemaps/read")
#: Stats of pages that were fetched, also by the run before, and of pages and feeds that have not
#: changed.
_FETCHED_STATS = (
    "forest/pages/spooled",
    "forest/pages/recalled",
    "forest/history/skipped",
    "forest/history/not_modified",
    "forest/history/feeds_not_modified",
)


def found_nothing(stats: Mapping[str, Any]) -> bool:
    """Whether a crawl could fetch nothing: none of the pages that it asked for; or, if it asked for
    none, no feed or sitemap.  One that finds that nothing has changed (``only_new``), or that
    nothing is in its time, has read something.

    >>> found_nothing({"forest/feeds/failed": 1}), found_nothing({"forest/feeds/items": 0})
    (True, False)
    >>> found_nothing({"forest/failed/status_404": 1, "forest/history/skipped": 9})
    False
    >>> found_nothing({"forest/feeds/failed": 1, "forest/feeds/read": 1})
    False
    >>> found_nothing({"forest/failed/status_403": 9, "forest/feeds/read": 1})
    True
    """
    if _has_any(stats, _FETCHED_STATS):
        return False
    if any(name.startswith(_FAILED_PAGE_STATS) for name in stats):
        return True
    return _has_any(stats, _FAILED_SOURCE_STATS) and not _has_any(stats, _READ_SOURCE_STATS)


def _has_any(stats: Mapping[str, Any], names: Iterable[str]) -> bool:
    return any(stats.get(name) for name in names)
