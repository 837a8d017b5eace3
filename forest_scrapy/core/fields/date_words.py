"""What dateparser is too slow for: the plain forms of dates, which are most of those that pages
show, and telling what is no relative date, which is nearly all text of a page.  The names of months
and units are dateparser's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["choose_locale", "may_be_relative", "read_plain_date"]

_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_UNITS = ("year", "month", "week", "day", "hour", "minute", "second")
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
#: Year, month and day as numbers, also in Chinese, Japanese and Korean: 2024年5月3日.
_YEAR_FIRST = re.compile(
    r"(\d{4})(?:\s?[年년]\s?|[-/.]\s?)(\d{1,2})(?:\s?[月월]\s?|[-/.]\s?)(\d{1,2})\s?[日일]?"
)
#: Day, month and year: dots mean that the day comes first, in any language.
_DAY_FIRST = re.compile(r"(\d{1,2})\s?\.\s?(\d{1,2})\s?\.\s?(\d{4})")
#: The time after a date, with the words before it.
_TIME = re.compile(
    r"(?<=[\d日일])[\s,\-–|·]+(?:[^\W\d_]{1,3}\s+)?(\d{1,2})\s?[:h]\s?(\d\d)(?::(\d\d))?"
    r"(?:\s?([ap])\.?m\.?)?$",
    re.IGNORECASE,
)
_LOCALE = re.compile(r"[a-z]{2}-[A-Z]{2}")
_CODE = re.compile(r"[a-z]{2,3}")
#: Units with fewer letters are found after a number only; scripts from here on have short words.
_SHORT, _CJK = 3, "\u0e00"
#: In dateparser's patterns of relative dates: the word after the number, and the one before it.
_AFTER, _BEFORE = re.compile(r"\)(?:\s|\\s\*)*(\w+)"), re.compile(r"(\w+)\s*\(")
#: Words beside day, month and year, in many languages.
_BETWEEN = frozenset("st nd rd th er de del of di d den ta".split())


def read_plain_date(text: str, language: str) -> datetime | None:
    """The date of a text that is nothing but a date, maybe with a time; None if it is not, or has
    another form.

    The month is a name in this language; or all are numbers, with the year first or with dots.

    >>> read_plain_date("3 de mayo de 2024", "es"), read_plain_date("3.5.2024 15:47", "en")
    (datetime.datetime(2024, 5, 3, 0, 0), datetime.datetime(2024, 5, 3, 15, 47))
    >>> read_plain_date("3 May 2024 or so", "en"), read_plain_date("3/5/2024", "en")
    (None, None)
    """
    time = _TIME.search(text)
    day = _read_day(text[: time.start()] if time else text, language)
    return _at_time(day, *time.groups()) if day and time else day


def _read_day(text: str, language: str) -> datetime | None:
    if ordered := _YEAR_FIRST.fullmatch(text):
        return _make_date(*map(int, ordered.groups()))
    if ordered := _DAY_FIRST.fullmatch(text):
        return _make_date(*map(int, ordered.groups()[::-1]))
    months, tokens = _month_names(language), _TOKEN.findall(text.casefold())
    numbers = sorted((token for token in tokens if token.isdecimal()), key=len)
    names = [token for token in tokens if not token.isdecimal() and token not in _BETWEEN]
    if len(numbers) != 2 or len(names) != 1 or names[0] not in months or len(numbers[1]) != 4:
        return None
    return _make_date(int(numbers[1]), months[names[0]], int(numbers[0]))


def _at_time(
    day: datetime, hour: str, minute: str, second: str | None, half: str | None
) -> datetime | None:
    """The day at this time; ``half``: a or p, of a time in hours from 1 to 12."""
    hours = int(hour)
    if half:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half.lower() == "p" else 0)
    try:
        return day.replace(hour=hours, minute=int(minute), second=int(second or 0))
    except ValueError:
        return None


def choose_locale(language: str, shared: str) -> str:
    """The language of a page with its region, which decides the order of day and month: its own,
    or ``og:locale`` if the languages are the same; ``""`` if neither has a region.

    >>> choose_locale("en", "en_GB"), choose_locale("en-US", "en_GB"), choose_locale("en", "fr_FR")
    ('en-GB', 'en-US', '')
    """
    for code in (language, shared.replace("_", "-")):
        if _LOCALE.fullmatch(code) and code.startswith(language[:2]):
            return code
    return ""


def may_be_relative(text: str, language: str) -> bool:
    """Whether a text has a word that all relative dates of this language have: a unit of time, or
    one such as "yesterday".

    >>> may_be_relative("3 h ago", "en"), may_be_relative("Gestern", "de")
    (True, True)
    >>> may_be_relative("12 comments", "en"), may_be_relative("The night watch", "en")
    (False, False)
    """
    words = _relative_words(language)
    return words is not None and words.search(text.casefold()) is not None


def _make_date(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year, month, day)
    except ValueError:
        return None  # no such day


@cache
def _month_names(language: str) -> Mapping[str, int]:
    """The numbers of the months by their names and abbreviations."""
    known = _words(language)
    return {
        name.casefold().rstrip("."): number
        for number, month in enumerate(_MONTHS, start=1)
        for name in known.get(month, ())
    }


@cache
def _relative_words(language: str) -> re.Pattern[str] | None:
    """Finds units, short ones after a number only, and phrases; None for an unknown language."""
    known = _words(language)
    units = {name.casefold() for unit in _UNITS for name in known.get(unit, ())}
    forms = (form for some in known.get("relative-type-regex", {}).values() for form in some)
    matches = (_AFTER.search(form) or _BEFORE.search(form) for form in forms)
    units |= {match[1].casefold() for match in matches if match}
    phrases = {
        phrase.casefold() for some in known.get("relative-type", {}).values() for phrase in some
    }
    if not units:
        return None
    short = {unit for unit in units if len(unit) < _SHORT and max(unit) < _CJK}
    after_number = rf"\d\s*(?:{_any_of(short)})(?!\w)|" if short else ""
    return re.compile(after_number + _any_of((units - short) | phrases))


def _any_of(texts: Collection[str]) -> str:
    return "|".join(map(re.escape, sorted(texts)))


@cache
def _words(language: str) -> Mapping[str, Any]:
    """What dateparser knows of a language; empty if it does not know it."""
    if not _CODE.fullmatch(language):
        return {}
    try:
        known: Mapping[str, Any] = import_module(
            f"dateparser.data.date_translation_data.{language}"
        ).info
    except ModuleNotFoundError:
        return {}
    return known
