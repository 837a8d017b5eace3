"""The meanings of the controls of a form: the attributes of the records in which a value that was
put into a control comes back (Oita et al. 2012, sections 3.3 and 3.4)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple

from forest_scrapy.core.page.language import split_words
from forest_scrapy.forms.form import Control, Form

#: The share of records in which a value must come back, in the mean over the values.  This and the
#: next two are not tuned.
MIN_SHARE = 0.95
#: The part of that share with which it may come back in the records of other probes.
MAX_CHANCE = 0.6
#: Different values that a meaning rests on; fewer of a choice with fewer options.
MIN_VALUES = 3
#: Values after which a mapping is given up whose share is not half of what it must be.
VALUES_OF_FIRST_LOOK = 5
#: Records of one probe that are looked at.
MAX_RECORDS = 30
#: Records of all probes, to which those of a probe are compared, that are looked at.
MAX_COMPARED_RECORDS = 300

Values = Mapping[str, str]


class ProbeResult(NamedTuple):
    """The value that a single control was filled with, and the values of the records that came."""

    control: str
    value: str
    records: Sequence[Values]


@dataclass(frozen=True)
class Meaning:
    """A control, and the attributes in which its value comes back.

    ``relation``: ``equal``, ``contains`` (its words are in the attribute, or the value is anywhere
    in it, also inside words), ``starts`` (the text or a word of it begins with the value),
    ``range`` or ``option`` (the text that readers see of the chosen value).  With several
    attributes the value is in one of them.  ``probes``, ``records``: what it rests on; ``share``:
    of the records in which the value came back; ``chance``: of those of other probes.
    """

    control: str
    attributes: tuple[str, ...]
    relation: str
    probes: int
    records: int
    share: float
    chance: float

    @property
    def relation_text(self) -> str:
        """The relation as people read it."""
        return "begins with" if self.relation == "starts" else self.relation


#: Whether a text of a record has what was put into a control.
Test = Callable[[str, str], bool]


def _equals(put: str, text: str) -> bool:
    return _fold(put) == _fold(text)


def _contains(put: str, text: str) -> bool:
    words = split_words(put)
    if not words:
        return False
    return set(words) <= set(split_words(text))


def _starts(put: str, text: str) -> bool:
    """Whether a word of the text begins with the value, or words of it with all of its words."""
    start = _fold(put)
    return bool(start) and f" {start}" in f" {_fold(text)}"


def _begins(put: str, text: str) -> bool:
    """Whether the text begins with the value."""
    start = _fold(put)
    return bool(start) and _fold(text).startswith(start)


def _is_within(put: str, text: str) -> bool:
    """Whether the text has the value anywhere, also inside words."""
    return bool(put) and _fold(put) in _fold(text)


def _in_range(put: str, text: str) -> bool:
    """Whether a number is in the range that was put in: "1990-1999", "under 20", "100+"."""
    number = _NUMBER.search(text.replace(",", ""))
    bounds = [float(bound) for bound in _NUMBER.findall(put.replace(",", ""))]
    if not number or not bounds:
        return False
    value = float(number[0])
    if len(bounds) > 1:
        return bounds[0] <= value <= bounds[1]
    if _BELOW.search(put):
        return value <= bounds[0]
    if _ABOVE.search(put):
        return value >= bounds[0]
    return False


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
#: Those that are asked, one that is told as ``contains``, and one that is told as ``starts``.
_TESTS = RELATIONS | {"within": _is_within, "begins": _begins}


def map_controls(
    form: Form,
    results: Iterable[ProbeResult],
) -> list[Meaning]:
    """The meaning of each control that has one, in the form's order.

    Of the attributes that qualify, the one in which the value comes back in the most records and
    by the strictest relation; if there is none, the smallest set of attributes one of which has
    it, as of a control that searches everything.  Ties: the name of the attribute.
    """
    by_control: defaultdict[str, list[ProbeResult]] = defaultdict(list)
    for result in results:
        if result.records:
            by_control[result.control].append(result)

    all_records: list[Values] = []
    for control_results in by_control.values():
        for result in control_results:
            all_records.extend(result.records)
    step = max(1, len(all_records) // MAX_COMPARED_RECORDS)
    compared_records = all_records[::step]

    meanings = []
    for control in form.controls:
        meaning = _map_control(control, by_control[control.name], compared_records)
        if meaning:
            meanings.append(meaning)
    return meanings


def _map_control(
    control: Control,
    results: Sequence[ProbeResult],
    compared_records: Sequence[Values],
) -> Meaning | None:
    option_texts = dict(control.options)
    values = {result.value for result in results}
    if len(values) < min(MIN_VALUES, len(option_texts) or MIN_VALUES):
        return None

    attributes: set[str] = set()
    for result in results:
        for record in result.records:
            attributes.update(record)

    # What may come back: the value, or the text that readers see of it.
    readings = [_MappingRater(control.name, results, compared_records)]
    if option_texts:
        shown_results = [
            result._replace(value=option_texts.get(result.value, "")) for result in results
        ]
        readings.append(_MappingRater(control.name, shown_results, compared_records))

    best: Meaning | None = None
    best_rank: tuple[int, float, str] | None = None
    for rater in readings:
        for strictness, relation in enumerate(RELATIONS):
            for name in sorted(attributes):
                meaning = rater.rate((name,), relation)
                if meaning is None:
                    continue
                excess = round(meaning.share - meaning.chance, 3)
                rank = (strictness, -excess, name)
                if best_rank is None or rank < best_rank:
                    best = meaning
                    best_rank = rank
    if best is None or best.relation == "starts":
        best = _map_to_more(readings[0], sorted(attributes), best)
    if best is not None and best.relation == "contains" and len(best.attributes) == 1:
        return readings[0].as_start(best)
    return best


def _map_to_more(
    rater: _MappingRater,
    attributes: Sequence[str],
    best: Meaning | None,
) -> Meaning | None:
    """The mapping of a control whose values are in no attribute as words, or seem to be the starts
    of words, which some words always are: that which explains more records, if there is one.  The
    words are in one of several attributes, or the value is anywhere in one."""
    in_several = _map_to_any(rater, attributes)
    if in_several is not None and (best is None or in_several.share > best.share):
        return in_several
    for name in attributes:
        within = rater.rate((name,), "within")
        if within is not None and (best is None or within.share > best.share):
            best = replace(within, relation="contains")
    return best


@dataclass(frozen=True)
class _MappingRater:
    """Rates what a control may mean by the results of its probes."""

    control: str
    results: Sequence[ProbeResult]
    compared_records: Sequence[Values]

    def rate(
        self,
        names: tuple[str, ...],
        relation: str,
    ) -> Meaning | None:
        """The mapping to these attributes, if it holds."""
        shares: defaultdict[str, list[float]] = defaultdict(list)
        chances: dict[str, float] = {}
        record_count = 0
        for result in self.results:
            value = result.value
            if not value:
                return None
            records = result.records[:MAX_RECORDS]
            record_count += len(records)
            shares[value].append(_share_of(records, names, relation, value))
            if value not in chances:
                chances[value] = _share_of(self.compared_records, names, relation, value)
            if len(shares) == VALUES_OF_FIRST_LOOK and _mean_share(shares) < MIN_SHARE / 2:
                return None

        share = round(_mean_share(shares), 4)
        chance = round(fmean(chances.values()), 4)
        if share < MIN_SHARE or chance > MAX_CHANCE * share:
            return None
        return Meaning(
            control=self.control,
            attributes=names,
            relation=relation,
            probes=len(self.results),
            records=record_count,
            share=share,
            chance=chance,
        )

    def as_start(self, meaning: Meaning) -> Meaning:
        """The mapping as one to what texts begin with, if all do, and records of other probes have
        the values in the middle, which a control that finds words anywhere would have found."""
        beginning = self.rate(meaning.attributes, "begins")
        if beginning is None:
            return meaning
        for value in {result.value for result in self.results}:
            inside = _share_of(self.compared_records, meaning.attributes, "contains", value)
            at_start = _share_of(self.compared_records, meaning.attributes, "begins", value)
            if inside > at_start:
                return replace(beginning, relation="starts")
        return meaning


def _share_of(
    records: Sequence[Values],
    names: Sequence[str],
    relation: str,
    value: str,
) -> float:
    """The share of the records in one of whose attributes the value comes back."""
    test = _TESTS[relation]
    return fmean(
        any(test(value, record[name]) for name in names if name in record) for record in records
    )


def _mean_share(shares: Mapping[str, Sequence[float]]) -> float:
    """The mean over the values: one that was put in with many others would outweigh all."""
    return fmean(map(fmean, shares.values()))


def _map_to_any(
    rater: _MappingRater,
    attributes: Sequence[str],
) -> Meaning | None:
    """The mapping to several attributes: those that have the value in the most of the remaining
    records are added until all have it."""
    remaining: list[tuple[str, Values]] = []
    for result in rater.results:
        for record in result.records[:MAX_RECORDS]:
            remaining.append((result.value, record))

    names: list[str] = []
    while remaining and len(names) < len(attributes):
        best_name = ""
        best_matches: set[int] = set()
        for name in attributes:
            if name in names:
                continue
            matches = set()
            for i, (value, record) in enumerate(remaining):
                if _contains(value, record.get(name, "")):
                    matches.add(i)
            if len(matches) > len(best_matches):
                best_name = name
                best_matches = matches
        if not best_matches:
            break
        names.append(best_name)
        unmatched = []
        for i, pair in enumerate(remaining):
            if i not in best_matches:
                unmatched.append(pair)
        remaining = unmatched

    if not names:
        return None
    return rater.rate(tuple(sorted(names)), "contains")


def _fold(text: str) -> str:
    return " ".join(split_words(text))
