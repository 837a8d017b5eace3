"""When feeds are polled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.feeds.schedule import (
    DAY,
    EFFORT,
    HOUR,
    FeedHints,
    Interval,
    choose_due,
    publishing_strategy,
    wait_by_hour,
)

NOW = 1_700_000_000 // DAY * DAY
URL = "http://a.example/feed"
NO_HINTS = FeedHints()


def daily(days: int, hour: int = 8) -> list[int]:
    """An entry at the same hour of each of the latest days."""
    return [NOW - (day + 1) * DAY + hour * HOUR for day in range(days)]


def wait(dates: list[int], hints: FeedHints = NO_HINTS, **options: int) -> int:
    return choose_due(URL, dates, NOW, Interval(60, DAY), hints, **options) - NOW


def test_a_strategy() -> None:
    found = publishing_strategy(daily(20), NOW)
    assert found.rate * DAY == pytest.approx(1, abs=0.15)
    assert found.quartiles == (DAY, DAY, DAY)
    assert found.is_regular
    assert found.hours[8] > 5 * found.hours[9]
    assert sum(found.hours) == pytest.approx(24)


def test_a_feed_that_is_not_regular() -> None:
    dates = [NOW - 10 * DAY, NOW - 9 * DAY, NOW - 3 * DAY, NOW - DAY, NOW - HOUR]
    assert not publishing_strategy(dates, NOW).is_regular
    assert not publishing_strategy([], NOW).is_regular


def test_a_feed_that_has_stopped_is_polled_less_and_less() -> None:
    rates = [publishing_strategy(daily(10), NOW + days * DAY).rate for days in (0, 10, 100, 1000)]
    assert rates == sorted(rates, reverse=True)


def test_a_feed_is_polled_by_the_square_root_of_its_rate() -> None:
    even = [NOW - HOUR * hours for hours in range(1, 240)]  # at all hours
    seldom = [NOW - 25 * HOUR * times for times in range(1, 240)]
    assert wait(seldom) / wait(even) == pytest.approx(5, rel=0.2)


def test_a_feed_is_polled_more_often_in_its_hours() -> None:
    strategy = publishing_strategy(daily(20), NOW)
    at_night = wait_by_hour(strategy, NOW + HOUR, EFFORT, DAY)
    assert wait_by_hour(strategy, NOW + 8 * HOUR, EFFORT, DAY) < at_night / 1.5


def test_hints_are_respected() -> None:
    often = [NOW - 600 * times for times in range(1, 100)]
    assert wait(often) < 1800
    assert 7200 <= wait(often, FeedHints(ttl=7200)) <= 7920
    assert 7200 <= wait(often, FeedHints(max_age=7200)) <= 7920
    assert wait(often, FeedHints(ttl=10**9)) <= 1.1 * DAY
    assert wait(often, retry_after=3 * DAY) == 3 * DAY
    assert wait(often, retry_after=999_999_999) == 30 * DAY
    assert wait(often, failures=3) > 6 * wait(often)
    assert wait(often, failures=1000) <= 1.1 * DAY
    assert wait([], FeedHints(period=HOUR)) < wait([], FeedHints(period=7 * DAY))


@given(st.lists(st.integers(0, 2**33), max_size=40), st.integers(0, 2**33), st.integers(0, 20))
def test_any_dates(dates: list[int], now: int, failures: int) -> None:
    due = choose_due(URL, dates, now, Interval(900, DAY), NO_HINTS, failures)
    assert 900 <= due - now <= 1.1 * DAY + 1
    assert due == choose_due(URL, sorted(dates), now, Interval(900, DAY), NO_HINTS, failures)
