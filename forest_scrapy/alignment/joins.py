"""Relations in two steps, such as "created", then "has the name" (the thesis, section 3.6).

A join r₁/r₂ holds between x and a literal y if there is an entity z with r₁(x, z) and r₂(z, y).
Only literals that the other ontology has, too, are followed, so that little of a large ontology
is explored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from forest_scrapy.alignment.facts import (
    Bools,
    Facts,
    Floats,
    Ints,
    chunks,
    join_keys,
    mark_new_rows,
    split_keys,
    spread,
)
from forest_scrapy.alignment.ontology import Ontology

#: The number of rows that are made at once.
_ROWS = 1 << 21


@dataclass(frozen=True, eq=False)
class Joins:
    """The joins of an ontology.

    ``facts``: rows of a literal and an entity; their relations are numbered on from those of the
    ontology.  ``paths``: the relations r₁ and r₂ of each join; the first step may be an inverse.
    """

    facts: Facts
    paths: tuple[tuple[int, int], ...]
    inverse_functionality: Floats

    @classmethod
    def none(cls) -> Joins:
        """No joins."""
        no_keys = np.empty(0, dtype=np.int64)
        no_relations = np.empty(0, dtype=np.int32)
        return cls(
            facts=Facts(no_keys, no_relations),
            paths=(),
            inverse_functionality=np.empty(0),
        )

    def name(self, ontology: Ontology, relation: int) -> str:
        """The path in the syntax of SPARQL, as ``<r1>/<r2>``."""
        number = relation - 2 * len(ontology.relations)
        first, second = self.paths[number]
        first_name = ontology.name_relation(first)
        second_name = ontology.name_relation(second)
        return f"{first_name}/{second_name}"


@dataclass(frozen=True, eq=False)
class _SecondSteps:
    """Facts r₂(z, y): the literals y, the entities z, and the relations."""

    literals: Ints
    middles: Ints
    relations: Ints


@dataclass(frozen=True, eq=False)
class _JoinedRows:
    """Facts of joins: the literals y, the entities x, and the codes of the paths, which are
    r₁ · n + r₂ for n relations."""

    literals: Ints
    entities: Ints
    codes: Ints

    def take(self, rows: Ints | Bools) -> _JoinedRows:
        """The selected rows."""
        return _JoinedRows(
            literals=self.literals[rows],
            entities=self.entities[rows],
            codes=self.codes[rows],
        )


def join_relations(
    ontology: Ontology,
    literals: Ints,
    max_rows: int,
) -> Joins:
    """The joins that end at the literals.  A literal with more than ``max_rows`` rows counts for
    the functionality of its joins, but is no evidence."""
    relation_count = 2 * len(ontology.relations)
    counts = _PathCounts()
    parts: list[_JoinedRows] = []
    for second_steps in _second_steps(ontology, literals):
        joined = _first_steps(ontology, second_steps)
        counts.add(joined)

        _, positions, sizes = np.unique(joined.literals, return_inverse=True, return_counts=True)
        row_counts = sizes[positions]
        parts.append(joined.take(row_counts <= max_rows))

    codes = np.array(counts.codes(), dtype=np.int64)
    joined = _concatenate(parts)
    path_numbers = np.searchsorted(codes, joined.codes)
    facts = Facts.of_rows(
        nodes=joined.literals,
        ends=joined.entities,
        relations=relation_count + path_numbers,
    )
    paths = [divmod(code, relation_count) for code in codes.tolist()]
    return Joins(
        facts=facts,
        paths=tuple(paths),
        inverse_functionality=counts.inverse_functionality(),
    )


def _concatenate(parts: list[_JoinedRows]) -> _JoinedRows:
    no_rows = np.empty(0, dtype=np.int64)
    literals = [part.literals for part in parts]
    entities = [part.entities for part in parts]
    codes = [part.codes for part in parts]
    return _JoinedRows(
        literals=np.concatenate([no_rows, *literals]),
        entities=np.concatenate([no_rows, *entities]),
        codes=np.concatenate([no_rows, *codes]),
    )


def _second_steps(ontology: Ontology, literals: Ints) -> Iterator[_SecondSteps]:
    """The facts r₂(z, y) in parts that lead to some ``_ROWS`` rows; all facts of a literal are in
    one part."""
    facts = ontology.facts
    starts, counts = facts.ranges(literals, ontology.literal_count)
    for part in chunks(counts, _ROWS):
        part_literals = literals[part]
        positions, rows = spread(starts[part], counts[part])
        middles, relations = facts.take(rows)
        _, degrees = facts.ranges(middles, ontology.literal_count)

        size = len(part_literals)
        cost_sums = np.bincount(positions, weights=degrees, minlength=size)
        costs = cost_sums.astype(np.int64)
        numbers = np.arange(size + 1)
        bounds = np.searchsorted(positions, numbers)
        for piece in chunks(costs, _ROWS):
            span = slice(bounds[piece.start], bounds[piece.stop])
            yield _SecondSteps(
                literals=part_literals[positions[span]],
                middles=middles[span],
                relations=relations[span],
            )


def _first_steps(ontology: Ontology, second_steps: _SecondSteps) -> _JoinedRows:
    """The facts of joins that the second steps lead to, without duplicates."""
    facts = ontology.facts
    starts, counts = facts.ranges(second_steps.middles, ontology.literal_count)
    positions, rows = spread(starts, counts)
    entities, first_relations = facts.take(rows)

    relation_count = 2 * len(ontology.relations)
    second_relations = second_steps.relations[positions]
    joined = _JoinedRows(
        literals=second_steps.literals[positions],
        entities=entities,
        codes=first_relations * relation_count + second_relations,
    )

    columns = (joined.codes, joined.entities, joined.literals)
    joined = joined.take(np.lexsort(columns))
    is_new = mark_new_rows(joined.literals, joined.entities, joined.codes)
    return joined.take(is_new)


class _PathCounts:
    """The number of facts, and of literals that have some, of each path."""

    def __init__(self) -> None:
        self._facts: Counter[int] = Counter()
        self._literals: Counter[int] = Counter()

    def add(self, joined: _JoinedRows) -> None:
        """Count the rows.  No literal may come in two calls."""
        codes, numbers, fact_counts = np.unique(
            joined.codes, return_inverse=True, return_counts=True
        )
        literal_paths = np.unique(join_keys(joined.literals, numbers))
        _, path_numbers = split_keys(literal_paths)
        literal_counts = np.bincount(path_numbers, minlength=len(codes))

        for number, code in enumerate(codes.tolist()):
            self._facts[code] += int(fact_counts[number])
            self._literals[code] += int(literal_counts[number])

    def codes(self) -> list[int]:
        """The codes of the paths, in order."""
        return sorted(self._facts)

    def inverse_functionality(self) -> Floats:
        """The literals of each path divided by its facts, in the order of ``codes``."""
        shares = []
        for code in self.codes():
            share = self._literals[code] / self._facts[code]
            shares.append(share)
        return np.array(shares)
