"""Dates as pages write them, in any language, as ISO 8601."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from functools import cache, lru_cache
from importlib import import_module
from itertools import accumulate
from typing import Any
from urllib.parse import urlsplit

from forest_scrapy.core.fields.clock_times import (
    read_time_after,
    read_time_before,
    read_zone,
    with_zone,
)
from forest_scrapy.core.moments import parse_moment, read_iso
from forest_scrapy.core.site_caches import site_cache

_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_UNITS = ("year", "month", "week", "day", "hour", "minute", "second")
#: A number or a word, whose vowels are marks in the scripts of India and Thailand.
_TOKEN = re.compile(r"\d+|[^\W\d_][^\s\d.,/_:;()|•·–—-]*")
#: Year, month and day as numbers, also in Chinese, Japanese and Korean: 2024年5月3日.
_YEAR_FIRST = re.compile(
    r"(\d{4})(?:\s?[年년]\s?|[-/.]\s?)(\d{1,2})(?:\s?[月월]\s?|[-/.]\s?)(\d{1,2})\s?[日일.]?"
)
#: Day, month and year: dots mean that the day comes first, in any language.
_DAY_FIRST = re.compile(r"(\d{1,2})\s?\.\s?(\d{1,2})\s?\.\s?(\d{4})")
#: Day and month, in an order that the text does not tell, and the year.
_EITHER_FIRST = re.compile(r"(\d{1,2})\s?([./-])\s?(\d{1,2})\s?[./-]\s?(\d{4}|\d\d)")
#: Years of two digits from here on are those of the last century.
_CENTURY_FROM = 70
_LOCALE = re.compile(r"[a-z]{2}-[A-Z]{2}")
_CODE = re.compile(r"[a-z]{2,3}(?:-Latn)?")
#: Units with fewer letters are found after a number only.
_MIN_UNIT_LETTERS = 3
#: Scripts from here on have short words.
_FIRST_SHORT_SCRIPT = "\u0e00"
#: In dateparser's patterns of relative dates: the word after the number, and the one before it.
_UNIT_AFTER = re.compile(r"\)(?:\s|\\s\*)*(\w+)")
_UNIT_BEFORE = re.compile(r"(?<!\w)(\w++)\s*+\(")
#: Words beside day, month and year, in many languages.
_BETWEEN = frozenset("st nd rd th er de del of di d den ta ngày năm वर्ष m gada".split())
#: Codes of languages by which dateparser does not know them.
_OTHER_CODES = {"no": "nb", "tl": "fil", "iw": "he", "in": "id"}


def read_plain_date(text: str, language: str) -> datetime | None:
    """The date of a text that is nothing but a date, maybe with a time; None if it is not, or has
    another form.

    The month is a name in this language; or all are numbers, with the year first or with dots.

    >>> read_plain_date("3 de mayo de 2024", "es"), read_plain_date("3.5.2024 15:47", "en")
    (datetime.datetime(2024, 5, 3, 0, 0), datetime.datetime(2024, 5, 3, 15, 47))
    >>> read_plain_date("3 May 2024 or so", "en"), read_plain_date("3/5/2024", "en")
    (None, None)
    """
    day = _read_day(text, language)
    if day is not None:
        return day

    for match in _DATE_END.finditer(text):
        day_end = match.end()
        day = _read_day(text[:day_end], language)
        if day is not None:
            clock = read_time_after(text, day_end, language)
            is_whole = clock is not None and clock.end == len(text)
            if clock and is_whole:
                return clock.at(day)
            return None
    return None


def _read_day(text: str, language: str) -> datetime | None:
    """The day, if the text is nothing else."""
    match = _YEAR_FIRST.fullmatch(text)
    if match:
        return _make_date(int(match[1]), int(match[2]), int(match[3]))
    match = _DAY_FIRST.fullmatch(text)
    if match:
        return _make_date(int(match[3]), int(match[2]), int(match[1]))

    tokens = _TOKEN.findall(text.casefold())
    numbers = sorted((token for token in tokens if token.isdecimal()), key=len)
    if len(numbers) != 2:
        return None
    if len(numbers[1]) != 4:
        return None
    day, year = numbers
    day_names = _day_names(language)
    names = []
    for token in tokens:
        is_word_beside = token in _BETWEEN or token in day_names
        if not is_word_beside and not token.isdecimal():
            names.append(token)
    if len(names) != 1:
        return None
    month = _read_month(names[0], language)
    if month is None:
        return None
    return _make_date(int(year), month, int(day))


def _read_month(name: str, language: str) -> int | None:
    """The number of the month with this name, or with one of as many letters that differs in one:
    "अक्टूबर" is also written "अक्तूबर"; None if there is none, or several."""
    months = _month_names(language)
    if name in months or len(name) < _MIN_MISSPELT:
        return months.get(name)
    numbers = set()
    for month, number in months.items():
        is_as_long = len(month) == len(name)
        if is_as_long and _count_differences(month, name) == 1:
            numbers.add(number)
    if len(numbers) == 1:
        return numbers.pop()
    return None


def _count_differences(name: str, other_name: str) -> int:
    """The number of letters that differ; both names have as many letters."""
    letters = zip(name, other_name, strict=True)
    return sum(a != b for a, b in letters)


def _read_numbers(text: str, locale: str, order: str) -> datetime | None:
    """The day of a text of three numbers with the year at the end; None if it is another one.

    ``order``: ``DMY`` or ``MDY``, as of ``learn_order``; if empty, that of the locale.  A month
    above 12 is a day."""
    match = _EITHER_FIRST.fullmatch(text)
    if match is None:
        return None
    is_dotted = match[2] == "."
    is_short_year = len(match[4]) == 2
    if is_dotted:
        order = "DMY"
    order = order or order_of(locale)
    if order not in ("DMY", "MDY") or (is_dotted and is_short_year):
        return None

    day = int(match[1])
    month = int(match[3])
    if order == "MDY":
        day, month = month, day
    year = int(match[4])
    if is_short_year:
        year += 1900 if year >= _CENTURY_FROM else 2000
    date = _make_date(year, month, day)
    return date or _make_date(year, day, month)


@cache
def order_of(locale: str) -> str:
    """The order of day, month and year in dates of numbers in this locale, as ``DMY``; that of
    English if the language is unknown.

    >>> order_of("en"), order_of("en-GB"), order_of("fr"), order_of("hu")
    ('MDY', 'DMY', 'DMY', 'YMD')
    """
    words = _words(locale.partition("-")[0])
    region = words.get("locale_specific", {}).get(locale, {})
    order: str = region.get("date_order") or words.get("date_order") or "MDY"
    return order


def decide_order(text: str) -> str:
    """The order of day and month that a text shows, ``DMY`` or ``MDY``; ``""`` if it has no date
    of numbers, or both orders are possible.

    >>> decide_order("23/10/2024"), decide_order("Posted 10/23/2024"), decide_order("05/10/2024")
    ('DMY', 'MDY', '')
    """
    match = _SLASHED.search(fold_digits(text))
    if match is None:
        return ""
    first = int(match[1])
    second = int(match[2] or match[3])
    if 12 < first <= 31 and 0 < second <= 12:
        return "DMY"
    if 12 < second <= 31 and 0 < first <= 12:
        return "MDY"
    return ""


def find_numeric_dates(text: str) -> list[str]:
    """The dates of numbers in a text whose order of day and month is not told by dots.  Cost: one
    search.

    >>> find_numeric_dates("On 05/10/2024 and 23-10-2024, not 23.10.2024")
    ['05/10/2024', '23-10-2024']
    """
    matches = _SLASHED.finditer(fold_digits(text))
    return [match.group() for match in matches]


def is_ambiguous(text: str) -> bool:
    """Whether a text has a date of numbers whose day and month may be exchanged.

    >>> is_ambiguous("05/10/2024"), is_ambiguous("05.10.2024"), is_ambiguous("05/05/2024")
    (True, False, False)
    """
    match = _SLASHED.search(fold_digits(text))
    if match is None:
        return False
    first = int(match[1])
    second = int(match[2] or match[3])
    return first != second and max(first, second) <= 12


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


#: Top-level domains of countries that sites of other countries use, too.
_USED_ANYWHERE = frozenset(
    "ai as bz cc ck cx fm gg im io la ly me ms nu pn sc sh sx tc tk to tv vc vg ws".split()
)


def locale_of_host(language: str, host: str) -> str:
    """The language with the country of a host, if that has dates of its own form in English; the
    language itself if not.

    >>> locale_of_host("en", "gazette.co.uk"), locale_of_host("en", "gazette.in")
    ('en-GB', 'en-IN')
    >>> locale_of_host("en", "gazette.example"), locale_of_host("de", "zeitung.at")
    ('en', 'de')
    """
    _, _, country = host.rpartition(".")
    if language != "en" or len(country) != 2 or country in _USED_ANYWHERE:
        return language
    region = "GB" if country == "uk" else country.upper()
    locale = f"en-{region}"
    is_known = locale in _words("en").get("locale_specific", {})
    return locale if is_known else language


def may_be_relative(text: str, language: str) -> bool:
    """Whether a text has a word that all relative dates of this language have: a unit of time, or
    one such as "yesterday".

    >>> may_be_relative("3 h ago", "en"), may_be_relative("Gestern", "de")
    (True, True)
    >>> may_be_relative("12 comments", "en"), may_be_relative("The night watch", "en")
    (False, False)
    """
    words = _relative_words(language)
    if words is None:
        return False
    return words.search(text.casefold()) is not None


def _make_date(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year, month, day)
    except ValueError:
        return None  # no such day


@cache
def _month_names(language: str) -> Mapping[str, int]:
    """The numbers of the months by their names and abbreviations, in the scripts of a language."""
    numbers = {}
    for code in (f"{language}-Latn", language):
        words = _words(code)
        for number, month in enumerate(_MONTHS, start=1):
            for name in words.get(month, ()):
                numbers[name.casefold().rstrip(".")] = number
    return numbers


@cache
def _day_names(language: str) -> frozenset[str]:
    """The names of the days of the week, in a language and in English."""
    names = {"thur", "thurs", "tues"}
    for code in (language, "en"):
        words = _words(code)
        for day in _DAYS:
            for name in words.get(day, ()):
                folded = name.casefold()
                names.add(folded.rstrip("."))
    return frozenset(names)


@cache
def date_words(language: str) -> frozenset[str]:
    """The names of the months and of the days of the week, in a language and in English."""
    day_names = _day_names(language)
    month_names = _month_names(language)
    english_names = _month_names("en")
    return frozenset((*day_names, *month_names, *english_names))


@cache
def _relative_words(language: str) -> re.Pattern[str] | None:
    """Finds units, short ones after a number only, and phrases; None for an unknown language."""
    words = _words(language)
    units = set[str]()
    for unit in _UNITS:
        units.update(name.casefold() for name in words.get(unit, ()))
    for patterns in words.get("relative-type-regex", {}).values():
        for pattern in patterns:
            match = _UNIT_AFTER.search(pattern) or _UNIT_BEFORE.search(pattern)
            if match:
                units.add(match[1].casefold())
    if not units:
        return None

    phrases = set[str]()
    for phrases_of_type in words.get("relative-type", {}).values():
        phrases.update(phrase.casefold() for phrase in phrases_of_type)
    short_units = {unit for unit in units if _is_short(unit)}
    after_number = rf"\d\s*(?:{_any_of(short_units)})(?!\w)|" if short_units else ""
    return re.compile(after_number + _any_of((units - short_units) | phrases))


def _is_short(unit: str) -> bool:
    return len(unit) < _MIN_UNIT_LETTERS and max(unit) < _FIRST_SHORT_SCRIPT


def _any_of(texts: Collection[str]) -> str:
    return "|".join(map(re.escape, sorted(texts)))


@cache
def _words(language: str) -> Mapping[str, Any]:
    """What dateparser knows of a language; empty if it does not know it."""
    language = _OTHER_CODES.get(language, language)
    if not _CODE.fullmatch(language):
        return {}
    try:
        module = import_module(f"dateparser.data.date_translation_data.{language}")
    except ModuleNotFoundError:
        return {}
    words: Mapping[str, Any] = module.info
    return words


#: Dates before this year are ignored.
_MIN_YEAR = 1990
#: How far a server's clock may be ahead.
_MAX_SKEW = timedelta(minutes=5)
#: The latest date if the fetch time is not known.
_LATEST = datetime(2100, 1, 1, tzinfo=UTC)
#: The time zone where a day begins first: a date without an offset may be from there.
_EARLIEST_ZONE = timezone(timedelta(hours=14))
#: Years from here on are of the Thai calendar, which is 543 years ahead.
_MIN_BUDDHIST_YEAR = 2400
_BUDDHIST_OFFSET = 543
#: Characters of the longest text that is searched for a date.
MAX_LENGTH = 200

_YEAR = r"(?:19[89]|20\d|25\d)\d"
_WORD = r"[^\W\d_][^\s\d.,/_:;()-]{0,19}\.?"
_GAP = r"(?:\s+(?:de|del|of|di|d['’]|den|ta['’])\s*|[\s.,/\-–º°]+)"
#: The forms of days, in the order of their precedence at one place: only text that matches one is
#: given to the date parser.  The first has a time, too.
_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE)
    for shape in (
        rf"{_YEAR}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|\s?[+-]\d\d:?\d\d)?"
        r"(?![:\d]|\.\d|\s?[ap]\.?m)",
        rf"{_YEAR}\s?[年년]\s?\d{{1,2}}\s?[月월]\s?\d{{1,2}}\s?[日일]?",
        rf"(?<!\d){_YEAR}[-/.]\s?\d{{1,2}}[-/.]\s?\d{{1,2}}(?!\d)\.?",
        rf"(?<!\d)\d{{1,2}}(?:st|nd|rd|th|er|ª|\.|º|°)?{_GAP}{_WORD}{_GAP}{_YEAR}(?!\d)",
        r"(?<!\d)\d{1,2}-[^\W\d_]{3,9}-\d\d(?![\d-])",
        rf"(?<!\w)\d{{1,2}}[^\W\d_]{{3,9}}{_YEAR}(?!\w)",
        rf"(?<!\w){_YEAR}-[^\W\d_]{{3,9}}-\d{{1,2}}(?!\d)",
        r"(?<!\d)\d{1,2}\s[^\W\d_]{3,9}\.?\s\d\d(?=,?\s\d\d:\d\d)",
        rf"{_WORD}\s+\d{{1,2}}(?:st|nd|rd|th)?[,.]?\s+{_YEAR}(?!\d)",
        rf"(?<!\d){_YEAR}(?:[\s.,]+|\s?m\.\s){_WORD}\s+\d{{1,2}}(?!\d)",
        rf"(?<!\d){_YEAR}\.?\sgada\s\d{{1,2}}\.\s{_WORD}",
        rf"(?<![\d.-])\d{{1,2}}\s?[./-]\s?\d{{1,2}}\s?[./-]\s?(?:{_YEAR}|\d\d)(?![\d.])",
    )
)
#: What each of these forms has; it begins with the digit, so that other characters are passed fast.
_MAY_MATCH = re.compile(
    r"\d(?:(?<=1)9[89]\d|(?<=2)[05]\d\d|\s?[./-]\s?\d|-[^\W\d_]"
    r"|\s[^\W\d_]+\.?\s\d\d,?\s\d\d:)"
)
_FULL_YEAR = re.compile(rf"(?<!\d){_YEAR}(?!\d)")
#: The end of a day before a time.
_DATE_END = re.compile(rf"{_YEAR}(?!\d)|(?<=\d)\s?[日일]")
#: Another day right before a day, and its characters.
_DAY_BEFORE = re.compile(r"(?<![\d:./])\d{1,2}\.?[-–]$")
_MAX_DAY_BEFORE = 5
#: Ordinal numbers in Bengali.
_BENGALI_ORDINAL = re.compile(r"(?<=\d)(?:লা|রা|ঠা|ই|শে)(?=\s)")
#: Day and month in an order that the text does not tell; it begins with the digit, too.
_SLASHED = re.compile(
    rf"(\d(?<![\d./-]\d)\d?)\s?(?:[/-]\s?(\d{{1,2}})\s?[/-]\s?{_YEAR}|/(\d{{1,2}})/\d\d)(?![\d/-])"
)
#: A year after the time: "Oct 06 10:00:00 CEST 2024".
_YEAR_LAST = re.compile(
    rf"\b([^\W\d_]{{3,9}}\s\d{{1,2}}),?\s(\d{{1,2}}:\d\d(?::\d\d)?(?:\s[A-Z]{{2,5}}|\s[+-]\d{{4}})?)"
    rf"(?:\s|,\s?)({_YEAR})\b"
)
#: A month by its number, in Vietnamese, and years of the eras of Japan and Taiwan.
_NUMBERED_MONTH = re.compile(
    r"(\d{1,2})\s*tháng\s*(\d{1,2})\s*+(?:,\s*+)?(?:năm\s*+)?(\d{4})", re.IGNORECASE
)
_ERA_YEAR = re.compile(r"(令和|平成|民國|民国)\s?(元|\d{1,3})\s?(?=年)")
_ERAS = {"令和": 2018, "平成": 1988, "民國": 1911, "民国": 1911}
#: A dot in or after an abbreviation in Thai.
_THAI_DOT = re.compile(r"(?<=[\u0e00-\u0e7f])\.")
#: Relative dates are short: "3 hours ago", "vor 2 Tagen", "yesterday".
_MAX_RELATIVE_LENGTH = 30
_COMPACT = re.compile(
    rf"({_YEAR})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)?(?:[.,]\d{{1,9}})?)?(Z|[+-]\d\d:?\d\d)?$"
)
#: A week in ISO 8601 without its day.
_WEEK = re.compile(r"\d{4}-?W\d\d")
_SECONDS = re.compile(r"(\d{10})(?:\d{3}|\.\d{1,6})?$")
#: A date in RFC 822 as it should be; the standard library also reads what is not, wrongly.
_RFC_822 = re.compile(
    r"(?:[A-Za-z]{3,9},?\s)?\d{1,2}\s[A-Za-z]{3,9}\s\d{2,4}\s\d{1,2}:\d\d(?::\d\d)?"
    r"\s(?:[+-]\d{4}|GMT|UTC?|Z|[ECMP][SD]T)(?:\s\([A-Za-z ]{1,40}\))?$"
)
_DOTTED = re.compile(r"\d{1,2}\s?\.\s?\d{1,2}\s?\.\s?\d{2}")
#: Letters of the shortest name of a month that may be misspelt.
_MIN_MISSPELT = 6
#: The digits of other scripts, by the first of each ten, and what stands for ASCII punctuation.
_ZEROS = (
    0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0,
    0xF20, 0x1040, 0x17E0, 0xFF10,
)  # fmt: skip
_FOLDED = {
    **{zero + digit: str(digit) for zero in _ZEROS for digit in range(10)},
    **dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069"), ""),
    ord("："): ":", ord("，"): ",", ord("،"): ",", ord("（"): "(", ord("）"): ")", ord("／"): "/",
}  # fmt: skip
_OTHER_DIGIT = re.compile(f"[{''.join(map(chr, _FOLDED))}]")


def fold_digits(text: str) -> str:
    """The text with the digits of all scripts, and full-width punctuation, as ASCII.

    >>> fold_digits("١ يناير ٢٠٢٤"), fold_digits("६ अक्टूबर २०२४")
    ('1 يناير 2024', '6 अक्टूबर 2024')
    """
    if text.isascii() or not _OTHER_DIGIT.search(text):
        return text
    return text.translate(_FOLDED)


@site_cache
@lru_cache(maxsize=2048)  # a text is read for several kinds of dates
def _fold(text: str) -> str:
    """The text on one line, with years, months and times in the order that the forms have."""
    text = fold_digits(" ".join(text.split()))
    if "tháng" in text or "Tháng" in text or "THÁNG" in text:
        text = _NUMBERED_MONTH.sub(r"\1.\2.\3", text)
    if "年" in text:
        text = _ERA_YEAR.sub(_write_year, text)
    if not text.isascii():
        text = _BENGALI_ORDINAL.sub("", text)
    if _THAI_DOT.search(text):
        text = _THAI_DOT.sub("", text)
    return _YEAR_LAST.sub(r"\1 \3 \2", text)


def _write_year(era: re.Match[str]) -> str:
    year_of_era = 1 if era[2] == "元" else int(era[2])
    return str(_ERAS[era[1]] + year_of_era)


def read_date(
    text: str,
    language: str = "",
    fetched_at: str = "",
    order: str = "",
) -> str:
    """A date that a page declares, or that is the whole text of an element, as ISO 8601.

    ``""`` if the text is not a date, or the date is after ``fetched_at`` or before 1990.
    ``language``: maybe with a country, which decides the order of day and month, and the zones of
    ambiguous abbreviations; ``""`` if it is unknown: then month names of many are read.
    ``order``: ``DMY`` or ``MDY``, if the site's order is known.

    >>> read_date("2024-05-03T15:47:42Z"), read_date("Fri, 03 May 2024 15:47:42 +0200")
    ('2024-05-03T15:47:42+00:00', '2024-05-03T15:47:42+02:00')
    >>> read_date("2024-05-03"), read_date("soon"), read_date("9999-01-01")
    ('2024-05-03', '', '')
    """
    text = " ".join(text.split())
    text = text[:MAX_LENGTH]
    if not text:
        return ""
    standard = _read_standard(fold_digits(text), fetched_at)
    if standard is not None:
        return standard
    return find_date(text, language, fetched_at, order)


def may_have_date(text: str) -> bool:
    """Whether a text on one line may have an absolute date; most texts with a digit have nothing
    like it.

    >>> may_have_date("3 May 2024"), may_have_date("12 comments")
    (True, False)
    """
    if not text.isascii():
        text = fold_digits(text)
        if "年" in text:
            return True
    return _MAY_MATCH.search(text) is not None


def mark_dated(lines: Sequence[str]) -> list[bool]:
    """For each line ``may_have_date``, by one search in all of them.

    >>> mark_dated(["3 May 2024", "12 comments", "٣ مايو ٢٠٢٤", "3/5/24"])
    [True, False, True, True]
    """
    text = "\n".join(lines)
    if not text.isascii():
        if _OTHER_DIGIT.search(text):
            return [may_have_date(line) for line in lines]
        if "年" in text:
            text = text.replace("年", "2000")
    lengths = [len(line) + 1 for line in text.split("\n")]
    ends = list(accumulate(lengths))
    marks = [False] * len(lines)
    for match in _MAY_MATCH.finditer(text):
        line = bisect_right(ends, match.start())
        marks[line] = True
    return marks


def find_date(
    text: str,
    language: str = "",
    fetched_at: str = "",
    order: str = "",
) -> str:
    """The first date in a short text with other words, as ISO 8601; ``""`` if there is none.  One
    with a label such as "updated" is taken only if all have.

    A relative date is read if the text is nothing else and ``fetched_at`` is known.  ``language``
    and ``order``: as of ``read_date``.

    >>> find_date("Posted by Ana Bo on 3 May 2024 at 15:47 in News", "en")
    '2024-05-03T15:47:00'
    >>> find_date("2 hours ago", "en", "2024-05-03T12:00:00+00:00")
    '2024-05-03T10:00:00+00:00'
    """
    updated = ""
    for label, value in _find_labelled(text, language, fetched_at, order):
        if not is_update_label(label):
            return value
        updated = updated or value
    if updated:
        return updated
    line = " ".join(text.split())
    return _read_relative(line, language, fetched_at)


def find_published_date(
    text: str,
    language: str = "",
    fetched_at: str = "",
    order: str = "",
) -> str:
    """As ``find_date``, without dates that have a label such as "updated", "registered" or
    "deadline".

    >>> find_published_date("Updated 5 May 2024, published 3 May 2024", "en")
    '2024-05-03'
    >>> find_published_date("Updated 5 May 2024", "en"), find_published_date("Joined: 3 May 2024")
    ('', '')
    """
    is_labelled = False
    for label, value in _find_labelled(text, language, fetched_at, order):
        if not is_other_label(label):
            return value
        is_labelled = True
    if is_labelled:
        return ""
    line = " ".join(text.split())
    return _read_relative(line, language, fetched_at)


def find_updated_date(
    text: str,
    language: str = "",
    fetched_at: str = "",
    order: str = "",
) -> str:
    """The first date in a short text that has a label such as "updated", as ISO 8601; ``""`` if
    there is none.

    >>> find_updated_date("Published: 3 May 2024 | Updated: 5 May 2024 at 10:00", "en")
    '2024-05-05T10:00:00'
    >>> find_updated_date("3 May 2024", "en")
    ''
    """
    for label, value in _find_labelled(text, language, fetched_at, order):
        if is_update_label(label):
            return value
    return ""


def _find_labelled(
    text: str,
    language: str,
    fetched_at: str,
    order: str,
) -> Iterator[tuple[str, str]]:
    """The dates in a short text with what is before each; nothing of a longer text."""
    text = " ".join(text.split())
    if len(text) > MAX_LENGTH:
        return
    text = _fold(text)
    if may_have_date(text):
        yield from _read_labelled(text, language, fetched_at, order)


@site_cache
@lru_cache(maxsize=2048)
def _read_labelled(
    text: str,
    language: str,
    fetched_at: str,
    order: str,
) -> tuple[tuple[str, str], ...]:
    """``_find_labelled`` of a folded text; elements in each other have the same one."""
    dates = []
    matches: list[re.Match[str]] = []
    for shape in _SHAPES:
        matches += shape.finditer(text)
    matches.sort(key=lambda match: (match.start(), -match.end()))
    end = 0
    for match in matches:
        if match.start() < end or _is_end_of_range(text, match.start()):
            continue
        value, value_end = _read_at(text, match, language, fetched_at, order)
        if value:
            dates.append((text[end : match.start()], value))
            end = value_end
    return tuple(dates)


def _is_end_of_range(text: str, start: int) -> bool:
    """Whether a day is the last one of several, as of an event: "12-14 June 2021".  A date has no
    day before it."""
    before = _DAY_BEFORE.search(text[max(start - _MAX_DAY_BEFORE, 0) : start])
    return before is not None


def _read_at(
    text: str,
    match: re.Match[str],
    locale: str,
    fetched_at: str,
    order: str,
) -> tuple[str, int]:
    """The date at a match of ``_SHAPES``, with the time beside it, and where it ends."""
    part = match.group()
    end = match.end()
    moment = _read_timed(part)
    if moment is not None:
        if moment.tzinfo is None:
            moment = with_zone(moment, read_zone(text, end, locale))
        return _write_iso(moment, has_time=True, fetched_at=fetched_at), end

    day = _read_written(part, locale, order)
    if day is None:
        return "", end
    clock = read_time_after(text, end, locale)
    if clock is None:
        clock = read_time_before(text, match.start(), locale)
    moment = clock.at(day) if clock else None
    if clock is None or moment is None:
        return _write_iso(day, has_time=False, fetched_at=fetched_at), end
    return _write_iso(moment, has_time=True, fetched_at=fetched_at), max(end, clock.end)


def _read_timed(text: str) -> datetime | None:
    """A date with a time in ISO 8601."""
    if ":" not in text:
        return None
    return read_iso(text.replace(" +", "+").replace(" -", "-"))


#: Words before a date of publication, and before that of a change, in many languages.
_PUBLISHED_WORDS = (
    r"publi|posted|released|created|veröffentlicht|erstellt|gepubliceerd|geplaatst|pubblicat|yayın|"
    r"julkaistu|opublikowan|közzétéve|опублик|опублік|выложен|发布|發佈|公開|投稿|掲載|입력|등록|"
    r"δημοσι[εέ]|פורסם|נוצר|نشر|انتشار|प्रकाशित|প্রকাশ|เผยแพร่|ngày đăng|diterbitkan|oprettet"
)
_UPDATED_WORDS = (
    r"updated|last[\s-]?update|update\s?:|update\son\b|modified|modificad|modifié|modificat|"
    r"revised|revision|revisad|révisé|edited(?!\sby)|reviewed(?!\sby)|aktualisier|geändert|"
    r"stand\s?:|mis à jour|mise à jour|actuali[zs]|ενημ[εέ]ρω|τροποποί|תיקון|עודכן|עדכון|تحديث|"
    r"تعديل|روزرسانی|ویرایش|अपडेट|अद्यतन|আপডেট|อัปเดต|อัพเดท|แก้ไข|"
    r"aggiorn|atualiz|alterad|bijgewerkt|gewijzigd|uppdater|ändrad|oppdater|opdater|endret|"
    r"päivitetty|muokattu|aktualizac|zmodyfik|aktualizov|frissít|güncel|düzenlen|diperbarui|"
    r"cập nhật|обнов|измен|оновлен|更新|修改|수정"
)
_PUBLISHED = re.compile(_PUBLISHED_WORDS, re.IGNORECASE)
_UPDATED = re.compile(_UPDATED_WORDS, re.IGNORECASE)
# The same for texts in lower case, in a tenth of the time, if these have only characters of Latin-1
# and the usual punctuation; others may be equal in any case without being so in lower case.  The
# Turkish letter without a dot is equal to the one with it.
_PUBLISHED_LOWER = re.compile(f"{_PUBLISHED_WORDS}|yayin")
_UPDATED_LOWER = re.compile(_UPDATED_WORDS)
_NO_LATIN = re.compile(r"[^\x00-\xb4\xb6-\xff\u2010-\u2027\u2030-\u205e]")

#: Characters before a date in which its label is.
_MAX_LABEL_LENGTH = 40
#: Words right before a date that is not the page's: of users, of events, of offers.
_OF_ELSE = re.compile(
    r"(?<!\w)(?:registered|joined|member\ssince|founded|established|born|date\sof\sbirth|expires?|"
    r"expired|expiry\sdate|deadline|valid\suntil|valid\still|due\sdate|event\sdate|starts|ends|"
    r"last\sseen|last\svisit|last\sactive|accessed|retrieved|mitglied\sseit|registriert|dabei\sseit|"
    r"geboren|gegründet|gültig\sbis|anmeldeschluss|abgerufen|zuletzt\sonline|inscrit\sle|"
    r"membre\sdepuis|né\sle|née\sle|consulté\sle|registrado|miembro\sdesde|nacido|fecha\slímite|"
    r"iscritto|nato|membro\sdesde|nascido|lid\ssinds|geregistreerd|medlem\ssiden|medlem\ssedan|"
    r"dołączył|регистрация|зарегистрирован|注册|註冊|登録日|가입일)"
    r"(?:\s(?:on|am|at|le|el|il|em|op|the))?\s?[:\-–—(]?\s?$",
    re.IGNORECASE,
)


def is_update_label(text: str) -> bool:
    """Whether the text before a date says that it is that of a change.

    >>> is_update_label("Last updated on"), is_update_label("Published and updated")
    (True, False)
    """
    return is_published_label(text) is False


def has_update_label(text: str) -> bool:
    """Whether a text has a word such as "updated", maybe beside one such as "published".

    >>> has_update_label("Published 3 May, updated 4 May"), has_update_label("3 May")
    (True, False)
    """
    return _find_label(_UPDATED, _UPDATED_LOWER, text)


def is_other_label(text: str) -> bool:
    """Whether the text before a date says that it is that of a change, or of something else than
    the page, such as its author's registration or an event.

    >>> is_other_label("Last updated"), is_other_label("Member since"), is_other_label("Weekly")
    (True, True, False)
    """
    end = text[-_MAX_LABEL_LENGTH:]
    return is_update_label(end) or _OF_ELSE.search(end) is not None


def is_published_label(text: str) -> bool | None:
    """Whether a date beside this text is that of the publication; False if it is that of a
    change, None if the text does not tell."""
    if _find_label(_PUBLISHED, _PUBLISHED_LOWER, text):
        return True
    if has_update_label(text):
        return False
    return None


def _find_label(
    labels: re.Pattern[str],
    labels_in_lower_case: re.Pattern[str],
    text: str,
) -> bool:
    if _NO_LATIN.search(text):
        return labels.search(text) is not None
    return labels_in_lower_case.search(text.lower()) is not None


def _read_relative(text: str, language: str, fetched_at: str) -> str:
    if not fetched_at or len(text) > _MAX_RELATIVE_LENGTH:
        return ""
    codes = _codes(language)
    if not any(may_be_relative(text, code) for code in codes):
        return ""
    moment = _call_dateparser(text, language, fetched_at)
    if moment is None:
        return ""
    offset = moment.tzinfo or parse_moment(fetched_at).tzinfo
    moment = moment.replace(tzinfo=offset)
    return _write_iso(moment, has_time=True, fetched_at=fetched_at)


def _read_standard(text: str, fetched_at: str) -> str | None:
    """A date in ISO 8601, RFC 822 or seconds since 1970; ``""`` if it is out of range, None if
    the text has none of these forms."""
    compact = _COMPACT.match(text)
    if compact:
        return _write_compact(compact, fetched_at)
    if _SECONDS.match(text):
        seconds = int(text[:10])
        moment = datetime.fromtimestamp(seconds, UTC)
        return _write_iso(moment, has_time=True, fetched_at=fetched_at)
    is_week = _WEEK.fullmatch(text) is not None
    iso_moment = None if is_week else read_iso(text)
    if iso_moment is not None:
        return _write_iso(iso_moment, has_time=":" in text, fetched_at=fetched_at)
    if not _RFC_822.match(text):
        return None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return _write_iso(moment, has_time=True, fetched_at=fetched_at)


def _write_compact(match: re.Match[str], fetched_at: str) -> str | None:
    """A date of digits only as ISO 8601; None if there is no such day."""
    year, month, day, hour, minute, second, offset = match.groups()
    text = f"{year}-{month}-{day}"
    if hour:
        text += f"T{hour}:{minute}:{second or '00'}{offset or ''}"
    moment = read_iso(text)
    if moment is None:
        return None
    return _write_iso(moment, has_time=bool(hour), fetched_at=fetched_at)


def _write_iso(moment: datetime, has_time: bool, fetched_at: str) -> str:
    """The date as ISO 8601; ``""`` if it is out of range."""
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=_EARLIEST_ZONE)
    try:
        earliest = zoned.astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    latest = parse_moment(fetched_at) + _MAX_SKEW if fetched_at else _LATEST
    if moment.year < _MIN_YEAR or earliest > latest:
        return ""

    if fetched_at and moment.tzinfo:  # within the skew of the clocks
        fetched = parse_moment(fetched_at)
        moment = min(moment, fetched.astimezone(moment.tzinfo))
    if has_time:
        return moment.isoformat(timespec="seconds")
    return moment.date().isoformat()


def _read_written(text: str, language: str, order: str) -> datetime | None:
    """The day of a text that has one of the forms, in words or numbers."""
    moment = _read_numbers(text, language, order)
    if moment is None:
        moment = _call_dateparser(text, language, "")
    years = _FULL_YEAR.findall(text)
    if moment and years and str(moment.year) not in years:
        return None  # read as a relative date: "7 days 2024"
    if moment and moment.year > _MIN_BUDDHIST_YEAR:
        year = moment.year - _BUDDHIST_OFFSET
        moment = _make_date(year, moment.month, moment.day)
    return moment


@site_cache
@lru_cache(maxsize=8192)
def _call_dateparser(
    text: str,
    language: str,
    base: str,
) -> datetime | None:
    """What dateparser reads, in the page's language, else in English.

    With a ``base`` the text is read as a relative date; without, it must have day, month and
    year, and plain dates are read without dateparser, which is slow."""
    codes = _codes(language)
    if not base:
        for code in codes:
            main_code, _, _ = code.partition("-")
            day = _read_day(text, main_code)
            if day:
                return day
        day = _read_in_any_language(text)
        if day:
            return day
    import dateparser  # takes long, and most dates are ISO 8601

    settings: dict[str, Any] = {"REQUIRE_PARTS": ["day", "month", "year"]}
    if _DOTTED.match(text):  # day first in any language
        settings["DATE_ORDER"] = "DMY"
    if base:
        settings = {"PARSERS": ["relative-time"], "RELATIVE_BASE": parse_moment(base)}
    for code in codes:
        names = {"locales": [code]} if "-" in code else {"languages": [code]}
        try:
            moment = dateparser.parse(text, settings=settings, **names) if code else None
        except (ValueError, OverflowError):  # unknown language, number out of range
            continue
        if isinstance(moment, datetime):
            return moment
    return None


#: Languages in which a date is read if its own is unknown.
_COMMON_LANGUAGES = (
    "ar bg cs da de el es et fi fr he hr hu id it ja ko lt lv nb nl pl pt ro ru sk sl sr sv th tr "
    "uk vi zh"
).split()


def _read_in_any_language(text: str) -> datetime | None:
    """The day of a plain date in a language that is not known; None if those that can read it
    read different days: "listopad" is another month in Polish and in Croatian."""
    days = {_read_day(text, code) for code in _COMMON_LANGUAGES} - {None}
    if len(days) == 1:
        return days.pop()
    return None


def _codes(language: str) -> Iterable[str]:
    """The codes of the languages in which a date may be: the page's, also without a region, and
    English."""
    base, _, _ = language.partition("-")
    code = _OTHER_CODES.get(language, language)
    base_code = _OTHER_CODES.get(base, base)
    return dict.fromkeys((code, base_code, "en"))


_PATH_DATE = re.compile(
    r"[/_-]t?(?P<y>(?:19|20)\d\d)(?P<s>[/_-]?)(?P<m>0[1-9]|1[0-2])(?P=s)(?P<d>[0-2]\d|3[01])(?!\d)"
    r"|/(?P<year>(?:19|20)\d\d)/(?P<month>[a-z]{3,9}|1?\d)/(?P<day>[0-3]?\d)(?=/|$)",
    re.IGNORECASE,
)


def find_url_date(url: str) -> str:
    """Year, month and day in a URL's path, as ``2024-05-03``; ``""`` if it has none.

    >>> find_url_date("http://a.example/2024/05/03/boats"), find_url_date("http://a.example/2024")
    ('2024-05-03', '')
    >>> find_url_date("http://a.example/2024/may/3/boats")
    '2024-05-03'
    """
    try:
        path = urlsplit(url).path if "://" in url else ""
    except ValueError:
        return ""
    for match in _PATH_DATE.finditer(path):
        year, month, day = match.group("y", "m", "d")
        if not year:
            year, month, day = match.group("year", "month", "day")
        month_number = _month_names("en").get(month.lower(), 0)
        if month.isdecimal():
            month_number = int(month)
        moment = _make_date(int(year), month_number, int(day))
        if moment:
            return moment.date().isoformat()
    return ""
