"""The requests of a crawl that have no outcome yet."""

from __future__ import annotations

import pickle
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request

from forest_scrapy.crawl import templates
from forest_scrapy.crawl.outcomes import OutstandingRequests
from forest_scrapy.crawl.templates import Placement

from .helpers import HOST, open_crawl, place, ready, take, url_of

FEED = "http://feeds.example/all.xml"


@pytest.fixture
def requests() -> tuple[OutstandingRequests, list[str]]:
    """The requests, and the hosts that were announced as complete."""
    found: list[str] = []

    def note(hosts: Collection[str]) -> None:
        found.extend(hosts)

    outstanding = OutstandingRequests()
    outstanding.on_complete = note
    return outstanding, found


def test_a_host_is_complete_when_its_last_request_has_an_outcome(
    requests: tuple[OutstandingRequests, list[str]],
) -> None:
    outstanding, found = requests
    for path in ("1", "2", "2?utm_source=feed"):
        outstanding.add(f"https://www.a.example/{path}")
    outstanding.add_page("www.a.example", "https://www.a.example/1")
    outstanding.remove(Request("https://www.a.example/1"))
    assert outstanding.may_bring("www.a.example") and found == []
    redirected = Request("http://x.example/", meta={"redirect_urls": ["https://a.example/2"]})
    outstanding.remove(redirected)
    assert found == ["www.a.example"] and not outstanding.may_bring("www.a.example")
    outstanding.remove(redirected)  # known by no one
    assert found == ["www.a.example"]


def test_pages_behind_redirects_belong_to_their_feed(
    requests: tuple[OutstandingRequests, list[str]],
) -> None:
    outstanding, found = requests
    for number in (1, 2):
        outstanding.add(f"http://short.example/{number}", FEED)
    outstanding.add_page("a.example", "http://a.example/1", FEED)
    outstanding.remove(Request("http://short.example/1"))
    assert outstanding.may_bring("a.example")
    outstanding.remove(Request("http://short.example/2"))
    assert found == ["a.example"]


def test_an_idle_crawl_has_no_requests(requests: tuple[OutstandingRequests, list[str]]) -> None:
    outstanding, _ = requests
    outstanding.add("http://a.example/1")
    outstanding.add_page("a.example", "http://a.example/2")
    outstanding.clear()
    assert not outstanding.may_bring("a.example")
    assert not outstanding.may_bring("other.example")


def test_feeds_are_left_until_they_have_an_outcome(
    requests: tuple[OutstandingRequests, list[str]],
) -> None:
    outstanding, _ = requests
    outstanding.add("http://a.example/1", FEED)
    assert outstanding.feeds_left == 0
    for _ in range(2):
        outstanding.add(FEED, is_source=True)
    outstanding.add("http://a.example/sitemap.xml", is_source=True)
    assert outstanding.feeds_left == 2
    for _ in range(2):
        outstanding.remove(Request(FEED))
    outstanding.remove(Request("http://a.example/1"))
    assert outstanding.feeds_left == 1
    outstanding.clear()
    assert outstanding.feeds_left == 0


def test_a_resumed_crawl_knows_the_requests_that_are_left() -> None:
    state: dict[str, Any] = {"of the user": 1}
    first, second = OutstandingRequests(), OutstandingRequests()
    first.resume(state, was_lost=False)
    for url in (FEED, "http://feeds.example/other.xml"):
        first.add(url, is_source=True)
    first.add("http://a.example/1", FEED)
    first.remove(Request("http://feeds.example/other.xml"))
    kept = pickle.loads(pickle.dumps(state))  # as Scrapy does
    second.add(FEED, is_source=True)  # requested at the start of each run
    second.resume(kept, was_lost=False)
    assert second.feeds_left == 1
    second.add_page("a.example", "http://a.example/2", FEED)
    assert second.may_bring("a.example")
    for url in (FEED, "http://a.example/1"):
        second.remove(Request(url))
    assert second.is_empty and not second.may_bring("a.example")
    assert kept["of the user"] == 1


def test_a_killed_run_leaves_no_requests() -> None:
    state: dict[str, Any] = {}
    first, second = OutstandingRequests(), OutstandingRequests()
    first.resume(state, was_lost=False)
    first.add(FEED, is_source=True)
    second.resume(state, was_lost=True)
    assert second.is_empty and second.feeds_left == 0


def test_templates_wait_for_the_last_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "_MANY_PAGES", 6)
    with open_crawl(tmp_path, pages=3) as crawl:
        crawl.outstanding.add(url_of(99))
        for number in range(5):
            assert place(crawl, number) == Placement()
        assert ready(crawl) == set()
        crawl.outstanding.on_complete = crawl.templates.complete
        crawl.outstanding.remove(Request(url_of(99)))
        assert crawl.templates.has_due
        take(crawl.templates.choose_due())
        assert len(ready(crawl)) == 5 and not crawl.templates.has_due

        crawl.outstanding.add(f"http://{HOST}/fancy")
        waiting = [place(crawl, number, "fancy") for number in range(5)]
        assert waiting == [Placement()] * 5
        assert place(crawl, 5, "fancy").completes_template  # as many as the test's limit
