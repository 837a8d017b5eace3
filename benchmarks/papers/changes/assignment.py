"""The Hungarian algorithm: the assignment of rows to columns with the least sum of costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def assign(costs: NDArray[np.float64]) -> list[int]:
    """The column of each row; rows may not be more than columns.

    By shortest augmenting paths with potentials (Kuhn 1955, Munkres 1957, in the form of Jonker and
    Volgenant 1987).  Cost: rows² · columns.

    >>> assign(np.array([[1.0, 0.0], [2.0, 5.0]]))
    [1, 0]
    """
    rows, columns = costs.shape
    row_potentials = np.zeros(rows + 1)
    column_potentials = np.zeros(columns + 1)
    #: Of each column the number of its row; rows and columns count from 1, and 0 is none.
    row_of = np.zeros(columns + 1, dtype=np.intp)
    for row in range(1, rows + 1):
        row_of[0] = row
        column = 0
        least = np.full(columns + 1, np.inf)
        came_from = np.zeros(columns + 1, dtype=np.intp)
        is_used = np.zeros(columns + 1, dtype=bool)
        while row_of[column]:
            is_used[column] = True
            current_row = row_of[column]
            reduced = costs[current_row - 1] - row_potentials[current_row] - column_potentials[1:]
            is_better = ~is_used[1:] & (reduced < least[1:])
            least[1:][is_better] = reduced[is_better]
            came_from[1:][is_better] = column
            open_least = np.where(is_used, np.inf, least)
            next_column = int(open_least[1:].argmin()) + 1
            step = open_least[next_column]
            row_potentials[row_of[is_used]] += step
            column_potentials[is_used] -= step
            least[~is_used] -= step
            column = next_column
        while column:
            previous = came_from[column]
            row_of[column] = row_of[previous]
            column = previous

    column_of = [0] * rows
    for column in range(1, columns + 1):
        if row_of[column]:
            column_of[row_of[column] - 1] = column - 1
    return column_of
