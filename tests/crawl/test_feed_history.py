"""Which feeds and pages a crawl requests, by its history."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.statscollectors import MemoryStatsCollector

from forest_scrapy.core import Entry
from forest_scrapy.core.page.urls import entry_url, is_entry_url, page_key
from forest_scrapy.crawl.feed_history import (
    UNLISTED,
    FeedHistory,
    HistoryOptions,
    read_traits,
)
from forest_scrapy.crawl.history import CrawlHistory
from forest_scrapy.feeds.feed_items import Feed
from forest_scrapy.feeds.turnover import FeedGap

from .test_history import DAY, ENTRY, FEED, URL, Clock, clock, crawl, history, make_item, plan, read

__all__ = ["clock", "history"]
HOUR = 3600


def test_a_feed_with_items_that_no_crawl_has_requested_is_read_again(
    history: CrawlHistory,
) -> None:
    items = [(URL, ENTRY), ("http://a.example/2", ENTRY)]
    response = Response(FEED, headers={"ETag": '"feed"'}, request=Request(FEED))
    read(history, response, items, [URL])
    history.done(make_item())
    assert history.feeds.headers(FEED) == {}
    plan(history, items)
    history.done(make_item(url="http://a.example/2"), "no_content")
    assert history.feeds.headers(FEED) == {"If-None-Match": '"feed"'}


def test_a_feed_that_is_never_modified_is_read_each_week(
    history: CrawlHistory, clock: Clock
) -> None:
    """Corrections of articles whose entries stay the same, and items, are not missed for ever."""
    plan(history, [(URL, ENTRY)])
    crawl(history)
    full = []
    for _ in range(15):
        clock.now += DAY
        is_full = not history.feeds.headers(FEED)
        full.append(is_full)
        if is_full:
            assert [page.url for page in plan(history, [(URL, ENTRY)])] == [URL]
        else:
            response = Response(FEED, status=304, request=Request(FEED))
            assert history.feeds.is_not_modified(response)
    assert [day for day, is_full in enumerate(full, 1) if is_full] == [7, 14]
    clock.now -= 3 * DAY
    assert history.feeds.headers(FEED) == {}, "it was read later than now"


def test_a_server_that_says_anew_how_long_a_feed_is_fresh(
    history: CrawlHistory, clock: Clock
) -> None:
    """A year is no longer than the longest wait between two polls."""
    plan(history, [(URL, ENTRY)])
    waits = []
    for seconds in (0, 7200, 365 * DAY):
        headers = {"Cache-Control": f"max-age={seconds}"}
        response = Response(FEED, status=304, headers=headers, request=Request(FEED))
        assert history.feeds.is_not_modified(response)
        feed = history.store.feeds.find(FEED)
        assert feed is not None and feed.due is not None
        waits.append(feed.due - int(clock.now))
    short, fresh, year = waits
    assert short < 7200 <= fresh <= 7920
    assert DAY <= year <= 1.1 * DAY


def test_an_entry_without_a_page_that_was_left_and_is_not_listed_any_more(
    history: CrawlHistory,
) -> None:
    url = entry_url("http://a.example/show", "7")
    response = Response(FEED, headers={"ETag": '"feed"'}, request=Request(FEED))
    read(history, response, [(url, ENTRY)], [url])
    assert history.feeds.headers(FEED) == {}
    assert history.feeds.vanished(response, [(URL, ENTRY)]) == []
    known = history.store.find(page_key(url))
    assert known is not None and known.outcome == UNLISTED
    assert history.feeds.headers(FEED) == {"If-None-Match": '"feed"'}
    (planned,) = plan(history, [(url, ENTRY)])
    assert planned.entry == ENTRY


def test_pages_that_several_entries_have_linked_are_remembered(history: CrawlHistory) -> None:
    response = Response(FEED, request=Request(FEED))
    key = page_key("http://a.example/show")
    history.feeds.was_read(response, Feed(((URL, ENTRY),), shared_pages=(key,)), True)
    history.feeds.was_read(response, Feed(((URL, ENTRY),)), True)
    feed = history.feeds.recall_shared_pages(FEED, Feed((("http://a.example/show", ENTRY),)))
    ((url, _),) = feed.items
    assert is_entry_url(url)


def test_conditional_headers(history: CrawlHistory) -> None:
    crawl(history)
    (planned,) = plan(history, [(URL, replace(ENTRY, title="Another"))])
    assert planned.headers["If-None-Match"] == '"1"'
    known = history.store.find(page_key(URL))
    assert known is not None
    # Clausen: without an ETag, always download.
    assert history.feeds.page_headers(replace(known, etag="")) == {}
    stats = MemoryStatsCollector(Crawler(Spider))
    assert FeedHistory(history.store, stats, HistoryOptions()).page_headers(known) == {}


def test_failing_pages_are_requested_that_the_feed_lists_no_more(
    history: CrawlHistory, clock: Clock
) -> None:
    """Until it is given up, a page that fails is why its feed is requested in full."""
    dated = replace(ENTRY, published="2023-11-14T20:00:00+00:00")
    other = replace(dated, id="2", published="2023-11-14T21:00:00+00:00")
    plan(history, [(URL, dated), (f"{FEED}/2", other)])
    crawl(history, url=f"{FEED}/2")
    for failures in range(1, 6):
        assert history.request_failed(URL, 503) is None
        clock.now += 3600
        is_conditional = bool(history.feeds.headers(FEED))
        planned = plan(history, [(f"{FEED}/2", other)])
        was_asked = [page.url for page in planned if page.entry is None] == [URL]
        assert (is_conditional, was_asked) == ((False, True) if failures < 5 else (True, False))


def test_a_feed_that_was_polled_with_a_clock_ahead_is_due(
    history: CrawlHistory, clock: Clock
) -> None:
    clock.now += 400 * DAY
    plan(history, [(URL, ENTRY)])
    assert history.feeds.due(FEED) > clock.now
    clock.now -= 400 * DAY
    assert history.feeds.due(FEED) == 0
    plan(history, [(URL, ENTRY)])
    assert clock.now < history.feeds.due(FEED) <= clock.now + 2 * DAY


def entries(*minutes: int, first: int = 1_699_990_000) -> list[tuple[str, Entry]]:
    """Items of a feed, each published in one of these minutes."""
    items = []
    for minute in minutes:
        moment = datetime.fromtimestamp(first + 60 * minute + 7, UTC).isoformat()
        url = f"http://a.example/{minute}"
        items.append((url, replace(ENTRY, id=url, published=moment)))
    return items


def gap_after(
    history: CrawlHistory,
    clock: Clock,
    before: list[tuple[str, Entry]],
    after: list[tuple[str, Entry]],
    are_requested: bool = True,
) -> FeedGap | None:
    """What is missed if a feed has these items in two polls, an hour one after the other."""
    response = Response(FEED, request=Request(FEED))
    history.feeds.note_gap(response, before)
    read(history, response, before, [url for url, _ in before] if are_requested else [])
    clock.now += HOUR
    return history.feeds.note_gap(response, after)


NEW = range(59, 49, -1)


@pytest.mark.parametrize(
    ("after", "missed"),
    [
        (entries(*NEW), 40),
        (entries(*NEW[:9], 9), 0),  # one is known
        (entries(12, *NEW[:9], 9), 0),
        (entries(-500, -400, *NEW[:8]), 42),  # old dates at the top, none known
        (entries(3, *NEW[:9]), 41),  # a pinned one, which is known
        (entries(*NEW[:9], 3), 0),  # not pinned: the list goes on to what was known
        (entries(3), 0),
        ([], 0),
    ],
)
def test_a_gap_in_the_list_of_a_feed(
    history: CrawlHistory, clock: Clock, after: list[tuple[str, Entry]], missed: int
) -> None:
    gap = gap_after(history, clock, entries(*range(9, -1, -1)), after)
    assert (gap.missed if gap else 0) == missed


EVENT = 60 * 24 * 30


@pytest.mark.parametrize(
    ("before", "after", "missed"),
    [
        # An event is at the top of both lists; it is known, and hides nothing.
        (entries(EVENT, *range(9, -1, -1)), entries(EVENT, *NEW), 40),
        (entries(EVENT, *range(9, -1, -1)), entries(EVENT, *NEW[:8], 9), 0),
        # A new event does not change the rate of the others.
        (entries(*range(9, -1, -1)), entries(EVENT, *NEW), 40),
        # The clock of the feed is ahead of that of the crawl.
        (entries(*range(209, 199, -1)), entries(*range(214, 204, -1)), 0),
        (entries(*range(200, 210)), entries(*range(205, 215)), 0),
        # A calendar: a new event comes before the known ones.
        (entries(3, EVENT, EVENT + 9), entries(EVENT + 9, EVENT, EVENT - 9), 0),
    ],
)
def test_entries_with_dates_of_the_future(
    history: CrawlHistory,
    clock: Clock,
    before: list[tuple[str, Entry]],
    after: list[tuple[str, Entry]],
    missed: int,
) -> None:
    gap = gap_after(history, clock, before, after)
    assert (gap.missed if gap else 0) == missed


def test_entries_that_are_all_older_than_what_was_known(
    history: CrawlHistory, clock: Clock
) -> None:
    before = entries(*range(9, -1, -1))
    after = entries(*range(-40, -50, -1))
    assert gap_after(history, clock, before, after) is None, "they may be out of the scope"
    crawl(history, url="http://a.example/9")
    gap = gap_after(history, clock, before, after)
    assert gap is not None and not gap.is_counted


def test_items_out_of_the_scope_are_not_missed(history: CrawlHistory, clock: Clock) -> None:
    """None of them is requested; those whose dates have no time can only be the same day's."""
    before = entries(*range(9, -1, -1))
    assert gap_after(history, clock, before, before, are_requested=False) is None
    after = entries(12, *range(9, 0, -1))
    assert gap_after(history, clock, before, after, are_requested=False) is None
    days = [(url, replace(entry, published="2023-11-14")) for url, entry in before]
    assert gap_after(history, clock, days, days, are_requested=False) is None
    gap = gap_after(history, clock, before, entries(*NEW), are_requested=False)
    assert gap is not None and gap.missed == 40


