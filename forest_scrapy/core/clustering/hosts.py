"""Template clustering: which pages of a host share a template (Gottron 2008, sections 4 and 5).

Pages are points.  Single linkage is read off a minimum spanning tree: removing the edges that are
longer than the cut leaves the clusters of pages that are linked by distances up to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from forest_scrapy.core.clustering.dendrogram import (
    Cut,
    Edge,
    choose_cut,
    cluster_points,
    spanning_tree,
)
from forest_scrapy.core.clustering.distances import Fingerprint
from forest_scrapy.core.clustering.point_sample import PointSample

__all__ = ["Cluster", "HostClusters"]

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
        return Cluster(tuple(sorted(self.digests)), self.pages, self.articles)


class HostClusters:
    """The clusters of one host's pages, which are added one by one.

    ``weigh``: weigh a feature by p(1 - p), where p is the share of the pages that have it;
    otherwise all features have the same weight, as published.  ``threshold``: a fixed cut; None:
    ``choose_cut`` decides.  ``limit``: the number of points that are kept; a page that is not
    among them belongs to the cluster of its nearest point.  ``least_cut``: a lower bound of the
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
        least_cut: float = 0.0,
    ) -> None:
        self._threshold, self._least_cut = threshold, least_cut
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

    def add(self, fingerprint: Fingerprint, is_article: bool = False, pages: int = 1) -> None:
        """Count one page, or several, with this fingerprint."""
        if not self._sample.accepts(fingerprint):
            return
        digest, articles = fingerprint.digest, pages * is_article
        self._sample.add(fingerprint, pages, articles)
        self._pages += pages
        if self._pages >= self._measured_pages * GROWTH or self._sample.is_full:
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
        place = {digest: i for i, digest in enumerate(points)}
        distances = self._sample.all_distances()
        edges = sorted(spanning_tree(place, lambda a, b: distances[a][b]))
        self._cut, self._tree = self._choose_cut(edges), tuple(edges)
        self._group_of = {}
        for digests in cluster_points(points, edges, self._cut.distance):
            pages = sum(points[digest].pages for digest in digests)
            articles = sum(points[digest].articles for digest in digests)
            group = _Group(list(digests), pages, articles)
            self._group_of.update(dict.fromkeys(digests, group))

    def cluster_of(self, fingerprint: Fingerprint) -> Cluster | None:
        """The cluster of a page, which need not have been added; None if no point is within the
        cut.  Pages added since the last measurement may still be in another cluster."""
        if fingerprint.digest in self._group_of:
            return self._group_of[fingerprint.digest].freeze()
        page = self._sample.point_of(fingerprint)
        points = self._sample.points.items()
        distances = ((self._sample.distance(page, point), digest) for digest, point in points)
        distance, nearest = min(distances, default=(2.0, ""))
        return self._group_of[nearest].freeze() if distance <= self._cut.distance else None

    def clusters(self) -> tuple[Cluster, ...]:
        """All clusters, sorted by their first digests.  Exact after ``measure``; pages added since
        may still be in another cluster."""
        groups = {id(group): group for group in self._group_of.values()}
        return tuple(sorted((g.freeze() for g in groups.values()), key=lambda c: c.digests))

    def distances(self) -> tuple[tuple[str, ...], list[list[float]]]:
        """The digests of the points, and the distances of all to each other, with the weights of
        the last measurement."""
        return tuple(self._sample.points), self._sample.all_distances()

    def _attach(self, digest: str) -> None:
        """Add a new point to the first group with a point within the cut, else to a new group."""
        point, points = self._sample.points[digest], self._sample.points
        near = (
            group
            for other, group in self._group_of.items()
            if self._sample.distance(point, points[other]) <= self._cut.distance
        )
        group = next(near, None) or _Group()
        group.digests.append(digest)
        self._group_of[digest] = group

    def _choose_cut(self, edges: Sequence[Edge]) -> Cut:
        if self._threshold is not None:
            return Cut(self._threshold, "fixed by FOREST_THRESHOLD")
        points = self._sample.points
        articles = {digest: point.articles for digest, point in points.items() if point.articles}
        cut = choose_cut(edges, articles)
        if cut.distance < self._least_cut:
            return Cut(self._least_cut, "as when the stored wrappers were learned")
        return cut
