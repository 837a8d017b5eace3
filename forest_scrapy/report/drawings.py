"""The distances of a host's pages as pictures: a dendrogram and a histogram, as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forest_scrapy.core.segments.segmentation import SegmentedPage
from forest_scrapy.core.templates.clusters import Cut, Edge
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths
from forest_scrapy.report.marks import Marks, mark_states

__all__ = [
    "Bar",
    "Dendrogram",
    "Histogram",
    "Thumbnail",
    "draw_dendrogram",
    "draw_histogram",
    "draw_thumbnail",
    "mean_agreement",
]

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


#: Bars of a page, and the characters of a segment that has a bar of full width.
BARS, _LINE = 32, 150


@dataclass(frozen=True)
class Bar:
    """Successive segments.  ``kind``: ``kept``, ``dropped``, or ``other`` if they are outside of
    what was kept; ``width``: 0 to 1."""

    kind: str
    width: float


@dataclass(frozen=True)
class Thumbnail:
    """A page in bars, from top to bottom; ``kept_paths``: the anchored paths that have text that
    is kept."""

    bars: tuple[Bar, ...]
    kept_paths: frozenset[AnchoredPath]


def draw_thumbnail(page: SegmentedPage, marks: Marks) -> Thumbnail:
    """The thumbnail of a page whose parts are marked."""
    leaves, paths = page.outline.leaves, anchored_paths(page.outline)
    states = mark_states(marks, page.page)
    found = [
        (states[leaves[segment.first].node] or "other", len(segment.text))
        for segment in page.segments
    ]
    kept = (s for s, (kind, _) in zip(page.segments, found, strict=True) if kind == "kept")
    return Thumbnail(tuple(_join_bars(found)), frozenset(paths[one.block] for one in kept))


def _join_bars(segments: Sequence[tuple[str, int]]) -> list[Bar]:
    """At most ``BARS`` bars, each for as many segments.

    >>> _join_bars([("kept", 75), ("other", 300)])
    [Bar(kind='kept', width=0.5), Bar(kind='other', width=1.0)]
    """
    size = -(-len(segments) // BARS) or 1
    bars = []
    for start in range(0, len(segments), size):
        group = segments[start : start + size]
        characters: Counter[str] = Counter()
        for kind, length in group:
            characters[kind] += length
        kind = max(sorted(characters), key=lambda one: characters[one])
        mean = characters.total() / len(group)
        bars.append(Bar(kind, round(min(1.0, max(0.1, mean / _LINE)), 2)))
    return bars


def mean_agreement(sets: Sequence[frozenset[AnchoredPath]]) -> list[float | None]:
    """For each page the mean F1 of the paths of its kept text against those of each other page;
    None for a single page.

    >>> a, b = (AnchoredPath(None, (tag,)) for tag in "pq")
    >>> mean_agreement([frozenset((a,)), frozenset((a, b)), frozenset((a,))])
    [0.833, 0.667, 0.833]
    """
    return [
        round(sum(_f1(own, other) for k, other in enumerate(sets) if k != i) / (len(sets) - 1), 3)
        if len(sets) > 1
        else None
        for i, own in enumerate(sets)
    ]


def _f1(one: frozenset[AnchoredPath], other: frozenset[AnchoredPath]) -> float:
    total = len(one) + len(other)
    return 2 * len(one & other) / total if total else 1.0
