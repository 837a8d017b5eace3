"""``scrapy forest feeds``: what the history knows of each feed, and of all together."""

import time
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from forest_scrapy.commands.forest_command import Action, AddOption, json_text
from forest_scrapy.core.codec import to_json
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.context import open_history
from forest_scrapy.crawl.feed_history import statistics_of
from forest_scrapy.feeds.schedule import latest_rate
from forest_scrapy.feeds.summary import (
    FORMAT_NAMES,
    FeedSummary,
    SiteRow,
    describe_seconds,
    summarize_feeds,
)
from forest_scrapy.stores import FeedRecord

_DAY = 86_400
#: Characters of the longest bar of a histogram.
_BAR_LENGTH = 40
#: Lengths of time by which intervals are counted, in seconds.
_STEPS = {
    "1 minute": 60,
    "1 hour": 3600,
    "6 hours": 6 * 3600,
    "1 day": _DAY,
    "1 week": 7 * _DAY,
    "30 days": 30 * _DAY,
    "1 year": 365 * _DAY,
}


class Feeds(Action):
    """Print the characteristics of each feed that was crawled: its format, how many entries it
    lists, how often they come, how many have their full text, how many were missed between two
    polls, and when it is due. Or those of all together.
    """

    name = "feeds"

    @staticmethod
    def add_options(add: AddOption) -> None:
        text = "of all feeds: formats, sites, numbers of entries and intervals between them"
        add("--summary", action="store_true", help=text)
        add("--json", action="store_true", help="print JSON; times are in seconds")

    def run(self, options: Namespace) -> str:
        """Raises ``BadStore``."""
        with closing(open_history(self.config, must_exist=True)) as store:
            feeds = list(store.feeds.all())
        now = int(time.time())
        if options.summary:
            read_feeds = [feed for feed in feeds if feed.read is not None]
            summary = summarize_feeds([statistics_of(feed) for feed in read_feeds])
            if options.json:
                return json_text(to_json(summary))
            return _join(_summary_lines(summary))
        rows = [_values_of(feed, now) for feed in feeds]
        if options.json:
            return json_text(rows)
        return _join(line for row in rows for line in _feed_lines(row)) or "no feed yet\n"


def _values_of(feed: FeedRecord, now: int) -> dict[str, Any]:
    """A feed as JSON values; times in seconds."""
    statistics = statistics_of(feed)
    traits = statistics.traits
    return {
        "url": feed.url,
        "format": traits.format,
        "listed": traits.listed,
        "full_text_share": traits.full_texts / traits.listed if traits.listed else None,
        "entries_a_day": round(latest_rate(sorted(feed.dates), now) * _DAY, 3),
        "intervals": list(statistics.interval_quartiles),
        "missed": traits.missed,
        "gaps": traits.gaps,
        "uncounted": traits.uncounted,
        "status": feed.status,
        "failures": feed.failures,
        "read": _moment(feed.read),
        "polled": _moment(feed.polled),
        "due": _moment(feed.due_at(now) or None),
    }


def _feed_lines(row: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a feed."""
    format_name = FORMAT_NAMES.get(row["format"], row["format"])
    share = row["full_text_share"]
    texts = "" if share is None else f", {share:.0%} with full text"
    yield row["url"]
    if row["read"]:
        rate = f"{count(row['entries_a_day'], 'entry', 'entries', 'g')} a day"
        yield f"  {format_name}, lists {row['listed']}{texts}; {rate}"
    else:
        yield "  never read"
    if row["intervals"]:
        shortest, first, median, third, longest = map(describe_seconds, row["intervals"])
        yield f"  between two: median {median}, quartiles {first} and {third},"
        yield f"    from {shortest} to {longest}"
    if row["missed"]:
        about = "at least" if row["uncounted"] else "about"
        times = "once" if row["gaps"] == 1 else f"{row['gaps']} times"
        yield f"  {about} {row['missed']} missed between polls, {times}"
    failed = ""
    if row["failures"]:
        times = "once" if row["failures"] == 1 else f"{row['failures']} times in a row"
        failed = f", failed {times} (status {row['status']})"
    yield f"  polled {row['polled'] or 'never'}, due {row['due'] or 'now'}{failed}"


def _summary_lines(summary: FeedSummary) -> Iterator[str]:
    feeds = summary.total.feeds
    yield "Formats"
    for name, number in summary.formats.items():
        yield f"  {name:16} {number:6}  {number / feeds:6.1%}"
    yield f"  {'total':16} {feeds:6}"

    yield ""
    yield "Intervals between entries, by site: feeds, mean of their means, pooled deviation"
    for site, row in summary.sites.items():
        yield _site_line(site, row)
    yield _site_line("total", summary.total)

    yield ""
    yield "Entries that feeds list"
    max_number = max(summary.listed.values(), default=1)
    for listed, number in summary.listed.items():
        length = round(_BAR_LENGTH * number / max_number)
        bar = "#" * max(1, length)
        yield f"  {listed:6} {number:6}  {bar}"

    yield ""
    yield "Share of feeds whose intervals are at most so long"
    yield f"  {'':10}" + "".join(f"{name.replace('_', ' '):>16}" for name in summary.intervals)
    for name, seconds in _STEPS.items():
        shares = [_share_below(values, seconds) for values in summary.intervals.values()]
        yield f"  {name:10}" + "".join(f"{share:16.0%}" for share in shares)


def _site_line(site: str, row: SiteRow) -> str:
    mean = describe_seconds(row.mean_interval)
    deviation = describe_seconds(row.pooled_deviation)
    return f"  {site:30} {row.feeds:6}  {mean:>12}  {deviation:>12}"


def _share_below(values: Sequence[float], limit: float) -> float:
    if not values:
        return 0.0
    return sum(value <= limit for value in values) / len(values)


def _moment(seconds: int | None) -> str:
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _join(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