def test_what_a_killed_crawl_has_not_told_is_told_by_the_next_one(
    history: CrawlHistory, clock: Clock
) -> None:
    before = entries(*range(9, -1, -1))
    after = entries(*NEW)
    gap_after(history, clock, before, after)
    response = Response(FEED, headers={"ETag": "1"}, request=Request(FEED))
    read(history, response, after, [url for url, _ in after])
    for url, _ in [*before, *after]:
        crawl(history, url=url)
    assert history.feeds.headers(FEED) == {"If-None-Match": "1"}

    stats = MemoryStatsCollector(Crawler(Spider))
    next_crawl = FeedHistory(history.store, stats, HistoryOptions(True, clock))
    assert next_crawl.headers(FEED) == {}, "the items are needed to look for older ones"
    gap = next_crawl.note_gap(response, after)
    assert gap is not None and gap.missed == 40
    assert next_crawl.reopened == {FEED}
    next_crawl.was_read(response, Feed(tuple(after)), True)
    (feed,) = history.store.feeds.all()
    assert read_traits(feed).missed == 40, "counted once"
    next_crawl.settle_gaps()
    third_crawl = FeedHistory(history.store, stats, HistoryOptions(True, clock))
    assert third_crawl.headers(FEED) == {"If-None-Match": "1"}
    assert third_crawl.note_gap(response, after) is None


