"""How long a feed lists an entry, and how many entries have come and gone between two polls.

Most feeds list the latest entries only (Oita's thesis, 1.3.3: ten, most often): with more new ones
than that between two polls, the others were never seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass

#: A feed is polled before so large a share of its list is new.
_MAX_NEW_SHARE = 0.8
#: Seconds between two polls at least, however fast the list changes.
MIN_WAIT = 60
#: Entries whose rate tells how fast a list changes, at least.
_MIN_ENTRIES = 3


@dataclass(frozen=True)
class FeedTraits:
    """What a feed was when it was read last, and what was lost of it.

    - ``format``: such as ``rss20`` or ``atom10``; ``""`` if unknown.
    - ``listed``: entries in it; ``full_texts``: those with the text of their article.
    - ``missed``: about how many entries have come and gone between two polls, over all of them, at
      least one each time; ``gaps``: how many times that was so; ``uncounted``: how many times
      nothing told how many.
    - ``shared_pages``: the keys of the pages that several of its entries have linked, the latest
      ones last; see ``own_pages``.
    """

    format: str = ""
    listed: int = 0
    full_texts: int = 0
    missed: int = 0
    gaps: int = 0
    uncounted: int = 0
    shared_pages: tuple[str, ...] = ()


@dataclass(frozen=True)
class FeedGap:
    """Entries of a feed that have come and gone between two polls.

    ``missed``: about how many, at least one; ``is_counted``: False if nothing tells how many;
    ``since``, ``until``: between which they were published, by the feed's own dates;
    ``last_read``: when the feed was read before, by the crawl's clock; seconds since 1970.
    """

    missed: int
    is_counted: bool
    since: int
    until: int
    last_read: int = 0

    def describe(self) -> str:
        """
        >>> FeedGap(1, True, 0, 0).describe(), FeedGap(40, True, 0, 0).describe()
        ('about one entry has come and gone', 'about 40 entries have come and gone')
        """
        if not self.is_counted:
            return "entries have come and gone (its dates do not tell how many)"
        if self.missed == 1:
            return "about one entry has come and gone"
        return f"about {self.missed} entries have come and gone"


def turnover(dates: Sequence[int], listed: int) -> float | None:
    """The seconds in which a feed publishes as many entries as it lists, from the dates of those
    that it lists; None for few.

    >>> turnover(range(0, 600, 60), listed=10)
    600.0
    """
    newest_dates = sorted(dates)[-listed:] if listed else []
    if len(newest_dates) < _MIN_ENTRIES:
        return None
    span = newest_dates[-1] - newest_dates[0]
    if span <= 0:
        return None  # all of them at once: a list that is made anew
    return listed * span / (len(newest_dates) - 1)


def max_wait(dates: Sequence[int], listed: int) -> float | None:
    """The seconds after which a feed has to be polled again, so that no entry is missed; None if
    that is not known.  At least ``MIN_WAIT``."""
    seconds = turnover(dates, listed)
    if seconds is None:
        return None
    return max(MIN_WAIT, _MAX_NEW_SHARE * seconds)


def find_gap(
    listed_dates: Sequence[int],
    listed: int,
    last_seen: int | None,
    last_read: int,
    now: int,
    seen_dates: Sequence[int] = (),
) -> FeedGap | None:
    """What has come and gone of a feed since the last poll, for a list of which no entry was known
    before; None if nothing has.  The arguments are those of ``estimate_missed``.

    Entries at the top may have old dates, such as one that is pinned, or dates of the future, such
    as that of an event: the rate and the times are those of the entries that are newer than what
    was known, and not of the future, unless all of them are: then the feed's clock is ahead.
    """
    since = last_read if last_seen is None else last_seen
    new_dates = []
    for date in listed_dates:
        if last_seen is not None and date > last_seen:
            new_dates.append(date)
    if not new_dates:
        has_any = listed > 0 and now > last_read
        if has_any:
            return FeedGap(1, False, since, now, last_read)
        return None
    past_dates = [date for date in new_dates if date <= now]
    rated_dates = past_dates or new_dates
    count = len(rated_dates)
    missed = estimate_missed(rated_dates, count, last_seen, last_read, now, seen_dates)
    if not missed:
        return None
    is_counted = turnover(rated_dates, count) is not None
    # The pages of a site whose clock is ahead have such dates in its sitemap, too.
    latest = max(new_dates)
    until = max(now, latest)
    return FeedGap(missed, is_counted, since, until, last_read)


def join_gaps(first: FeedGap | None, second: FeedGap | None) -> FeedGap | None:
    """Two gaps, one after the other, as one."""
    if first is None or second is None:
        return first or second
    return FeedGap(
        missed=first.missed + second.missed,
        is_counted=first.is_counted and second.is_counted,
        since=min(first.since, second.since),
        until=max(first.until, second.until),
        last_read=min(first.last_read, second.last_read),
    )


def estimate_missed(
    listed_dates: Sequence[int],
    listed: int,
    last_seen: int | None,
    last_read: int,
    now: int,
    seen_dates: Sequence[int] = (),
) -> int:
    """About how many entries have come and gone since the last poll, for a list of which no entry
    was known before.

    ``listed_dates``: of the entries that are listed now; ``last_seen``: the newest date that was
    known; ``last_read``, ``now``: the polls; ``seen_dates``: those that were known.  Times are
    seconds since 1970.  The rate is taken to change evenly from that of the known entries to that
    of the listed ones: feeds that overflow are often those with a burst.  Without dates nothing but
    the time between the polls is known: then one entry is said to be missed.  0 if the list is not
    newer than what was known.

    >>> hour = list(range(41 * 60, 51 * 60, 60))
    >>> estimate_missed(hour, 10, last_seen=0, last_read=0, now=3600)
    40
    """
    if not listed_dates or last_seen is None:
        if listed and now > last_read:
            return 1
        return 0
    oldest = min(listed_dates)
    if oldest <= last_seen:
        return 0
    seconds = turnover(listed_dates, listed)
    if seconds is None:
        return 1
    rate = listed / seconds
    seconds_before = turnover(seen_dates, min(listed, len(seen_dates)))
    if seconds_before is not None:
        rate_before = min(listed, len(seen_dates)) / seconds_before
        rate = (rate_before + rate) / 2
    # What was published before the last poll was listed then, unless it was dated back.
    is_dated_back = oldest <= last_read
    start = last_seen if is_dated_back else max(last_seen, last_read)
    between = (oldest - start) * rate - 1
    # What was published in one go is not the rate of the time before.
    return max(1, min(round(between), 100 * listed))
