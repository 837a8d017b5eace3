"""What the controls of a form mean: the attributes of the records in which what was put into a
control comes back (Oita et al. 2012, sections 3.3 and 3.4)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from forest_scrapy.core.page.language import split_words
from forest_scrapy.forms.form import Control, Form

#: The share of records in which a value must come back, in the mean over the values; how much
#: rarer it must be in the records of other probes; and the fewest values.  Not tuned.
_SHARE, _CHANCE, _LEAST = 0.95, 0.6, 3
#: Records of one probe, and of others, that are looked at.
_MOST_RECORDS, _MOST_OTHERS = 30, 300

Values = Mapping[str, str]


class ProbeResult(NamedTuple):
    """What a single control was filled with, and the values of the records that came."""

    control: str
    value: str
    records: Sequence[Values]


@dataclass(frozen=True)
class Meaning:
    """A control, and the attributes in which its value comes back.

    ``relation``: ``equal``, ``contains`` (its words are in the attribute), ``starts`` or
    ``option`` (the text that readers see of the chosen value).  With several attributes the value
    is in one of them.  ``probes``, ``records``: what it rests on; ``share``: of the records in
    which the value came back; ``chance``: of those of other probes.
    """

    control: str
    attributes: tuple[str, ...]
    relation: str
    probes: int
    records: int
    share: float
    chance: float


Test = Callable[[str, str], bool]


def _equals(put: str, text: str) -> bool:
    return _fold(put) == _fold(text)


def _contains(put: str, text: str) -> bool:
    words = split_words(put)
    return bool(words) and set(words) <= set(split_words(text))


def _starts(put: str, text: str) -> bool:
    return bool(put) and any(word.startswith(_fold(put)) for word in split_words(text))


def _in_range(put: str, text: str) -> bool:
    """Whether a number is in the range that was put in: "1990-1999", "under 20", "100+"."""
    number = _NUMBER.search(text.replace(",", ""))
    bounds = [float(one) for one in _NUMBER.findall(put.replace(",", ""))]
    if not number or not bounds:
        return False
    value = float(number[0])
    if len(bounds) > 1:
        return bounds[0] <= value <= bounds[1]
    if _BELOW.search(put):
        return value <= bounds[0]
    return bool(_ABOVE.search(put)) and value >= bounds[0]


_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_BELOW = re.compile(r"[<\u2264]|under|below|up to|bis|less|until|before", re.IGNORECASE)
_ABOVE = re.compile(r"[>\u2265+]|over|above|from|more|since|after|ab\b", re.IGNORECASE)

#: The relations, the strictest first.
RELATIONS: dict[str, Test] = {
    "equal": _equals,
    "contains": _contains,
    "range": _in_range,
    "starts": _starts,
}


def map_controls(form: Form, results: Iterable[ProbeResult]) -> list[Meaning]:
    """The meaning of each control that has one, in the form's order.

    Of the attributes that qualify, the one in which the value comes back in the most records and
    by the strictest relation; if there is none, the smallest set of attributes one of which has
    it, as of a control that searches everything.  Ties: the name of the attribute.
    """
    by_control: defaultdict[str, list[ProbeResult]] = defaultdict(list)
    for result in results:
        if result.records:
            by_control[result.control].append(result)
    everything = [r for own in by_control.values() for one in own for r in one.records]
    step = max(1, len(everything) // _MOST_OTHERS)
    found = [
        _map_control(control, by_control[control.name], everything[::step])
        for control in form.controls
    ]
    return [one for one in found if one]


def _map_control(
    control: Control, results: Sequence[ProbeResult], others: Sequence[Values]
) -> Meaning | None:
    texts = dict(control.options)
    if len({result.value for result in results}) < min(_LEAST, len(texts) or _LEAST):
        return None
    attributes = sorted({name for one in results for record in one.records for name in record})
    candidates = []
    for put in (lambda v: v, lambda v: texts.get(v, "")) if texts else (lambda v: v,):
        for rank, (relation, test) in enumerate(RELATIONS.items()):
            for name in attributes:
                made = _rate(control.name, (name,), relation, test, put, results, others)
                if made:
                    candidates.append((rank, -round(made.share - made.chance, 3), name, made))
    if candidates:
        return min(candidates, key=lambda one: one[:3])[3]
    return _map_to_any(control.name, attributes, results, others)


def _rate(
    control: str,
    names: tuple[str, ...],
    relation: str,
    test: Test,
    put: Callable[[str], str],
    results: Sequence[ProbeResult],
    others: Sequence[Values],
) -> Meaning | None:
    """The mapping to these attributes, if it holds."""

    def has(value: str, record: Values) -> bool:
        return any(test(value, record[name]) for name in names if name in record)

    shares, chances, records = defaultdict[str, list[float]](list), dict[str, float](), 0
    for result in results:
        value = put(result.value)
        if not value:
            return None
        own = result.records[:_MOST_RECORDS]
        shares[value].append(fmean(has(value, record) for record in own))
        if value not in chances:
            chances[value] = fmean(has(value, record) for record in others)
        records += len(own)
        if len(shares) == 5 and fmean(map(fmean, shares.values())) < _SHARE / 2:
            return None
    # Of the mean values: one that was put in with many others would outweigh all.
    share = round(fmean(map(fmean, shares.values())), 4)
    chance = round(fmean(chances.values()), 4)
    if share < _SHARE or chance > _CHANCE * share:
        return None
    return Meaning(control, names, relation, len(results), records, share, chance)


def _map_to_any(
    control: str,
    attributes: Sequence[str],
    results: Sequence[ProbeResult],
    others: Sequence[Values],
) -> Meaning | None:
    """The mapping to several attributes: those that have the value in the most of the records that
    are left are added until all have it."""
    left = [(one.value, record) for one in results for record in one.records[:_MOST_RECORDS]]
    chosen: list[str] = []
    while left and len(chosen) < len(attributes):
        gains = {
            name: sum(_contains(value, record.get(name, "")) for value, record in left)
            for name in attributes
            if name not in chosen
        }
        best = max(sorted(gains), key=lambda name: gains[name])
        if not gains[best]:
            break
        chosen.append(best)
        left = [(v, r) for v, r in left if not _contains(v, r.get(best, ""))]
    names = tuple(sorted(chosen))
    if not names:
        return None
    return _rate(control, names, "contains", _contains, lambda v: v, results, others)


def _fold(text: str) -> str:
    return " ".join(split_words(text))
