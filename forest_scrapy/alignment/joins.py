"""Relations in two steps, such as "created", then "has the name" (the thesis, section 3.6).

A join r₁/r₂ holds between x and a literal y if there is an entity z with r₁(x, z) and r₂(z, y).
Only the literals that the other ontology has, too, are looked at, so that what is explored of a
large ontology is small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from forest_scrapy.alignment.facts import Facts, Floats, Ints, chunks, join_keys, spread
from forest_scrapy.alignment.ontology import Ontology

#: So many rows are made at once.
_ROWS = 1 << 21
_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Joins:
    """The joins of an ontology.

    ``facts``: rows of a literal and an entity; their relations are numbered on from those of the
    ontology.  ``paths``: the relations r₁ and r₂ of each join; the first step may be an inverse.
    """

    facts: Facts
    paths: tuple[tuple[int, int], ...]
    inverse_functionality: Floats

    def name(self, ontology: Ontology, relation: int) -> str:
        """The path in the syntax of SPARQL, as ``<r1>/<r2>``."""
        first, second = self.paths[relation - 2 * len(ontology.relations)]
        return f"{ontology.name_relation(first)}/{ontology.name_relation(second)}"


def join_relations(ontology: Ontology, literals: Ints, most: int) -> Joins:
    """The joins that end at the literals.  A literal with more than ``most`` rows counts for the
    functionality of its joins, but is no evidence."""
    count = 2 * len(ontology.relations)
    totals: dict[int, tuple[int, int]] = {}
    kept: list[tuple[Ints, Ints, Ints]] = [(_NONE, _NONE, _NONE)]
    for part in _second_steps(ontology, literals):
        y, x, code = _first_steps(ontology, *part)
        _count_facts(totals, y, code)
        _, positions, sizes = np.unique(y, return_inverse=True, return_counts=True)
        is_few = sizes[positions] <= most
        kept.append((y[is_few], x[is_few], code[is_few]))
    codes = np.array(sorted(totals), dtype=np.int64)
    y, x, code = (np.concatenate(rows) for rows in zip(*kept, strict=True))
    facts = Facts.of_rows(y, x, count + np.searchsorted(codes, code))
    paths = tuple(divmod(c, count) for c in codes.tolist())
    return Joins(facts, paths, np.array([nodes / n for _, (nodes, n) in sorted(totals.items())]))


def _second_steps(ontology: Ontology, literals: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
    """The facts r₂(z, y) in parts that lead to some ``_ROWS`` rows; all facts of a literal are in
    one part."""
    starts, counts = ontology.facts.ranges(literals, ontology.literal_count)
    for part in chunks(counts, _ROWS):
        positions, rows = spread(starts[part], counts[part])
        z, second = ontology.facts.take(rows)
        _, degrees = ontology.facts.ranges(z, ontology.literal_count)
        size = part.stop - part.start
        costs = np.bincount(positions, weights=degrees, minlength=size).astype(np.int64)
        ends = np.searchsorted(positions, np.arange(size + 1))
        for piece in chunks(costs, _ROWS):
            span = slice(ends[piece.start], ends[piece.stop])
            yield literals[part][positions[span]], z[span], second[span]


def _first_steps(ontology: Ontology, y: Ints, z: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
    """The rows y, x and the number of the path, without duplicates."""
    positions, rows = spread(*ontology.facts.ranges(z, ontology.literal_count))
    x, first = ontology.facts.take(rows)
    code = first * (2 * len(ontology.relations)) + second[positions]
    y = y[positions]
    order = np.lexsort((code, x, y))
    y, x, code = y[order], x[order], code[order]
    is_new = np.ones(len(y), dtype=bool)
    is_new[1:] = (y[1:] != y[:-1]) | (x[1:] != x[:-1]) | (code[1:] != code[:-1])
    return y[is_new], x[is_new], code[is_new]


def _count_facts(totals: dict[int, tuple[int, int]], y: Ints, code: Ints) -> None:
    """Add the literals and the facts of each path."""
    paths, numbers, facts = np.unique(code, return_inverse=True, return_counts=True)
    literals = np.bincount(np.unique(join_keys(y, numbers)) & 0xFFFFFFFF, minlength=len(paths))
    for path, n_literals, n in zip(paths.tolist(), literals.tolist(), facts.tolist(), strict=True):
        before = totals.get(path, (0, 0))
        totals[path] = (before[0] + n_literals, before[1] + n)
