"""The characteristics of feeds, and of all feeds together (Oita's thesis, 1.3.3 and 1.3.4)."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from statistics import fmean, quantiles, variance

from forest_scrapy.feeds.turnover import FeedTraits

#: The names of feedparser's versions.
FORMAT_NAMES = {
    "": "unknown",
    "atom": "Atom",
    "atom03": "Atom 0.3",
    "atom10": "Atom 1.0",
    "cdf": "CDF",
    "json": "JSON Feed",
    "rss": "RSS",
    "rss090": "RDF (RSS 0.90)",
    "rss091n": "RSS 0.91",
    "rss091u": "RSS 0.91",
    "rss092": "RSS 0.92",
    "rss093": "RSS 0.93",
    "rss094": "RSS 0.94",
    "rss10": "RDF (RSS 1.0)",
    "rss20": "RSS 2.0",
}
_DAY = 86_400
#: What is told of the intervals of a feed, from the shortest to the longest.
INTERVAL_NAMES = ("minimum", "first_quartile", "median", "third_quartile", "maximum")


@dataclass(frozen=True)
class FeedStatistics:
    """A feed of a ``site``: what it is, and the seconds between two of its entries."""

    site: str
    traits: FeedTraits = field(default_factory=FeedTraits)
    intervals: tuple[int, ...] = ()

    @property
    def interval_quartiles(self) -> tuple[float, ...]:
        """The values of ``INTERVAL_NAMES`` in seconds; empty for fewer than two intervals."""
        if len(self.intervals) < 2:
            return ()
        first, median, third = quantiles(self.intervals, n=4, method="inclusive")
        return (min(self.intervals), first, median, third, max(self.intervals))


@dataclass(frozen=True)
class SiteRow:
    """The feeds of a site: the mean of their mean intervals, and the pooled standard deviation of
    their intervals, in seconds; None if too few are known."""

    feeds: int
    mean_interval: float | None = None
    pooled_deviation: float | None = None


@dataclass(frozen=True)
class FeedSummary:
    """All feeds.

    - ``formats``: the number of feeds of each format (table 1.1 of the thesis).
    - ``sites``: the feeds of each site, and ``total`` of all (table 1.2, where it has subjects).
    - ``listed``: the number of feeds by the number of entries that they list (figure 1.2).
    - ``intervals``: for each of ``INTERVAL_NAMES`` the values of the feeds in seconds, sorted: the
      n-th is the interval that n feeds have or fall below (figure 1.3).
    """

    formats: dict[str, int]
    sites: dict[str, SiteRow]
    total: SiteRow
    listed: dict[int, int]
    intervals: dict[str, list[float]]


def intervals_of(dates: Sequence[int]) -> tuple[int, ...]:
    """The seconds between entries with these dates.

    >>> intervals_of([30, 0, 10, 10])
    (10, 20)
    """
    different_dates = sorted(set(dates))
    return tuple(later - earlier for earlier, later in pairwise(different_dates))


def summarize_feeds(feeds: Sequence[FeedStatistics]) -> FeedSummary:
    """The summary of some feeds.  Cost: linear in their intervals, besides sorting."""
    formats: Counter[str] = Counter()
    listed: Counter[int] = Counter()
    feeds_by_site: defaultdict[str, list[FeedStatistics]] = defaultdict(list)
    intervals: dict[str, list[float]] = {name: [] for name in INTERVAL_NAMES}
    for feed in feeds:
        traits = feed.traits
        format_name = FORMAT_NAMES.get(traits.format, traits.format)
        formats[format_name] += 1
        if traits.listed:
            listed[traits.listed] += 1
        feeds_by_site[feed.site].append(feed)
        for name, seconds in zip(INTERVAL_NAMES, feed.interval_quartiles, strict=False):
            intervals[name].append(seconds)

    sites = {site: _row_of(feeds_by_site[site]) for site in sorted(feeds_by_site)}
    return FeedSummary(
        formats=dict(sorted(formats.items())),
        sites=sites,
        total=_row_of(feeds),
        listed=dict(sorted(listed.items())),
        intervals={name: sorted(values) for name, values in intervals.items()},
    )


def _row_of(feeds: Sequence[FeedStatistics]) -> SiteRow:
    means = []
    for feed in feeds:
        if feed.intervals:
            means.append(fmean(feed.intervals))
    return SiteRow(
        feeds=len(feeds),
        mean_interval=fmean(means) if means else None,
        pooled_deviation=pooled_deviation([feed.intervals for feed in feeds]),
    )


def pooled_deviation(series: Sequence[Sequence[int]]) -> float | None:
    """The pooled standard deviation: the square root of the mean of the variances, each weighted by
    its degrees of freedom; None without a series of two numbers.

    >>> pooled_deviation([[1, 3], [10, 12, 14]])
    1.8257418583505538
    """
    squares = 0.0
    degrees = 0
    for numbers in series:
        if len(numbers) > 1:
            squares += (len(numbers) - 1) * variance(numbers)
            degrees += len(numbers) - 1
    if degrees:
        return sqrt(squares / degrees)
    return None


def describe_seconds(seconds: float | None) -> str:
    """A length of time for people.

    >>> describe_seconds(90), describe_seconds(5400), describe_seconds(86_400 * 2.5)
    ('2 min', '1.5 h', '2.5 days')
    """
    if seconds is None:
        return "-"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    if seconds < 2 * _DAY:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / _DAY:.1f} days"
