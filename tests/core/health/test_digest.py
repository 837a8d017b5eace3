"""The digest of a crawl as text."""

from __future__ import annotations

from forest_scrapy.core.health.digest import DeadLink, Digest, Redesign
from forest_scrapy.core.health.doubts import Doubts
from forest_scrapy.core.health.troubles import Trouble

SHORT = Trouble("short", "https://a.example/feed", "texts are short", "look at them")
PAGES = tuple(DeadLink(f"https://a.example/{number}", "status 404") for number in range(12))


def test_a_crawl_without_trouble() -> None:
    digest = Digest(spider="feeds", ended="2027", summary="2 articles of 2 pages")
    assert digest.lines() == ["2027  feeds: 2 articles of 2 pages", "nothing needs a person"]


def test_what_needs_a_person_is_first() -> None:
    redesigned = (Redesign("a.example", "t1", "https://a.example/1"),)
    digest = Digest(3, troubles=(SHORT,), redesigns=redesigned, dead_links=PAGES)
    _, trouble, remedy, redesign, *dead, more = digest.lines()
    assert trouble == "! https://a.example/feed: texts are short"
    assert (remedy.strip(), redesign) == ("look at them", "redesigned: a.example, template t1")
    assert (len(dead), more) == (10, "dead: and 2 more, 12 in all")


def test_links_that_are_not_listed_are_counted() -> None:
    digest = Digest(dead_links=PAGES, dead_count=30, unfetched=PAGES[:3], unfetched_count=3)
    lines = digest.lines()
    assert lines[11] == "dead: and 20 more, 30 in all"
    assert lines[-1].startswith("not fetched: https://a.example/2")


def test_what_has_failed_is_named() -> None:
    digest = Digest(1, failure="a.jsonl: No space left on device")
    assert digest.lines()[1] == "! the crawl has failed: a.jsonl: No space left on device"
    assert Digest(1, finish_reason="shutdown").lines()[1].endswith(": shutdown")


def test_doubtful_items_are_named_the_worst_first() -> None:
    doubts = Doubts()
    for number in range(30):
        doubts.add(f"https://a.example/{number}", 0.6 - number / 100)
    digest = Digest(doubts=doubts.worst, doubtful=doubts.count)
    _, *lines = digest.lines()
    assert lines[0] == "doubtful: https://a.example/29 (confidence 0.31)"
    assert (len(lines), lines[-1]) == (11, "doubtful: and 20 more")
