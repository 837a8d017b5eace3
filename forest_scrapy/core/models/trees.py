"""The sum of decision trees' values for many rows, in compiled code if that is installed, else by
numpy for many rows at once (QuickScorer, Lucchese et al. 2015)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

try:
    from forest_scrapy.core.models import _native
except ImportError:  # the package was installed without a compiler
    _native = None  # type: ignore[assignment]

#: Features and thresholds, ``(rows, columns)`` or ``(trees, nodes)``.
Floats = NDArray[np.float32]
#: Numbers of columns and nodes.
Numbers = NDArray[np.int16]
#: Sums, one for each row.
Values = NDArray[np.float64]

#: Leaves of the largest tree that can be scored: a word has a bit for each.
_MAX_LEAVES = 64

#: Rows scored at a time, so that a huge page neither takes much memory nor blocks other threads.
_CHUNK = 256


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees in arrays of shape ``(trees, nodes)``.

    An inner node has a column and a threshold, and two children: ``lower`` for values up to the
    threshold, ``higher`` for values above.  A leaf has a value, and itself as its children.  No
    tree has more than 64 leaves.
    """

    columns: Numbers
    thresholds: Floats
    lower: Numbers
    higher: Numbers
    values: Floats

    def sums(self, table: Floats) -> Values:
        """For each row of the table the sum of the values of its leaves.

        Cost: some 2 microseconds a row in compiled code, 6 without.
        """
        if _native is None:
            return self.sums_by_bits(table)
        sums = np.zeros(len(table))
        contiguous = np.ascontiguousarray(table)
        _native.sum_trees(contiguous, *self._arrays, sums)
        return sums

    def sums_by_bits(self, table: Floats) -> Values:
        """``sums`` by numpy."""
        sums = [np.zeros(0)]
        for start in range(0, len(table), _CHUNK):
            chunk = table[start : start + _CHUNK]
            sums.append(self._scorer.sums(chunk))
        return np.concatenate(sums)

    def probabilities(self, table: Floats) -> Values:
        """For each row the probability of trees that were trained on a yes or no."""
        sums = self.sums(table)
        against = np.exp(-sums)
        return np.asarray(1 / (1 + against))

    @cached_property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        """The arrays, which the compiled code needs in this form."""
        return (
            np.ascontiguousarray(self.columns, np.int16),
            np.ascontiguousarray(self.thresholds, np.float32),
            np.ascontiguousarray(self.lower, np.int16),
            np.ascontiguousarray(self.higher, np.int16),
            np.ascontiguousarray(self.values, np.float32),
        )

    @cached_property
    def _scorer(self) -> "TreeScorer":
        return TreeScorer.of(self)

    def to_arrays(self, prefix: str = "") -> dict[str, NDArray[Any]]:
        """The arrays by their names, each with the prefix."""
        arrays = asdict(self)
        return {prefix + name: array for name, array in arrays.items()}

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        prefix: str = "",
    ) -> "Trees":
        """Read ``to_arrays``."""
        return cls(
            columns=arrays[prefix + "columns"],
            thresholds=arrays[prefix + "thresholds"],
            lower=arrays[prefix + "lower"],
            higher=arrays[prefix + "higher"],
            values=arrays[prefix + "values"],
        )


@dataclass(frozen=True)
class TreeScorer:
    """Trees as conditions and bit vectors, instead of paths to follow.

    The leaves of a tree are numbered from left to right.  An inner node whose condition (value up
    to the threshold) fails rules out the leaves of its left subtree: these are its mask.  A row
    ends at the first leaf that no node rules out.  Arrays of conditions have the shape
    ``(conditions, trees)``, the most of any tree; ``values`` has ``(trees, leaves)``.
    """

    columns: NDArray[np.intp]
    thresholds: Floats
    masks: NDArray[Any]
    values: Floats

    @classmethod
    def of(cls, trees: Trees) -> "TreeScorer":
        """The scorer of trees; raises ``ValueError`` for one with more than 64 leaves."""
        lower = trees.lower.tolist()
        higher = trees.higher.tolist()
        read_trees = list(map(_read_tree, lower, higher))
        condition_counts = [len(tree.conditions) for tree in read_trees]
        leaf_counts = [len(tree.leaves) for tree in read_trees]
        max_conditions = max(condition_counts, default=0)
        max_leaves = max(leaf_counts, default=1)
        if max_leaves > _MAX_LEAVES:
            raise ValueError(f"a tree has {max_leaves} leaves, at most {_MAX_LEAVES} can be scored")

        shape = (max_conditions, len(read_trees))
        word = np.uint32 if max_leaves <= 32 else np.uint64
        columns = np.zeros(shape, np.intp)
        thresholds = np.full(shape, np.inf, np.float32)
        masks = np.zeros(shape, word)
        values = np.zeros((len(read_trees), max_leaves), np.float32)
        for t, tree in enumerate(read_trees):
            for i, condition in enumerate(tree.conditions):
                node = condition.node
                columns[i, t] = trees.columns[t, node]
                thresholds[i, t] = trees.thresholds[t, node]
                masks[i, t] = condition.mask
            leaf_values = trees.values[t, tree.leaves]
            leaf_count = len(leaf_values)
            values[t, :leaf_count] = leaf_values
        return cls(columns, thresholds, masks, values)

    def sums(self, table: Floats) -> Values:
        """For each row the sum of the values of its leaves.

        Cost: rows * conditions, a quarter of the time of following the paths in numpy.
        """
        by_column = np.ascontiguousarray(table.T)
        shape = (len(self.values), len(table))
        ruled_out = np.zeros(shape, self.masks.dtype)
        conditions = zip(self.columns, self.thresholds, self.masks, strict=True)
        for columns, thresholds, masks in conditions:
            features = by_column[columns]
            fails = features > thresholds[:, None]
            ruled_out |= fails * masks[:, None]

        one_bit = ruled_out.dtype.type(1)
        incremented = ruled_out + one_bit
        lowest_zero = ~ruled_out & incremented
        as_floats = lowest_zero.astype(np.float64)
        _, exponents = np.frexp(as_floats)
        leaves = exponents - 1
        values = np.take_along_axis(self.values, leaves, axis=1)
        sums: Values = values.sum(
            axis=0,
            dtype=np.float64,
        )
        return sums


class _Condition(NamedTuple):
    """An inner node, and the leaves of its left subtree as bits."""

    node: int
    mask: int


class _ReadTree(NamedTuple):
    """A tree's inner nodes, and its leaves from left to right."""

    conditions: list[_Condition]
    leaves: list[int]


def _read_tree(lower: list[int], higher: list[int]) -> _ReadTree:
    """The tree with these children of its nodes.  A leaf is its own child."""
    leaves: list[int] = []
    spans: dict[int, tuple[int, int]] = {}
    waiting = [(0, False)]
    while waiting:
        node, are_children_done = waiting.pop()
        lower_child = lower[node]
        higher_child = higher[node]
        if lower_child == node:
            first = len(leaves)
            spans[node] = (first, first + 1)
            leaves.append(node)
        elif are_children_done:
            first, _ = spans[lower_child]
            _, last = spans[higher_child]
            spans[node] = (first, last)
        else:
            waiting.append((node, True))
            waiting.append((higher_child, False))
            waiting.append((lower_child, False))

    conditions = []
    for node in spans:
        lower_child = lower[node]
        if lower_child != node:
            first, last = spans[lower_child]
            mask = (1 << last) - (1 << first)
            conditions.append(_Condition(node, mask))
    return _ReadTree(conditions, leaves)
