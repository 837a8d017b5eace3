"""How fast the list of a feed changes, and what is missed of it."""

from __future__ import annotations

import pytest

from forest_scrapy.feeds.schedule import DAY, FeedHints, Interval, choose_due
from forest_scrapy.feeds.turnover import (
    MIN_WAIT,
    FeedGap,
    estimate_missed,
    find_gap,
    join_gaps,
    max_wait,
    turnover,
)

NOW = 1_700_000_000
MINUTE = 60
HOUR = 3600


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


def test_a_burst_is_not_the_rate_of_the_time_before() -> None:
    """One entry an hour until the last poll, and one a minute of those that are listed now."""
    last_read = NOW - 6 * HOUR
    seen_dates = [last_read - HOUR * place for place in range(10)]
    burst = each(MINUTE)
    missed = estimate_missed(burst, 10, seen_dates[0], last_read, NOW, seen_dates)
    assert missed == round((6 * HOUR - 9 * MINUTE) * (1 / HOUR + 1 / MINUTE) / 2 - 1)
    assert missed < estimate_missed(burst, 10, seen_dates[0], last_read, NOW)


def test_what_was_published_before_the_last_poll_was_listed_then() -> None:
    """The last entry is of yesterday, and the feed was read ten minutes before the oldest one."""
    burst = each(MINUTE)
    last_read = NOW - 20 * MINUTE
    assert estimate_missed(burst, 10, NOW - DAY, last_read, NOW) == 10
    dated_back = estimate_missed(burst, 10, NOW - 50 * MINUTE, NOW - 5 * MINUTE, NOW)
    assert dated_back == 40


def test_without_dates_something_was_missed() -> None:
    assert estimate_missed([], 10, None, NOW - DAY, NOW) == 1
    assert estimate_missed([], 0, None, NOW - DAY, NOW) == 0


LAST = NOW - 50 * MINUTE


def test_the_gap_of_a_list_of_new_entries() -> None:
    assert find_gap(each(MINUTE), 10, LAST, LAST, NOW) == FeedGap(40, True, LAST, NOW, LAST)
    last_seen = NOW - 10 * MINUTE
    assert find_gap(each(MINUTE), 10, last_seen, LAST, NOW) == FeedGap(
        1, True, last_seen, NOW, LAST
    )


def test_entries_with_old_dates_hide_no_gap() -> None:
    dates = [LAST - DAY, *each(MINUTE, 9)]
    assert find_gap(dates, 10, LAST, LAST, NOW) == FeedGap(41, True, LAST, NOW, LAST)
    old_dates = [date - DAY for date in each(MINUTE)]
    assert find_gap(old_dates, 10, LAST, LAST, NOW) == FeedGap(1, False, LAST, NOW, LAST)


def test_dates_of_the_future() -> None:
    """One at the top tells nothing of the rate; if the feed's clock is ahead, all have them."""
    event = NOW + 30 * DAY
    gap = find_gap([event, *each(MINUTE, 9)], 10, LAST, LAST, NOW)
    assert gap == FeedGap(41, True, LAST, event, LAST)
    ahead = [date + DAY for date in each(MINUTE)]
    gap = find_gap(ahead, 10, LAST + DAY, LAST, NOW)
    assert gap == FeedGap(40, True, LAST + DAY, NOW + DAY, LAST)


def test_a_gap_whose_size_is_unknown() -> None:
    assert find_gap([], 10, None, LAST, NOW) == FeedGap(1, False, LAST, NOW, LAST)
    assert find_gap([], 0, None, LAST, NOW) is None
    assert find_gap([NOW] * 10, 10, LAST, LAST, NOW) == FeedGap(1, False, LAST, NOW, LAST)


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        (FeedGap(1, False, 0, 0), "entries have come and gone (its dates do not tell how many)"),
        (FeedGap(1, True, 0, 0), "about one entry has come and gone"),
        (FeedGap(7, True, 0, 0), "about 7 entries have come and gone"),
    ],
)
def test_a_gap_in_words(gap: FeedGap, text: str) -> None:
    assert gap.describe() == text


def test_two_gaps_are_one() -> None:
    first = FeedGap(3, True, 10, 20)
    second = FeedGap(1, False, 20, 30)
    assert join_gaps(first, second) == FeedGap(4, False, 10, 30)
    assert join_gaps(first, None) == join_gaps(None, first) == first
    assert join_gaps(None, None) is None
