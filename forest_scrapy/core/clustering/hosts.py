"""Template clustering: which pages of a host share a layout (Gottron 2008, sections 4 and 5).

Pages are points; a point's features are digests of its tag paths or shingles.  Single linkage
is read off a minimum spanning tree: cut at a distance, it falls into the clusters of the pages
that are linked by distances up to it.

Equal pages collapse into one point.  A host keeps a bounded number of points, those with the
smallest digests: a sample of its pages that is the same in whatever order they came.  A page
outside the sample belongs to the cluster of its nearest point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from forest_scrapy.core.clustering.dendrogram import Cut, Edge, choose_cut, cluster_points

__all__ = ["Cluster", "Fingerprint", "HostClusters", "shared_distance"]

#: Points kept of a host; the spanning tree over as many takes some 50 ms.
LIMIT = 256
#: Points that may come over the limit before the sample is cut back to it.
_SLACK = 64
#: The tree is measured anew when the pages have grown by this factor, so that all measurings
#: together cost about as much as the last.
GROWTH = 2
#: Weights are whole numbers, in bit planes: 3 give weights up to 7.
_PLANES = 3
#: Pages assumed with none of the paths, so that what two pages share is not at once "what all
#: pages share".
_UNSEEN_PAGES = 0.5


@dataclass(frozen=True)
class Fingerprint:
    """The features of one page, 64-bit digests; equal sets have the same ``digest``."""

    features: frozenset[int] = field(repr=False)
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", blake2b(self.to_bytes(), digest_size=8).hexdigest())

    def to_bytes(self) -> bytes:
        """The features, sorted, 8 bytes each."""
        return b"".join(feature.to_bytes(8, "big") for feature in sorted(self.features))

    @classmethod
    def from_bytes(cls, packed: bytes) -> Fingerprint:
        cells = (packed[i : i + 8] for i in range(0, len(packed), 8))
        return cls(frozenset(int.from_bytes(cell, "big") for cell in cells))


def shared_distance(a: frozenset[int], b: frozenset[int]) -> float:
    """1 - |A & B| / max(|A|, |B|), equations 1 to 3; two empty sets are equal.

    >>> shared_distance(frozenset({1, 2, 3, 4}), frozenset({1, 2}))
    0.5
    """
    return 1 - len(a & b) / max(len(a), len(b)) if a or b else 0.0


@dataclass(frozen=True)
class Cluster:
    """Points of one template: their digests, sorted, and the pages that stand behind them.

    ``articles`` counts the pages known to be articles (feed items).
    """

    digests: tuple[str, ...]
    pages: int
    articles: int


@dataclass
class _Point:
    bits: int
    pages: int = 0
    articles: int = 0


@dataclass
class _Group:
    digests: list[str] = field(default_factory=list)
    pages: int = 0
    articles: int = 0


class HostClusters:
    """The pages of one host, placed one by one.

    ``weigh``: a path's weight is p(1 - p), p the share of the pages that have it: what all
    pages share tells no two apart, and what one page has alone comes from its text.  Without
    it all weigh the same, as published.  ``threshold`` fixes the cut; None leaves it to
    ``choose_cut``.  ``least_cut``: the cut is no narrower, as an earlier crawl found it.

    Between two measurings a page joins the first group with a point near enough; measuring
    weighs the paths, grows the spanning tree and cuts it anew.  It is done when the pages
    have doubled, and whenever ``clusters`` is asked for, so that what that gives is single
    linkage over all pages, exactly, in whatever order they came.

    Cost: for a page, a few distances (two operations on integers used as bit sets, some
    1 us each), at worst one to each point kept; measuring, a distance for each pair.
    """

    def __init__(
        self, weigh: bool = True, threshold: float | None = None, limit: int = LIMIT
    ) -> None:
        self._weigh, self._threshold, self._limit = weigh, threshold, limit
        self._points: dict[str, _Point] = {}
        self._bit_of: dict[int, int] = {}
        self._planes: tuple[int, ...] = ()
        self._group_of: dict[str, _Group] = {}
        self._pages = 0
        self._measured_at = 0
        self._dropped_from = ""  # the smallest digest ever cut from the sample
        self.least_cut = 0.0
        self.cut = Cut(0.0, "no page yet")

    def add(self, fingerprint: Fingerprint, is_article: bool = False, pages: int = 1) -> None:
        """Count one page (or as many as given) with this fingerprint."""
        digest = fingerprint.digest
        if self._dropped_from and digest >= self._dropped_from:
            return
        self._pages += pages
        is_new = digest not in self._points
        if is_new:
            self._points[digest] = _Point(self._bits(fingerprint))
        point = self._points[digest]
        point.pages += pages
        point.articles += pages * is_article
        if self._must_measure():
            self._measure()
            return
        if is_new:
            self._attach(digest)
        self._group_of[digest].pages += pages
        self._group_of[digest].articles += pages * is_article

    def cluster_of(self, fingerprint: Fingerprint) -> Cluster | None:
        """The cluster of a page, added or not; None where no point is near enough."""
        if fingerprint.digest in self._group_of:
            return _freeze(self._group_of[fingerprint.digest])
        distance, digest = min(self._distances_from(fingerprint), default=(2.0, ""))
        return _freeze(self._group_of[digest]) if distance <= self.cut.distance else None

    def clusters(self) -> tuple[Cluster, ...]:
        """All clusters over all pages seen, measured anew, sorted by their first digests."""
        self._measure()
        groups = {id(group): group for group in self._group_of.values()}
        return tuple(sorted(map(_freeze, groups.values()), key=lambda cluster: cluster.digests))

    def _must_measure(self) -> bool:
        grown = self._pages >= self._measured_at * GROWTH
        return grown or len(self._points) > self._limit + _SLACK

    def _attach(self, digest: str) -> None:
        """Let a new point join the group of the first point near enough, or be its own."""
        bits = self._points[digest].bits
        near = (
            group
            for other, group in self._group_of.items()
            if self._distance(bits, self._points[other].bits) <= self.cut.distance
        )
        group = next(near, None) or _Group()
        group.digests.append(digest)
        self._group_of[digest] = group

    def _bits(self, fingerprint: Fingerprint) -> int:
        bits = 0
        for feature in fingerprint.features:
            bits |= 1 << self._bit_of.setdefault(feature, len(self._bit_of))
        return bits

    def _weight(self, bits: int) -> int:
        return sum((bits & plane).bit_count() << i for i, plane in enumerate(self._planes))

    def _distance(self, a: int, b: int) -> float:
        heaviest = max(self._weight(a), self._weight(b))
        return 1 - self._weight(a & b) / heaviest if heaviest else float(a != b)

    def _distances_from(self, fingerprint: Fingerprint) -> Iterator[tuple[float, str]]:
        """The distances of a page that is not kept; features that no point has get no bit."""
        known = [self._bit_of[f] for f in fingerprint.features if f in self._bit_of]
        bits = sum(1 << bit for bit in known)
        own = self._weight(bits)
        if not self._weigh:
            own += len(fingerprint.features) - len(known)
        for digest, point in self._points.items():
            heaviest = max(own, self._weight(point.bits))
            shared = self._weight(bits & point.bits)
            yield (1 - shared / heaviest if heaviest else 1.0), digest

    def _measure(self) -> None:
        """Cut the sample back, weigh the paths, grow the spanning tree and cut it."""
        self._measured_at = self._pages
        self._cut_back()
        self._planes = self._weigh_paths() if self._weigh else (-1,)
        edges = sorted(self._grow_tree())
        self.cut = self._choose_cut(edges)
        self._group_of = {}
        for digests in cluster_points(self._points, edges, self.cut.distance):
            points = [self._points[digest] for digest in digests]
            group = _Group(list(digests), sum(p.pages for p in points))
            group.articles = sum(p.articles for p in points)
            self._group_of.update(dict.fromkeys(digests, group))

    def _choose_cut(self, edges: Sequence[Edge]) -> Cut:
        if self._threshold is not None:
            return Cut(self._threshold, "fixed by FOREST_THRESHOLD")
        articles = {d: point.articles for d, point in self._points.items() if point.articles}
        cut = choose_cut(edges, articles)
        if cut.distance < self.least_cut:
            return Cut(self.least_cut, "as when the stored wrappers were learned")
        return cut

    def _grow_tree(self) -> Iterator[Edge]:
        """The edges of a minimum spanning tree (Prim), without holding all distances."""
        waiting = sorted(self._points)
        newest = waiting.pop(0) if waiting else ""
        nearest = dict.fromkeys(waiting, Edge(2.0, "", ""))
        weights = {digest: self._weight(point.bits) for digest, point in self._points.items()}
        while nearest:
            bits, weight = self._points[newest].bits, weights[newest]
            for digest, best in nearest.items():
                heaviest, other = max(weight, weights[digest]), self._points[digest].bits
                shared = self._weight(bits & other)
                distance = 1 - shared / heaviest if heaviest else float(bits != other)
                if distance <= best.distance:
                    a, b = sorted((digest, newest))
                    nearest[digest] = min(best, Edge(distance, a, b))
            newest = min(nearest, key=lambda digest: nearest[digest])
            yield nearest.pop(newest)

    def _weigh_paths(self) -> tuple[int, ...]:
        total = sum(point.pages for point in self._points.values()) + _UNSEEN_PAGES
        found_on = [0] * len(self._bit_of)
        for point in self._points.values():
            for bit in _set_bits(point.bits):
                found_on[bit] += point.pages
        planes = [0] * _PLANES
        for bit, count in enumerate(found_on):
            share = count / total
            weight = round(4 * share * (1 - share) * (2**_PLANES - 1))
            for i in range(_PLANES):
                planes[i] |= (weight >> i & 1) << bit
        return tuple(planes)

    def _cut_back(self) -> None:
        """Keep the points with the smallest digests, and only the features they have."""
        if len(self._points) <= self._limit:
            return
        kept = sorted(self._points)
        self._dropped_from = kept[self._limit]
        features = {bit: feature for feature, bit in self._bit_of.items()}
        self._bit_of = {}
        points = {digest: self._points[digest] for digest in kept[: self._limit]}
        for point in points.values():
            old = Fingerprint(frozenset(features[bit] for bit in _set_bits(point.bits)))
            point.bits = self._bits(old)
        self._points = points


def _freeze(group: _Group) -> Cluster:
    return Cluster(tuple(sorted(group.digests)), group.pages, group.articles)


def _set_bits(bits: int) -> Iterator[int]:
    """The places of the ones, from the lowest."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
