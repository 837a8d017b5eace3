"""Fillings of a form that may be sent next, as groups whose members are alike; each yields the best
first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from forest_scrapy.forms.form import Control
from forest_scrapy.forms.regions import Filling, Region, Regions

#: Pairs of general values, and words that are unseen in an open filling, that are tried at most.
_MOST_PAIRS, _MOST_UNSEEN = 1000, 200


@dataclass(frozen=True)
class General:
    """Words for a control that are not from records."""

    name: str
    values: Sequence[str]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        return (((self.name, value),) for value in self.values)


@dataclass(frozen=True)
class GeneralPairs:
    """Words for two controls that are not from records."""

    names: tuple[str, ...]
    values: Sequence[Sequence[str]]

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        found = sorted(
            (i + j, one, other) for (i, one), (j, other) in product(*map(enumerate, self.values))
        )
        for _, *filled in found[:_MOST_PAIRS]:
            yield tuple(zip(self.names, filled, strict=True))


@dataclass(frozen=True)
class Joined:
    """Open fillings with another value for a control, those with the most known records first."""

    names: tuple[str, ...]
    control: Control
    pairs: list[tuple[int, int, Filling, str]]

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        for _, _, filling, value in sorted(self.pairs):
            yield _fill(self.names, filling, self.control.name, value)


@dataclass(frozen=True)
class Narrower:
    """Words of an attribute that narrow open fillings by a control, the most frequent first."""

    names: tuple[str, ...]
    control: Control
    attribute: str
    bits: int
    regions: list[Region]

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        options = {}
        if self.control.kind == "choice":
            texts = regions.option_terms(self.control)
            options = {shown: value for value, shown in texts.items()}
        found: list[tuple[int, int, str]] = []
        for number, region in enumerate(self.regions):
            counts = region.counts[self.attribute]
            is_again = any(name == self.control.name for name, _ in region.filling)
            found.extend(
                (-counts[term], number, term)
                for term in region.by_bits[self.attribute, self.bits]
                if (not options or term in options) and not (is_again and " " in term)
            )
        for _, number, term in sorted(found):
            value = options.get(term, term)
            yield _fill(self.names, self.regions[number].filling, self.control.name, value)


@dataclass(frozen=True)
class Unseen:
    """The most frequent words of an attribute that no known record of an open filling has."""

    names: tuple[str, ...]
    control: Control
    attribute: str
    regions: list[Region]

    def fillings(self, regions: Regions) -> Iterator[Filling]:
        if self.control.kind == "choice":
            return
        counts = regions.root.counts[self.attribute]
        most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_MOST_UNSEEN]
        for term, _ in most:
            for region in self.regions:
                if term not in region.counts[self.attribute]:
                    yield _fill(self.names, region.filling, self.control.name, term)


Candidates = General | GeneralPairs | Joined | Unseen | Narrower


def _fill(names: Sequence[str], filling: Filling, name: str, value: str) -> Filling:
    """A filling with another value for a control, after the one it has."""
    values = dict(filling)
    before = values.get(name)
    values[name] = f"{before} {value}" if before else value
    return tuple((one, values[one]) for one in names)
