"""What the history knows about feeds: conditional requests, and when they were read."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from forest_scrapy.core import Entry
from forest_scrapy.feeds.hints import FeedHints, read_hints, read_retry_after
from forest_scrapy.feeds.schedule import Interval, choose_due
from forest_scrapy.runtime.history.page_records import to_seconds
from forest_scrapy.runtime.pages.responses import asked_url, decode_headers, page_key
from forest_scrapy.stores import FeedRecord, HistoryStore, PageRecord

__all__ = ["FeedHistory"]


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
