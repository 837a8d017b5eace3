"""Tables of features that are filled in by the names of their columns."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.segments.segmentation import Values


def number_names(names: Sequence[str]) -> dict[str, int]:
    """The number of each name."""
    return {name: number for number, name in enumerate(names)}


class Table:
    """A table of zeros, with a column for each name, to be filled in.

    ``numbers``: the number of the column of each name, as ``number_names`` gives it.

    >>> table = Table(number_names(["length", "depth"]), rows=2)
    >>> table["depth"] = [3, 4]
    >>> table.values.tolist()
    [[0.0, 3.0], [0.0, 4.0]]
    """

    def __init__(self, numbers: Mapping[str, int], rows: int) -> None:
        self._numbers = numbers
        self._columns = np.zeros((len(numbers), rows))

    def __setitem__(self, name: str, values: NDArray[Any] | Sequence[float] | float) -> None:
        self._columns[self._numbers[name]] = values

    def set_columns(self, first_name: str, columns: NDArray[Any]) -> None:
        """Fill in some columns, from that of ``first_name`` on; ``columns`` has one in each row."""
        first = self._numbers[first_name]
        self._columns[first : first + len(columns)] = columns

    def columns(self, first_name: str, count: int) -> Values:
        """Some columns, from that of ``first_name`` on, one in each row; they can be changed."""
        first = self._numbers[first_name]
        return self._columns[first : first + count]

    @property
    def values(self) -> Values:
        """The table: ``(rows, names)``."""
        return self._columns.T