def moved(items: list[tuple[str, Entry]]) -> list[tuple[str, Entry]]:
    """The same entries, whose dates are full hours, at another host."""
    return [(url.replace("a.example", "b.example"), entry) for url, entry in items]


@pytest.mark.parametrize("new", [0, 1, 3])
def test_a_feed_whose_pages_have_moved_has_lost_nothing(
    history: CrawlHistory, clock: Clock, new: int
) -> None:
    minutes = range(60 * 12, 0, -60)
    dated = entries(*minutes, first=1_699_995_600 - 7 - 60 * 60 * 13)
    crawl(history, url="http://a.example/60")
    assert gap_after(history, clock, dated[new:], moved(dated[:-1])) is None


def test_a_clock_that_was_ahead_makes_no_gap(history: CrawlHistory, clock: Clock) -> None:
    """Its crawl has seen all pages first, later than the next one reads the feed."""
    before = entries(*range(9, -1, -1))
    clock.now += 400 * DAY
    response = Response(FEED, request=Request(FEED))
    read(history, response, before, [url for url, _ in before])
    clock.now -= 400 * DAY
    after = entries(12, 11, *range(9, 1, -1))
    assert gap_after(history, clock, before, after) is None


def test_a_clock_that_was_late_makes_no_gap(history: CrawlHistory, clock: Clock) -> None:
    """Its crawl has read the feed before all of its pages were seen first; there are no dates."""
    items = [(url, replace(entry, published="")) for url, entry in entries(*range(13))]
    response = Response(FEED, request=Request(FEED))
    read(history, response, items[:10], [url for url, _ in items[:10]])
    for url, _ in items[:10]:
        crawl(history, url=url)
    clock.now -= 60 * DAY
    read(history, response, items[:10], [])
    clock.now += 60 * DAY
    assert history.feeds.note_gap(response, items[1:12]) is None
