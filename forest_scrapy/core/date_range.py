"""Whether a date lies between two others."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from forest_scrapy.core.moments import read_moment

#: How long a date without a time lasts.
_DAY = timedelta(days=1) - timedelta(microseconds=1)


@dataclass(frozen=True)
class DateRange:
    """The dates from ``since`` to ``until``, both included; None: no limit."""

    since: datetime | None = None
    until: datetime | None = None

    def check(self, published: str) -> str:
        """``too_old``, ``too_new``, or ``""`` for an ISO 8601 date in the range and for one that
        cannot be read.

        A date without a time is in the range if any moment of the day is.

        >>> spring = DateRange(read_moment("2024-03-01"))
        >>> spring.check("2024-02-29"), spring.check("2024-03-01"), spring.check("soon")
        ('too_old', '', '')
        """
        moments = read_moments(published)
        if moments and self.since and moments[1] < self.since:
            return "too_old"
        if moments and self.until and moments[0] > self.until:
            return "too_new"
        return ""


ANY_DATE = DateRange()


def read_moments(text: str) -> tuple[datetime, datetime] | None:
    """The first and last moment of an ISO 8601 date: a whole day, or a single moment if it has a
    time; in UTC if it has no offset.  None if it cannot be read.

    >>> read_moments("2024-05-03T10:00:00Z")[0].isoformat(), read_moments("May")
    ('2024-05-03T10:00:00+00:00', None)
    """
    text = text.strip()
    moment = read_moment(text)
    if moment is None:
        return None
    try:
        return moment, moment + _DAY if len(text) <= len("2024-05-03") else moment
    except OverflowError:
        return None
