"""Dates as pages write them, in any language, as ISO 8601."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from functools import cache, lru_cache
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_UNITS = ("year", "month", "week", "day", "hour", "minute", "second")
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
#: Year, month and day as numbers, also in Chinese, Japanese and Korean: 2024年5月3日.
_YEAR_FIRST = re.compile(
    r"(\d{4})(?:\s?[年년]\s?|[-/.]\s?)(\d{1,2})(?:\s?[月월]\s?|[-/.]\s?)(\d{1,2})\s?[日일]?"
)
#: Day, month and year: dots mean that the day comes first, in any language.
_DAY_FIRST = re.compile(r"(\d{1,2})\s?\.\s?(\d{1,2})\s?\.\s?(\d{4})")
#: The time after a date, with the words before it.
_TIME_OF_DAY = re.compile(
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
    time = _TIME_OF_DAY.search(text)
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
def date_words(language: str) -> frozenset[str]:
    """The names of the months and of the days of the week, in a language and in English."""
    days = {
        name.casefold().rstrip(".")
        for code in (language, "en")
        for day in _DAYS
        for name in _words(code).get(day, ())
    }
    return frozenset((*days, *_month_names(language), *_month_names("en")))


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
#: What each of these forms has.
_MAY_MATCH = re.compile(rf"{_YEAR}|\d\s?[./-]\s?\d|\d-[^\W\d_]")
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


def may_have_date(text: str) -> bool:
    """Whether a text on one line may have an absolute date; most texts with a digit have nothing
    like it.

    >>> may_have_date("3 May 2024"), may_have_date("12 comments")
    (True, False)
    """
    return _MAY_MATCH.search(text) is not None


def find_date(text: str, language: str = "", fetched_at: str = "") -> str:
    """The first date in a short text with other words, as ISO 8601; ``""`` if there is none.  One
    with a label such as "updated" is taken only if all have.

    A relative date is read if the text is nothing else and ``fetched_at`` is known.

    >>> find_date("Posted by Ana Bo on 3 May 2024 at 15:47 in News", "en")
    '2024-05-03T15:47:00'
    >>> find_date("2 hours ago", "en", "2024-05-03T12:00:00+00:00")
    '2024-05-03T10:00:00+00:00'
    """
    text = " ".join(text.split())
    if len(text) > LONGEST:
        return ""
    shapes = _SHAPES if may_have_date(text) else ()
    matches = [match for shape in shapes for match in shape.finditer(text)]
    updated, end = "", 0
    for match in sorted(matches, key=lambda match: (match.start(), -match.end())):
        if match.start() < end:
            continue
        part = match.group()
        found = _read_standard(part, fetched_at)
        found = _read_written(part, language, fetched_at) if found is None else found
        if found and not is_update_label(text[end : match.start()]):
            return found
        if found:
            updated, end = updated or found, match.end()
    return updated or _read_relative(text, language, fetched_at)


#: Words before a date of publication, and before that of a change, in many languages.
_PUBLISHED = re.compile(
    r"publi|posted|released|created|veröffentlicht|erstellt|gepubliceerd|geplaatst|pubblicat|yayın|"
    r"julkaistu|opublikowan|közzétéve|опублик|выложен|发布|發佈|公開|投稿|掲載|입력|등록",
    re.IGNORECASE,
)
_UPDATED = re.compile(
    r"updat|modifi|revis|edited|reviewed|aktualisier|geändert|stand\s?:|mis à jour|actuali[zs]|"
    r"aggiorn|atualiz|alterad|bijgewerkt|gewijzigd|uppdater|ändrad|oppdater|opdater|endret|"
    r"päivitetty|muokattu|aktualizac|zmodyfik|aktualizov|frissít|güncel|düzenlen|diperbarui|"
    r"cập nhật|обнов|измен|оновлен|更新|修改|수정",
    re.IGNORECASE,
)


def is_update_label(text: str) -> bool:
    """Whether the text before a date says that it is that of a change.

    >>> is_update_label("Last updated on"), is_update_label("Published and updated")
    (True, False)
    """
    return is_published_label(text) is False


def is_published_label(text: str) -> bool | None:
    """Whether a date beside this text is that of the publication; False if it is that of a
    change, None if the text does not tell."""
    if _PUBLISHED.search(text):
        return True
    return False if _UPDATED.search(text) else None


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
    import dateparser  # takes long, and most dates are ISO 8601

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
        year, month, day = match.group("y", "m", "d") if match["y"] else match.groups()[-3:]
        number = int(month) if month.isdecimal() else _month_names("en").get(month.lower(), 0)
        if moment := _make_date(int(year), number, int(day)):
            return moment.date().isoformat()
    return ""
