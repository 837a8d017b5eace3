"""Dates and times of ISO 8601, as the fields of items and the stores have them."""

from datetime import UTC, date, datetime


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


def parse_day(text: str) -> date:
    """The day of a date, as it is written.  Raises ``ValueError`` for another text.

    >>> parse_day("2024-05-03T23:00:00+02:00").isoformat()
    '2024-05-03'
    """
    return date.fromisoformat(text[:10])
