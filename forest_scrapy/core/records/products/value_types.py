"""The types of single values: prices with their currency, numbers with their unit, dates, URLs."""

from __future__ import annotations

import re
from typing import NamedTuple

from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.records.products.prices import has_price, read_price

__all__ = ["TypedValue", "read_typed", "split_unit"]

#: Characters of the longest value that is a price, number, date or URL.
_LONGEST_PRICE, _LONGEST_NUMBER, _LONGEST_DATE, _LONGEST_URL = 40, 40, 80, 2000
_NUMBER = re.compile(
    r"([-+]?\d(?:[\d.,'\u00a0\u202f ]*\d)?)\s?(%|[°\u2032\u2033\"'][^\W\d_]?|[^\W\d_][^\d\s]{0,9})?"
)
#: Numbers that count nothing: with a zero in front, or as long as those of articles (GTIN).
_CODE = re.compile(r"0\d[\d ]*|\d{11,}")
#: Endings of a number that are no unit: ordinals, and what stands between two numbers.
_NO_UNITS = frozenset(("st", "nd", "rd", "th", "x", "er", "ème", "º"))
#: What every date has; dates are slow to read.
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}[./-]\d{1,2}[./-]\d\d")
_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)


class TypedValue(NamedTuple):
    """A value.  ``type``: ``price``, ``number``, ``date``, ``url`` or ``text``.  ``text``: of a
    price the amount as a decimal number, of a number what is before its unit, of a date ISO 8601,
    else the text.  ``unit``: the currency of a price (ISO 4217) or the unit of a number."""

    type: str
    text: str
    unit: str = ""


def read_typed(text: str, language: str = "") -> TypedValue:
    """The type and the parts of a value.

    >>> read_typed("from 1.299,00 €")
    TypedValue(type='price', text='1299.00', unit='EUR')
    >>> [read_typed(text, "en").type for text in ("1,5 kg", "3 May 2024", "10 x 20 cm")]
    ['number', 'date', 'text']
    >>> read_typed("4006381333931").type
    'text'
    """
    if len(text) <= _LONGEST_PRICE and has_price(text) and (price := read_price(text)):
        return TypedValue("price", price.amount, price.currency)
    number = None if _CODE.fullmatch(text.strip()) else split_unit(text)
    if number and (number[1] or number[0].isdigit()):
        return TypedValue("number", *number)
    may_be_date = len(text) <= _LONGEST_DATE and _DATE.search(text)
    if may_be_date and (date := read_date(text, language)):
        return TypedValue("date", date)
    if number:
        return TypedValue("number", *number)
    if len(text) <= _LONGEST_URL and _URL.fullmatch(text):
        return TypedValue("url", text)
    return TypedValue("text", text)


def split_unit(text: str) -> tuple[str, str] | None:
    """A number and its unit, ``""`` if it has none; None if the text is not a number.

    >>> split_unit("12 kg"), split_unit("50%"), split_unit("1,024"), split_unit("12 or more")
    (('12', 'kg'), ('50', '%'), ('1,024', ''), None)
    """
    found = _NUMBER.fullmatch(text.strip()) if len(text) <= _LONGEST_NUMBER else None
    if not found or (found[2] or "").lower() in _NO_UNITS:
        return None
    return found[1], found[2] or ""
