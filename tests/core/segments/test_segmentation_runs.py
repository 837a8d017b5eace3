from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.segments.segmentation import best_run


def try_all(values: Sequence[float]) -> tuple[int, int]:
    """The best of all runs: the largest sum, then the first end, then the shortest."""
    runs = [(i, j) for i in range(len(values)) for j in range(i + 1, len(values) + 1)]
    runs = [run for run in runs if sum(values[slice(*run)]) > 0]
    return min(runs, key=lambda run: (-sum(values[slice(*run)]), run[1], -run[0]), default=(0, 0))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], (0, 0)),
        ([0, 0], (0, 0)),
        ([-1, -2], (0, 0)),
        ([3], (0, 1)),
        ([1, -1, 1], (0, 1)),
        ([2, -3, 2], (0, 1)),
        ([1, 0], (0, 1)),
        ([0, 1], (1, 2)),
        ([1, -1, 2], (2, 3)),
        ([-5, 4, -1, 4, -9, 6], (1, 4)),
        ([5, -6, 2, 4], (2, 4)),
    ],
)
def test_by_hand(values: list[float], expected: tuple[int, int]) -> None:
    assert best_run(values) == expected


@given(st.lists(st.integers(-5, 5), max_size=14))
def test_the_run_is_the_best_of_all(values: list[int]) -> None:
    assert best_run(values) == try_all(values)


@given(st.lists(st.integers(1, 9), min_size=1))
def test_positive_values_are_one_run(values: list[int]) -> None:
    assert best_run(values) == (0, len(values))


def test_a_long_sequence() -> None:
    values = [-1.0] * 100_000 + [1.0] * 1000 + [-1.0] * 100_000
    assert best_run(values) == (100_000, 101_000)
