"""Dates as pages write them, in any language, as ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any

import dateparser

from forest_scrapy.core.fields.date_words import may_be_relative, read_plain_date

__all__ = ["find_date", "read_date"]

#: Dates before this year are ignored.
_OLDEST = 1990
#: How far a server's clock may be ahead; the latest date if the fetch time is not known.
_SKEW, _LATEST = timedelta(minutes=5), datetime(2100, 1, 1, tzinfo=UTC)
#: The time zone where a day begins first: a date without an offset may be from there.
_EARLIEST_ZONE = timezone(timedelta(hours=14))
#: Years from here on are of the Thai calendar, which is 543 years ahead.
_BUDDHIST_FROM, _BUDDHIST = 2400, 543
#: Characters of the longest text that is searched for a date.
LONGEST = 200

_TIME = r"(?:\d{1,2}\s?[:.h]\s?\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?[ap]\.?m\b)"
_YEAR = r"(?:19[89]|20\d|25\d)\d"
_WORD = r"[^\W\d_][^\s\d.,/_:;()-]{0,19}\.?"
_GAP = r"(?:\s+(?:de|del|of|di|d['’]|den|ta['’])\s*|[\s.,/\-–º°]+)"
#: The forms of dates: only text that matches one is given to the date parser.
_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE)
    for shape in (
        rf"{_YEAR}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\s?[+-]\d\d:?\d\d)?",
        rf"{_YEAR}\s?[年년]\s?\d{{1,2}}\s?[月월]\s?\d{{1,2}}\s?[日일]?(?:\s*{_TIME})?",
        rf"(?<!\d){_YEAR}[-/.]\s?\d{{1,2}}[-/.]\s?\d{{1,2}}(?!\d)(?:[\s,]+{_TIME})?",
        rf"(?<!\d)\d{{1,2}}(?:st|nd|rd|th|er|ª|\.|º|°)?{_GAP}{_WORD}{_GAP}{_YEAR}(?!\d)"
        rf"(?:[\s,\-–|·]*(?:\w{{1,3}}\s+)?{_TIME})?",
        rf"(?<!\d)\d{{1,2}}-[^\W\d_]{{3,9}}-\d\d(?![\d-])(?:[\s,]+{_TIME})?",
        rf"{_WORD}\s+\d{{1,2}}(?:st|nd|rd|th)?[,.]?\s+{_YEAR}(?!\d)(?:[\s,\-–|·]*(?:at\s+)?{_TIME})?",
        rf"(?<!\d){_YEAR}[\s.,]+{_WORD}\s+\d{{1,2}}(?!\d)",
        rf"(?<![\d.])\d{{1,2}}\s?[./-]\s?\d{{1,2}}\s?[./-]\s?(?:{_YEAR}|\d\d)(?![\d.])"
        rf"(?:[\s,\-–|·]*{_TIME})?",
    )
)
_DIGIT = re.compile(r"\d")
_HALF = re.compile(r"\d\s?[ap]\.?m\b", re.IGNORECASE)
#: Relative dates are short: "3 hours ago", "vor 2 Tagen", "yesterday".
_LONGEST_RELATIVE = 30
_COMPACT = re.compile(rf"({_YEAR})(\d\d)(\d\d)(?:T?\d{{4,6}})?$")
_DOTTED = re.compile(r"\d{1,2}\s?\.\s?\d{1,2}\s?\.\s?\d{2}")
_HAS_TIME = re.compile(rf"(?:{_YEAR}|\d\d?[./-]\d\d|[^\W\d_]-\d\d).*?{_TIME}", re.IGNORECASE)


def read_date(text: str, language: str = "", fetched_at: str = "") -> str:
    """A date that a page declares, or that is the whole text of an element, as ISO 8601.

    ``""`` if the text is not a date, or the date is after ``fetched_at`` or before 1990.

    >>> read_date("2024-05-03T15:47:42Z"), read_date("Fri, 03 May 2024 15:47:42 +0200")
    ('2024-05-03T15:47:42+00:00', '2024-05-03T15:47:42+02:00')
    >>> read_date("2024-05-03"), read_date("soon"), read_date("9999-01-01")
    ('2024-05-03', '', '')
    """
    text = " ".join(text.split())[:LONGEST]
    if not text:
        return ""
    found = _read_standard(text, fetched_at)
    return find_date(text, language, fetched_at) if found is None else found


def find_date(text: str, language: str = "", fetched_at: str = "") -> str:
    """The first date in a short text with other words, as ISO 8601; ``""`` if there is none.

    A relative date is read if the text is nothing else and ``fetched_at`` is known.

    >>> find_date("Posted by Ana Bo on 3 May 2024 at 15:47 in News", "en")
    '2024-05-03T15:47:00'
    >>> find_date("2 hours ago", "en", "2024-05-03T12:00:00+00:00")
    '2024-05-03T10:00:00+00:00'
    """
    text = " ".join(text.split())
    if len(text) > LONGEST:
        return ""
    for shape in _SHAPES if _DIGIT.search(text) else ():
        for match in shape.finditer(text):
            part = match.group()
            found = _read_standard(part, fetched_at)
            found = _read_written(part, language, fetched_at) if found is None else found
            if found:
                return found
    return _read_relative(text, language, fetched_at)


def _read_relative(text: str, language: str, fetched_at: str) -> str:
    if not fetched_at or len(text) > _LONGEST_RELATIVE:
        return ""
    if not any(may_be_relative(text, code) for code in _codes(language)):
        return ""
    moment = _call_dateparser(text, language, fetched_at)
    if moment is None:
        return ""
    offset = moment.tzinfo or _parse_iso(fetched_at).tzinfo
    return _write_iso(moment.replace(tzinfo=offset), True, fetched_at)


def _read_standard(text: str, fetched_at: str) -> str | None:
    """A date in ISO 8601, RFC 822 or seconds since 1970; ``""`` if it is out of range, None if
    the text has none of these forms."""
    if compact := _COMPACT.match(text):
        text = "-".join(compact.groups())
    if text.isdigit():
        return _read_seconds(text, fetched_at)
    is_halved = _HALF.search(text) is not None  # RFC 822 has no such times: the half is ignored
    for read in (datetime.fromisoformat, *(() if is_halved else (parsedate_to_datetime,))):
        try:
            moment = read(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        return _write_iso(moment, ":" in text, fetched_at)
    return None


def _read_seconds(text: str, fetched_at: str) -> str | None:
    """Seconds since 1970, or milliseconds, as 10 or 13 digits."""
    if len(text) not in (10, 13):
        return None
    moment = datetime.fromtimestamp(int(text[:10]), UTC)
    return _write_iso(moment, True, fetched_at)


def _write_iso(moment: datetime, has_time: bool, fetched_at: str) -> str:
    """The date as ISO 8601; ``""`` if it is out of range."""
    try:
        earliest = (moment if moment.tzinfo else moment.replace(tzinfo=_EARLIEST_ZONE)).astimezone(
            UTC
        )
    except (ValueError, OverflowError):
        return ""
    latest = _parse_iso(fetched_at) + _SKEW if fetched_at else _LATEST
    if moment.year < _OLDEST or earliest > latest:
        return ""
    if fetched_at and moment.tzinfo:  # within the skew of the clocks
        moment = min(moment, _parse_iso(fetched_at).astimezone(moment.tzinfo))
    return moment.isoformat(timespec="seconds") if has_time else moment.date().isoformat()


def _parse_iso(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read_written(text: str, language: str, fetched_at: str) -> str:
    """An absolute date, in words or numbers, as ISO 8601."""
    moment = _call_dateparser(text, language, "")
    if moment and moment.year > _BUDDHIST_FROM and language.startswith("th"):
        moment = moment.replace(year=moment.year - _BUDDHIST)
    return _write_iso(moment, _HAS_TIME.search(text) is not None, fetched_at) if moment else ""


@lru_cache(maxsize=8192)
def _call_dateparser(text: str, language: str, base: str) -> datetime | None:
    """What dateparser reads, in the page's language, else in English.

    With a ``base`` the text is read as a relative date; without, it must have day, month and
    year."""
    settings: dict[str, Any] = {"REQUIRE_PARTS": ["day", "month", "year"]}
    if _DOTTED.match(text):  # day first in any language
        settings["DATE_ORDER"] = "DMY"
    if base:
        settings = {"PARSERS": ["relative-time"], "RELATIVE_BASE": _parse_iso(base)}
    codes = _codes(language)
    for code in codes if not base else ():
        if found := read_plain_date(text, code):
            return found
    for code in codes:
        names = {"locales": [code]} if "-" in code else {"languages": [code]}
        try:
            moment = dateparser.parse(text, settings=settings, **names) if code else None
        except (ValueError, OverflowError):  # unknown language, number out of range
            continue
        if isinstance(moment, datetime):
            return moment
    return None


def _codes(language: str) -> Iterable[str]:
    """The codes of the languages in which a date may be: the page's, also without a region, and
    English."""
    return dict.fromkeys((language, language.partition("-")[0], "en"))
