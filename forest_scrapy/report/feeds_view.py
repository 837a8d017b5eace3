"""The characteristics of all feeds as tables and pictures of a report: tables 1.1 and 1.2 and
figures 1.2 and 1.3 of Oita's thesis."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from forest_scrapy.crawl.feed_history import statistics_of
from forest_scrapy.feeds.summary import FeedSummary, describe_seconds, summarize_feeds
from forest_scrapy.stores import FeedRecord

#: Size of the pictures in units of SVG: those of pixels in a window of a phone.
WIDTH = 360.0
CURVES_HEIGHT = 200.0
ROW_HEIGHT = 20.0
#: Where bars begin, and the length of the longest one; at its end is the number.
_BAR_X = 84.0
_BAR_LENGTH = 240.0
#: Numbers of listed entries that most programs have as limit; each has a bar of its own.
_USUAL_LIMITS = (10, 15, 20, 25, 30, 50, 100)
#: Sites in the table, those with most feeds.
_MAX_SITES = 100
#: The marks of the axis of intervals, in seconds; it begins with the first and ends with the last.
_MARKS = {
    "1 min": 60,
    "1 h": 3600,
    "1 day": 86_400,
    "1 week": 7 * 86_400,
    "1 year": 365 * 86_400,
}
_CURVES_X = 36.0
_CURVES_WIDTH = WIDTH - _CURVES_X - 24


@dataclass(frozen=True)
class FeedBar:
    """A bar: so many feeds that list so many entries."""

    label: str
    feeds: int
    y: float
    length: float


@dataclass(frozen=True)
class IntervalCurve:
    """The share of feeds whose intervals are at most so long: ``points`` of a line; ``number``
    tells its style."""

    name: str
    number: int
    points: str


@dataclass(frozen=True)
class Mark:
    """A mark of an axis."""

    label: str
    place: float


@dataclass(frozen=True)
class FeedSiteRow:
    """A site in the table: its feeds, the mean of their intervals, and the deviation, in words."""

    name: str
    feeds: int
    mean: str
    deviation: str


@dataclass(frozen=True)
class FeedsView:
    """All feeds that were read: tables and pictures.  ``unlisted_sites``: those that have no row;
    ``missed``: about how many entries have come and gone, ``gaps``: how many times."""

    feeds: int
    formats: Mapping[str, int]
    sites: tuple[FeedSiteRow, ...]
    unlisted_sites: int
    total: FeedSiteRow
    bars: tuple[FeedBar, ...]
    curves: tuple[IntervalCurve, ...]
    interval_marks: tuple[Mark, ...]
    share_marks: tuple[Mark, ...]
    missed: int
    gaps: int
    width: float = WIDTH
    curves_height: float = CURVES_HEIGHT
    row_height: float = ROW_HEIGHT
    bar_x: float = _BAR_X
    curves_x: float = _CURVES_X
    curves_end: float = _CURVES_X + _CURVES_WIDTH


def view_feeds(feeds: Iterable[FeedRecord]) -> FeedsView | None:
    """The feeds that were read; None if none was."""
    read_feeds = [feed for feed in feeds if feed.read is not None]
    if not read_feeds:
        return None
    statistics = [statistics_of(feed) for feed in read_feeds]
    summary = summarize_feeds(statistics)
    names = sorted(summary.sites, key=lambda name: (-summary.sites[name].feeds, name))
    rows = [_row_of(name, summary) for name in names[:_MAX_SITES]]
    interval_marks = [Mark(name, _x(seconds)) for name, seconds in _MARKS.items()]
    share_marks = [Mark(f"{share}%", _y(share / 100)) for share in (0, 50, 100)]
    return FeedsView(
        feeds=len(read_feeds),
        formats=summary.formats,
        sites=tuple(rows),
        unlisted_sites=len(names) - len(rows),
        total=_row_of("", summary),
        bars=draw_bars(summary.listed),
        curves=draw_curves(summary.intervals),
        interval_marks=tuple(interval_marks),
        share_marks=tuple(share_marks),
        missed=sum(feed.traits.missed for feed in statistics),
        gaps=sum(feed.traits.gaps for feed in statistics),
    )


def _row_of(name: str, summary: FeedSummary) -> FeedSiteRow:
    row = summary.sites[name] if name else summary.total
    return FeedSiteRow(
        name=name,
        feeds=row.feeds,
        mean=describe_seconds(row.mean_interval),
        deviation=describe_seconds(row.pooled_deviation),
    )


def draw_bars(listed: Mapping[int, int]) -> tuple[FeedBar, ...]:
    """A bar for each usual limit, and for the numbers between two of them, that feeds have.

    >>> [(bar.label, bar.feeds, bar.length) for bar in draw_bars({3: 1, 10: 4, 11: 1, 14: 1})]
    [('1-9', 1, 60.0), ('10', 4, 240.0), ('11-14', 2, 120.0)]
    """
    counts: dict[str, int] = {}
    for number in sorted(listed):
        label = _label_of(number)
        counts[label] = counts.get(label, 0) + listed[number]
    max_count = max(counts.values(), default=1)
    bars = []
    for place, (label, feeds) in enumerate(counts.items()):
        y = place * ROW_HEIGHT
        length = _BAR_LENGTH * feeds / max_count
        bar = FeedBar(label, feeds, y, round(length, 1))
        bars.append(bar)
    return tuple(bars)


def _label_of(number: int) -> str:
    """
    >>> _label_of(20), _label_of(21), _label_of(500)
    ('20', '21-24', '101 or more')
    """
    first = 1
    for limit in _USUAL_LIMITS:
        if number == limit:
            return str(limit)
        if number < limit:
            return f"{first}-{limit - 1}"
        first = limit + 1
    return f"{first} or more"


def draw_curves(intervals: Mapping[str, Sequence[float]]) -> tuple[IntervalCurve, ...]:
    """A line of steps for each kind of interval, whose values are sorted.

    >>> draw_curves({"first_quartile": [60.0, 60.0]})
    (IntervalCurve(name='first quartile', number=0, points='36,200 36,0 336,0'),)
    """
    curves = []
    for number, (name, values) in enumerate(intervals.items()):
        if not values:
            continue
        # Of equal places the last tells the share of feeds.
        counts: dict[float, int] = {}
        for count, seconds in enumerate(values, 1):
            counts[_x(seconds)] = count

        y = _y(0)
        points = [(_CURVES_X, y)]
        for x, count in counts.items():
            points.append((x, y))
            y = _y(count / len(values))
            points.append((x, y))
        points.append((_CURVES_X + _CURVES_WIDTH, y))

        distinct_points = dict.fromkeys(points)
        written = " ".join(f"{x:g},{y:g}" for x, y in distinct_points)
        label = name.replace("_", " ")
        curves.append(IntervalCurve(label, number, written))
    return tuple(curves)


def _x(seconds: float) -> float:
    """Where an interval is on the axis, which is logarithmic; one that is beyond an end is
    there."""
    lengths = list(_MARKS.values())
    start = log(lengths[0])
    end = log(lengths[-1])
    share = (log(max(seconds, 1)) - start) / (end - start)
    bounded_share = min(max(share, 0.0), 1.0)
    x = _CURVES_X + _CURVES_WIDTH * bounded_share
    return round(x, 1)


def _y(share: float) -> float:
    y = CURVES_HEIGHT * (1 - share)
    return round(y, 1)
