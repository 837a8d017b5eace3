"""Where to cut a host's dendrogram, given as the edges of a minimum spanning tree.

A fixed threshold tells sites apart (Gottron section 5), but not the page kinds of one site,
whose distances differ from site to site.  Feed items are known to be articles: the cut is
where they just hold together.  Without them it lies in the widest gap between the distances,
the paper's own argument, looked for where cuts are found on sites with feeds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

__all__ = ["Cut", "DisjointSets", "Edge", "choose_cut", "cluster_points"]

#: Share of the feed's items that must be in one cluster: feeds hold a stray page of another
#: kind now and then.
TOGETHER = 0.97
#: Below the narrowest cut two pages of one template may still differ (one with comments, one
#: without), the more so the fewer items are known: k items leave 1 / (k + 2) to the next one.
#: Above the widest, templates differ on all sites tried.
NARROWEST, WIDEST = 0.1, 0.6
#: Where the gap is looked for without a feed.
GAP_FROM, GAP_TO = 0.3, 0.6


class Edge(NamedTuple):
    """Two points and their distance; edges sort by distance, then by the points' digests."""

    distance: float
    a: str
    b: str


class Cut(NamedTuple):
    """The distance up to which pages are linked, and why it is this one."""

    distance: float
    reason: str


class DisjointSets:
    """Union-find with path halving; a point never seen is a set of its own."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def find(self, point: str) -> str:
        parent = self._parent
        while parent.setdefault(point, point) != point:
            parent[point] = parent[parent[point]]
            point = parent[point]
        return point

    def join(self, a: str, b: str) -> bool:
        """Make the two sets one; False where they were."""
        a, b = sorted((self.find(a), self.find(b)))
        self._parent[b] = a
        return a != b


def cluster_points(
    points: Iterable[str], edges: Iterable[Edge], distance: float
) -> list[tuple[str, ...]]:
    """The points grouped by the edges up to ``distance``: single linkage.

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
    """The cut for these tree edges; ``articles`` maps points to their number of feed items."""
    if not articles:
        return _cut_in_gap(edges, "no feed")
    held = _hold_together(edges, articles)
    narrowest = max(NARROWEST, 1 / (sum(articles.values()) + 2))
    if held > WIDEST:
        return _cut_in_gap(edges, f"feed items hold together at {held:.2f} only")
    if held < narrowest:
        return Cut(narrowest, f"feed items hold together at {held:.2f}; the narrowest cut")
    return Cut(held, "feed items just hold together")


def _hold_together(edges: Sequence[Edge], articles: Mapping[str, int]) -> float:
    """The smallest distance at which one cluster has ``TOGETHER`` of the feed items."""
    needed = TOGETHER * sum(articles.values())
    sets = DisjointSets()
    held = Counter(articles)
    if max(held.values()) >= needed:
        return 0.0
    for edge in sorted(edges):
        a, b = sets.find(edge.a), sets.find(edge.b)
        sets.join(a, b)
        held[sets.find(a)] = held[a] + held[b] if a != b else held[a]
        if held[sets.find(a)] >= needed:
            return edge.distance
    return 1.0


def _cut_in_gap(edges: Sequence[Edge], why: str) -> Cut:
    """The middle of the widest gap, of what of it lies between ``GAP_FROM`` and ``GAP_TO``."""
    marks = [0.0, *sorted(edge.distance for edge in edges), 1.0]
    gaps = [
        (min(above, GAP_TO) - max(below, GAP_FROM), below, above)
        for below, above in pairwise(marks)
        if min(above, GAP_TO) > max(below, GAP_FROM)
    ]
    if not gaps:
        return Cut(GAP_TO, f"{why}; no gap between the distances")
    _, below, above = max(gaps, key=lambda gap: (gap[0], -gap[1]))
    middle = (max(below, GAP_FROM) + min(above, GAP_TO)) / 2
    return Cut(middle, f"{why}; the widest gap between distances, {below:.2f} to {above:.2f}")
