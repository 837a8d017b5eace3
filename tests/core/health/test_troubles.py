"""What needs a person."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forest_scrapy.core.codec import from_json, to_json
from forest_scrapy.core.health.digest import Digest, SourceHealth
from forest_scrapy.core.health.troubles import (
    FeedState,
    LostEntries,
    SourceRun,
    Trouble,
    Usual,
    find_troubles,
    longest_pause,
    mark_new,
    not_seen,
)

DAY = 86_400
NOW = 1000 * DAY
GOOD = SourceRun(
    "https://a.example/feed", 10, 9, {"no_content": 1}, {}, 4000, {"title": 9, "published": 9}
)


def kinds(run: SourceRun, feed: FeedState | None = None, runs: int = 3) -> list[str]:
    usual = Usual.of([GOOD] * runs)
    return [one.kind for one in find_troubles(run, usual, feed, NOW)]


@pytest.mark.parametrize(
    ("run", "found"),
    [
        (GOOD, []),
        (SourceRun("a", 10, 4, {}, {}, 4000, {"title": 4, "published": 4}), ["few_articles"]),
        (SourceRun("a", 4, 0), []),  # too few pages to say so
        (SourceRun("a", 9, 9, {}, {}, 1500, {"title": 9, "published": 9}), ["short_texts"]),
        (SourceRun("a", 9, 9, {}, {}, 4000, {"title": 9, "published": 1}), ["lacks_published"]),
        (SourceRun("a", 2, 2, {}, {"status 403": 7}, 4000), ["pages_failed"]),
        (SourceRun("a", 9, 9, {}, {"status 404": 8}, 4000, GOOD.fields), []),
        (SourceRun("a", 9, 2, {"blocked": 7}, {}, 4000), ["pages_blocked", "few_articles"]),
        (SourceRun("a", 9, 6, {"blocked": 3}, {}, 4000, GOOD.fields), []),
    ],
)
def test_pages_are_compared_with_what_is_usual(run: SourceRun, found: list[str]) -> None:
    assert kinds(run) == found


def test_nothing_is_unusual_at_first() -> None:
    assert kinds(SourceRun("a", 9, 1, {}, {}, 10), runs=1) == []


def test_a_site_that_blocks_the_first_crawl_needs_a_person() -> None:
    assert kinds(SourceRun("a", 9, 0, {"blocked": 9}), runs=0) == ["pages_blocked"]


@pytest.mark.parametrize(
    ("feed", "found"),
    [
        (FeedState("read", newest=NOW - DAY, longest_pause=DAY), []),
        (FeedState("read", 0, NOW - 9 * DAY, 4 * DAY, NOW - 30 * DAY), ["silent"]),
        (FeedState("read", 0, NOW - 9 * DAY, 4 * DAY, NOW - 7 * DAY), []),  # watched too shortly
        (FeedState("read", newest=NOW - DAY, longest_pause=60), []),
        (FeedState("read"), []),
        (FeedState("status 404", failures=1), ["feed_failed"]),
        (FeedState("status 500", failures=2), []),
        (FeedState("timeout", failures=3), ["feed_failed"]),
    ],
)
def test_feeds(feed: FeedState, found: list[str]) -> None:
    assert kinds(GOOD, feed) == found


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("a PDF, no feed: name the feed, or a page of its site", "name the feed instead"),
        ("it private_address; FOREST_ALLOW_PRIVATE = True allows it", "set FOREST_ALLOW_PRIVATE"),
        ("Forbidden by robots.txt", "robots.txt forbids it"),
        ("takes more than 1.0 s (FOREST_PAGE_SECONDS) to read", "raise the setting"),
        ("cut off by the connection", "the next crawl reads it again"),
        ("Connection was refused by other side", "its server does not answer"),
    ],
)
def test_the_remedy_for_a_feed_is_for_its_reason(reason: str, remedy: str) -> None:
    (trouble,) = find_troubles(GOOD, Usual.of([GOOD] * 3), FeedState(reason, failures=3), NOW)
    assert remedy in trouble.remedy


def test_a_pause_needs_some_entries() -> None:
    assert longest_pause([0, 5, 6]) is None
    assert longest_pause([0, 5, 6, 7, 30]) == 23


def test_a_digest_is_read_as_it_was_written() -> None:
    trouble = Trouble("silent", "a", "nothing came", "look")
    state = FeedState("read", newest=5)
    health = SourceHealth(GOOD, Usual.of([GOOD]), state, (trouble,))
    digest = Digest(3, "feeds", troubles=(trouble,), sources=(health,))
    assert from_json(Digest, to_json(digest, whole=True)) == digest
    assert "! a: nothing came" in digest.lines()


def test_a_trouble_is_new_once() -> None:
    first = Trouble("silent", "a", "9 days", "look")
    later = Trouble("silent", "a", "10 days", "look")
    other = Trouble("silent", "b", "9 days", "look")
    assert [one.is_new for one in mark_new([first], [])] == [True]
    assert [one.is_new for one in mark_new([later, other], [first])] == [False, True]


def test_troubles_of_sources_that_another_crawl_looks_at_stay_known() -> None:
    ours, theirs = (Trouble("silent", source, "9 days", "look") for source in "ab")
    (known,) = not_seen([theirs], ["a"], [ours])
    assert known == replace(theirs, is_new=False)
    assert not_seen([theirs], ["a", "b"], [ours]) == (), "it is well again"
    assert not_seen([ours, theirs], (), [ours]) == (known,), "the crawl has failed"
    many = [Trouble("silent", str(number), "9 days", "look") for number in range(3000)]
    assert len(not_seen(many, (), ())) == 1000


@pytest.mark.parametrize(
    ("lost", "text"),
    [
        (LostEntries(40, True, ""), "between two polls about 40 more entries were published"),
        (LostEntries(1, True, ""), "between two polls about one more entry was published"),
        (LostEntries(1, False, ""), "between two polls more entries were published than it lists"),
    ],
)
def test_entries_that_come_and_go_between_two_polls(lost: LostEntries, text: str) -> None:
    (trouble,) = find_troubles(GOOD, Usual.of([GOOD] * 3), FeedState("read", lost=lost), NOW)
    assert trouble.kind == "missed" and trouble.text.startswith(text)


def test_the_remedy_for_lost_entries_names_the_commands() -> None:
    remedy = LostEntries(2, True, "2024-05-31T10:00:00+00:00").remedy("https://a.example/b/feed")
    assert "scrapy crawl feeds -a feeds=https://a.example/b/feed -a older=20" in remedy
    assert "scrapy crawl site -a url=https://a.example/ -a since=2024-05-31" in remedy


def test_the_remedy_names_the_command_of_this_folder() -> None:
    state = FeedState("read", lost=LostEntries(2, True, ""))
    (trouble,) = find_troubles(GOOD, Usual.of([GOOD] * 3), state, NOW, "forest-scrapy crawl")
    assert " forest-scrapy crawl feeds -a " in trouble.remedy
    assert " forest-scrapy crawl site -a " in trouble.remedy
    assert " scrapy crawl" not in trouble.remedy
