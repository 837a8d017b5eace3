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

from benchmarks.bench_set import Group
from benchmarks.plots import save_plot
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

#: Entries that are known when the replay of a feed begins, and the fewest after them.
_KNOWN, _FEWEST = 5, 3
#: Nobody waits longer than this for a poll.
_MOST = 30 * 24 * HOUR
_SPAN = 365 * 24 * HOUR

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
        dates = {to_seconds(entry.published) for _, entry in feed.items} - {None}
        found = sorted(date for date in dates if date is not None)
        recent = tuple(date for date in found if date > found[-1] - _SPAN)
        if len(recent) >= _KNOWN + _FEWEST:
            feeds.append(Feed(group.name, recent, feed.hints))
    return feeds


def replay(feed: Feed, wait: Wait) -> tuple[int, list[float]]:
    """The number of polls from the fifth entry to the last one, and the delay of each entry."""
    now, polls = feed.dates[_KNOWN - 1], 0
    dates = feed.dates[:_KNOWN]
    delays: list[float] = []
    while len(dates) < len(feed.dates):
        now += max(1, int(wait(dates, now, feed.hints)))
        polls += 1
        if feed.dates[len(dates)] <= now:
            found = bisect_right(feed.dates, now)
            delays += [now - date for date in feed.dates[len(dates) : found]]
            dates = feed.dates[:found]
    return polls, delays


def fixed(seconds: float, dates: tuple[int, ...], now: int, hints: FeedHints) -> float:
    """The same wait for all feeds."""
    return seconds


def by_ttl(scale: float, dates: tuple[int, ...], now: int, hints: FeedHints) -> float:
    """What the feed states, an hour if it does not."""
    return scale * (hints.ttl or hints.period or HOUR)


def by_rate(effort: float, dates: tuple[int, ...], now: int, hints: FeedHints) -> float:
    """A homogeneous Poisson process: by the square root of the rate."""
    return min(effort / sqrt(latest_rate(dates, now, hints.period)), _MOST)


def by_hour(effort: float, dates: tuple[int, ...], now: int, hints: FeedHints) -> float:
    """The same, with a rate for each hour of the day: what the spider does."""
    rate = latest_rate(dates, now, hints.period)
    return wait_by_hour(Strategy(rate, (), hourly_shares(dates)), now, effort, _MOST)


_SCALES = (0.25, 0.5, 1, 2, 4)
STRATEGIES: dict[str, list[Wait]] = {
    "fixed": [partial(fixed, HOUR * scale) for scale in (0.5, 1, 2, 4, 8)],
    "ttl": [partial(by_ttl, scale) for scale in _SCALES],
    "poisson": [partial(by_rate, EFFORT * scale) for scale in _SCALES],
    "by hour": [partial(by_hour, EFFORT * scale) for scale in _SCALES],
}


def measure(feeds: Sequence[Feed], wait: Wait) -> tuple[int, float]:
    """All polls, and the mean delay of all entries in minutes."""
    replays = [replay(feed, wait) for feed in feeds]
    delays = [delay for _, own in replays for delay in own]
    return sum(polls for polls, _ in replays), fmean(delays) / 60


def score_polling(groups: Iterable[Group]) -> dict[str, Any]:
    """For each strategy: its delay with as many polls as hourly polling makes, and its polls with
    the same delay, both relative to that; and the points of its curve."""
    feeds = read_feeds(groups)
    curves = {name: [measure(feeds, wait) for wait in waits] for name, waits in STRATEGIES.items()}
    polls, delay = measure(feeds, partial(fixed, HOUR))
    scores: dict[str, Any] = {}
    for name, curve in curves.items():
        scores[name] = {
            "polls_at_same_delay": round(_reach(_of(name), feeds, delay, 1)[0] / polls, 3),
            "delay_at_same_polls": round(_reach(_of(name), feeds, polls, 0)[1] / delay, 3),
        }
        for number, (made, minutes) in enumerate(curve, 1):
            scores[name][f"point_{number}"] = f"{made}/{minutes:.0f}m"
    return {"feeds": len(feeds), "hourly": f"{polls} polls, {delay:.1f} minutes", **scores}


def _of(name: str) -> Callable[[float], Wait]:
    """The strategy as a function of its scale."""
    rules: dict[str, Callable[[float], Wait]] = {
        "fixed": lambda scale: partial(fixed, HOUR * scale),
        "ttl": lambda scale: partial(by_ttl, scale),
        "poisson": lambda scale: partial(by_rate, EFFORT * scale),
        "by hour": lambda scale: partial(by_hour, EFFORT * scale),
    }
    return rules[name]


def _reach(
    rule: Callable[[float], Wait], feeds: Sequence[Feed], target: float, which: int
) -> tuple[float, float]:
    """Polls (``which`` = 0) and delay (1) of a strategy at the scale where one of them is nearest
    to the target, by bisection: polls fall with the scale, delays grow."""
    low, high = 0.02, 50.0
    found = measure(feeds, rule(1.0))
    for _ in range(8):
        scale = (low * high) ** 0.5
        found = measure(feeds, rule(scale))
        is_short = found[1] < target if which else found[0] > target
        low, high = (scale, high) if is_short else (low, scale)
    return found


def draw_polling(groups: Sequence[Group], folder: str) -> None:
    """Plot the delay against the polls, and the thesis' figures 1.2 (items a feed) and 1.3
    (quartiles of the intervals between two entries) for these feeds."""
    feeds = read_feeds(groups)
    save_plot(Path(folder, "polling.png"), _draw_curves, feeds)
    counts = [len(read_feed(group.feed_body, group.feed_url, {}).items) for group in groups]
    save_plot(Path(folder, "items.png"), _draw_items, [count for count in counts if count])
    save_plot(Path(folder, "intervals.png"), _draw_intervals, feeds)


def _draw_curves(axes: Any, feeds: Sequence[Feed]) -> None:
    for name, waits in STRATEGIES.items():
        points = [measure(feeds, wait) for wait in waits]
        axes.plot(
            [polls for polls, _ in points], [minutes for _, minutes in points], "o-", label=name
        )
    axes.set(xscale="log", yscale="log", xlabel="polls", ylabel="mean delay (minutes)")
    axes.legend()


def _draw_items(axes: Any, counts: Sequence[int]) -> None:
    axes.hist(counts, bins=range(0, max(counts) + 10, 5))
    axes.set(xlabel="items of a feed", ylabel="feeds")


def _draw_intervals(axes: Any, feeds: Sequence[Feed]) -> None:
    gaps = [[b - a for a, b in pairwise(feed.dates)] for feed in feeds]
    measures: dict[str, list[float]] = {
        "least": [min(own) for own in gaps],
        "first quartile": [quantiles(own, n=4)[0] for own in gaps],
        "median": [quantiles(own, n=4)[1] for own in gaps],
        "third quartile": [quantiles(own, n=4)[2] for own in gaps],
        "greatest": [max(own) for own in gaps],
    }
    for name, values in measures.items():
        hours = sorted(max(value, 1) / HOUR for value in values)
        axes.plot(hours, [(i + 1) / len(hours) for i in range(len(hours))], label=name)
    axes.set(xscale="log", xlabel="hours between two entries", ylabel="share of the feeds")
    axes.legend()
