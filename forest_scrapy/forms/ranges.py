"""Controls that take the ends of a range of numbers or dates: "from" and "to", least and most.

What they mean cannot be told by words that come back: a value that is put in is below or above
those of the records.  Ranges are halved until an answer shows all of its records.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from forest_scrapy.forms.form import Control, Form

#: Records that are looked at for what kind of values an attribute has, and the share that must be
#: of one kind.
MAX_RECORDS = 200
MIN_SHARE = 0.9

_LOW = frozenset(
    "from min minimum since after start lower low least ab von mindestens de desde dès depuis da"
    " min. ≥ > gte gt begin earliest du od".split()
)
_HIGH = frozenset(
    "to max maximum until till before end upper high most bis höchstens à a hasta jusqu au"
    " max. ≤ < lte lt latest fino do".split()
)
_WORDS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+|[≥≤<>]")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class RangeControls:
    """The controls of a range: the names of those of its ends, ``""`` for one that is missing;
    ``words``: what they are called besides; ``is_date``: whether they take dates only."""

    low: str
    high: str
    words: frozenset[str] = frozenset()
    is_date: bool = False


def find_ranges(form: Form) -> list[RangeControls]:
    """The ranges of a form: an end and the other one after it, called alike or not at all; a single
    one if it takes only numbers or dates."""
    ranges: list[RangeControls] = []
    low: Control | None = None
    for control in form.controls:
        side = _side_of(control)
        if side == "low":
            low = control
            if control.type:
                ranges.append(_make_range(control, None))
        elif side == "high" and low is not None:
            is_typed = low.type == control.type
            common = _words_of(low) & _words_of(control)
            is_pair = is_typed and (common or not _words_of(low) or not _words_of(control))
            if not is_pair and not (is_typed and low.type):
                continue
            ranges = [known for known in ranges if known.low != low.name]
            ranges.append(_make_range(low, control))
            low = None
        elif side == "high" and control.type:
            ranges.append(_make_range(None, control))
    return ranges


def _make_range(low: Control | None, high: Control | None) -> RangeControls:
    controls = [control for control in (low, high) if control is not None]
    words = frozenset(word for control in controls for word in _words_of(control))
    return RangeControls(
        low=low.name if low else "",
        high=high.name if high else "",
        words=words,
        is_date=any(control.type == "date" for control in controls),
    )


def _side_of(control: Control) -> str:
    """``low`` or ``high`` for the end of a range, by the first word that says so."""
    if control.kind != "text":
        return ""
    label_words = _split(control.label)
    # A word such as "to" within a label is no end: "Name to look for".
    candidates = [*_split(control.name), *label_words[:1], *label_words[-1:]]
    for word in candidates:
        if word in _LOW:
            return "low"
        if word in _HIGH:
            return "high"
    return ""


def _words_of(control: Control) -> frozenset[str]:
    """What a control is called, without the words for an end."""
    words = {*_split(control.name), *_split(control.label)}
    return frozenset(word for word in words if word not in _LOW and word not in _HIGH)


def _split(text: str) -> list[str]:
    return [word.casefold() for word in _WORDS.findall(text)]


def range_value(text: str) -> float | None:
    """The place of a number or an ISO date among others of its kind; None if it is neither.

    >>> range_value("12.5"), range_value("1970-01-02"), range_value("12 or more")
    (12.5, 719164.0, None)
    """
    if _NUMBER.fullmatch(text):
        return float(text)
    if _DATE.fullmatch(text):
        try:
            return float(date.fromisoformat(text).toordinal())
        except ValueError:
            return None
    return None


def choose_attribute(
    controls: RangeControls,
    records: Iterable[Mapping[str, str]],
    refuted: Iterable[str] = (),
) -> str:
    """The attribute that a range is most likely of: one of numbers or dates that is called alike,
    else the first one; ``""`` if there is none.  ``refuted``: those that it is not of."""
    texts: dict[str, list[str]] = {}
    for number, record in enumerate(records):
        if number >= MAX_RECORDS:
            break
        for name, text in record.items():
            texts.setdefault(name, []).append(text)

    ranked = []
    for place, (name, values) in enumerate(texts.items()):
        if name in refuted:
            continue
        dates = sum(_DATE.fullmatch(value) is not None for value in values)
        numbers = sum(_NUMBER.fullmatch(value) is not None for value in values)
        count = dates if controls.is_date else max(dates, numbers)
        if count < MIN_SHARE * len(values) or len(set(values)) < 2:
            continue
        common = controls.words & set(_split(name))
        ranked.append((-len(common), place, name))
    return min(ranked)[2] if ranked else ""


def middle(values: Sequence[str]) -> tuple[str, str] | None:
    """The end of the lower half of values, and where the upper one begins: at the next whole number
    or day, else at the next value; None if they cannot be divided.

    >>> middle(["3", "1", "2", "2", "9"]), middle(["4", "4"]), middle(["1.5", "2.5"])
    (('2', '3'), None, ('1.5', '2.5'))
    """
    places: dict[float, str] = {}
    sorted_places = []
    for value in values:
        place = range_value(value)
        if place is not None:
            places.setdefault(place, value)
            sorted_places.append(place)
    sorted_places.sort()
    distinct = sorted(places)
    if len(distinct) < 2:
        return None
    median = sorted_places[(len(sorted_places) - 1) // 2]
    if median == distinct[-1]:
        median = distinct[-2]
    following = places[distinct[distinct.index(median) + 1]]
    if all(_DATE.fullmatch(value) for value in places.values()):
        following = date.fromordinal(int(median) + 1).isoformat()
    elif all(place.is_integer() for place in distinct):
        following = str(int(median) + 1)
    return places[median], following
