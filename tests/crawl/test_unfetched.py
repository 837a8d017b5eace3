"""What could not be fetched, in the summary of a crawl."""

from __future__ import annotations

from forest_scrapy.crawl.unfetched import Unfetched, UnfetchedRequests, describe_error


def test_nothing_is_said_if_all_was_fetched() -> None:
    assert UnfetchedRequests().summary() == ""


def test_the_first_pages_of_each_reason_are_kept_and_all_are_counted() -> None:
    found = UnfetchedRequests()
    for number in range(100):
        found.add("page", f"https://a.example/{number:03}", f"status {404 if number % 2 else 500}")
    assert len(found.rows()) == 40
    assert found.summary() == "100 pages failed (status 404: 50, status 500: 50)"


def test_pages_that_time_out_have_one_reason() -> None:
    found = UnfetchedRequests()
    for number in range(30):
        url = f"https://a.example/{number}"
        error = TimeoutError(f"Getting {url} took longer than 9.0 seconds.")
        found.add("page", url, describe_error(error))
    assert len(found.rows()) == 20
    assert found.summary() == "30 pages failed (Getting it took longer than 9.0 seconds: 30)"
    assert describe_error(OSError("<GET http://a.example/1>: no 'http://b.example/'!")) == (
        "it: no it!"
    )


def test_pages_that_are_not_kept_are_counted() -> None:
    found = UnfetchedRequests()
    for number in range(30):
        found.add("page", f"https://a.example/{number}", "status 404")
        found.add("feed", f"https://a.example/feed/{number}", "status 404")
    assert found.left_out() == {"status 404": 10}
    assert len(found.rows()) == 50


def test_the_summary_names_the_most_frequent_reasons() -> None:
    found = UnfetchedRequests()
    for number in range(40):
        found.add("page", f"https://a.example/{number}", f"status {500 + number // 2}")
    assert found.summary().endswith(", status 509: 2, other reasons: 20)")


def test_all_feeds_are_kept_and_the_first_are_named() -> None:
    found = UnfetchedRequests()
    found.add("page", "https://a.example/page", "timeout")
    for number in range(12):
        found.add("feed", f"https://a.example/{number:02}", "status 404")
    assert found.rows()[0] == Unfetched("feed", "https://a.example/00", "status 404")
    assert len(found.rows()) == 13
    assert "12 feeds failed (https://a.example/00: status 404, " in found.summary()
    assert found.summary().endswith("and 2 more); 1 page failed (timeout: 1)")
