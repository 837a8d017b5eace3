"""Dates and times of ISO 8601, as items and stores have them, and whether one lies between two."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime

#: How long a date without a time lasts.
_DAY = timedelta(days=1) - timedelta(microseconds=1)


def read_iso(text: str) -> datetime | None:
    """The date as it is written, without an offset if it has none; None for another text.

    >>> read_iso("2024-05-03").isoformat(), read_iso("May")
    ('2024-05-03T00:00:00', None)
    """
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def read_moment(text: str) -> datetime | None:
    """The moment of a date, in UTC if it has no offset; None for another text.

    >>> read_moment("2024-05-03T10:00:00").isoformat(), read_moment("May")
    ('2024-05-03T10:00:00+00:00', None)
    """
    moment = read_iso(text)
    if moment is None or moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=UTC)


def parse_moment(text: str) -> datetime:
    """As ``read_moment``, of a text that is a date.  Raises ``ValueError`` for another one."""
    moment = read_moment(text)
    if moment is None:
        raise ValueError(f"{text!r} is no date in ISO 8601")
    return moment


def read_http_date(text: str) -> int | None:
    """A date of an HTTP header (RFC 9110, 5.6.7) in seconds since 1970; one without a known zone
    (``-0000``) is in UTC.  None if it is none.

    >>> read_http_date("Thu, 01 Jan 1970 00:01:00 GMT"), read_http_date("0"), read_http_date("")
    (60, None, None)
    """
    try:
        moment = parsedate_to_datetime(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return int(moment.timestamp())
    except (TypeError, ValueError, OverflowError):
        return None


def parse_day(text: str) -> date:
    """The day of a date, as it is written.  Raises ``ValueError`` for another text.

    >>> parse_day("2024-05-03T23:00:00+02:00").isoformat()
    '2024-05-03'
    """
    return date.fromisoformat(text[:10])


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
