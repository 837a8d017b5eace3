"""The facts of an ontology as sorted arrays, which may be files mapped into memory.

Every fact r(x, y) stands twice: as r(x, y) with y as the node, and as r⁻¹(y, x) with x as the node.
So all facts of a node are one range of rows.  A row takes 12 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

#: A key is two numbers below 2³¹ in one: the node, and the other end.
_SHIFT = 32
_MASK = (1 << _SHIFT) - 1


def join_keys(high: Ints, low: Ints) -> Ints:
    """Both numbers in one, which sorts by the first, then the second."""
    high_part = high.astype(np.int64) << _SHIFT
    return high_part | low


def split_keys(keys: Ints) -> tuple[Ints, Ints]:
    """The two numbers of each key."""
    high = keys >> _SHIFT
    low = keys & _MASK
    return high, low


def look_up(keys: Ints, values: Floats, searched: Ints) -> Floats:
    """The values of keys, which are sorted; 0 for those that are searched and not there."""
    if not len(keys):
        return np.zeros(len(searched))
    last_row = len(keys) - 1
    insertion_rows = np.searchsorted(keys, searched)
    rows = np.minimum(insertion_rows, last_row)
    is_there = keys[rows] == searched
    return np.where(is_there, values[rows], 0.0)


def spread(starts: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """All members of ranges of rows: the position of the range, and the row.

    >>> spread(np.array([5, 9]), np.array([2, 1]))
    (array([0, 0, 1]), array([5, 6, 9]))
    """
    range_numbers = np.arange(len(counts))
    positions = np.repeat(range_numbers, counts)

    members_before = np.cumsum(counts) - counts
    first_offsets = starts - members_before
    offsets = np.repeat(first_offsets, counts)
    member_numbers = np.arange(len(positions))
    return positions, offsets + member_numbers


def chunks(costs: Ints, max_cost: int) -> Iterator[slice]:
    """Slices whose costs add up to at most ``max_cost``, or that have one member.

    >>> list(chunks(np.array([3, 3, 9, 1]), 6))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    ends = np.cumsum(costs)
    start = 0
    cost_before = 0
    while start < len(costs):
        max_end_cost = cost_before + max_cost
        fitting_end = np.searchsorted(ends, max_end_cost, side="right")
        end = max(int(fitting_end), start + 1)
        yield slice(start, end)
        start = end
        cost_before = int(ends[end - 1])


def mark_new_rows(*columns: npt.NDArray[Any]) -> Bools:
    """Whether each row differs from the one before it in any of the columns; the first one does.

    >>> mark_new_rows(np.array([1, 1, 1]), np.array([5, 5, 6]))
    array([ True, False,  True])
    """
    row_count = len(columns[0])
    is_new = np.zeros(row_count, dtype=bool)
    is_new[:1] = True
    for column in columns:
        rows = column[1:]
        rows_before = column[:-1]
        is_new[1:] |= rows != rows_before
    return is_new


def add_up(keys: Ints, values: Floats) -> tuple[Ints, Floats]:
    """The distinct keys in order, and the sum of the values of each.

    >>> add_up(np.array([7, 2, 7]), np.array([0.5, 1.0, 0.25]))
    (array([2, 7]), array([1.  , 0.75]))
    """
    if not len(keys):
        return keys, values
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    sorted_values = values[order]

    is_first = mark_new_rows(sorted_keys)
    firsts = np.flatnonzero(is_first)
    sums = np.add.reduceat(sorted_values, firsts)
    return sorted_keys[firsts], sums


