"""What could not be fetched, in the summary of a crawl."""

from __future__ import annotations

from forest_scrapy.crawl.unfetched import Unfetched, UnfetchedRequests


def test_nothing_is_said_if_all_was_fetched() -> None:
    assert UnfetchedRequests().summary() == ""


def test_the_first_pages_of_each_reason_are_kept_and_all_are_counted() -> None:
    found = UnfetchedRequests()
    for number in range(100):
        found.add("page", f"https://a.example/{number:03}", f"status {404 if number % 2 else 500}")
    assert len(found.rows()) == 40
    assert found.summary() == "100 pages failed (status 404: 50, status 500: 50)"


def test_all_feeds_are_kept_and_the_first_are_named() -> None:
    found = UnfetchedRequests()
    found.add("page", "https://a.example/page", "timeout")
    for number in range(12):
        found.add("feed", f"https://a.example/{number:02}", "status 404")
    assert found.rows()[0] == Unfetched("feed", "https://a.example/00", "status 404")
    assert len(found.rows()) == 13
    assert "12 feeds failed (https://a.example/00: status 404, " in found.summary()
    assert found.summary().endswith("and 2 more); 1 page failed (timeout: 1)")
