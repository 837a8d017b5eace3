"""Literals with a type or a language, only where these are sure; other values are plain texts."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from forest_scrapy.core.graph.triples import Literal
from forest_scrapy.core.graph.vocabulary import XSD
from forest_scrapy.core.moments import read_iso

#: Characters that no literal has, since XML does not allow them: controls, halves of pairs.
_NOT_IN_TEXT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LANGUAGE = re.compile("[a-z]{2,8}(?:-[a-z0-9]{1,8})*")
#: Numbers; those with leading zeros are names, such as ISBNs, and long ones are none.
_INTEGER = re.compile("-?(?:0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile("-?(?:0|[1-9][0-9]{0,17})[.][0-9]{1,18}")
_YEAR = re.compile("[0-9]{4}")
_MONTH = re.compile("[0-9]{4}-(?:0[1-9]|1[0-2])")
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
#: The greatest offset from UTC that xsd:dateTime allows.
MAX_OFFSET = timedelta(hours=14)


def text_literal(text: object, language: object = "") -> Literal | None:
    """The text, with its language if that is a tag; None for a blank one and for other objects.

    >>> text_literal("Owls\\x00", "en_GB"), text_literal(" ")
    (Literal(value='Owls', datatype=None, language='en-gb'), None)
    """
    if not isinstance(text, str):
        return None
    clean = _NOT_IN_TEXT.sub("", text)
    if not clean.strip():
        return None
    return Literal(clean, language=_language_tag(language))


def _language_tag(language: object) -> str | None:
    if not isinstance(language, str):
        return None
    tag = language.replace("_", "-").lower()
    if _LANGUAGE.fullmatch(tag):
        return tag
    return None


def date_literal(text: object) -> Literal | None:
    """An ISO 8601 date with its type, also of a month or a year; other texts as they are.

    >>> date_literal("2025-02-11").datatype, date_literal("2025-02-30").datatype
    ('http://www.w3.org/2001/XMLSchema#date', None)
    >>> date_literal("2025-02-11T07:40Z").value
    '2025-02-11T07:40:00+00:00'
    """
    plain = text_literal(text)
    if plain is None:
        return None
    value = plain.value.strip()
    if value != "0000" and _YEAR.fullmatch(value):
        return _typed(value, "gYear")
    if _MONTH.fullmatch(value) and not value.startswith("0000"):
        return _typed(value, "gYearMonth")
    moment = read_iso(value)
    if moment is None:
        return plain
    if _DAY.fullmatch(value):
        return _typed(moment.date().isoformat(), "date")
    try:
        return _typed(_with_legal_offset(moment).isoformat(), "dateTime")
    except OverflowError:
        return plain


def _with_legal_offset(moment: datetime) -> datetime:
    offset = moment.utcoffset()
    if offset is None:
        return moment
    is_in_minutes = offset.seconds % 60 == 0
    if abs(offset) <= MAX_OFFSET and is_in_minutes:
        return moment
    return moment.astimezone(UTC)


def number_literal(value: object) -> Literal | None:
    """A number with its type; other texts as they are.

    >>> number_literal("12.50").datatype, number_literal("0099").datatype
    ('http://www.w3.org/2001/XMLSchema#decimal', None)
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip()
    if _INTEGER.fullmatch(text):
        return _typed(text, "integer")
    if _DECIMAL.fullmatch(text):
        return _typed(text, "decimal")
    return text_literal(text)


def plain_literal(value: object) -> Literal | None:
    """A value of JSON that is no list or object."""
    if isinstance(value, bool):
        return _typed(str(value).lower(), "boolean")
    if isinstance(value, str):
        return text_literal(value)
    return number_literal(value)


def _typed(text: str, kind: str) -> Literal:
    return Literal(text, datatype=f"{XSD}{kind}")
