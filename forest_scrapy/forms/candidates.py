"""Fillings of a form that may be sent next, as groups whose members are alike; each yields the best
first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge

from forest_scrapy.forms.form import Control
from forest_scrapy.forms.regions import ControlNames, Filling, Region, Regions

#: Pairs of general values that are tried.
MAX_PAIRS = 1000
#: Words that no record of an open filling has that are tried.
MAX_UNSEEN_WORDS = 200


@dataclass(frozen=True)
class General:
    """Words for a control that are not from records."""

    name: str
    values: Sequence[str]

    @property
    def names(self) -> ControlNames:
        return (self.name,)

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        for value in self.values:
            yield ((self.name, value),)


@dataclass(frozen=True)
class GeneralPairs:
    """Words for two controls that are not from records.  ``varied``: the control, a choice if there
    is one, of which all values are tried with a word that had an answer: most words have none, and
    one that has is likely to have others."""

    names: ControlNames
    values: Sequence[Sequence[str]]
    varied: str

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        name, partner_name = self.names
        values, partner_values = self.values
        if not values or not partner_values:
            return
        yield from self._answered_pairs(regions)

        # Each pair has another partner than those before, as long as there are any, since some
        # options have no records; and the first words, which are more frequent, come more often:
        # one, then one and two, then one to three, and so on.  These may come round to the same
        # pairs: the others are last.
        used_pairs: set[tuple[int, int]] = set()
        partner_place = 0
        max_pairs = min(MAX_PAIRS, len(values) * len(partner_values))
        for last_place in range(max_pairs):
            for place in range(min(last_place + 1, len(values))):
                if len(used_pairs) >= max_pairs:
                    return
                if (place, partner_place) not in used_pairs:
                    used_pairs.add((place, partner_place))
                    yield (name, values[place]), (partner_name, partner_values[partner_place])
                partner_place = (partner_place + 1) % len(partner_values)
        for partner_place, partner in enumerate(partner_values):
            for place, value in enumerate(values):
                if len(used_pairs) >= max_pairs:
                    return
                if (place, partner_place) not in used_pairs:
                    used_pairs.add((place, partner_place))
                    yield (name, value), (partner_name, partner)

    def _answered_pairs(self, regions: Regions) -> Iterator[Filling]:
        """What had an answer with one value of the varied control, with each value of it."""
        values_by_name = dict(zip(self.names, self.values, strict=True))
        (fixed,) = set(self.names) - {self.varied}
        answered_values = regions.answered_values(self.names, fixed)
        for fixed_value in values_by_name[fixed]:
            if fixed_value not in answered_values:
                continue
            for varied_value in values_by_name[self.varied]:
                filling = {fixed: fixed_value, self.varied: varied_value}
                yield tuple((name, filling[name]) for name in self.names)


@dataclass(frozen=True)
class NamedPairs:
    """Values that a person has named for a control of a pair, each with the values of the other one
    until one has records: a city is found with its own state only, and its records tell others."""

    names: ControlNames
    named: str
    values: Sequence[str]
    partner_values: Sequence[str]

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        first_name, _ = self.names
        answered_values = regions.answered_values(self.names, self.named)
        for value in self.values:
            if value in answered_values:
                continue
            for partner_value in self.partner_values:
                pair = (value, partner_value)
                if self.named != first_name:
                    pair = (partner_value, value)
                yield tuple(zip(self.names, pair, strict=True))


@dataclass(frozen=True)
class Narrower:
    """Terms of an attribute that narrow open fillings by a control, those of which the most new
    records are expected first.

    ``values``: what the control is filled with by the terms that may be; None if all may be.
    """

    names: ControlNames
    control: Control
    attribute: str
    bucket: str
    regions: list[Region]
    values: Mapping[str, str] | None = None

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        name = self.control.name
        finds_whole = self.control.kind == "text" and regions.finds_whole(name)
        ranked_terms = []
        for number, region in enumerate(self.regions):
            terms = regions.estimates(region).ranked.get((self.attribute, self.bucket), ())
            if self.values is not None:
                terms = [ranked_term for ranked_term in terms if ranked_term[2] in self.values]
            if terms:
                ranked_terms.append([(*ranked_term, number) for ranked_term in terms])

        for _, _, term, number in merge(*ranked_terms):
            if finds_whole and not regions.is_whole(self.attribute, term):
                continue
            value = term if self.values is None else self.values[term]
            filling = self.regions[number].filling
            before = dict(filling).get(name, "")
            if before:
                # A control that is filled in already gets one more word.
                words = value.split()
                is_open = self.values is not None
                if len(words) > 1 and not is_open:
                    continue
                if not set(words).isdisjoint(before.split()):
                    continue
            yield _fill(self.names, filling, name, value)


@dataclass(frozen=True)
class UnseenWords:
    """The most frequent words of an attribute that no known record of an open filling has."""

    names: ControlNames
    control: Control
    attribute: str
    regions: list[Region]

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        if self.control.kind == "choice":
            return
        counts = regions.estimates(regions.root).known.get(self.attribute, {})
        ranked_terms = sorted(counts, key=lambda term: (-counts[term], term))
        for term in ranked_terms[:MAX_UNSEEN_WORDS]:
            for region in self.regions:
                known_terms = regions.estimates(region).known.get(self.attribute, {})
                if term not in known_terms:
                    yield _fill(self.names, region.filling, self.control.name, term)


@dataclass(frozen=True)
class LongerParts:
    """Parts of texts that narrow open fillings by a control which finds these: one sign longer.

    ``bits``: of the number of known records that have them."""

    names: ControlNames
    control: Control
    bits: int
    regions: list[Region]

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        ranked_parts: list[tuple[float, int, str]] = []
        for number, region in enumerate(self.regions):
            parts = regions.longer_parts(region, self.control.name)
            for part, count in parts.items():
                if count.bit_length() == self.bits:
                    ranked_parts.append((-weigh(region, count), number, part))
        ranked_parts.sort()
        for _, number, part in ranked_parts:
            values = {**dict(self.regions[number].filling), self.control.name: part}
            yield tuple((name, values[name]) for name in self.names)


@dataclass(frozen=True)
class HalfRanges:
    """Open fillings halved by a range.  ``halves``: the negative weight, and the filling."""

    names: ControlNames
    halves: list[tuple[float, Filling]]

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        for _, filling in sorted(self.halves):
            yield filling


def weigh(region: Region, count: int) -> float:
    """How many unknown records a narrower filling may have that so many known ones have."""
    return round(count * region.weight, 3)


Candidates = LongerParts | HalfRanges | General | GeneralPairs | NamedPairs | UnseenWords | Narrower


def _fill(
    names: Sequence[str],
    filling: Filling,
    name: str,
    value: str,
) -> Filling:
    """A filling with another value for a control, after the one it has."""
    values = dict(filling)
    before = values.get(name)
    values[name] = f"{before} {value}" if before else value
    return tuple((control, values[control]) for control in names)
