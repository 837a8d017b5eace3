"""When to poll a feed again, from the dates of its entries (Oita's thesis, 1.3.4).

Entries are taken for a Poisson process whose rate depends on the hour of the day (Sia et al. 2007).
With a given number of polls, the delay of all entries of all feeds is smallest if the density of
polls is in proportion to the square root of the rate.  So the next poll is when the integral of the
square root has grown by ``EFFORT``, the same number for all feeds.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import sqrt
from statistics import quantiles

from forest_scrapy.core.digests import digest_number
from forest_scrapy.core.moments import read_http_date
from forest_scrapy.feeds.turnover import MIN_WAIT, max_wait

_MAX_AGE = re.compile(r"\bmax-age\s*=\s*\"?(\d{1,9})")
#: With a value, ``no-cache`` is about the headers that it names only.
_NOT_KEPT = re.compile(r"\bno-(?:cache|store)\b(?!\s*=)")
#: The largest number of seconds that is read of a header.
_MAX_SECONDS = 999_999_999


@dataclass(frozen=True)
class FeedHints:
    """What a feed says of polling; None or ``""`` if it does not.

    - ``ttl``: seconds for which a copy may be kept (RSS ``ttl``); ``max_age``: the same, from the
      server's ``Cache-Control`` or ``Expires``.
    - ``period``: seconds between two updates (``sy:updatePeriod``, ``sy:updateFrequency``).
    - ``hub``: the URL of a WebSub hub.  It is only noted: a crawl cannot be called back.
    """

    ttl: int | None = None
    max_age: int | None = None
    period: int | None = None
    hub: str = ""


def read_max_age(headers: Mapping[str, str]) -> int | None:
    """The seconds for which a response may still be kept, by its ``Cache-Control`` or, without a
    ``max-age``, by ``Expires`` and ``Date`` (RFC 9111); less those that it was kept already
    (``Age``).  None if the headers do not tell, or it may not be kept.

    >>> read_max_age({"Cache-Control": "public, max-age=600"}), read_max_age({})
    (600, None)
    """
    cache_control = headers.get("Cache-Control", "").lower()
    if _NOT_KEPT.search(cache_control):
        return None
    max_age = _MAX_AGE.search(cache_control)
    seconds = int(max_age[1]) if max_age else _seconds_to_expiry(headers)
    if seconds is None:
        return None
    age = headers.get("Age", "").strip()
    if age.isdecimal():
        seconds -= int(age[:9])
    return max(0, seconds)


def _seconds_to_expiry(headers: Mapping[str, str]) -> int | None:
    """The seconds from ``Date`` to ``Expires``; None if one of them is missing or no date, such as
    the 0 of servers that want nothing to be kept."""
    answered = read_http_date(headers.get("Date", ""))
    expires = read_http_date(headers.get("Expires", ""))
    if answered is None or expires is None:
        return None
    return min(expires - answered, _MAX_SECONDS)


def read_retry_after(text: str, now: int) -> int | None:
    """The seconds of a ``Retry-After`` header, which are a number or a date; None for others.

    >>> read_retry_after("120", 0), read_retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 0)
    (120, 60)
    """
    number = text.strip()
    if number.isdecimal():
        return int(number[:9])
    moment = read_http_date(text)
    if moment is None:
        return None
    return max(0, moment - now)


HOUR = 3600
DAY = 86_400
#: A feed with one entry a day is polled once an hour.
EFFORT = HOUR / sqrt(DAY)
#: The rate of a feed is that of its latest entries, and of the time since the last one.
_LATEST_ENTRIES = 10
#: Entries for each hour that are added to those seen, so that few of them do not count for much.
_PRIOR = 1.0
#: The largest share by which a wait is made longer, so that feeds are not polled all at once.
_JITTER = 0.1
#: A failing feed is polled after twice the time, up to so many times.
_MAX_DOUBLINGS = 6
#: Seconds of a server's ``Retry-After`` that are waited for; some say years.
_MAX_RETRY_AFTER = 30 * DAY


@dataclass(frozen=True)
class Interval:
    """The least and the greatest number of seconds between two polls of a feed."""

    least: int = 900
    greatest: int = DAY

    def clip(self, seconds: float) -> int:
        return int(min(max(seconds, self.least), self.greatest))


@dataclass(frozen=True)
class Strategy:
    """A feed's publishing strategy.

    - ``rate``: entries a second, of late.
    - ``quartiles``: of the intervals between two entries, in seconds; empty for fewer than three
      entries.
    - ``hours``: how much more than in the mean is published in each hour of the day, UTC.
    """

    rate: float
    quartiles: tuple[float, ...] = ()
    hours: tuple[float, ...] = (1.0,) * 24

    @property
    def is_regular(self) -> bool:
        """Whether the middle half of the intervals differ by a quarter of the median at most."""
        if not self.quartiles:
            return False
        first, median, third = self.quartiles
        return third - first <= median / 4


def publishing_strategy(
    dates: Sequence[int],
    now: int,
    period: int | None = None,
) -> Strategy:
    """The strategy of a feed with entries at these times, in seconds since 1970.

    ``period``: the interval that the feed states, for one with fewer than two entries; a day if it
    states none.  Later dates than ``now`` are ignored.
    """
    past = sorted({date for date in dates if date <= now})
    gaps = [later - earlier for earlier, later in pairwise(past)]
    quartiles = tuple(quantiles(gaps, n=4)) if len(gaps) > 1 else ()
    return Strategy(
        rate=latest_rate(past, now, period),
        quartiles=quartiles,
        hours=hourly_shares(tuple(past)),
    )


def latest_rate(
    past: Sequence[int],
    now: int,
    period: int | None = None,
) -> float:
    """Entries a second, from the latest of these sorted dates and the time since then; see
    ``publishing_strategy``."""
    latest = past[-_LATEST_ENTRIES:]
    stated = period or DAY
    if not latest:
        return 1 / max(stated, 0)
    span = now - latest[0]
    if len(latest) == 1:
        return 1 / max(stated, span)
    mean_gap = span / len(latest)
    seconds = span + min(stated, mean_gap) + 1
    return len(latest) / seconds


@lru_cache(maxsize=256)
def hourly_shares(dates: tuple[int, ...]) -> tuple[float, ...]:
    """How much more than in the mean was published in each hour of the day, UTC."""
    counts = [_PRIOR] * 24
    for date in dates:
        counts[date // HOUR % 24] += 1
    mean = sum(counts) / 24
    return tuple(count / mean for count in counts)


def wait_by_hour(
    strategy: Strategy,
    start: int,
    effort: float,
    max_seconds: int,
) -> float:
    """The seconds after ``start`` when the integral of the square root of the rate has grown by
    ``effort``, at most ``max_seconds``.

    >>> round(wait_by_hour(Strategy(rate=1 / DAY), 0, EFFORT, DAY))
    3600
    """
    moment = float(start)
    missing = effort
    while moment - start < max_seconds:
        hour = int(moment // HOUR % 24)
        end = (moment // HOUR + 1) * HOUR
        density = sqrt(strategy.rate * strategy.hours[hour])
        growth = density * (end - moment)
        if growth >= missing:
            return min(moment + missing / density - start, max_seconds)
        missing -= growth
        moment = end
    return max_seconds


def choose_due(
    url: str,
    dates: Sequence[int],
    now: int,
    interval: Interval,
    hints: FeedHints,
    failures: int = 0,
    retry_after: int | None = None,
    listed: int = 0,
) -> int:
    """When to poll a feed again that was polled ``now``, in seconds since 1970.

    Within the ``interval``, but not before a copy of the feed expires (``ttl``, ``max_age``) or
    its server wants to be asked again (``retry_after``); later after ``failures``.  Sooner than the
    ``interval`` allows where all entries of the list, ``listed``, are new by then.
    """
    strategy = publishing_strategy(dates, now, hints.period)
    seconds = wait_by_hour(strategy, now, EFFORT, interval.greatest)
    wait = interval.clip(seconds)
    seconds_listed = listed / strategy.rate if listed else None
    limit = max_wait(dates, listed)
    if limit is not None and seconds_listed is not None:
        # By the rate of late: a feed that was fast once is not polled for ever like that.
        wait = int(min(wait, max(limit, MIN_WAIT, seconds_listed / 2)))
    fresh_seconds = max(hints.ttl or 0, hints.max_age or 0)
    wait = max(wait, min(fresh_seconds, interval.greatest))
    if failures:
        doublings = min(failures, _MAX_DOUBLINGS)
        wait = interval.clip(wait * 2**doublings)
    wait += int(wait * _jitter(url, now))
    server_wait = min(retry_after or 0, _MAX_RETRY_AFTER)
    return now + max(wait, server_wait)


def _jitter(url: str, now: int) -> float:
    """A share from 0 to ``_JITTER`` that looks random, but is always the same."""
    number = digest_number(f"{now} {url}", 2)
    return _JITTER * number / 65_536
