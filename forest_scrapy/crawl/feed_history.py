"""What earlier crawls know of feeds and of the pages that they list: which to request, and when
again."""

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from forest_scrapy.core import BadRules, Entry
from forest_scrapy.core.codec import from_json, to_json
from forest_scrapy.core.page.urls import host_of, is_entry_url, page_key, site_of
from forest_scrapy.crawl.page_records import to_seconds
from forest_scrapy.crawl.rechecks import RecheckHours, is_due_again, needs_request
from forest_scrapy.feeds.feed_items import Feed
from forest_scrapy.feeds.own_pages import MAX_SHARED_PAGES, place_again
from forest_scrapy.feeds.schedule import (
    FeedHints,
    Interval,
    choose_due,
    read_max_age,
    read_retry_after,
)
from forest_scrapy.feeds.turnover import FeedGap, FeedTraits, find_gap, join_gaps
from forest_scrapy.responses.conversion import asked_url, decode_headers
from forest_scrapy.stores import FeedRecord, HistoryStore, PageRecord

if TYPE_CHECKING:
    from forest_scrapy.feeds.summary import FeedStatistics

_HOUR = 3600
_DAY = 86_400
#: Seconds after which a feed is read in full: a server whose clock or ETags are wrong may always
#: answer 304, and pages that are to be checked again are only known from the body.
_MAX_UNREAD = 7 * _DAY

#: Seconds from when the first item of a feed is noted until the feed is.
_MAX_LISTING_SECONDS = 60

#: The keys of a feed's traits beside its hints, and of what is missed of it and was not told yet.
_TRAITS = "traits"
_GAP = "gap"

#: The outcome of an entry without a page of its own that was left, and is not listed any more.
UNLISTED = "unlisted"

#: A page that a feed lists: its URL and its entry.
ListedPage = tuple[str, Entry]


@dataclass(frozen=True)
class PlannedPage:
    """A page to request, with the headers that make the request conditional; without an entry,
    an article that has vanished from its feed."""

    url: str
    entry: Entry | None
    headers: dict[str, str]


@dataclass(frozen=True)
class HistoryOptions:
    """What a crawl uses its history for.

    ``only_new``: the history decides which pages are requested, and requests are conditional.
    ``clock`` returns seconds since 1970.  ``interval``: the bounds of the times between two polls
    of a feed.  ``recheck_hours``: when the pages of new articles are asked for again (see
    ``is_due_again``).
    """

    only_new: bool = False
    clock: Callable[[], float] = time.time
    interval: Interval = field(default_factory=Interval)
    recheck_hours: tuple[float, ...] = ()


