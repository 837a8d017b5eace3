"""Dates as pages write them, in any language, to ISO 8601."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any

import dateparser

__all__ = ["find_date", "read_date"]

#: Nothing on the web is older.
_OLDEST = 1990
#: What a clock may be ahead of ours; where no fetch time is known, anything before this goes.
_SKEW, _NEVER = timedelta(minutes=5), datetime(2100, 1, 1, tzinfo=UTC)
#: The time zone where a day begins first: a date without an offset may be of there.
_FIRST = timezone(timedelta(hours=14))
#: The years of the Thai calendar.
_BUDDHIST_FROM, _BUDDHIST = 2400, 543
#: A text with a date in it is no longer, in characters.
LONGEST = 200

_TIME = r"(?:\d{1,2}\s?[:.h]\s?\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?[ap]\.?m\b)"
_YEAR = r"(?:19[89]|20\d|25\d)\d"
_WORD = r"[^\W\d_][^\s\d.,/_:;()-]{0,19}\.?"
_SMALL = r"(?:\s+(?:de|del|of|di|d['’]|den|ta['’])\s*|[\s.,/\-–º°]+)"
#: What dates look like: the part of a text that is given to the date parser.
_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE)
    for shape in (
        rf"{_YEAR}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\s?[+-]\d\d:?\d\d)?",
        rf"{_YEAR}\s?[年년]\s?\d{{1,2}}\s?[月월]\s?\d{{1,2}}\s?[日일]?(?:\s*{_TIME})?",
        rf"(?<!\d){_YEAR}[-/.]\s?\d{{1,2}}[-/.]\s?\d{{1,2}}(?!\d)(?:[\s,]+{_TIME})?",
        rf"(?<!\d)\d{{1,2}}(?:st|nd|rd|th|er|ª|\.|º|°)?{_SMALL}{_WORD}{_SMALL}{_YEAR}(?!\d)"
        rf"(?:[\s,\-–|·]*(?:\w{{1,3}}\s+)?{_TIME})?",
        rf"{_WORD}\s+\d{{1,2}}(?:st|nd|rd|th)?[,.]?\s+{_YEAR}(?!\d)(?:[\s,\-–|·]*(?:at\s+)?{_TIME})?",
        rf"(?<!\d){_YEAR}[\s.,]+{_WORD}\s+\d{{1,2}}(?!\d)",
        rf"(?<![\d.])\d{{1,2}}\s?[./-]\s?\d{{1,2}}\s?[./-]\s?(?:{_YEAR}|\d\d)(?![\d.])"
        rf"(?:[\s,\-–|·]*{_TIME})?",
    )
)
#: Relative dates are short: "3 hours ago", "vor 2 Tagen", "yesterday".
_LONGEST_RELATIVE = 30
_COMPACT = re.compile(rf"({_YEAR})(\d\d)(\d\d)(?:T?\d{{4,6}})?$")
_DOTTED = re.compile(r"\d{1,2}\s?\.\s?\d{1,2}\s?\.\s?\d{2}")
_HAS_TIME = re.compile(rf"(?:{_YEAR}|\d\d?[./-]\d\d).*?{_TIME}", re.IGNORECASE)


def read_date(text: str, language: str = "", fetched_at: str = "") -> str:
    """A date that a page declares, or that is all of an element's text, as ISO 8601; ``""``
    where it is none, in the future of ``fetched_at``, or older than the web.

    >>> read_date("2024-05-03T15:47:42Z"), read_date("Fri, 03 May 2024 15:47:42 +0200")
    ('2024-05-03T15:47:42+00:00', '2024-05-03T15:47:42+02:00')
    >>> read_date("2024-05-03"), read_date("soon"), read_date("9999-01-01")
    ('2024-05-03', '', '')
    """
    text = " ".join(text.split())[:LONGEST]
    if not text:
        return ""
    found = _from_standard(text, fetched_at)
    return find_date(text, language, fetched_at) if found is None else found


def find_date(text: str, language: str = "", fetched_at: str = "") -> str:
    """The first date in a short text, among other words; relative ones where there is nothing
    else in it and ``fetched_at`` is known.

    >>> find_date("Posted by Ana Bo on 3 May 2024 at 15:47 in News", "en")
    '2024-05-03T15:47:00'
    >>> find_date("2 hours ago", "en", "2024-05-03T12:00:00+00:00")
    '2024-05-03T10:00:00+00:00'
    """
    text = " ".join(text.split())
    if len(text) > LONGEST:
        return ""
    for shape in _SHAPES:
        for match in shape.finditer(text):
            part = match.group()
            found = _from_standard(part, fetched_at)
            found = _parse(part, language, fetched_at) if found is None else found
            if found:
                return found
    if len(text) <= _LONGEST_RELATIVE and fetched_at:
        moment = _ask_parser(text, language, fetched_at)
        if moment is None:
            return ""
        offset = moment.tzinfo or _moment(fetched_at).tzinfo
        return _accept(moment.replace(tzinfo=offset), True, fetched_at)
    return ""


def _from_standard(text: str, fetched_at: str) -> str | None:
    """ISO 8601, RFC 822, or seconds since 1970; ``""`` for one that no article can have, None for
    what is none of these."""
    if compact := _COMPACT.match(text):
        text = "-".join(compact.groups())
    if text.isdigit():
        return _from_seconds(text, fetched_at)
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        has_time = ":" in text
        return _accept(moment, has_time, fetched_at)
    return None


def _from_seconds(text: str, fetched_at: str) -> str | None:
    if len(text) not in (10, 13):
        return None
    seconds = int(text[:10])
    return _accept(datetime.fromtimestamp(seconds, UTC), True, fetched_at)


def _accept(moment: datetime, has_time: bool, fetched_at: str) -> str:
    """The date written down, or ``""`` where no article can have it."""
    try:
        earliest = (moment if moment.tzinfo else moment.replace(tzinfo=_FIRST)).astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    latest = _moment(fetched_at) + _SKEW if fetched_at else _NEVER
    if moment.year < _OLDEST or earliest > latest:
        return ""
    return moment.isoformat(timespec="seconds") if has_time else moment.date().isoformat()


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _parse(text: str, language: str, fetched_at: str) -> str:
    """A date with a year, in words or numbers."""
    moment = _ask_parser(text, language, "")
    if moment and moment.year > _BUDDHIST_FROM and language.startswith("th"):
        moment = moment.replace(year=moment.year - _BUDDHIST)
    return _accept(moment, _HAS_TIME.search(text) is not None, fetched_at) if moment else ""


@lru_cache(maxsize=8192)
def _ask_parser(text: str, language: str, base: str) -> datetime | None:
    """dateparser's reading in the page's language, else in English.  With a ``base`` the text
    is a relative date; without, day, month and year must stand in it."""
    settings: dict[str, Any] = {"REQUIRE_PARTS": ["day", "month", "year"]}
    if _DOTTED.match(text):  # whatever the language
        settings["DATE_ORDER"] = "DMY"
    if base:
        settings = {"PARSERS": ["relative-time"], "RELATIVE_BASE": _moment(base)}
    for code in dict.fromkeys((language, language.partition("-")[0], "en")):
        names = {"locales": [code]} if "-" in code else {"languages": [code]}
        try:
            moment = dateparser.parse(text, settings=settings, **names) if code else None
        except (ValueError, OverflowError):  # a language that it does not know, absurd numbers
            continue
        if isinstance(moment, datetime):
            return moment
    return None
