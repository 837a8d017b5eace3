"""Dates with the month in words and no time, by the month names that dateparser knows.

They are most of the dates that pages show; dateparser itself takes a hundred times as long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from importlib import import_module

__all__ = ["read_month_date"]

_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
#: The same in Chinese, Japanese and Korean: 2024年5月3日.
_NUMBERED = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]?")
_CODE = re.compile(r"[a-z]{2,3}")
#: Words beside day, month and year, in many languages.
_BETWEEN = frozenset("st nd rd th er de del of di d den ta".split())


def read_month_date(text: str, language: str) -> datetime | None:
    """The date, if the text is nothing but a day, the name of a month in this language (or its
    number in Chinese, Japanese and Korean), and a year of four digits; else None.

    >>> read_month_date("3 de mayo de 2024", "es"), read_month_date("Sept. 27th, 2015", "en")
    (datetime.datetime(2024, 5, 3, 0, 0), datetime.datetime(2015, 9, 27, 0, 0))
    >>> read_month_date("3 May 2024 at 15:47", "en"), read_month_date("3/5/2024", "en")
    (None, None)
    """
    if numbered := _NUMBERED.fullmatch(text):
        return _make_date(*map(int, numbered.groups()))
    months, tokens = _month_names(language), _TOKEN.findall(text.casefold())
    numbers = sorted((token for token in tokens if token.isdecimal()), key=len)
    names = [token for token in tokens if not token.isdecimal() and token not in _BETWEEN]
    if len(numbers) != 2 or len(names) != 1 or names[0] not in months or len(numbers[1]) != 4:
        return None
    return _make_date(int(numbers[1]), months[names[0]], int(numbers[0]))


def _make_date(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year, month, day)
    except ValueError:
        return None  # no such day


@cache
def _month_names(language: str) -> Mapping[str, int]:
    """The numbers of the months by their names and abbreviations; empty for a language that
    dateparser does not know."""
    if not _CODE.fullmatch(language):
        return {}
    try:
        known = import_module(f"dateparser.data.date_translation_data.{language}").info
    except ModuleNotFoundError:
        return {}
    return {
        name.casefold().rstrip("."): number
        for number, month in enumerate(_MONTHS, start=1)
        for name in known.get(month, ())
    }
