"""The maximum scoring subsequence (Luo et al. 2009, section 4.1; Ruzzo and Tompa 1999)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["best_run"]


def best_run(values: Sequence[float]) -> tuple[int, int]:
    """The contiguous run with the largest sum, as ``(first, last)`` of ``values[first:last]``;
    (0, 0) if no value is positive.  Ties: the run that ends first, then the shortest.  Cost:
    linear.

    >>> best_run([-1, 2, -1, 3, -5, 1])
    (1, 4)
    """
    best, run = 0.0, (0, 0)
    total, start = 0.0, 0
    for i, value in enumerate(values):
        if total <= 0:
            total, start = 0.0, i
        total += value
        if total > best:
            best, run = total, (start, i + 1)
    return run
