"""When pages that are known are asked for again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forest_scrapy.core.page.urls import entry_url, page_key
from forest_scrapy.crawl.history import CrawlHistory
from forest_scrapy.crawl.page_records import entry_digest
from forest_scrapy.crawl.rechecks import (
    NextRequest,
    RecheckHours,
    due_at,
    is_due_again,
    needs_request,
    plan_next_request,
)
from forest_scrapy.stores import FeedRecord, PageRecord
from forest_scrapy.stores.versions import PageVersion

from .test_history import DAY, ENTRY, FEED, URL, Clock, clock, history

__all__ = ["clock", "history"]
HOUR = 3600


@pytest.mark.parametrize(
    ("published", "fetched", "now", "expected"),
    [
        (0, 0, DAY, False),
        (0, 0, DAY + 1, True),
        (0, 4 * DAY, 8 * DAY, False),
        (0, 4 * DAY, 8 * DAY + 1, True),
        (0, 400 * DAY, 8 * DAY, True),  # the clock was ahead, or goes back
    ],
)
def test_pages_are_checked_again_less_and_less_often(
    published: int, fetched: int, now: int, expected: bool
) -> None:
    known = PageRecord("aa", "a.example", URL, 0, 0, fetched, outcome="article")
    known = replace(known, published=published, entry_digest=entry_digest(ENTRY))
    assert needs_request(known, ENTRY, now) is expected


def test_an_entry_without_a_page_is_taken_again_only_if_it_has_changed() -> None:
    known = PageRecord("aa", "a.example", entry_url(URL, "1"), 0, 0, 0, outcome="article")
    known = replace(known, published=0, entry_digest=entry_digest(ENTRY))
    assert not needs_request(known, ENTRY, 9 * DAY, (1, 4))
    assert not is_due_again(known, 9 * DAY, (1, 4))
    assert needs_request(known, replace(ENTRY, title="Another"), 1)
    assert needs_request(replace(known, outcome=""), ENTRY, 1)
    feed = FeedRecord(FEED, read=0)
    assert plan_next_request(known, feed, DAY, (1, 4)).due is None


@pytest.mark.parametrize(
    ("fetched", "now", "expected"),
    [
        (0, HOUR - 1, False),
        (0, HOUR, True),
        (HOUR, 4 * HOUR - 1, False),
        (2 * HOUR, 6 * HOUR, True),
        (6 * HOUR, 11 * HOUR, False),
        (6 * HOUR, 18 * HOUR, True),
        (12 * HOUR, 23 * HOUR, False),
    ],
)
def test_new_articles_are_asked_for_again_within_hours(
    fetched: int, now: int, expected: bool
) -> None:
    start = 1_700_000_000
    known = PageRecord("aa", "a.example", URL, start, start, start + fetched, outcome="article")
    known = replace(known, published=start - 4 * HOUR, entry_digest=entry_digest(ENTRY))
    hours = (1.0, 4.0, 12.0)
    assert is_due_again(known, start + now, hours) is expected
    assert needs_request(known, ENTRY, start + now, hours) is expected
    assert not needs_request(known, ENTRY, start + now)
    assert not is_due_again(replace(known, published=start - 2 * DAY), start + now, hours)
    assert not is_due_again(replace(known, outcome="not_article"), start + now, hours)


def test_pages_of_templates_that_change_are_asked_for_again_more_often(
    history: CrawlHistory, clock: Clock
) -> None:
    """The same number of requests goes where articles change."""
    start = int(clock.now) - 3 * DAY
    for number in range(40):
        template = "busy" if number % 2 else "still"
        url = f"http://a.example/old/{number}"
        page = PageRecord(
            page_key(url), "a.example", url, start, start, start, outcome="article",
            template=template,
        )  # fmt: skip
        history.store.save(page, version=PageVersion(page.key, start, start + HOUR, "new"))
        moments = (2 * HOUR, 3 * HOUR, 5 * HOUR) if template == "busy" else ()
        for moment in moments:
            seen = start + moment
            digest = f"{moment}".encode()
            version = PageVersion(page.key, seen, seen + 600, "changed", digest=digest)
            history.store.save(page, version=version)

    recheck = RecheckHours(history.store, (1, 4, 12))
    busy = PageRecord("ab", "a.example", URL, 0, 0, template="busy")
    hours = recheck.of(busy)
    still_hours = recheck.of(replace(busy, template="still"))
    assert len(hours) > 3 > len(still_hours)
    assert len(hours) + len(still_hours) <= 6
    assert recheck.of(replace(busy, template="unknown")) == (1, 4, 12)
    assert RecheckHours(history.store, ()).of(busy) == ()


START = 1_700_000_000
ARTICLE = PageRecord(
    "aa", "a.example", URL, START, START, START, outcome="article", published=START, feed=FEED
)
READ = FeedRecord(FEED, polled=START, read=START, due=START + 2 * HOUR)


@pytest.mark.parametrize(
    ("page", "feed", "expected"),
    [
        (ARTICLE, READ, NextRequest(True, START + HOUR, START + 2 * HOUR)),
        (
            replace(ARTICLE, fetched=START + 13 * HOUR),
            READ,
            NextRequest(True, START + 37 * HOUR + 1, START + 2 * HOUR),
        ),
        # It is not listed any more: asked for while it is new, or while it fails.
        (
            ARTICLE,
            replace(READ, read=START + DAY),
            NextRequest(False, START + HOUR, START + 2 * HOUR),
        ),
        (
            replace(ARTICLE, fetched=START + 13 * HOUR),
            replace(READ, read=START + DAY),
            NextRequest(False, None, START + 2 * HOUR),
        ),
        (
            replace(ARTICLE, failures=2),
            replace(READ, read=START + DAY),
            NextRequest(False, 0, START + 2 * HOUR),
        ),
        (ARTICLE, None, NextRequest(False, None, None)),
    ],
)
def test_when_a_page_is_asked_for_next(
    page: PageRecord, feed: FeedRecord | None, expected: NextRequest
) -> None:
    hours = (1.0, 4.0, 12.0)
    now = START + 14 * HOUR
    assert plan_next_request(page, feed, now, hours) == expected


@pytest.mark.parametrize("fetched", [0, HOUR, 5 * HOUR, 13 * HOUR, 3 * DAY])
def test_a_page_is_requested_from_its_time_on(fetched: int) -> None:
    page = replace(ARTICLE, fetched=START + fetched, entry_digest=entry_digest(ENTRY))
    hours = (1.0, 4.0, 12.0)
    due = due_at(page, START + fetched, hours)
    assert not needs_request(page, ENTRY, due - 1, hours)
    assert needs_request(page, ENTRY, due, hours)


@pytest.mark.parametrize(
    ("age", "expected"),
    [(0, [1, 4, 12, 36, 72, 144]), (25, [25, 75, 175]), (240, [240, 720, 1680])],
    ids=["at publication", "25 hours later", "10 days later"],
)
def test_the_hours_of_requests_by_age_that_the_docs_tell(age: int, expected: list[int]) -> None:
    first_seen = 400 * DAY
    page = PageRecord(
        "aa", "a.example", URL, first_seen, first_seen, first_seen, outcome="article",
        published=first_seen - age * HOUR,
    )  # fmt: skip
    hours = []
    for _ in expected:
        due = due_at(page, page.fetched or 0, (1, 4, 12))
        assert due is not None
        hours.append((due - first_seen) // HOUR)
        page = replace(page, fetched=due)
    assert hours == expected
