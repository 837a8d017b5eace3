"""Normal forms of literals, so that equal values are equal texts.

PARIS (section 5.3) compares strings by their letters and digits in lower case; the thesis (section
4 of chapter 3) removes what stands in parentheses.  Numbers and dates are compared by value.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

from forest_scrapy.core.graph import Literal

_XSD = "http://www.w3.org/2001/XMLSchema#"
_NUMBER = re.compile(r"[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?([eE][+-]?\d{1,3})?", re.ASCII)
_LEADING_ZERO = re.compile(r"[+-]?0\d", re.ASCII)
_DATE = re.compile(r"(\d{4})(?:-(\d\d|##))?(?:-(\d\d|##))?(?:[T ]\d\d:.*)?(?:Z|[+-]\d\d:\d\d)?")
_IN_PARENTHESES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
#: Numbers of more digits than this are compared as they are written.
_MOST_DIGITS = 40


def normalise(literal: Literal) -> str:
    """The normal form: ``#`` and a number, ``@`` and a date, or ``=`` and a text's letters and
    digits.  Languages are not compared; a year is a number.

    >>> normalise(Literal("Hamlet (French Edition)")), normalise(Literal("HAMLET!"))
    ('=hamlet', '=hamlet')
    >>> normalise(Literal("12.50")), normalise(Literal("12.5", _XSD + "decimal"))
    ('#12.5', '#12.5')
    >>> normalise(Literal("2011-03-04T10:00:00Z")), normalise(Literal("1998", _XSD + "gYear"))
    ('@2011-03-04', '#1998')
    """
    text = literal.value.strip()
    date = _DATE.fullmatch(text)
    if date and (len(text) > 4 or literal.datatype == f"{_XSD}gYear"):
        year, *rest = (part for part in date.groups() if part and part != "##")
        return f"@{'-'.join([year, *rest])}" if rest else f"#{int(year)}"
    # A code, such as 0123, is no number unless its type says so.
    is_code = _LEADING_ZERO.match(text) and literal.datatype in (None, f"{_XSD}string")
    if _NUMBER.fullmatch(text) and len(text) <= _MOST_DIGITS and not is_code:
        return f"#{_write_number(Decimal(text.replace(',', '')))}"
    return f"={letters(text) or text}"


def _write_number(number: Decimal) -> str:
    """The shortest text of the number.

    >>> [_write_number(Decimal(text)) for text in ("-0.0", "1e3", "1e99")]
    ['0', '1000', '1E+99']
    """
    number = number.normalize()
    if not number:
        return "0"
    return f"{number:f}" if abs(number.adjusted()) <= _MOST_DIGITS else str(number)


def letters(text: str) -> str:
    """Its letters and digits in lower case, without accents, and without what is in parentheses
    unless that is all."""
    outside = _IN_PARENTHESES.sub(" ", text)
    return _only_letters(outside) or _only_letters(text)


def _only_letters(text: str) -> str:
    if text.isascii():
        return "".join(filter(str.isalnum, text.lower()))
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", folded)))
