"""The sum of decision trees' values for many rows, in compiled code where it is there; else for
many rows at once (QuickScorer, Lucchese et al. 2015)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from forest_scrapy.core.models import _native
except ImportError:  # no compiler was there when the package was installed
    _native = None  # type: ignore[assignment]

#: The unsigned integers that hold a bit for each leaf of a tree.
_WORDS: tuple[tuple[int, type[np.unsignedinteger[Any]]], ...] = ((32, np.uint32), (64, np.uint64))

#: Rows scored at a time, so that a huge page neither takes much memory nor blocks other threads.
_CHUNK = 256


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees in arrays of shape ``(trees, nodes)``.

    An inner node has a column and a threshold, and two children: ``lower`` for values up to the
    threshold, ``higher`` for values above.  A leaf has a value, and itself as its children.  No
    tree has more than 64 leaves.
    """

    columns: NDArray[np.int16]
    thresholds: NDArray[np.float32]
    lower: NDArray[np.int16]
    higher: NDArray[np.int16]
    values: NDArray[np.float32]

    def sums(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """For each row of the table the sum of the values of its leaves.

        Cost: some 2 microseconds a row in compiled code, 6 without.
        """
        if _native is None:
            return self.sums_by_bits(table)
        sums = np.zeros(len(table))
        _native.sum_trees(np.ascontiguousarray(table), *self._arrays, sums)
        return sums

    def sums_by_bits(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """``sums`` by numpy."""
        chunks = [self._scorer.sums(table[i : i + _CHUNK]) for i in range(0, len(table), _CHUNK)]
        return np.concatenate(chunks) if chunks else np.zeros(0)

    def probabilities(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """For each row the probability of trees that were trained on a yes or no."""
        return np.asarray(1 / (1 + np.exp(-self.sums(table))))

    @cached_property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        """The arrays, which the compiled code needs in this form."""
        types = (np.int16, np.float32, np.int16, np.int16, np.float32)
        arrays = (self.columns, self.thresholds, self.lower, self.higher, self.values)
        return tuple(map(np.ascontiguousarray, arrays, types))

    @cached_property
    def _scorer(self) -> "TreeScorer":
        return TreeScorer.of(self)

    def to_arrays(self, prefix: str = "") -> dict[str, NDArray[Any]]:
        """The arrays by their names, each with the prefix."""
        return {prefix + name: array for name, array in asdict(self).items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str = "") -> "Trees":
        """Read ``to_arrays``."""
        return cls(**{name: arrays[prefix + name] for name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class TreeScorer:
    """Trees as conditions and bit vectors, instead of paths to follow.

    The leaves of a tree are numbered from left to right.  An inner node whose condition (value up
    to the threshold) fails rules out the leaves of its left subtree: these are its ``masks``.
    The first leaf that no node rules out is the row's own.  Arrays of conditions have the shape
    ``(conditions, trees)``, the most of any tree; ``values`` has ``(trees, leaves)``.
    """

    columns: NDArray[np.intp]
    thresholds: NDArray[np.float32]
    masks: NDArray[Any]
    values: NDArray[np.float32]

    @classmethod
    def of(cls, trees: Trees) -> "TreeScorer":
        """The scorer of trees; raises ``ValueError`` for one with more than 64 leaves."""
        children = zip(trees.lower.tolist(), trees.higher.tolist(), strict=True)
        found = [_conditions(*tree) for tree in children]
        most = max((len(leaves) for _, leaves in found), default=1)
        word = next((word for bits, word in _WORDS if most <= bits), None)
        if word is None:
            raise ValueError(f"a tree has {most} leaves, at most 64 can be scored")
        shape = (max((len(nodes) for nodes, _ in found), default=0), len(found))
        made = cls(
            np.zeros(shape, np.intp),
            np.full(shape, np.inf, np.float32),
            np.zeros(shape, word),
            np.zeros((len(found), most), np.float32),
        )
        for t, (nodes, leaves) in enumerate(found):
            for i, (node, mask) in enumerate(nodes):
                made.columns[i, t] = trees.columns[t, node]
                made.thresholds[i, t] = trees.thresholds[t, node]
                made.masks[i, t] = mask
            made.values[t, : len(leaves)] = trees.values[t, leaves]
        return made

    def sums(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """For each row the sum of the values of its leaves.

        Cost: rows * conditions, a quarter of the time of following the paths in numpy.
        """
        by_column = np.ascontiguousarray(table.T)
        ruled_out = np.zeros((len(self.values), len(table)), self.masks.dtype)
        for columns, thresholds, masks in zip(
            self.columns, self.thresholds, self.masks, strict=True
        ):
            ruled_out |= (by_column[columns] > thresholds[:, None]) * masks[:, None]
        first = ~ruled_out & (ruled_out + ruled_out.dtype.type(1))  # the lowest bit that is left
        leaves = np.frexp(first.astype(np.float64))[1] - 1
        found: NDArray[np.float64] = np.take_along_axis(self.values, leaves, axis=1).sum(
            axis=0, dtype=np.float64
        )
        return found


def _conditions(lower: list[int], higher: list[int]) -> tuple[list[tuple[int, int]], list[int]]:
    """The inner nodes of a tree, each with the leaves of its left subtree as bits; and the leaves
    from left to right.  A leaf is its own child."""
    leaves: list[int] = []
    spans: dict[int, tuple[int, int]] = {}
    waiting = [(0, False)]
    while waiting:
        node, is_done = waiting.pop()
        if lower[node] == node:
            spans[node] = (len(leaves), len(leaves) + 1)
            leaves.append(node)
        elif is_done:
            spans[node] = (spans[lower[node]][0], spans[higher[node]][1])
        else:
            waiting += [(node, True), (higher[node], False), (lower[node], False)]
    inner = [node for node in spans if lower[node] != node]
    left = {node: spans[lower[node]] for node in inner}
    return [(node, (1 << left[node][1]) - (1 << left[node][0])) for node in inner], leaves
