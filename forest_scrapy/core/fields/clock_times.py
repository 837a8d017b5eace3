"""Times of day and time zones, as pages write them beside a date."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from forest_scrapy.core.lazy import LazyPattern

#: Words between a date and its time, in many languages; words of up to three letters need not be
#: known.
_WORDS_BEFORE = (
    "alle|godz|saat|saatte|pukul|heure|heures|time|время|године|години|ώρα|στις|الساعة|เวลา|"
    "ساعت|kello|ajal|ulkst|kell|बजे|समय|সাল"
)
#: What says in which half of the day a time is, before it and after it, and the hours to add.
_HALVES_BEFORE = {
    "오전": 0,
    "오후": 12,
    "上午": 0,
    "下午": 12,
    "午前": 0,
    "午後": 12,
    "晚上": 12,
    "早上": 0,
    "凌晨": 0,
    "中午": 12,
    "傍晚": 12,
    "清晨": 0,
    "晚": 12,
    "早": 0,
    "午": 12,
    "AM": 0,
    "PM": 12,
}
#: The same as an expression; "am" is a word of German.
_BEFORE = "|".join(f"(?-i:{half})" if half.isascii() else half for half in _HALVES_BEFORE)
_HALVES_AFTER = {
    "am": 0,
    "a": 0,
    "pm": 12,
    "p": 12,
    "πμ": 0,
    "μμ": 12,
    "ص": 0,
    "م": 12,
    "صباحا": 0,
    "صباحًا": 0,
    "صباحاً": 0,
    "مساء": 12,
    "مساءً": 12,
    "sa": 0,
    "ch": 12,
    "पूर्वाह्न": 0,
    "अपराह्न": 12,
}
#: Words for the middle of the day and of the night.
_WORDS_OF_TIME = {"noon": 12, "midday": 12, "midnight": 0}
_GAP = (
    r"(?:[.,]?\s?\([^\W\d_]{1,12}\)|[,\s]\s?[^\W\d_]{2,12}(?=,\s))?"  # a day of the week
    r"[\s,;.|·•/@(\[\-–—]{0,6}"
    rf"(?:(?!{_BEFORE})(?:[^\W\d_]{{1,3}}|{_WORDS_BEFORE})[.:,]{{0,2}}\s+(?:[-–—|]\s)?){{0,2}}"
)
_HALF_AFTER = (
    r"(?:[ap]\.?\s?m\b\.?|[πμ]\.?\s?μ\.?|"
    r"(?:صباحا|صباحًا|صباحاً|مساءً|مساء|ص|م|SA|CH|पूर्वाह्न|अपराह्न)(?!\w))"
)
_CLOCK = (
    rf"(?:(?P<before>{_BEFORE})\s?)?"
    r"(?P<hour>\d{1,2})"
    r"(?:\s?(?:[:h]|\.(?!\d\d?\.\d))\s?(?P<minute>\d\d)(?!\d)"
    r"(?:[:.](?P<second>\d\d)(?!\d)(?:[.,:]\d{1,9})?)?"
    r"|\s?[时時시点點]\s?(?:(?P<minutes>\d{1,2})\s?[分분]\s?(?:(?P<seconds>\d{1,2})\s?[秒초])?)?"
    rf"|(?=\s?[ap]\.?\s?m\b)|\s?(?:h(?![^\W\d_])|Uhr\b))"
    rf"(?:\s?(?P<after>{_HALF_AFTER}))?"
)
#: What may follow a time and says nothing: "22:05 Uhr", "22:05 hrs", "22.05 น."
_FILLER = r"(?:\s?(?:Uhr|hrs?|hours|uur|h|น|ч)\b\.?)?"
_WORD_OF_TIME = re.compile(
    rf"[\s,;|·•\-–—]{{1,4}}(?:at\s)?({'|'.join(_WORDS_OF_TIME)})\b",
    re.IGNORECASE,
)
_ZONE = (
    r"(?:[\s,(\[|]{0,3}(?:"
    r"(?:(?:GMT|UTC|UT)\s?|(?=[+\-−](?:\d\d|\d:\d\d)))(?P<sign>[+\-−])(?P<zone_hours>\d{1,2})(?::?(?P<zone_minutes>\d\d))?(?!\d)"
    r"|(?P<place>[A-Z][A-Za-z]{2,13}/[A-Z][A-Za-z_]{2,20}(?:/[A-Z][A-Za-z_]{2,20})?)"
    r"|(?P<name>(?-i:[A-Z]{1,5}|МСК))(?![\w/])"
    r"|(?P<words>(?:Eastern|Central|Mountain|Pacific)\s(?:Standard\s|Daylight\s)?Time)"
    r"))?"
)
_AFTER_DATE = LazyPattern(f"{_GAP}{_CLOCK}{_FILLER}{_ZONE}", re.IGNORECASE)
#: A zone of its own, after a time that was read already.
_ZONE_ONLY = LazyPattern(_ZONE, re.IGNORECASE)
#: A time before its date: "22:05, 6 October 2024", "22:05 Uhr am 6.10.2024".
_BEFORE_DATE = LazyPattern(
    rf"(?<![\d:.]){_CLOCK}{_FILLER}{_ZONE}[\s,;|·•\-–—)\]]{{1,4}}(?:[^\W\d_]{{1,9}}[.,]?\s+){{0,3}}$",
    re.IGNORECASE,
)
#: Characters before a date in which its time is searched.
_MAX_BEFORE = 50

_HOUR = 60
#: Minutes east of UTC by the abbreviation of a zone.
_ABBREVIATIONS: Mapping[str, int] = {
    "Z": 0,
    "UT": 0,
    "UTC": 0,
    "GMT": 0,
    "WET": 0,
    "WEST": 60,
    "BST": 60,
    "CET": 60,
    "CEST": 120,
    "MEZ": 60,
    "MESZ": 120,
    "MET": 60,
    "MEST": 120,
    "MSD": 240,
    "YEKT": 300,
    "NOVT": 420,
    "IRKT": 480,
    "VLAT": 600,
    "UZT": 300,
    "GET": 240,
    "AFT": 270,
    "IRST": 210,
    "MMT": 390,
    "UYT": -180,
    "BOT": -240,
    "ECT": -300,
    "FJT": 720,
    "CHST": 600,
    "EET": 120,
    "EEST": 180,
    "MSK": 180,
    "МСК": 180,
    "TRT": 180,
    "SAST": 120,
    "CAT": 120,
    "WAT": 60,
    "EAT": 180,
    "IST": 330,
    "IDT": 180,
    "GST": 240,
    "PKT": 300,
    "NPT": 345,
    "BDT": 360,
    "ICT": 420,
    "WIB": 420,
    "WITA": 480,
    "WIT": 540,
    "HKT": 480,
    "SGT": 480,
    "MYT": 480,
    "PHT": 480,
    "AWST": 480,
    "JST": 540,
    "KST": 540,
    "ACST": 570,
    "ACDT": 630,
    "AEST": 600,
    "AEDT": 660,
    "NZST": 720,
    "NZDT": 780,
    "NST": -210,
    "NDT": -150,
    "AST": -240,
    "ADT": -180,
    "EST": -300,
    "EDT": -240,
    "CST": -360,
    "CDT": -300,
    "MST": -420,
    "MDT": -360,
    "PST": -480,
    "PDT": -420,
    "AKST": -540,
    "AKDT": -480,
    "HST": -600,
    "BRT": -180,
    "ART": -180,
    "CLT": -240,
    "CLST": -180,
    "COT": -300,
    "PET": -300,
    "VET": -240,
}
#: Other meanings of abbreviations in some countries.
_IN_COUNTRY: Mapping[tuple[str, str], int] = {
    ("IST", "IE"): 60,
    ("IST", "IL"): 120,
    ("BST", "BD"): 360,
    ("EST", "AU"): 600,
    ("EDT", "AU"): 660,
    ("CST", "AU"): 570,
    ("CST", "CN"): 480,
    ("CST", "TW"): 480,
    ("CST", "HK"): 480,
    ("AST", "SA"): 180,
    ("AST", "KW"): 180,
    ("AST", "QA"): 180,
    ("AST", "IQ"): 180,
    ("PST", "PH"): 480,
    ("SST", "SG"): 480,
    ("MST", "MY"): 480,
}
#: The country of an abbreviation on pages in a language, if they name no country.
_COUNTRIES = {"zh": "CN", "he": "IL", "ga": "IE", "bn": "BD", "ar": "SA"}
#: Zones whose offset depends on the season.
_PLACES = {
    "ET": "America/New_York",
    "CT": "America/Chicago",
    "MT": "America/Denver",
    "PT": "America/Los_Angeles",
    "EASTERN": "America/New_York",
    "CENTRAL": "America/Chicago",
    "MOUNTAIN": "America/Denver",
    "PACIFIC": "America/Los_Angeles",
}
#: Minutes of the largest offset from UTC; some feeds have one of +15:00.
_MAX_OFFSET = 15 * _HOUR


class ClockTime(NamedTuple):
    """A time of day, and where it ends in its text: 24 is the end of the day.  ``zone``: minutes
    east of UTC, the name of a place in the tz database, or None if there is no zone."""

    hour: int
    minute: int
    second: int
    zone: int | str | None
    end: int

    def at(self, day: datetime) -> datetime | None:
        """The day at this time, with an offset if the time has a zone; None if there is no such
        time.

        >>> ClockTime(24, 0, 0, 120, 0).at(datetime(2024, 3, 5)).isoformat()
        '2024-03-06T00:00:00+02:00'
        """
        try:
            moment = day.replace(hour=self.hour % 24, minute=self.minute, second=self.second)
            if self.hour == 24:
                moment += timedelta(days=1)
        except (ValueError, OverflowError):
            return None
        return with_zone(moment, self.zone)


def with_zone(moment: datetime, zone: int | str | None) -> datetime:
    """The time with the offset of a zone (see ``ClockTime``) at this time."""
    if zone is None:
        return moment
    if isinstance(zone, int):
        offset_zone = UTC if zone == 0 else timezone(timedelta(minutes=zone))
        return moment.replace(tzinfo=offset_zone)
    place = _read_place(zone)
    if place is None:
        return moment
    offset = moment.replace(tzinfo=place).utcoffset()
    if offset is None:
        return moment
    return moment.replace(tzinfo=timezone(offset))


def read_time_after(
    text: str,
    start: int,
    locale: str = "",
) -> ClockTime | None:
    """The time of day that stands in a text from ``start`` on, right after a date, maybe with
    words such as "at" before it; None if there is none.

    ``text``: on one line, with ASCII digits.  ``locale``: a language, maybe with a country, which
    decides between the zones of one abbreviation.

    >>> read_time_after("6 Oct 2024 at 10:05 pm EST, in Rome", 10)
    ClockTime(hour=22, minute=5, second=0, zone=-300, end=26)
    >>> read_time_after("6.10.2024 um 22:05 Uhr", 9), read_time_after("6 Oct 2024, 12 owls", 10)
    (ClockTime(hour=22, minute=5, second=0, zone=None, end=22), None)
    """
    match = _AFTER_DATE.compiled.match(text, start)
    if match:
        return _read_clock(match, locale)
    word = _WORD_OF_TIME.match(text, start)
    if word:
        hour = _WORDS_OF_TIME[word[1].lower()]
        return ClockTime(hour, 0, 0, zone=None, end=word.end())
    return None


def read_time_before(
    text: str,
    end: int,
    locale: str = "",
) -> ClockTime | None:
    """The same for a time that stands right before a date, which begins at ``end``.

    >>> read_time_before("Rome, 22:05 on 6 October 2024", 15)
    ClockTime(hour=22, minute=5, second=0, zone=None, end=15)
    """
    start = max(end - _MAX_BEFORE, 0)
    match = _BEFORE_DATE.compiled.search(text[start:end])
    if match is None:
        return None
    clock = _read_clock(match, locale)
    if clock:
        return clock._replace(end=end)
    return None


def read_zone(text: str, start: int, locale: str = "") -> int | str | None:
    """The zone (see ``ClockTime``) that stands in a text from ``start`` on; None if there is none.

    >>> read_zone("10:00 (GMT+7)", 5), read_zone("10:00 BST", 5), read_zone("10:00 in Rome", 5)
    (420, 60, None)
    """
    match = _ZONE_ONLY.compiled.match(text, start)
    if match:
        return _zone_of(match, locale)
    return None


def _read_clock(match: re.Match[str], locale: str) -> ClockTime | None:
    hour = int(match["hour"])
    minute = int(match["minute"] or match["minutes"] or 0)
    second = int(match["second"] or match["seconds"] or 0)
    half_day = _hours_to_add(match["before"], match["after"])
    if half_day is not None:
        is_twelve_hour = 1 <= hour <= 12
        is_tolerated = match["before"] and hour < 24
        if not is_twelve_hour and not is_tolerated:
            return None
        if hour <= 12:
            hour = hour % 12 + half_day
    if hour > 24 or minute > 59 or second > 60:
        return None
    if hour == 24 and minute + second > 0:
        return None

    second = min(second, 59)
    if _is_range(match):
        return ClockTime(hour, minute, second, zone=None, end=match.start("sign"))
    return ClockTime(hour, minute, second, _zone_of(match, locale), match.end())


def _is_range(match: re.Match[str]) -> bool:
    """Whether another time follows after a hyphen, which is no offset then: "10:00-11:30"."""
    if match["sign"] != "-" or match["second"] is not None:
        return False
    _, _, after_hyphen = match.group().rpartition("-")
    return ":" in after_hyphen


def _hours_to_add(before: str | None, after: str | None) -> int | None:
    """The hours to add to a time of twelve hours; None if it is one of twenty-four."""
    if before:
        return _HALVES_BEFORE[before]
    if after:
        letters = after.replace(".", "").replace(" ", "").lower()
        return _HALVES_AFTER.get(letters)
    return None


def _zone_of(match: re.Match[str], locale: str) -> int | str | None:
    if match["sign"]:
        hours = int(match["zone_hours"])
        minutes = hours * _HOUR + int(match["zone_minutes"] or 0)
        if minutes > _MAX_OFFSET:
            return None
        if match["sign"] == "+":
            return minutes
        return -minutes
    if match["place"]:
        if _read_place(match["place"]):
            return match["place"]
        return None
    if match["words"]:
        first_word = match["words"].split()[0]
        return _PLACES[first_word.upper()]
    if not match["name"]:
        return None
    name = match["name"]
    language, _, country = locale.partition("-")
    country = country or _COUNTRIES.get(language, "")
    minutes_of_name = _IN_COUNTRY.get((name, country), _ABBREVIATIONS.get(name))
    if minutes_of_name is None:
        return _PLACES.get(name)
    return minutes_of_name


@lru_cache(maxsize=256)
def _read_place(name: str) -> tzinfo | None:
    """The zone of the tz database with this name; None if there is none."""
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        return None
