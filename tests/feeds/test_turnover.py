"""How fast the list of a feed changes, and what is missed of it."""

from __future__ import annotations

import pytest

from forest_scrapy.feeds.schedule import DAY, FeedHints, Interval, choose_due
from forest_scrapy.feeds.turnover import MIN_WAIT, estimate_missed, max_wait, turnover

NOW = 1_700_000_000
MINUTE = 60


def each(seconds: int, number: int = 10) -> list[int]:
    return [NOW - seconds * place for place in range(number)]


def test_a_feed_is_polled_before_its_list_is_new() -> None:
    for seconds in (30, 60, 120):
        due = choose_due("u", each(seconds), NOW, Interval(), FeedHints(), listed=10)
        assert MIN_WAIT <= due - NOW < 10 * seconds
    slow = each(DAY)
    with_list = choose_due("u", slow, NOW, Interval(), FeedHints(), listed=10)
    assert with_list == choose_due("u", slow, NOW, Interval(), FeedHints())


def test_a_feed_that_was_fast_once_is_not_polled_for_ever_like_that() -> None:
    dates = [date - DAY for date in each(MINUTE)]
    assert choose_due("u", dates, NOW, Interval(), FeedHints(), listed=10) - NOW >= 900


@pytest.mark.parametrize("number", [0, 1, 2])
def test_few_entries_tell_nothing(number: int) -> None:
    assert turnover(each(MINUTE, number), number) is None
    assert max_wait(each(MINUTE, number), number) is None


def test_entries_of_one_moment_tell_nothing() -> None:
    assert turnover([NOW] * 10, 10) is None


def test_what_was_missed_is_estimated_from_the_rate() -> None:
    assert estimate_missed(each(MINUTE), 10, NOW - 50 * MINUTE, NOW - 50 * MINUTE, NOW) == 40
    assert estimate_missed(each(MINUTE), 10, NOW - 9 * MINUTE, NOW - 9 * MINUTE, NOW) == 0


def test_without_dates_something_was_missed() -> None:
    assert estimate_missed([], 10, None, NOW - DAY, NOW) == 1
    assert estimate_missed([], 0, None, NOW - DAY, NOW) == 0
