"""Running sums, by which the sum of any run of segments, leaves or nodes takes one subtraction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["running_sums"]


def running_sums(
    values: NDArray[Any] | Sequence[float], dtype: DTypeLike = np.float64
) -> NDArray[Any]:
    """For each position the sum of the values before it, and at the end the sum of all.

    >>> running_sums([1, 0, 2]).tolist()
    [0.0, 1.0, 1.0, 3.0]
    """
    return np.concatenate((np.zeros(1, dtype=dtype), np.cumsum(values, dtype=dtype)))
