"""The distances of a host's pages as pictures: a dendrogram and a histogram, as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forest_scrapy.core.clustering.dendrogram import Cut, Edge

__all__ = ["Dendrogram", "Histogram", "Leaf", "Line", "draw_dendrogram", "draw_histogram"]

#: Size in units of the picture, and bars of the histogram (of width 0.05).
HEIGHT, WIDTH = 200.0, 800.0
_BARS = 20


@dataclass(frozen=True)
class Line:
    """A polygonal line, as the ``points`` of SVG."""

    points: str


@dataclass(frozen=True)
class Leaf:
    """A point at the bottom of the dendrogram: the pages with one fingerprint."""

    x: float
    digest: str


@dataclass(frozen=True)
class Dendrogram:
    """Single linkage: each line joins two clusters at the height of their distance.

    ``cut``: the height of the cut; distances of 0 are at the bottom, ``height``.
    """

    lines: tuple[Line, ...]
    leaves: tuple[Leaf, ...]
    cut: float
    width: float = WIDTH
    height: float = HEIGHT


@dataclass(frozen=True)
class Histogram:
    """The number of edges of the spanning tree by their distance.

    ``bars``: x, y, width and height of each; ``cut``: x of the cut; ``most``: the number of edges
    of the highest bar.
    """

    bars: tuple[tuple[float, float, float, float], ...]
    cut: float
    most: int
    width: float = WIDTH
    height: float = HEIGHT


def draw_dendrogram(digests: Sequence[str], tree: Sequence[Edge], cut: Cut) -> Dendrogram:
    """The dendrogram of these fingerprints, from the edges of their spanning tree.

    >>> drawn = draw_dendrogram("ab", [Edge(0.5, "a", "b")], Cut(0.25, ""))
    >>> [leaf.x for leaf in drawn.leaves], drawn.lines[0].points, drawn.cut
    ([200.0, 600.0], '200,200 200,100 600,100 600,200', 150.0)
    """
    order = _order_leaves(digests, tree)
    step = WIDTH / max(len(order), 1)
    x_of = {digest: round(step * (i + 0.5), 1) for i, digest in enumerate(order)}
    leaves = tuple(Leaf(x, digest) for digest, x in x_of.items())
    return Dendrogram(tuple(_join_lines(tree, x_of)), leaves, _y(cut.distance))


def draw_histogram(tree: Sequence[Edge], cut: Cut) -> Histogram:
    """The histogram of the distances in the spanning tree.

    >>> draw_histogram([Edge(0.5, "a", "b")], Cut(0.25, "")).bars
    ((400.0, 0.0, 38.0, 200.0),)
    """
    counts = [0] * _BARS
    for edge in tree:
        counts[min(int(edge.distance * _BARS), _BARS - 1)] += 1
    most, width = max(counts, default=0), WIDTH / _BARS
    bars = (
        (i * width, HEIGHT * (1 - n / most), width - 2, HEIGHT * n / most)
        for i, n in enumerate(counts)
        if n
    )
    return Histogram(tuple(bars), round(cut.distance * WIDTH, 1), most)


def _order_leaves(digests: Sequence[str], tree: Sequence[Edge]) -> list[str]:
    """The leaves in an order in which lines do not cross."""
    group_of = {digest: [digest] for digest in digests}
    for edge in tree:
        one, other = group_of[edge.a], group_of[edge.b]
        joined = one + other if one[0] < other[0] else other + one
        group_of.update(dict.fromkeys(joined, joined))
    groups = {id(group): group for group in group_of.values()}
    return [digest for group in sorted(groups.values()) for digest in group]


def _join_lines(tree: Sequence[Edge], x_of: Mapping[str, float]) -> list[Line]:
    """A line for each edge, from the top of one cluster to that of the other."""
    tops = {digest: (x, HEIGHT) for digest, x in x_of.items()}
    members = {digest: [digest] for digest in x_of}
    lines = []
    for edge in tree:
        (x1, y1), (x2, y2) = sorted((tops[edge.a], tops[edge.b]))
        y = _y(edge.distance)
        points = ((x1, y1), (x1, y), (x2, y), (x2, y2))
        lines.append(Line(" ".join(f"{px:g},{py:g}" for px, py in points)))
        joined = members[edge.a] + members[edge.b]
        for digest in joined:
            members[digest], tops[digest] = joined, ((x1 + x2) / 2, y)
    return lines


def _y(distance: float) -> float:
    return round(HEIGHT * (1 - min(distance, 1.0)), 1)
