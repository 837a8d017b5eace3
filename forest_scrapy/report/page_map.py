"""Pages in the plane, so that those with a similar layout are near each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

__all__ = ["PageMap", "Place", "draw_map", "scale_distances"]

#: Cells of the picture, from left to right and from top to bottom, and their size in its units.
COLUMNS, ROWS, WIDTH, HEIGHT = 10, 3, 80, 108


@dataclass(frozen=True)
class Place:
    """Where the pages with a fingerprint are: the upper left corner of their cell."""

    x: int
    y: int
    digest: str


@dataclass(frozen=True)
class PageMap:
    """``places``: at most one for each cell; ``left_out``: fingerprints without a cell;
    ``greatest``: the greatest distance between two of the pages."""

    places: tuple[Place, ...]
    left_out: int
    greatest: float
    width: int = COLUMNS * WIDTH
    height: int = ROWS * HEIGHT


def draw_map(digests: Sequence[str], distances: Sequence[Sequence[float]]) -> PageMap:
    """The pages with these fingerprints, each in the free cell that is nearest to its point.

    >>> drawn = draw_map("ab", [[0.0, 0.5], [0.5, 0.0]])
    >>> [(place.x, place.digest) for place in drawn.places], drawn.greatest
    ([(720, 'a'), (0, 'b')], 0.5)
    """
    points = _into_cells(scale_distances(distances))
    free = list(product(range(COLUMNS), range(ROWS)))
    places = []
    for digest, point in sorted(zip(digests, points.tolist(), strict=True))[: len(free)]:
        column, row = min(free, key=lambda cell: (_squared(cell, point), cell))
        free.remove((column, row))
        places.append(Place(column * WIDTH, row * HEIGHT, digest))
    greatest = max((max(row) for row in distances), default=0.0)
    return PageMap(tuple(places), len(digests) - len(places), round(greatest, 4))


def scale_distances(distances: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """Points in the plane with nearly these distances, one a row: classical scaling (Torgerson
    1952).  The signs are chosen so that the first coordinate that is not 0 is positive.

    >>> abs(scale_distances([[0, 2], [2, 0]]).round(3)).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    if not distances:
        return np.zeros((0, 2))
    squared = np.array(distances, float) ** 2
    centred = squared - squared.mean(0) - squared.mean(1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    largest = np.argsort(-values, kind="stable")[:2]
    points = np.zeros((len(squared), 2))
    for axis, number in enumerate(largest):
        column = vectors[:, number] * np.sqrt(max(values[number], 0.0))
        first = next((x for x in column if abs(x) > 1e-9), 1.0)
        points[:, axis] = column if first > 0 else -column
    return points


def _into_cells(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points in units of cells.  Both axes are stretched to the whole picture."""
    if not len(points):
        return points
    least = points.min(0)
    spread = points.max(0) - least
    scale = np.array([COLUMNS - 1, ROWS - 1]) / np.where(spread > 1e-9, spread, 1)
    moved = (points - least) * scale
    return np.where(spread > 1e-9, moved, np.array([(COLUMNS - 1) / 2, (ROWS - 1) / 2])).round(6)


def _squared(cell: tuple[int, int], point: Sequence[float]) -> float:
    return float((cell[0] - point[0]) ** 2 + (cell[1] - point[1]) ** 2)
