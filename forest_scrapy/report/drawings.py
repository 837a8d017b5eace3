"""The distances between pages as pictures, in units of SVG: a dendrogram, a histogram, and a map
on which pages with a similar layout are near each other."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.templates.clusters import Cut, Edge

#: Size of the dendrogram and the histogram, and bars of the histogram (of width 0.05).
HEIGHT = 200.0
WIDTH = 800.0
BARS = 20
#: Cells of the map, from left to right and from top to bottom, and their size.
COLUMNS = 10
ROWS = 3
CELL_WIDTH = 80
CELL_HEIGHT = 108


@dataclass(frozen=True)
class Picture:
    """The distances of pages: a dendrogram, and a histogram of the edges of their spanning tree.

    - ``lines``: of the dendrogram, as the ``points`` of each; they join two clusters at the height
      of their distance (single linkage).  Distances of 0 are at the bottom, ``height``.
    - ``leaves``: x of each fingerprint, at the bottom.
    - ``bars``: of the histogram, x, y, width and height; ``most``: the number of edges of the
      highest one.
    - ``cut``, ``cut_x``, ``cut_y``: the cut, and where it is in the histogram and the dendrogram.
    """

    lines: tuple[str, ...]
    leaves: Mapping[str, float]
    bars: tuple[tuple[float, float, float, float], ...]
    most: int
    cut: Cut
    cut_x: float
    cut_y: float
    width: float = WIDTH
    height: float = HEIGHT


@dataclass(frozen=True)
class PageMap:
    """``places``: x and y of the upper left corner of the cell of each fingerprint; ``left_out``:
    the number of those without a cell; ``greatest``: the greatest distance between two of them."""

    places: Mapping[str, tuple[int, int]]
    left_out: int
    greatest: float
    width: int = COLUMNS * CELL_WIDTH
    height: int = ROWS * CELL_HEIGHT


def draw_distances(
    digests: Sequence[str],
    tree: Sequence[Edge],
    cut: Cut,
) -> Picture:
    """The picture of these fingerprints, from the edges of their spanning tree.

    >>> drawn = draw_distances("ab", [Edge(0.5, "a", "b")], Cut(0.25, ""))
    >>> drawn.leaves, drawn.lines, drawn.cut_y
    ({'a': 200.0, 'b': 600.0}, ('200,200 200,100 600,100 600,200',), 150.0)
    >>> drawn.bars, drawn.cut_x
    (((400.0, 0.0, 38.0, 200.0),), 200.0)
    """
    order = _order_leaves(digests, tree)
    step = WIDTH / max(len(order), 1)
    leaves = {}
    for i, digest in enumerate(order):
        middle = step * (i + 0.5)
        leaves[digest] = round(middle, 1)

    counts: Counter[int] = Counter()
    for edge in tree:
        number = int(edge.distance * BARS)
        counts[min(number, BARS - 1)] += 1
    max_count = max(counts.values(), default=0)
    bars = []
    for number, count in sorted(counts.items()):
        bars.append(_draw_bar(number, count, max_count))

    return Picture(
        lines=tuple(_join_lines(tree, leaves)),
        leaves=leaves,
        bars=tuple(bars),
        most=max_count,
        cut=cut,
        cut_x=round(cut.distance * WIDTH, 1),
        cut_y=_y(cut.distance),
    )


def _draw_bar(
    number: int,
    count: int,
    max_count: int,
) -> tuple[float, float, float, float]:
    """x, y, width and height of a bar; one of ``max_count`` edges is the highest."""
    bar_width = WIDTH / BARS
    x = number * bar_width
    y = HEIGHT * (1 - count / max_count)
    height = HEIGHT * count / max_count
    gap = 2
    return x, y, bar_width - gap, height


def _order_leaves(digests: Sequence[str], tree: Sequence[Edge]) -> list[str]:
    """The leaves in an order in which lines do not cross."""
    group_of = {digest: [digest] for digest in digests}
    for edge in tree:
        groups = (group_of[edge.a], group_of[edge.b])
        left_group, right_group = sorted(groups)
        joined = left_group + right_group
        for digest in joined:
            group_of[digest] = joined

    distinct = {id(group): group for group in group_of.values()}
    order: list[str] = []
    for group in sorted(distinct.values()):
        order += group
    return order


def _join_lines(tree: Sequence[Edge], x_of: Mapping[str, float]) -> list[str]:
    """A line for each edge, from the top of one cluster to that of the other."""
    tops = {digest: (x, HEIGHT) for digest, x in x_of.items()}
    members = {digest: [digest] for digest in x_of}
    lines = []
    for edge in tree:
        edge_tops = (tops[edge.a], tops[edge.b])
        left_top, right_top = sorted(edge_tops)
        left_x, left_y = left_top
        right_x, right_y = right_top
        y = _y(edge.distance)
        corners = [
            (left_x, left_y),
            (left_x, y),
            (right_x, y),
            (right_x, right_y),
        ]
        points = [f"{corner_x:g},{corner_y:g}" for corner_x, corner_y in corners]
        lines.append(" ".join(points))

        middle = (left_x + right_x) / 2
        top = (middle, y)
        joined = members[edge.a] + members[edge.b]
        for digest in joined:
            members[digest] = joined
            tops[digest] = top
    return lines


def _y(distance: float) -> float:
    bounded_distance = min(distance, 1.0)
    height = HEIGHT * (1 - bounded_distance)
    return round(height, 1)


def draw_map(digests: Sequence[str], distances: Sequence[Sequence[float]]) -> PageMap:
    """The pages with these fingerprints, each in the free cell that is nearest to its point.

    >>> draw_map("ab", [[0.0, 0.5], [0.5, 0.0]]).places
    {'a': (720, 108), 'b': (0, 108)}
    """
    plane_points = scale_distances(distances)
    points = _scale_to_cells(plane_points).tolist()
    free_cells = list(product(range(COLUMNS), range(ROWS)))
    points_by_digest = sorted(zip(digests, points, strict=True))
    placed_points = points_by_digest[: len(free_cells)]
    places = {}
    for digest, point in placed_points:
        x, y = point
        cell = _nearest_cell(free_cells, x, y)
        free_cells.remove(cell)
        column, row = cell
        places[digest] = (column * CELL_WIDTH, row * CELL_HEIGHT)

    row_maxima = map(max, distances)
    greatest = max(row_maxima, default=0.0)
    return PageMap(
        places,
        left_out=len(digests) - len(places),
        greatest=round(greatest, 4),
    )


def _nearest_cell(
    cells: Sequence[tuple[int, int]],
    x: float,
    y: float,
) -> tuple[int, int]:
    """The cell that is nearest to a point; of several the first from the left, then the top."""

    def order(cell: tuple[int, int]) -> tuple[float, tuple[int, int]]:
        column, row = cell
        x_distance = column - x
        y_distance = row - y
        squared_distance = x_distance**2 + y_distance**2
        return squared_distance, cell

    return min(cells, key=order)


def scale_distances(distances: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """Points in the plane with nearly these distances, one a row: classical scaling (Torgerson
    1952).  The signs are chosen so that the first coordinate that is not 0 is positive.

    >>> abs(scale_distances([[0, 2], [2, 0]]).round(3)).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    if not distances:
        return np.zeros((0, 2))
    squared = np.array(distances, float) ** 2
    column_means = squared.mean(0)
    row_means = squared.mean(1)[:, None]
    centred = squared - column_means - row_means + squared.mean()
    values, vectors = np.linalg.eigh(-centred / 2)

    descending = np.argsort(-values, kind="stable")
    points = np.zeros((len(squared), 2))
    for axis, number in enumerate(descending[:2]):
        length = np.sqrt(max(values[number], 0.0))
        coordinates = vectors[:, number] * length
        is_non_zero = np.abs(coordinates) > 1e-9
        non_zero = coordinates[is_non_zero]
        if len(non_zero) and non_zero[0] < 0:
            coordinates = -coordinates
        points[:, axis] = coordinates
    return points


def _scale_to_cells(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points in units of cells.  Both axes are stretched to the whole picture."""
    if not len(points):
        return points
    lowest = points.min(0)
    spread = points.max(0) - lowest
    last_cell = np.array([COLUMNS - 1, ROWS - 1])
    middle_cell = last_cell / 2
    is_spread = spread > 1e-9
    divisors = np.where(is_spread, spread, 1)
    factors = last_cell / divisors
    stretched = (points - lowest) * factors
    cells = np.where(is_spread, stretched, middle_cell)
    return cells.round(6)
