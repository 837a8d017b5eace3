"""The facts of an ontology as sorted arrays, which may be files mapped into memory.

Every fact r(x, y) stands twice: as r(x, y) with y as the node, and as r⁻¹(y, x) with x as the node.
So all that is said of a node is one range of rows.  A row takes 12 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
    return (high.astype(np.int64) << _SHIFT) | low


def split_keys(keys: Ints) -> tuple[Ints, Ints]:
    """The two numbers of each key."""
    return keys >> _SHIFT, keys & _MASK


def spread(starts: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """All members of ranges of rows: the position of the range, and the row.

    >>> spread(np.array([5, 9]), np.array([2, 1]))
    (array([0, 0, 1]), array([5, 6, 9]))
    """
    positions = np.repeat(np.arange(len(counts)), counts)
    ends = np.cumsum(counts)
    rows = np.arange(len(positions)) + np.repeat(starts - (ends - counts), counts)
    return positions, rows


def chunks(costs: Ints, most: int) -> Iterator[slice]:
    """Slices whose costs add up to at most ``most``, or that have one member.

    >>> list(chunks(np.array([3, 3, 9, 1]), 6))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    ends = np.cumsum(costs)
    start = 0
    while start < len(costs):
        before = int(ends[start - 1]) if start else 0
        end = max(int(np.searchsorted(ends, before + most, side="right")), start + 1)
        yield slice(start, end)
        start = end


def add_up(keys: Ints, values: Floats) -> tuple[Ints, Floats]:
    """The distinct keys in order, and the sum of the values of each.

    >>> add_up(np.array([7, 2, 7]), np.array([0.5, 1.0, 0.25]))
    (array([2, 7]), array([1.  , 0.75]))
    """
    if not len(keys):
        return keys, values
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    firsts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    return keys[firsts], np.add.reduceat(values, firsts)


@dataclass(frozen=True, eq=False)
class Facts:
    """Rows sorted by key (node and other end), then relation.

    ``relations``: an even number 2i is the i-th relation, with the node as its object; 2i + 1 is
    its inverse.  Other numbering is left to the one who builds it.
    """

    keys: Ints
    relations: npt.NDArray[np.int32]

    @classmethod
    def of_rows(cls, nodes: Ints, others: Ints, relations: Ints) -> Facts:
        """Sorted, without duplicates."""
        keys = join_keys(nodes, others)
        order = np.lexsort((relations, keys))
        keys, relations = keys[order], relations[order].astype(np.int32)
        is_new = np.ones(len(keys), dtype=bool)
        is_new[1:] = (keys[1:] != keys[:-1]) | (relations[1:] != relations[:-1])
        return cls(keys[is_new], relations[is_new].astype(np.int32))

    @classmethod
    def of_triples(cls, subjects: Ints, predicates: Ints, objects: Ints) -> Facts:
        """The facts and their inverses."""
        return cls.of_rows(
            np.concatenate([objects, subjects]),
            np.concatenate([subjects, objects]),
            np.concatenate([2 * predicates, 2 * predicates + 1]),
        )

    def ranges(self, nodes: Ints, least_other: int = 0) -> tuple[Ints, Ints]:
        """The first row and the number of rows of each node, those whose other end is at least
        ``least_other``."""
        low = join_keys(nodes, np.int64(least_other))  # type: ignore[arg-type]
        starts = np.searchsorted(self.keys, low)
        ends = np.searchsorted(self.keys, join_keys(nodes + 1, np.int64(0)))  # type: ignore[arg-type]
        return starts, ends - starts

    def take(self, rows: Ints) -> tuple[Ints, Ints]:
        """The other ends and the relations of the rows."""
        return self.keys[rows] & _MASK, self.relations[rows].astype(np.int64)

    def find(self, nodes: Ints, others: Ints) -> tuple[Ints, Ints]:
        """All relations between pairs of nodes: the position of the pair, and the relation."""
        keys = join_keys(nodes, others)
        starts = np.searchsorted(self.keys, keys)
        counts = np.searchsorted(self.keys, keys, side="right") - starts
        positions, rows = spread(starts, counts)
        return positions, self.relations[rows].astype(np.int64)

    def __len__(self) -> int:
        return len(self.keys)


def inverse_functionalities(facts: Facts, count: int, rows: int = 1 << 21) -> Floats:
    """fun(r⁻¹) of the relations 0 to ``count`` - 1: the number of nodes that have the relation,
    divided by its facts (equations 2 and 3, the harmonic mean); 1 for a relation without facts.

    The functionality of r is that of its inverse's inverse.  Reads ``rows`` rows at once.
    """
    all_facts = np.zeros(count, dtype=np.int64)
    nodes = np.zeros(count, dtype=np.int64)
    start = 0
    while start < len(facts):
        end = min(start + rows, len(facts))
        if end < len(facts):  # a node is read at once
            after = (int(facts.keys[end - 1]) >> _SHIFT) + 1
            end = int(np.searchsorted(facts.keys, np.int64(after << _SHIFT)))
        relations = facts.relations[start:end].astype(np.int64)
        all_facts += np.bincount(relations, minlength=count)
        seen = np.unique(join_keys(facts.keys[start:end] >> _SHIFT, relations))
        nodes += np.bincount(seen & _MASK, minlength=count)
        start = end
    return np.where(all_facts > 0, nodes / np.maximum(all_facts, 1), 1.0)