class FeedHistory:
    """The history of feeds, and of the pages that they list."""

    def __init__(
        self,
        store: HistoryStore,
        stats: StatsCollector,
        options: HistoryOptions,
    ) -> None:
        self._store = store
        self._stats = stats
        self._only_new = options.only_new
        self._clock = options.clock
        self._interval = options.interval
        self._recheck_hours = options.recheck_hours
        self._started = self._now
        self._recheck = RecheckHours(store, options.recheck_hours)
        #: The records of feeds that are being polled.
        self._polled: dict[str, FeedRecord] = {}
        #: What was missed of feeds since their last polls, by the feed's URL; also that which an
        #: earlier crawl that was killed has not told (``reopened``).
        self.gaps: dict[str, FeedGap] = {}
        self.reopened: set[str] = set()
        #: The gaps of the latest polls alone, and the feeds whose gaps are stored by this crawl.
        self._new_gaps: dict[str, FeedGap] = {}
        self._stored_gaps: set[str] = set()
        #: The keys of the entries that each feed with a gap lists now.
        self._listed_keys: dict[str, frozenset[str]] = {}
        #: See ``CrawlHistory.done``; a crawl that watches feeds does not request these again.
        self.held: dict[str, str] = {}

    @property
    def _now(self) -> int:
        return int(self._clock())

    def due(self, url: str) -> int:
        """When a feed is to be polled, in seconds since 1970; see ``FeedRecord.due_at``."""
        return self._find(url).due_at(self._now)

    def headers(self, url: str) -> dict[str, str]:
        """Headers for a conditional request.

        None if pages that the feed lists are still to be fetched, because they are only known from
        its body, or if it was not read for a week, or later than now, because the clock was wrong.
        """
        feed = self._find(url)
        self._polled[url] = feed
        is_recent = feed.read is not None and 0 <= self._clock() - feed.read < _MAX_UNREAD
        if not self._only_new or not is_recent:
            return {}
        if self._store.has_failing_pages(url):
            return {}
        if self._find_untold_gap(feed) is not None:
            return {}

        headers = {}
        if feed.etag:
            headers["If-None-Match"] = feed.etag
        if feed.last_modified:
            headers["If-Modified-Since"] = feed.last_modified
        return headers

    def is_not_modified(self, response: Response) -> bool:
        """Whether the feed has answered with status 304, which is noted."""
        if response.status != 304:
            return False
        feed = self._find(asked_url(response))
        polled_feed = replace(feed, polled=self._now, status=304, failures=0)
        max_age = read_max_age(decode_headers(response))
        if max_age is not None:
            hints = {**feed.hints, "max_age": max_age}
            polled_feed = replace(polled_feed, hints=hints)
        self._save(polled_feed)
        self._stats.inc_value("forest/history/feeds_not_modified")
        return True

    def is_read_elsewhere(self, response: Response) -> bool:
        """Whether another crawl with ``only_new`` reads the feed, of which each item would be
        emitted twice; if not, none will until this one ends."""
        if not self._only_new:
            return False
        url = asked_url(response)
        if self._store.claim_feed(url):
            return False
        self._stats.inc_value("forest/feeds/read_elsewhere")
        return True

    def was_read(self, response: Response, feed: Feed, is_complete: bool) -> None:
        """Note a feed that was read; unless ``is_complete``, it is read again next time."""
        stored_feed = self._find(asked_url(response))
        now = self._now
        headers = decode_headers(response) if is_complete else {}
        traits = self._traits_of(stored_feed, feed)
        new_dates = []
        for date in _publication_dates(feed.items):
            if date <= now:
                new_dates.append(date)
        hints = {**to_json(feed.hints), _TRAITS: to_json(traits)}
        gap = self.gaps.get(stored_feed.url)
        if gap is not None:
            hints[_GAP] = to_json(gap)
            self._stored_gaps.add(stored_feed.url)
        read_feed = replace(
            stored_feed,
            etag=headers.get("Etag", ""),
            last_modified=headers.get("Last-Modified", ""),
            status=response.status,
            failures=0,
            polled=now,
            read=now,
            hints=hints,
            dates=(*stored_feed.dates, *new_dates),
        )
        self._save(read_feed)

    def _traits_of(self, stored_feed: FeedRecord, feed: Feed) -> FeedTraits:
        """What the feed is now, and what was missed of it in all polls."""
        full_texts = 0
        for _, entry in feed.items:
            if entry.content:
                full_texts += 1
        before = read_traits(stored_feed)
        missed = before.missed
        gaps = before.gaps
        uncounted = before.uncounted
        gap = self._new_gaps.get(stored_feed.url)
        if gap is not None:
            missed += gap.missed
            gaps += 1
            uncounted += not gap.is_counted
        return FeedTraits(
            format=feed.format,
            listed=len(feed.items),
            full_texts=full_texts,
            missed=missed,
            gaps=gaps,
            uncounted=uncounted,
            shared_pages=_join_keys(before.shared_pages, feed.shared_pages),
        )

    def recall_shared_pages(self, url: str, feed: Feed) -> Feed:
        """The feed at this URL, or a page with older items of it, in which entries that link what
        several of its entries have linked before have no page of their own."""
        stored_feed = self._store.feeds.find(url)
        if stored_feed is None:
            return feed
        return place_again(feed, read_traits(stored_feed).shared_pages)

    def note_gap(self, response: Response, items: Sequence[ListedPage]) -> FeedGap | None:
        """What has come and gone of a feed since it was read last, which is noted, with what a
        crawl that was killed has not told; None if nothing has.  To be called before its items are
        listed."""
        url = asked_url(response)
        feed = self._store.feeds.find(url)
        self.gaps.pop(url, None)
        self._new_gaps.pop(url, None)
        self.reopened.discard(url)
        if feed is None or feed.read is None or not items:
            return None
        new_gap = self._find_gap(feed, feed.read, items)
        untold_gap = self._find_untold_gap(feed)
        if new_gap is not None:
            self._new_gaps[url] = new_gap
            self._stats.inc_value("forest/feeds/missed", new_gap.missed)
            self._stats.inc_value("forest/feeds/gaps")
        if untold_gap is not None:
            self.reopened.add(url)
        gap = join_gaps(untold_gap, new_gap)
        if gap is not None:
            self.gaps[url] = gap
            self._listed_keys[url] = frozenset(page_key(item_url) for item_url, _ in items)
        return gap

    def _find_gap(
        self,
        feed: FeedRecord,
        last_read: int,
        items: Sequence[ListedPage],
    ) -> FeedGap | None:
        """What has come and gone of a feed since it was read last, by the items that it lists."""
        if self._continues(feed, items):
            return None
        dates = _publication_dates(items)
        last_seen = max(feed.dates, default=None)
        has_new_dates = last_seen is not None and any(date > last_seen for date in dates)
        has_articles = any(self._store.pages_first_seen_since(feed.url, 0))
        if not has_new_dates and not has_articles:
            return None  # its items may be out of the scope of all crawls
        if has_new_dates and last_seen is not None:
            begins_with_new = dates[0] > last_seen
            if begins_with_new and dates[-1] <= last_seen:
                return None  # it reaches what was known, though its URLs are others now
        elif not set(dates).isdisjoint(feed.dates):
            return None  # the same entries, with other URLs
        return find_gap(
            listed_dates=dates,
            listed=len(items),
            last_seen=last_seen,
            last_read=last_read,
            now=self._now,
            seen_dates=feed.dates,
        )

    def _find_untold_gap(self, feed: FeedRecord) -> FeedGap | None:
        """What a crawl that was killed has noted to be missed of a feed, and has not told."""
        if _GAP not in feed.hints or feed.url in self._stored_gaps:
            return None
        try:
            return from_json(FeedGap, feed.hints[_GAP], ignore_unknown=True)
        except (BadRules, TypeError):
            return None

    def settle_gaps(self) -> None:
        """Note that what is missed of feeds was told, at the end of the crawl.  Raises
        ``StoreUnavailable``."""
        for url in sorted(self._stored_gaps):
            feed = self._store.feeds.find(url)
            if feed is None:
                continue
            hints = {name: value for name, value in feed.hints.items() if name != _GAP}
            told_feed = replace(feed, hints=hints)
            self._store.save(feed=told_feed)
        self._stored_gaps.clear()

    def _continues(self, feed: FeedRecord, items: Sequence[ListedPage]) -> bool:
        """Whether the list of a feed has an entry that it had when it was read last, other than
        pinned ones: those are at its top, and older than others that it had, or dated in the
        future, as events are."""
        last_seen = max(feed.dates, default=None)
        are_pinned = True
        has_known = False
        has_future = False
        new_dates: list[int] = []
        other_entries = 0
        for url, entry in items:
            date = to_seconds(entry.published)
            if self._was_listed_before(feed, url, date):
                is_older = date is not None and last_seen is not None and date < last_seen
                is_of_future = date is not None and date > self._now
                has_future |= is_of_future
                are_pinned &= (is_older or is_of_future) and not new_dates
                has_known = True
            elif date is not None and last_seen is not None and date > last_seen:
                new_dates.append(date)
            else:
                other_entries += 1
        if not are_pinned or not new_dates or other_entries:
            return has_known
        # A list of events, or one of a feed whose clock is ahead, has new ones of the future, too.
        has_pinned_only = not has_future or min(new_dates) <= self._now
        return has_known and not has_pinned_only

    def _was_listed_before(self, feed: FeedRecord, url: str, date: int | None) -> bool:
        """Whether an item was in the feed when it was read last.  Of those out of the scope only
        the dates are stored; a full hour may be that of a date without a time."""
        page = self._store.find(page_key(url))
        if page is not None:
            last_read = feed.read or 0
            is_from_future = page.first_seen > self._now  # the clock was wrong
            if is_from_future or page.first_seen <= last_read:
                return True
            # The clock was late when the feed was read last, and its pages were known already.
            seconds = last_read - page.last_seen
            return page.feed == feed.url and 0 <= seconds <= _MAX_LISTING_SECONDS
        return date in feed.dates and date is not None and date % _HOUR != 0

    def recover(
        self,
        url: str,
        items: Sequence[ListedPage],
        requested: int,
    ) -> None:
        """Note that an older page of a feed has these items, of which so many were requested: they
        are not missed.  Nothing is if the page reaches what was known."""
        gap = self.gaps.get(url)
        feed = self._store.feeds.find(url)
        if gap is None or feed is None:
            return
        dates = _publication_dates(items)
        is_older_than_all = False
        if dates:
            first_date = min(dates)
            is_older_than_all = all(date >= first_date for date in feed.dates)
        is_closed = self._reaches_known(items) or is_older_than_all
        self._fill_gap(feed, gap, requested, is_closed)

    def _reaches_known(self, items: Sequence[ListedPage]) -> bool:
        """Whether one of these pages was known before this crawl."""
        for url, _ in items:
            page = self._store.find(page_key(url))
            if page is None:
                continue
            if page.first_seen < self._started:
                return True
        return False

    def recover_from_sitemap(self, url: str, pages: int, is_closed: bool) -> None:
        """Note that a sitemap has so many pages of the time in which entries of a feed were missed
        that were requested, or found otherwise (``was_found``); ``is_closed``: whether it has older
        pages, too."""
        gap = self.gaps.get(url)
        feed = self._store.feeds.find(url)
        if gap is None or feed is None or not pages:
            return
        has_all = gap.is_counted and pages >= gap.missed
        self._fill_gap(feed, gap, pages, is_closed or has_all)

    def _fill_gap(
        self,
        feed: FeedRecord,
        gap: FeedGap,
        requested: int,
        is_closed: bool,
    ) -> None:
        remaining = 0 if is_closed else max(1, gap.missed - requested)
        recovered = gap.missed - remaining
        if recovered:
            self._stats.inc_value("forest/feeds/recovered", recovered)
        if remaining:
            self.gaps[feed.url] = replace(gap, missed=remaining)
        else:
            del self.gaps[feed.url]
        traits = read_traits(feed)
        is_uncounted_closed = is_closed and not gap.is_counted
        traits = replace(
            traits,
            missed=traits.missed - recovered,
            gaps=traits.gaps - is_closed,
            uncounted=traits.uncounted - is_uncounted_closed,
        )
        hints = {**feed.hints, _TRAITS: to_json(traits)}
        hints.pop(_GAP, None)
        if remaining:
            hints[_GAP] = to_json(self.gaps[feed.url])
        recovered_feed = replace(feed, hints=hints)
        self._store.save(feed=recovered_feed)

    def is_known(self, url: str) -> bool:
        """Whether any crawl has listed or requested a page."""
        return self._store.find(page_key(url)) is not None

    def has_listed_any(self, feed: str, urls: Iterable[str]) -> bool:
        """Whether a feed with a gap lists one of these pages, or has listed it as the last feed."""
        listed_keys = self._listed_keys.get(feed, frozenset())
        for url in urls:
            key = page_key(url)
            if key in listed_keys:
                return True
            page = self._store.find(key)
            if page is not None and page.feed == feed:
                return True
        return False

    def was_found(self, feed: str, url: str, gap: FeedGap) -> bool:
        """Whether a page of the time in which entries of a feed were missed was found otherwise
        since the feed was read before: another feed has listed it, or another crawl has requested
        it."""
        key = page_key(url)
        if key in self._listed_keys.get(feed, ()):
            return False  # it is not one of those that were missed
        page = self._store.find(key)
        # What a crawl that was killed has requested is off the gap that it has noted.
        start = self._started - 1 if feed in self.reopened else gap.last_read
        return page is not None and page.first_seen > start

    def has_failed(self, url: str, status: int, retry_after: str = "") -> None:
        """Note a feed that could not be fetched or read; ``status``: 0 without a response;
        ``retry_after``: the header."""
        feed = self._find(url)
        now = self._now
        failed_feed = replace(feed, polled=now, status=status, failures=feed.failures + 1)
        self._save(failed_feed, read_retry_after(retry_after, now))

    def pages(self, items: Sequence[ListedPage]) -> list[PlannedPage]:
        """The pages to request of items of a feed: all, or with ``only_new`` those that
        ``needs_request`` tells."""
        planned = []
        for url, entry in items:
            page = self._plan(url, entry)
            if page is not None:
                planned.append(page)
        return planned

    def _plan(self, url: str, entry: Entry) -> PlannedPage | None:
        key = page_key(url)
        stored_page = self._store.find(key)
        if self._only_new and stored_page is not None:
            page = stored_page
            if key in self.held:
                page = replace(page, outcome="article")
            recheck_hours = self._recheck.of(page)
            if not needs_request(page, entry, self._now, recheck_hours):
                self._stats.inc_value("forest/history/skipped")
                return None
        headers = self.page_headers(stored_page)
        return PlannedPage(url, entry, headers)

    def vanished(self, response: Response, items: Sequence[ListedPage]) -> list[PlannedPage]:
        """With ``only_new``, the pages to request that are not among all items of the feed any
        more: articles that were when it was read last, though older ones still are, and pages
        that are still to be fetched."""
        feed = self._find(asked_url(response))
        if not self._only_new or feed.read is None:
            return []

        missing: dict[str, PageRecord] = {}
        dates = _publication_dates(items)
        if dates:
            for page in self._store.feed_pages(feed.url, min(dates)):
                if feed.read <= page.last_seen:
                    missing[page.key] = page
        for page in self._store.failing_pages(feed.url):
            missing[page.key] = page
        for url, _ in items:
            missing.pop(page_key(url), None)
        self._give_up_entries(missing.values())
        return self._plan_unlisted(missing.values())

    def _give_up_entries(self, pages: Iterable[PageRecord]) -> None:
        """Note that entries without a page of their own, which a crawl that ended early has left,
        are not listed any more: nothing else has them."""
        for page in pages:
            if is_entry_url(page.url) and page.is_failing:
                self._store.save(replace(page, outcome=UNLISTED, failures=0))

    def young(self, feed: str) -> list[PlannedPage]:
        """With ``only_new``, the pages of new articles of a feed that are due again: most
        corrections are made within hours, and the feed need not tell them."""
        if not self._only_new or not self._recheck_hours:
            return []
        now = self._now
        longest_wait = int(max(self._recheck_hours) * _HOUR)
        since = now - longest_wait - _DAY
        due = []
        for page in self._store.pages_first_seen_since(feed, since):
            recheck_hours = self._recheck.of(page)
            if is_due_again(page, now, recheck_hours):
                due.append(page)
        return self._plan_unlisted(due)

    def _plan_unlisted(self, pages: Iterable[PageRecord]) -> list[PlannedPage]:
        planned = []
        for page in pages:
            if not is_entry_url(page.url):
                planned.append(PlannedPage(page.url, None, self.page_headers(page)))
        return planned

    def was_known(self, url: str) -> bool:
        """Whether an earlier crawl, with only_new, has listed or requested this URL."""
        if not self._only_new:
            return False
        page = self._store.find(page_key(url))
        return page is not None and page.first_seen < self._started

    def was_listed(
        self,
        feed: str,
        items: Sequence[ListedPage],
        requested_urls: Collection[str],
    ) -> bool:
        """Note items of a feed, of which these URLs are requested.

        Returns whether all of them were requested, now or in an earlier crawl.  If not, the feed
        has to be read again in full next time.
        """
        now = self._now
        listed_pages = []
        for url, entry in items:
            key = page_key(url)
            page = self._store.find(key)
            if page is None and url in requested_urls:
                page = PageRecord(key, host_of(url), url, now, now)
            if page is not None:
                page = replace(page, last_seen=now, feed=feed, entry_id=entry.id)
                listed_pages.append(page)
        self._store.save(*listed_pages)
        return len(listed_pages) == len(items)

    def page_headers(self, page: PageRecord | None) -> dict[str, str]:
        """Headers for a conditional request.  Without an ETag the page is always downloaded
        (Clausen 2004); with one, the date is sent as well, which servers ignore if they compare
        ETags (RFC 9110)."""
        if not self._only_new or page is None:
            return {}
        if page.outcome != "article" or not page.etag:
            return {}
        headers = {"If-None-Match": page.etag}
        if page.last_modified:
            headers["If-Modified-Since"] = page.last_modified
        return headers

    def _save(self, feed: FeedRecord, retry_after: int | None = None) -> None:
        """Write a feed that was polled just now, with the time when it is due again; not while a
        shared store is unavailable, because what it knows of the feed would be lost."""
        if self._store.database.seconds_unavailable() is not None:
            return
        due = choose_due(
            feed.url,
            feed.dates,
            self._now,
            self._interval,
            _read_hints(feed),
            feed.failures,
            retry_after,
            read_traits(feed).listed,
        )
        self._store.save(feed=replace(feed, due=due))

    def _find(self, url: str) -> FeedRecord:
        polled_feed = self._polled.pop(url, None)
        if polled_feed is not None:
            return polled_feed
        return self._store.feeds.find(url) or FeedRecord(url)


