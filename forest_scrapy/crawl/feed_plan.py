"""Which pages of a feed are requested."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b

from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from forest_scrapy.core import Entry
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.feeds.schedule import (
    FeedHints,
    Interval,
    choose_due,
    read_hints,
    read_retry_after,
)
from forest_scrapy.responses.conversion import asked_url, decode_headers, page_key
from forest_scrapy.stores import FeedRecord, HistoryStore, PageRecord

__all__ = ["FeedHistory", "FeedPlan", "PlannedPage", "entry_digest", "needs_request", "to_seconds"]

_DAY = 86_400


class FeedHistory:
    """The feeds of the history.  ``only_new``: they are requested conditionally."""

    def __init__(
        self,
        store: HistoryStore,
        stats: StatsCollector,
        only_new: bool = False,
        clock: Callable[[], float] = time.time,
        interval: Interval | None = None,
    ) -> None:
        self._store, self._stats, self._only_new, self._clock = store, stats, only_new, clock
        self._interval = interval or Interval()
        #: The records of feeds that are being polled.
        self._polled: dict[str, FeedRecord] = {}

    def due(self, url: str) -> int:
        """When a feed is to be polled, in seconds since 1970; 0 if it never was."""
        return self._find(url).due or 0

    def headers(self, url: str) -> dict[str, str]:
        """Headers for a conditional request; none if pages that the feed lists are still to be
        fetched, because they are only known from its body."""
        known = self._polled[url] = self._find(url)
        if not self._only_new or self._store.has_failing_pages(url):
            return {}
        named = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
        return {name: value for name, value in named.items() if value}

    def is_not_modified(self, response: Response) -> bool:
        """Whether the feed has answered with status 304, which is noted."""
        if response.status != 304:
            return False
        known = self._find(asked_url(response))
        now = int(self._clock())
        self._save(replace(known, polled=now, status=304, failures=0))
        self._stats.inc_value("forest/history/feeds_not_modified")
        return True

    def was_read(
        self, response: Response, items: Sequence[tuple[str, Entry]], is_complete: bool
    ) -> None:
        """Note a feed that was read; unless ``is_complete``, it is read again next time."""
        known, now = self._find(asked_url(response)), int(self._clock())
        headers = decode_headers(response) if is_complete else {}
        hints = read_hints(response.body, response.url, decode_headers(response))
        self._save(
            replace(
                known,
                etag=headers.get("Etag", ""),
                last_modified=headers.get("Last-Modified", ""),
                status=response.status,
                failures=0,
                polled=now,
                read=now,
                hints=hints.to_dict(),
                dates=(*known.dates, *(date for date in _dates(items) if date <= now)),
            )
        )

    def vanished(self, response: Response, items: Sequence[tuple[str, Entry]]) -> list[PageRecord]:
        """With ``only_new``, the articles that were in the feed when it was read last, and are
        not any more, though older ones are."""
        known, dates = self._find(asked_url(response)), _dates(items)
        if not self._only_new or known.read is None or not dates:
            return []
        keys = {page_key(url) for url, _ in items}
        listed = self._store.feed_pages(known.url, min(dates))
        return [one for one in listed if known.read <= one.last_seen and one.key not in keys]

    def has_failed(self, url: str, status: int, retry_after: str = "") -> None:
        """Note a feed that could not be fetched or read; ``status``: 0 without a response;
        ``retry_after``: the header."""
        known = self._find(url)
        now, failures = int(self._clock()), known.failures + 1
        failed = replace(known, polled=now, status=status, failures=failures)
        self._save(failed, read_retry_after(retry_after, now))

    def _save(self, feed: FeedRecord, retry_after: int | None = None) -> None:
        """Write a feed that was polled just now, with the time when it is due again; not while a
        shared store is away, because what it knows of the feed would be lost."""
        if self._store.database.seconds_away() is not None:
            return
        now, hints = int(self._clock()), FeedHints.from_dict(feed.hints)
        due = choose_due(
            feed.url, feed.dates, now, self._interval, hints, feed.failures, retry_after
        )
        self._store.save(feed=replace(feed, due=due))

    def _find(self, url: str) -> FeedRecord:
        return self._polled.pop(url, None) or self._store.feeds.find(url) or FeedRecord(url)


def _dates(items: Sequence[tuple[str, Entry]]) -> list[int]:
    """The publication dates of the entries, in seconds since 1970."""
    dates = (to_seconds(entry.published) for _, entry in items)
    return [date for date in dates if date is not None]


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


def needs_request(known: PageRecord, entry: Entry, now: int) -> bool:
    """Whether a page that is known has to be requested again.

    It is checked again when as much time has passed since it was last fetched as it was old
    then, at least a day: after 1, 2, 4, 8 days and so on.
    """
    if known.fetched is None or known.outcome == "" or known.failures:
        return True
    age = known.fetched - (known.published or known.first_seen)
    is_stale = now - known.fetched > max(age, _DAY)
    return is_stale or entry_digest(entry) != known.entry_digest


def entry_digest(entry: Entry) -> bytes:
    """A digest of what a feed entry says about the page, without the number of comments."""
    values = {**entry.to_dict(), "comments_count": None, "feed": ""}
    return blake2b(json.dumps(values).encode(), digest_size=8).digest()


def to_seconds(moment: str) -> int | None:
    """ISO 8601 as seconds since 1970; without an offset, UTC is assumed.

    >>> to_seconds("1970-01-02"), to_seconds("yesterday")
    (86400, None)
    """
    try:
        parsed = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp())