@dataclass(frozen=True, eq=False)
class Facts:
    """Rows sorted by key (node and other end), then relation.

    ``relations``: an even number 2i is the i-th relation, with the node as its object; 2i + 1 is
    its inverse.  Other numbering is up to who builds it.
    """

    keys: Ints
    relations: npt.NDArray[np.int32]

    @classmethod
    def of_rows(
        cls,
        nodes: Ints,
        ends: Ints,
        relations: Ints,
    ) -> Facts:
        """Sorted, without duplicates.  ``ends``: the other ends of the nodes' facts."""
        keys = join_keys(nodes, ends)
        order = np.lexsort((relations, keys))
        sorted_keys = keys[order]
        sorted_relations = relations[order].astype(np.int32)
        is_new = mark_new_rows(sorted_keys, sorted_relations)
        return cls(
            keys=sorted_keys[is_new],
            relations=sorted_relations[is_new],
        )

    @classmethod
    def of_triples(
        cls,
        subjects: Ints,
        predicates: Ints,
        objects: Ints,
    ) -> Facts:
        """The facts and their inverses."""
        direct = 2 * predicates
        inverse = direct + 1
        return cls.of_rows(
            nodes=np.concatenate([objects, subjects]),
            ends=np.concatenate([subjects, objects]),
            relations=np.concatenate([direct, inverse]),
        )

    def ranges(self, nodes: Ints, min_end: int = 0) -> tuple[Ints, Ints]:
        """The first row and the number of rows of each node, of those whose other end is at least
        ``min_end``."""
        first_keys = join_keys(nodes, np.int64(min_end))  # type: ignore[arg-type]
        next_keys = join_keys(nodes + 1, np.int64(0))  # type: ignore[arg-type]
        starts = np.searchsorted(self.keys, first_keys)
        stops = np.searchsorted(self.keys, next_keys)
        counts = stops - starts
        return starts, counts

    def take(self, rows: Ints) -> tuple[Ints, Ints]:
        """The other ends and the relations of the rows."""
        ends = self.keys[rows] & _MASK
        relations = self.relations[rows].astype(np.int64)
        return ends, relations

    def find(self, nodes: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """All relations between pairs of nodes: the position of the pair, and the relation."""
        keys = join_keys(nodes, ends)
        starts = np.searchsorted(self.keys, keys)
        stops = np.searchsorted(self.keys, keys, side="right")
        counts = stops - starts
        positions, rows = spread(starts, counts)
        relations = self.relations[rows]
        return positions, relations.astype(np.int64)

    def __len__(self) -> int:
        return len(self.keys)


def inverse_functionalities(
    facts: Facts,
    count: int,
    rows: int = 1 << 21,
) -> Floats:
    """fun(r⁻¹) of the relations 0 to ``count`` - 1: the number of nodes that have the relation,
    divided by its facts (equations 2 and 3, the harmonic mean); 1 for a relation without facts.

    The functionality of r is that of its inverse's inverse.  Reads ``rows`` rows at once.
    """
    fact_counts = np.zeros(count, dtype=np.int64)
    node_counts = np.zeros(count, dtype=np.int64)
    row_count = len(facts)
    start = 0
    while start < row_count:
        end = min(start + rows, row_count)
        if end < row_count:
            end = _end_of_node(facts, end - 1)
        block_keys = facts.keys[start:end]
        block_relations = facts.relations[start:end]

        relations = block_relations.astype(np.int64)
        fact_counts += np.bincount(relations, minlength=count)

        nodes = block_keys >> _SHIFT
        node_relations = join_keys(nodes, relations)
        distinct_keys = np.unique(node_relations)
        _, distinct_relations = split_keys(distinct_keys)
        node_counts += np.bincount(distinct_relations, minlength=count)
        start = end

    has_facts = fact_counts > 0
    shares = node_counts / np.maximum(fact_counts, 1)
    return np.where(has_facts, shares, 1.0)


def _end_of_node(facts: Facts, row: int) -> int:
    """The row after the last one of the node that a row has: all rows of a node are read at
    once."""
    node = int(facts.keys[row]) >> _SHIFT
    next_key = np.int64((node + 1) << _SHIFT)
    return int(np.searchsorted(facts.keys, next_key))
