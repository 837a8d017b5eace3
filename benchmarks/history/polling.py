"""Polling: the delay of entries against the number of polls, on the dates of recorded feeds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import sqrt
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any

from benchmarks.sets.bench_set import Group
from benchmarks.support.plots import save_plot
from forest_scrapy.crawl.page_records import to_seconds
from forest_scrapy.feeds.reader import read_feed
from forest_scrapy.feeds.schedule import (
    EFFORT,
    HOUR,
    FeedHints,
    Strategy,
    hourly_shares,
    latest_rate,
    wait_by_hour,
)

#: Entries that are known when the replay of a feed begins.
FIRST_ENTRIES = 5
#: Entries after these.
MIN_LATER_ENTRIES = 3
#: Nobody waits longer than this for a poll.
MAX_WAIT = 30 * 24 * HOUR
YEAR = 365 * 24 * HOUR

#: The wait in seconds after a poll, from the dates known by then, the time and the hints.
Wait = Callable[[tuple[int, ...], int, FeedHints], float]


@dataclass(frozen=True)
class Feed:
    """A recorded feed: the dates of its entries, sorted."""

    name: str
    dates: tuple[int, ...]
    hints: FeedHints


def read_feeds(groups: Iterable[Group]) -> list[Feed]:
    """The feeds with enough dated entries; those of its latest year count."""
    feeds = []
    for group in groups:
        feed = read_feed(group.feed_body, group.feed_url, {})
        dates: set[int] = set()
        for _, entry in feed.items:
            date = to_seconds(entry.published)
            if date is not None:
                dates.add(date)
        latest = max(dates, default=0)
        start = latest - YEAR
        latest_dates = [date for date in dates if date > start]
        latest_dates.sort()
        has_enough = len(latest_dates) >= FIRST_ENTRIES + MIN_LATER_ENTRIES
        if has_enough:
            recorded = Feed(group.name, tuple(latest_dates), feed.hints)
            feeds.append(recorded)
    return feeds


def replay(feed: Feed, wait: Wait) -> tuple[int, list[float]]:
    """The number of polls from the fifth entry to the last one, and the delay of each entry."""
    now = feed.dates[FIRST_ENTRIES - 1]
    polls = 0
    dates = feed.dates[:FIRST_ENTRIES]
    delays: list[float] = []
    while len(dates) < len(feed.dates):
        seconds = int(wait(dates, now, feed.hints))
        now += max(1, seconds)
        polls += 1
        known_count = len(dates)
        published_count = bisect_right(feed.dates, now)
        new_dates = feed.dates[known_count:published_count]
        for date in new_dates:
            delay = now - date
            delays.append(delay)
        dates += new_dates
    return polls, delays


def fixed(seconds: float, dates: tuple[int, ...], now: int, hints: FeedHints) -> float:
    """The same wait for all feeds."""
    return seconds


def by_ttl(scale: float, dates: tuple[int, ...], now: int, hints: FeedHints) -> float:
    """What the feed states, an hour if it does not."""
    stated_wait = hints.ttl or hints.period or HOUR
    return scale * stated_wait


def by_rate(effort: float, dates: tuple[int, ...], now: int, hints: FeedHints) -> float:
    """A homogeneous Poisson process: by the square root of the rate."""
    rate = latest_rate(dates, now, hints.period)
    wait = effort / sqrt(rate)
    return min(wait, MAX_WAIT)


def by_hour(effort: float, dates: tuple[int, ...], now: int, hints: FeedHints) -> float:
    """The same, with a rate for each hour of the day: what the spider does."""
    rate = latest_rate(dates, now, hints.period)
    shares = hourly_shares(dates)
    strategy = Strategy(rate, (), shares)
    return wait_by_hour(strategy, now, effort, MAX_WAIT)


_SCALES = (0.25, 0.5, 1, 2, 4)
STRATEGIES: dict[str, list[Wait]] = {
    "fixed": [partial(fixed, HOUR * scale) for scale in (0.5, 1, 2, 4, 8)],
    "ttl": [partial(by_ttl, scale) for scale in _SCALES],
    "poisson": [partial(by_rate, EFFORT * scale) for scale in _SCALES],
    "by hour": [partial(by_hour, EFFORT * scale) for scale in _SCALES],
}


def measure(feeds: Sequence[Feed], wait: Wait) -> tuple[int, float]:
    """All polls, and the mean delay of all entries in minutes."""
    polls = 0
    delays: list[float] = []
    for feed in feeds:
        feed_polls, feed_delays = replay(feed, wait)
        polls += feed_polls
        delays += feed_delays
    mean_delay = fmean(delays)
    return polls, mean_delay / 60


def score_polling(groups: Iterable[Group]) -> dict[str, Any]:
    """For each strategy: its delay with as many polls as hourly polling makes, and its polls with
    the same delay, both relative to that; and the points of its curve."""
    feeds = read_feeds(groups)
    hourly = partial(fixed, HOUR)
    polls, delay = measure(feeds, hourly)

    def is_sooner(strategy_polls: float, strategy_delay: float) -> bool:
        return strategy_delay < delay

    def polls_more(strategy_polls: float, strategy_delay: float) -> bool:
        return strategy_polls > polls

    report: dict[str, Any] = {
        "feeds": len(feeds),
        "hourly": f"{polls} polls, {delay:.1f} minutes",
    }
    for name, waits in STRATEGIES.items():
        scaled = _SCALED[name]
        polls_at_same_delay, _ = _reach(scaled, feeds, is_sooner)
        _, delay_at_same_polls = _reach(scaled, feeds, polls_more)
        polls_ratio = polls_at_same_delay / polls
        delay_ratio = delay_at_same_polls / delay
        score: dict[str, float | str] = {
            "polls_at_same_delay": round(polls_ratio, 3),
            "delay_at_same_polls": round(delay_ratio, 3),
        }
        for number, wait in enumerate(waits, 1):
            point_polls, minutes = measure(feeds, wait)
            score[f"point_{number}"] = f"{point_polls}/{minutes:.0f}m"
        report[name] = score
    return report


#: The strategies as functions of their scale.
_SCALED: dict[str, Callable[[float], Wait]] = {
    "fixed": lambda scale: partial(fixed, HOUR * scale),
    "ttl": lambda scale: partial(by_ttl, scale),
    "poisson": lambda scale: partial(by_rate, EFFORT * scale),
    "by hour": lambda scale: partial(by_hour, EFFORT * scale),
}


def _reach(
    scaled: Callable[[float], Wait],
    feeds: Sequence[Feed],
    is_too_often: Callable[[float, float], bool],
) -> tuple[float, float]:
    """Polls and delay of a strategy at the largest scale at which it still polls too often, by
    bisection: polls fall with the scale, delays grow.  ``is_too_often``: a question about polls
    and delay."""
    low = 0.02
    high = 50.0
    polls = 0
    delay = 0.0
    for _ in range(8):
        scale = (low * high) ** 0.5
        wait = scaled(scale)
        polls, delay = measure(feeds, wait)
        if is_too_often(polls, delay):
            low = scale
        else:
            high = scale
    return polls, delay


def draw_polling(groups: Sequence[Group], folder: str) -> None:
    """Plot the delay against the polls, and the thesis' figures 1.2 (items a feed) and 1.3
    (quartiles of the intervals between two entries) for these feeds."""
    place = Path(folder)
    feeds = read_feeds(groups)
    save_plot(place / "polling.png", _draw_curves, feeds)

    counts = []
    for group in groups:
        feed = read_feed(group.feed_body, group.feed_url, {})
        if feed.items:
            counts.append(len(feed.items))
    save_plot(place / "items.png", _draw_items, counts)
    save_plot(place / "intervals.png", _draw_intervals, feeds)


def _draw_curves(axes: Any, feeds: Sequence[Feed]) -> None:
    for name, waits in STRATEGIES.items():
        polls = []
        delays = []
        for wait in waits:
            point_polls, minutes = measure(feeds, wait)
            polls.append(point_polls)
            delays.append(minutes)
        axes.plot(polls, delays, "o-", label=name)
    axes.set(xscale="log", yscale="log", xlabel="polls", ylabel="mean delay (minutes)")
    axes.legend()


def _draw_items(axes: Any, counts: Sequence[int]) -> None:
    largest = max(counts)
    axes.hist(counts, bins=range(0, largest + 10, 5))
    axes.set(xlabel="items of a feed", ylabel="feeds")


def _draw_intervals(axes: Any, feeds: Sequence[Feed]) -> None:
    measures: dict[str, list[float]] = {
        "least": [],
        "first quartile": [],
        "median": [],
        "third quartile": [],
        "greatest": [],
    }
    for feed in feeds:
        intervals = [later - earlier for earlier, later in pairwise(feed.dates)]
        lower_quartile, median, upper_quartile = quantiles(intervals, n=4)
        measures["least"].append(min(intervals))
        measures["first quartile"].append(lower_quartile)
        measures["median"].append(median)
        measures["third quartile"].append(upper_quartile)
        measures["greatest"].append(max(intervals))

    for name, values in measures.items():
        hours = [max(value, 1) / HOUR for value in values]
        hours.sort()
        total = len(hours)
        shares = [count / total for count in range(1, total + 1)]
        axes.plot(hours, shares, label=name)
    axes.set(xscale="log", xlabel="hours between two entries", ylabel="share of the feeds")
    axes.legend()
