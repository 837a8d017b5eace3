"""Trees scored by bit vectors give what following each path gives."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from forest_scrapy.core.models.trees import Trees, TreeScorer
from forest_scrapy.core.segments.classifier import default_classifier


def follow(model: Trees, row: NDArray[np.float32]) -> float:
    """The sum of the leaves at the ends of the paths, one step at a time."""
    total = 0.0
    for t in range(len(model.columns)):
        node = 0
        while model.lower[t, node] != node:
            is_lower = row[model.columns[t, node]] <= model.thresholds[t, node]
            node = int((model.lower if is_lower else model.higher)[t, node])
        total += float(model.values[t, node])
    return total


def test_sums_are_those_of_the_paths() -> None:
    model = default_classifier().trees
    width = default_classifier().vocabulary.width
    rng = np.random.default_rng(3)
    columns = rng.choice(model.thresholds.ravel(), (60, width))
    table = np.where(rng.random(columns.shape) < 0.5, columns, rng.integers(0, 2, columns.shape))
    table = table.astype(np.float32)  # half of the values are exactly at a threshold
    expected = [follow(model, row) for row in table]
    assert model.sums(table).tolist() == pytest.approx(expected, abs=1e-9)
    assert model.sums_by_bits(table).tolist() == model.sums(table).tolist()
    assert model.sums(table[:, ::-1][:, ::-1]).tolist() == model.sums(table).tolist()
    assert model.sums(table[:0]).tolist() == []


def chain(leaves: int) -> TreeScorer:
    """A tree whose left children are all leaves: the value of a row is its column 0, rounded up."""
    nodes = 2 * leaves - 1
    lower, higher = np.arange(nodes), np.arange(nodes)
    inner = np.arange(0, nodes - 1, 2)
    lower[inner], higher[inner] = inner + 1, inner + 2
    values = np.zeros(nodes, np.float32)
    values[inner + 1], values[nodes - 1] = inner / 2, leaves - 1
    columns = np.zeros((1, nodes), np.int16)
    thresholds = values[None, np.minimum(np.arange(nodes) + 1, nodes - 1)]
    return TreeScorer.of(Trees(columns, thresholds, lower[None], higher[None], values[None]))


@pytest.mark.parametrize("leaves", [1, 2, 32, 33, 64])
def test_every_leaf_of_a_tree_can_be_reached(leaves: int) -> None:
    table = np.arange(leaves, dtype=np.float32)[:, None]
    assert chain(leaves).sums(table).tolist() == list(range(leaves))


def test_a_tree_with_too_many_leaves_is_refused() -> None:
    with pytest.raises(ValueError, match="a tree has 65 leaves"):
        chain(65)
