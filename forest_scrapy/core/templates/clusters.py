"""Template clustering: which pages of a host share a template (Gottron 2008, sections 4 and 5).

Pages are points.  Single linkage is read off a minimum spanning tree: removing the edges that are
longer than the cut leaves the clusters of pages that are linked by distances up to it.

A fixed threshold separates sites (Gottron section 5), but not the page types of one site, whose
distances differ from site to site.  Feed items are known to be articles: the tree is cut at the
distance at which they just form one cluster.  Without a feed it is cut in the widest gap between
the distances, as the paper argues, within the range of the cuts of sites with a feed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from forest_scrapy.core.templates.fingerprints import Fingerprint
from forest_scrapy.core.templates.point_sample import PointSample

Point = TypeVar("Point")

#: Share of the feed's items that must be in one cluster; a feed may link a few pages of another
#: type.  From a trial on 30 sites with feeds that are not in the bench sets.
TOGETHER = 0.97
#: The cut is not below the first: two pages of one template may still differ (one with comments,
#: one without), the more so the fewer items are known (k items leave 1 / (k + 2) to the next
#: one).  It is not above the second: on all sites tried, such distances are between templates.
MIN_CUT = 0.1
MAX_CUT = 0.6
#: The range of the gap without a feed.  Chosen on sites with feeds, like the two above; to
#: measure: ``python -m benchmarks.quality.templates SET``.
MIN_GAP_CUT = 0.3
MAX_GAP_CUT = 0.6


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
        representative = self.find(a)
        other_representative = self.find(b)
        first = min(representative, other_representative)
        second = max(representative, other_representative)
        self._parent[second] = first
        return first != second


def spanning_tree(
    points: Mapping[str, Point],
    distance: Callable[[Point, Point], float],
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
                edge = Edge(length, a, b)
                nearest[digest] = min(best, edge)
        newest = min(nearest, key=lambda digest: nearest[digest])
        yield nearest.pop(newest)


def cluster_points(
    points: Iterable[str],
    edges: Iterable[Edge],
    distance: float,
) -> list[tuple[str, ...]]:
    """The points in groups that are linked by edges up to ``distance``: single linkage, which
    merges the clusters with the least d(D1, D2) up to this threshold (section 5).

    >>> cluster_points("abc", [Edge(0.2, "a", "b"), Edge(0.7, "b", "c")], 0.5)
    [('a', 'b'), ('c',)]
    """
    sets = DisjointSets()
    for edge in edges:
        if edge.distance <= distance:
            sets.join(edge.a, edge.b)
    groups: dict[str, list[str]] = {}
    for point in sorted(points):
        representative = sets.find(point)
        groups.setdefault(representative, []).append(point)
    return [tuple(group) for group in groups.values()]


def choose_cut(edges: Sequence[Edge], articles: Mapping[str, int]) -> Cut:
    """Where to cut a tree with these edges; ``articles``: numbers of feed items by point."""
    if not articles:
        return _cut_in_gap(edges, "no feed")
    joined = _joining_distance(edges, articles)
    item_count = sum(articles.values())
    narrowest = max(MIN_CUT, 1 / (item_count + 2))
    if joined > MAX_CUT:
        return _cut_in_gap(edges, f"feed items are one cluster only at {joined:.2f}")
    if joined < narrowest:
        return Cut(narrowest, f"feed items are one cluster at {joined:.2f}; the narrowest cut")
    return Cut(joined, "feed items just form one cluster")


def _joining_distance(
    edges: Sequence[Edge],
    articles: Mapping[str, int],
) -> float:
    """The smallest distance at which one cluster has the share ``TOGETHER`` of the feed items."""
    needed = TOGETHER * sum(articles.values())
    sets = DisjointSets()
    items = Counter(articles)
    if max(items.values()) >= needed:
        return 0.0
    for edge in sorted(edges):
        a = sets.find(edge.a)
        b = sets.find(edge.b)
        if a == b:
            continue
        sets.join(a, b)
        joined = sets.find(a)
        items[joined] = items[a] + items[b]
        if items[joined] >= needed:
            return edge.distance
    return 1.0


def _cut_in_gap(edges: Sequence[Edge], reason: str) -> Cut:
    """The middle of the widest gap between distances, from ``MIN_GAP_CUT`` to ``MAX_GAP_CUT``."""
    lengths = sorted(edge.distance for edge in edges)
    distances = [0.0, *lengths, 1.0]
    widest = 0.0
    gap = None
    for below, above in pairwise(distances):
        start = max(below, MIN_GAP_CUT)
        end = min(above, MAX_GAP_CUT)
        if end - start > widest:  # of gaps that are as wide, the first
            widest = end - start
            gap = (below, above)
    if gap is None:
        return Cut(MAX_GAP_CUT, f"{reason}; no gap between the distances")
    below, above = gap
    start = max(below, MIN_GAP_CUT)
    end = min(above, MAX_GAP_CUT)
    middle = (start + end) / 2
    return Cut(middle, f"{reason}; the widest gap between distances, {below:.2f} to {above:.2f}")


#: Points kept of a host; measuring their distances takes some 30 ms.
LIMIT = 256
#: The clusters are measured when the number of pages has grown by this factor, so that measuring
#: takes about twice the time of the last measurement in all.
GROWTH = 2


@dataclass(frozen=True)
class Cluster:
    """Pages of one template: the sorted digests of their points, the number of pages, and how
    many of these are known to be articles (feed items)."""

    digests: tuple[str, ...]
    pages: int
    articles: int


@dataclass
class _Group:
    digests: list[str] = field(default_factory=list)
    pages: int = 0
    articles: int = 0

    def freeze(self) -> Cluster:
        digests = tuple(sorted(self.digests))
        return Cluster(digests, self.pages, self.articles)


class HostClusters:
    """The clusters of one host's pages, which are added one by one.

    ``weigh``: weigh a feature by p(1 - p), where p is the share of the pages that have it;
    otherwise all features have the same weight, as published.  ``threshold``: a fixed cut; None:
    ``choose_cut`` decides.  ``limit``: the number of points that are kept; a page that is not
    among them belongs to the cluster of its nearest point.  ``min_cut``: a lower bound of the
    chosen cut, known from an earlier crawl.

    A page that is added joins the first group with a point within the cut.  ``measure`` weighs
    the features, builds the spanning tree and cuts it anew; ``add`` calls it when the number of
    pages has doubled.  After it the groups are single linkage over all pages, exactly, whatever
    their order.

    Cost: for a page, at most one distance to each point; for measuring, one for each pair.
    """

    def __init__(
        self,
        weigh: bool = True,
        threshold: float | None = None,
        limit: int = LIMIT,
        min_cut: float = 0.0,
    ) -> None:
        self._threshold = threshold
        self._min_cut = min_cut
        self._sample = PointSample(weigh, limit)
        self._group_of: dict[str, _Group] = {}
        self._pages = 0
        self._measured_pages = 0
        self._cut = Cut(0.0, "no page yet")
        self._tree: tuple[Edge, ...] = ()

    @property
    def cut(self) -> Cut:
        """Where the clusters were cut when they were last measured."""
        return self._cut

    @property
    def tree(self) -> tuple[Edge, ...]:
        """The edges of the spanning tree when it was last measured, the shortest first."""
        return self._tree

    def add(
        self,
        fingerprint: Fingerprint,
        is_article: bool = False,
        pages: int = 1,
    ) -> None:
        """Count one page, or several, with this fingerprint."""
        if not self._sample.accepts(fingerprint):
            return
        digest = fingerprint.digest
        articles = pages if is_article else 0
        self._sample.add(fingerprint, pages, articles)
        self._pages += pages
        has_grown = self._pages >= self._measured_pages * GROWTH
        if has_grown or self._sample.is_full:
            self.measure()
            return
        if digest not in self._group_of:
            self._attach(digest)
        self._group_of[digest].pages += pages
        self._group_of[digest].articles += articles

    def measure(self) -> None:
        """Make the clusters and the cut exact over all pages that were added; without cost if
        none was added since the last measurement."""
        if self._pages == self._measured_pages:
            return
        self._measured_pages = self._pages
        self._sample.cut_back()
        self._sample.weigh_features()
        points = self._sample.points
        number_of = {digest: number for number, digest in enumerate(points)}
        distances = self._sample.all_distances()

        def distance(number: int, other_number: int) -> float:
            return distances[number][other_number]

        tree = spanning_tree(number_of, distance)
        edges = sorted(tree)
        self._tree = tuple(edges)
        self._cut = self._choose_cut(edges)
        self._group_of = {}
        for digests in cluster_points(points, edges, self._cut.distance):
            group = _Group(list(digests))
            for digest in digests:
                group.pages += points[digest].pages
                group.articles += points[digest].articles
                self._group_of[digest] = group

    def cluster_of(self, fingerprint: Fingerprint) -> Cluster | None:
        """The cluster of a page, which need not have been added; None if no point is within the
        cut.  Pages added since the last measurement may still be in another cluster."""
        if fingerprint.digest in self._group_of:
            return self._group_of[fingerprint.digest].freeze()
        distance, nearest = self.nearest(fingerprint)
        if distance > self._cut.distance:
            return None
        return self._group_of[nearest].freeze()

    def nearest(self, fingerprint: Fingerprint) -> tuple[float, str]:
        """The smallest distance of a page to a point, and the digest of that; 2 and ``""`` without
        points."""
        page = self._sample.point_of(fingerprint)
        nearest = (2.0, "")
        for digest, point in self._sample.points.items():
            distance = self._sample.distance(page, point)
            nearest = min(nearest, (distance, digest))
        return nearest

    def distance_to_articles(self, digests: Iterable[str]) -> float:
        """The smallest distance of these points to one that has known articles; 2 if there is none.
        Digests without a point are left out."""
        points = self._sample.points
        article_points = [point for point in points.values() if point.articles]
        nearest = 2.0
        for digest in digests:
            point = points.get(digest)
            if point is None:
                continue
            for article_point in article_points:
                nearest = min(nearest, self._sample.distance(point, article_point))
        return nearest

    def clusters(self) -> tuple[Cluster, ...]:
        """All clusters, sorted by their first digests.  Exact after ``measure``; pages added since
        may still be in another cluster."""
        groups = {id(group): group for group in self._group_of.values()}
        clusters = [group.freeze() for group in groups.values()]
        clusters.sort(key=lambda cluster: cluster.digests)
        return tuple(clusters)

    def to_list(self) -> list[list[Any]]:
        """The points as JSON values: features in hexadecimal, pages, articles."""
        fingerprints = self._sample.fingerprints()
        rows: list[list[Any]] = []
        for digest, point in sorted(self._sample.points.items()):
            features = fingerprints[digest].to_bytes().hex()
            rows.append([features, point.pages, point.articles])
        return rows

    def merge(self, points: Iterable[Sequence[Any]]) -> None:
        """Add the pages of other clusters, as ``to_list`` wrote them."""
        for features, pages, articles in points:
            fingerprint = Fingerprint.from_bytes(bytes.fromhex(features))
            other_pages = pages - articles
            if articles:
                self.add(fingerprint, is_article=True, pages=articles)
            if other_pages:
                self.add(fingerprint, is_article=False, pages=other_pages)

    def distances(self) -> tuple[tuple[str, ...], list[list[float]]]:
        """The digests of the points, and the distances of all to each other, with the weights of
        the last measurement."""
        digests = tuple(self._sample.points)
        return digests, self._sample.all_distances()

    def _attach(self, digest: str) -> None:
        """Add a new point to the first group with a point within the cut, else to a new group."""
        points = self._sample.points
        point = points[digest]
        group = None
        for neighbour, neighbour_group in self._group_of.items():
            distance = self._sample.distance(point, points[neighbour])
            if distance <= self._cut.distance:
                group = neighbour_group
                break
        group = group or _Group()
        group.digests.append(digest)
        self._group_of[digest] = group

    def _choose_cut(self, edges: Sequence[Edge]) -> Cut:
        if self._threshold is not None:
            return Cut(self._threshold, "fixed by FOREST_METHOD_OPTIONS")
        points = self._sample.points
        articles = {}
        for digest, point in points.items():
            if point.articles:
                articles[digest] = point.articles
        cut = choose_cut(edges, articles)
        if cut.distance < self._min_cut:
            return Cut(self._min_cut, "as when the stored wrappers were learned")
        return cut
