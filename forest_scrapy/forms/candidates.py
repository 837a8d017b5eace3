"""Fillings of a form that may be sent next, as groups whose members are alike; each yields the best
first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    """Words for two controls that are not from records."""

    names: ControlNames
    values: Sequence[Sequence[str]]

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        name, partner_name = self.names
        values, partner_values = self.values
        ranked_pairs = []
        for rank, value in enumerate(values):
            for partner_rank, partner in enumerate(partner_values):
                pair_rank = rank + partner_rank
                ranked_pairs.append((pair_rank, value, partner))
        ranked_pairs.sort()
        for _, value, partner in ranked_pairs[:MAX_PAIRS]:
            yield (name, value), (partner_name, partner)


@dataclass(frozen=True)
class JoinedFillings:
    """Open fillings with another value for a control, those with the most known records first.

    ``pairs``: the negative weight, a number that breaks ties, the filling, and
    the control with its value.
    """

    names: ControlNames
    pairs: list[tuple[float, int, Filling, str, str]]

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        for _, _, filling, name, value in sorted(self.pairs):
            yield _fill(self.names, filling, name, value)


@dataclass(frozen=True)
class Narrower:
    """Words of an attribute that narrow open fillings by a control, the most frequent first."""

    names: ControlNames
    control: Control
    attribute: str
    bits: int
    regions: list[Region]

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        options: dict[str, str] = {}
        if self.control.kind == "choice":
            terms = regions.option_terms(self.control)
            options = {term: value for value, term in terms.items()}

        finds_whole = self.control.kind == "text" and regions.finds_whole(self.control.name)
        ranked_terms: list[tuple[float, int, str]] = []
        for number, region in enumerate(self.regions):
            counts = region.counts[self.attribute]
            region_terms = region.by_bits[self.attribute, self.bits]
            is_again = self.control.name in region.controls
            for term in region_terms:
                if options and term not in options:
                    continue
                # A control that is filled in already gets one more word.
                if is_again and " " in term:
                    continue
                if finds_whole and not regions.is_whole(self.attribute, term):
                    continue
                ranked_terms.append((-weigh(region, counts[term]), number, term))

        ranked_terms.sort()
        for _, number, term in ranked_terms:
            filling = self.regions[number].filling
            value = options.get(term, term)
            yield _fill(self.names, filling, self.control.name, value)


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
        counts = regions.root.counts[self.attribute]
        ranked_terms = sorted(counts, key=lambda term: (-counts[term], term))
        for term in ranked_terms[:MAX_UNSEEN_WORDS]:
            for region in self.regions:
                known_terms = region.counts[self.attribute]
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
    if not region.missing:
        return float(count)
    return round(count * region.missing / max(1, region.size), 3)


Candidates = (
    LongerParts | HalfRanges | General | GeneralPairs | JoinedFillings | UnseenWords | Narrower
)


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
