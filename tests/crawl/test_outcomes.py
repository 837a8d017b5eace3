"""Recording outcomes, and the pages in flight."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from forest_scrapy.crawl.outcomes import Outcome, found_nothing

from .helpers import counted, flush, key_of, open_crawl, place, url_of


def test_an_outcome_is_recorded_in_stats_spool_and_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with open_crawl(tmp_path) as crawl:
        for i in range(4):
            place(crawl, i)
        flush(crawl)
        crawl.ledger.record(key_of(0), Outcome.article("trained"))
        crawl.ledger.record(key_of(1), Outcome.dropped("no_content"), url_of(1))
        crawl.ledger.record(key_of(2), Outcome.error(RuntimeError("no")))
        assert counted(crawl, "articles") == {"trained": 1}
        assert counted(crawl, "dropped") == {"no_content": 1, "error": 1}
        assert [crawl.spool.is_pending(key_of(i)) for i in range(4)] == [False] * 3 + [True]
    messages = [record.getMessage() for record in caplog.records if "Dropped" in record.msg]
    assert messages == [f"Dropped {url_of(1)}: no_content", f"Dropped {url_of(2)}: RuntimeError"]


def test_bodies_of_articles_are_kept_to_learn_from(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=2) as crawl:
        for i in range(4):
            place(crawl, i)
        key = crawl.spool.read(key_of(0)).template_key
        crawl.ledger.record(key_of(3), Outcome.dropped("by_pipeline"))
        for i in range(3):
            crawl.ledger.record(key_of(i), Outcome.article("trained"))
        kept = {page.key for page in crawl.spool.sample(key, 10)}
        assert len(kept) == 2 and key_of(3) not in kept


def test_a_duplicate_is_counted_and_the_first_page_stays(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        place(crawl, 0)
        crawl.ledger.record_duplicate(url_of(0))
        assert counted(crawl, "dropped") == {"duplicate": 1}
        assert crawl.spool.is_pending(key_of(0))


def test_a_page_is_claimed_once(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=3) as crawl:
        for i in range(3):
            place(crawl, i)
        first = crawl.in_flight.claim(2)
        (last,) = crawl.in_flight.claim(2)
        assert {*first, last} == {key_of(i) for i in range(3)}
        assert crawl.in_flight.claim(2) == []


def test_a_page_that_is_passed_on_at_once_is_not_claimed(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=2) as crawl:
        for i in range(2):
            place(crawl, i)
        crawl.in_flight.add(key_of(0))
        assert crawl.in_flight.claim(10) == [key_of(1)]


def test_a_page_with_an_outcome_is_not_in_flight(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=2) as crawl:
        for i in range(2):
            place(crawl, i)
        crawl.in_flight.claim(10)
        crawl.ledger.record(key_of(0), Outcome.article("trained"))
        assert key_of(0) not in crawl.in_flight
        assert key_of(1) in crawl.in_flight


@pytest.mark.parametrize("is_cleared", [False, True])
def test_a_page_that_was_not_handed_on_is_claimed_again(tmp_path: Path, is_cleared: bool) -> None:
    with open_crawl(tmp_path, pages=2) as crawl:
        for i in range(2):
            place(crawl, i)
        claimed = crawl.in_flight.claim(10)
        if is_cleared:
            crawl.in_flight.clear()
            assert crawl.in_flight.claim(10) == claimed
        else:
            crawl.in_flight.remove(claimed[1])
            assert crawl.in_flight.claim(10) == [claimed[1]]


def test_a_resumed_crawl_has_the_pages_of_the_run_before() -> None:
    stats = {"forest/pages/recalled": 3, "forest/articles/trained": 3, "forest/failed/timeout": 1}
    assert not found_nothing(stats)
    assert found_nothing({"forest/failed/timeout": 1})


def test_a_crawl_that_wants_none_of_a_feed_has_read_it() -> None:
    """Another feed, which cannot be fetched, does not change that; pages that all fail do."""
    stats = {"forest/feeds/read": 1, "forest/feeds/failed": 1, "forest/skipped/too_old": 9}
    assert not found_nothing(stats)
    assert found_nothing({**stats, "forest/failed/status_403": 2})
