"""Which pages of a feed are requested."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from forest_scrapy.core import Entry
from forest_scrapy.core.document.urls import host_of
from forest_scrapy.feeds.schedule import Interval
from forest_scrapy.runtime.history.feed_history import FeedHistory
from forest_scrapy.runtime.history.page_records import needs_request
from forest_scrapy.runtime.pages.responses import page_key
from forest_scrapy.stores import HistoryStore, PageRecord

__all__ = ["FeedPlan", "PlannedPage"]


@dataclass(frozen=True)
class PlannedPage:
    """A page to request, with the headers that make the request conditional; without an entry,
    an article that has vanished from its feed."""

    url: str
    entry: Entry | None
    headers: dict[str, str]


class FeedPlan:
    """Plans the requests for the items of feeds, and notes what feeds list.

    ``feeds``: when feeds were read and are due.  ``only_new``: the history decides which items
    are requested.
    """

    def __init__(
        self,
        store: HistoryStore,
        stats: StatsCollector,
        only_new: bool = False,
        clock: Callable[[], float] = time.time,
        interval: Interval | None = None,
    ) -> None:
        self.feeds = FeedHistory(store, stats, only_new, clock, interval)
        self._store, self._stats, self._only_new, self._clock = store, stats, only_new, clock
        self._started = int(clock())

    def pages(self, items: Sequence[tuple[str, Entry]]) -> list[PlannedPage]:
        """The pages to request of items of a feed: all, or with ``only_new`` those that
        ``needs_request`` tells."""
        return [page for url, entry in items if (page := self._plan(url, entry))]

    def vanished(self, response: Response, items: Sequence[tuple[str, Entry]]) -> list[PlannedPage]:
        """The pages to request of a feed that has all these items: with ``only_new``, the articles
        that have vanished from it."""
        vanished = self.feeds.vanished(response, items)
        return [PlannedPage(one.url, None, self.headers(one)) for one in vanished]

    def was_known(self, url: str) -> bool:
        """Whether an earlier crawl, with only_new, has listed or requested this URL."""
        known = self._store.find(page_key(url)) if self._only_new else None
        return known is not None and known.first_seen < self._started

    def was_listed(
        self, feed: str, items: Sequence[tuple[str, Entry]], requested: Collection[str]
    ) -> bool:
        """Note items of a feed, of which these URLs are requested; whether all of them were
        requested, now or in an earlier crawl.  If not, the feed has to be read again in full next
        time."""
        records, now = [], int(self._clock())
        for url, entry in items:
            key = page_key(url)
            known = self._store.find(key)
            if known or url in requested:
                record = known or PageRecord(key, host_of(url), url, now, now)
                records.append(replace(record, last_seen=now, feed=feed, entry_id=entry.id))
        self._store.save(*records)
        return len(records) == len(items)

    def headers(self, known: PageRecord | None) -> dict[str, str]:
        """Headers for a conditional request.  Without an ETag the page is always downloaded
        (Clausen 2004); with one, the date is sent as well, which servers ignore if they compare
        ETags (RFC 9110)."""
        if not self._only_new or known is None or known.outcome != "article" or not known.etag:
            return {}
        dated = {"If-Modified-Since": known.last_modified} if known.last_modified else {}
        return {"If-None-Match": known.etag, **dated}

    def _plan(self, url: str, entry: Entry) -> PlannedPage | None:
        known = self._store.find(page_key(url))
        if (
            self._only_new
            and known is not None
            and not needs_request(known, entry, int(self._clock()))
        ):
            self._stats.inc_value("forest/history/skipped")
            return None
        return PlannedPage(url, entry, self.headers(known))
