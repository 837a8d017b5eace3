"""The summary of all feeds."""

from __future__ import annotations

import pytest

from forest_scrapy.feeds.summary import (
    FeedStatistics,
    intervals_of,
    pooled_deviation,
    summarize_feeds,
)
from forest_scrapy.feeds.turnover import FeedTraits

HOUR, DAY = 3600, 86_400


def feed(site: str, format_name: str, listed: int, *intervals: int) -> FeedStatistics:
    return FeedStatistics(site, FeedTraits(format_name, listed), intervals)


def test_the_tables_and_figures() -> None:
    feeds = [
        feed("a.example", "rss20", 10, HOUR, HOUR, 3 * HOUR),
        feed("a.example", "rss20", 10, DAY, DAY),
        feed("b.example", "atom10", 25),
    ]
    summary = summarize_feeds(feeds)
    assert summary.formats == {"Atom 1.0": 1, "RSS 2.0": 2}
    assert summary.listed == {10: 2, 25: 1}
    assert summary.intervals["median"] == [HOUR, DAY]
    assert summary.intervals["maximum"] == [3 * HOUR, DAY]
    site = summary.sites["a.example"]
    assert (site.feeds, site.mean_interval) == (2, pytest.approx((5 / 3 * HOUR + DAY) / 2))
    assert summary.sites["b.example"].mean_interval is None
    assert summary.total.feeds == 3


def test_no_feed() -> None:
    summary = summarize_feeds([])
    assert (summary.formats, summary.total.feeds, summary.total.pooled_deviation) == ({}, 0, None)


def test_a_series_counts_by_its_degrees_of_freedom() -> None:
    assert pooled_deviation([[5, 5, 5], [7]]) == 0
    assert pooled_deviation([[7], []]) is None
    assert intervals_of([]) == ()