def read_traits(feed: FeedRecord) -> FeedTraits:
    """What a feed was when it was read last; nothing if that cannot be read."""
    try:
        return from_json(FeedTraits, feed.hints.get(_TRAITS, {}), ignore_unknown=True)
    except (BadRules, TypeError):
        return FeedTraits()


def statistics_of(feed: FeedRecord) -> "FeedStatistics":
    """What a feed was when it was read last, and the times between its latest entries."""
    from forest_scrapy.feeds.summary import FeedStatistics, intervals_of  # crawls need none

    return FeedStatistics(
        site=site_of(feed.url),
        traits=read_traits(feed),
        intervals=intervals_of(feed.dates),
    )


def _join_keys(keys: Sequence[str], new_keys: Sequence[str]) -> tuple[str, ...]:
    """The keys, each once, the new ones last; at most ``MAX_SHARED_PAGES`` of them."""
    older_keys = [key for key in keys if key not in new_keys]
    return (*older_keys, *new_keys)[-MAX_SHARED_PAGES:]


def _read_hints(feed: FeedRecord) -> FeedHints:
    """What the feed has said of polling; nothing if that cannot be read."""
    try:
        hints = from_json(FeedHints, feed.hints, ignore_unknown=True)
    except BadRules:
        return FeedHints()
    for seconds in (hints.ttl, hints.max_age, hints.period):
        if seconds is not None and seconds < 0:
            return FeedHints()
    return hints


def _publication_dates(items: Sequence[ListedPage]) -> list[int]:
    """The publication dates of the entries, in seconds since 1970."""
    dates = []
    for _, entry in items:
        date = to_seconds(entry.published)
        if date is not None:
            dates.append(date)
    return dates
