from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SCRATCH: int
SCRATCH_MARGIN: int

def sum_trees(
    table: NDArray[np.float32],
    *columns_thresholds_lower_higher_values_sums: NDArray[Any],
) -> None: ...
def describe_candidates(
    segments: NDArray[np.float64],
    blocks: NDArray[np.intp],
    of_nodes: NDArray[np.float64],
    thresholds: NDArray[np.float64],
    endings: NDArray[np.intp],
    title: int,
    page_declared: float,
    max_density: float,
    sums: NDArray[np.float64],
    table: NDArray[np.float64],
    numbers: NDArray[np.intp],
) -> int: ...
def describe_segments(
    nodes: Sequence[NDArray[Any]],
    list_of_item: NDArray[np.intp],
    leaf_lengths: list[int],
    bits: NDArray[np.int64],
    blocks: NDArray[np.intp],
    paths: NDArray[np.intp],
    values: NDArray[np.float64],
    title: int,
    body_length: float,
    min_running: float,
    scratch: NDArray[np.float64],
    table: NDArray[np.float64],
) -> int: ...
