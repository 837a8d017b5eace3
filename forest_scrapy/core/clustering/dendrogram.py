"""Single linkage: a host's dendrogram as a minimum spanning tree, and where to cut it.

A fixed threshold separates sites (Gottron section 5), but not the page types of one site, whose
distances differ from site to site.  Feed items are known to be articles: the tree is cut at the
distance at which they just form one cluster.  Without a feed it is cut in the widest gap between
the distances, as the paper argues, within the range of the cuts of sites with a feed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

__all__ = ["Cut", "DisjointSets", "Edge", "choose_cut", "cluster_points", "spanning_tree"]

Point = TypeVar("Point")

#: Share of the feed's items that must be in one cluster; a feed may link a few pages of another
#: type.  From a trial on 30 sites with feeds that are not in the bench sets.
TOGETHER = 0.97
#: The cut is not below the first: two pages of one template may still differ (one with comments,
#: one without), the more so the fewer items are known (k items leave 1 / (k + 2) to the next
#: one).  It is not above the second: on all sites tried, such distances are between templates.
NARROWEST, WIDEST = 0.1, 0.6
#: The range of the gap without a feed.  Chosen on sites with feeds, like the two above; to
#: measure: ``python -m benchmarks.templates SET``.
GAP_FROM, GAP_TO = 0.3, 0.6


class Edge(NamedTuple):
    """Two points, by their digests, and their distance; edges sort by distance, then digests."""

    distance: float
    a: str
    b: str


class Cut(NamedTuple):
    """The distance up to which pages are linked, and the reason for it."""

    distance: float
    reason: str


class DisjointSets:
    """Union-find with path halving; a new point is a set of its own."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def find(self, point: str) -> str:
        """The point that represents the set of this point."""
        parent = self._parent
        while parent.setdefault(point, point) != point:
            parent[point] = parent[parent[point]]
            point = parent[point]
        return point

    def join(self, a: str, b: str) -> bool:
        """Join the sets of two points; False if they were in the same set."""
        a, b = sorted((self.find(a), self.find(b)))
        self._parent[b] = a
        return a != b


def spanning_tree(
    points: Mapping[str, Point], distance: Callable[[Point, Point], float]
) -> Iterator[Edge]:
    """The edges of a minimum spanning tree (Prim), without storing all distances.

    Cost: a distance for each pair of points.
    """
    waiting = sorted(points)
    newest = waiting.pop(0) if waiting else ""
    nearest = dict.fromkeys(waiting, Edge(2.0, "", ""))
    while nearest:
        point = points[newest]
        for digest, best in nearest.items():
            length = distance(point, points[digest])
            if length <= best.distance:
                a, b = sorted((digest, newest))
                nearest[digest] = min(best, Edge(length, a, b))
        newest = min(nearest, key=lambda digest: nearest[digest])
        yield nearest.pop(newest)


def cluster_points(
    points: Iterable[str], edges: Iterable[Edge], distance: float
) -> list[tuple[str, ...]]:
    """The points in groups that are linked by edges up to ``distance``.

    >>> cluster_points("abc", [Edge(0.2, "a", "b"), Edge(0.7, "b", "c")], 0.5)
    [('a', 'b'), ('c',)]
    """
    sets = DisjointSets()
    for edge in edges:
        if edge.distance <= distance:
            sets.join(edge.a, edge.b)
    groups: dict[str, list[str]] = {}
    for point in sorted(points):
        groups.setdefault(sets.find(point), []).append(point)
    return [tuple(group) for group in groups.values()]


def choose_cut(edges: Sequence[Edge], articles: Mapping[str, int]) -> Cut:
    """Where to cut a tree with these edges; ``articles``: numbers of feed items by point."""
    if not articles:
        return _cut_in_gap(edges, "no feed")
    joined = _joining_distance(edges, articles)
    narrowest = max(NARROWEST, 1 / (sum(articles.values()) + 2))
    if joined > WIDEST:
        return _cut_in_gap(edges, f"feed items are one cluster only at {joined:.2f}")
    if joined < narrowest:
        return Cut(narrowest, f"feed items are one cluster at {joined:.2f}; the narrowest cut")
    return Cut(joined, "feed items just form one cluster")


def _joining_distance(edges: Sequence[Edge], articles: Mapping[str, int]) -> float:
    """The smallest distance at which one cluster has the share ``TOGETHER`` of the feed items."""
    needed = TOGETHER * sum(articles.values())
    sets = DisjointSets()
    items = Counter(articles)
    if max(items.values()) >= needed:
        return 0.0
    for edge in sorted(edges):
        a, b = sets.find(edge.a), sets.find(edge.b)
        sets.join(a, b)
        items[sets.find(a)] = items[a] + items[b] if a != b else items[a]
        if items[sets.find(a)] >= needed:
            return edge.distance
    return 1.0


def _cut_in_gap(edges: Sequence[Edge], reason: str) -> Cut:
    """The middle of the widest gap between distances, within ``GAP_FROM`` and ``GAP_TO``."""
    distances = [0.0, *sorted(edge.distance for edge in edges), 1.0]
    gaps = [
        (min(above, GAP_TO) - max(below, GAP_FROM), below, above)
        for below, above in pairwise(distances)
        if min(above, GAP_TO) > max(below, GAP_FROM)
    ]
    if not gaps:
        return Cut(GAP_TO, f"{reason}; no gap between the distances")
    _, below, above = max(gaps, key=lambda gap: (gap[0], -gap[1]))
    middle = (max(below, GAP_FROM) + min(above, GAP_TO)) / 2
    return Cut(middle, f"{reason}; the widest gap between distances, {below:.2f} to {above:.2f}")
