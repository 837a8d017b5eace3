"""Template clustering: which pages of a host share a layout (Gottron 2008, sections 4 and 5).

Pages are points; a point's features are digests of its tag paths or shingles.  Single linkage
is read off a minimum spanning tree: cut at a distance, it falls into the clusters of the pages
that are linked by distances up to it.

Equal pages collapse into one point.  A host keeps a bounded number of points, those with the
smallest digests: a sample of its pages that is the same in whatever order they came.  A page
outside the sample belongs to the cluster of its nearest point.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from forest_scrapy.core.cuts import Cut, Edge, choose_cut, cluster_points, spanning_tree

__all__ = ["Cluster", "Fingerprint", "HostClusters", "shared_distance"]

#: Points kept of a host; the spanning tree over as many takes some 50 ms.
LIMIT = 256
#: Points that may come over the limit before the sample is cut back to it.
_SLACK = 64
#: The tree is measured anew when the pages have grown by this factor: path weights change with
#: the pages, and hardly any more once there are many.
GROWTH = 1.2
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


class HostClusters:
    """The pages of one host, placed one by one.

    ``weigh``: a path's weight is p(1 - p), p the share of the pages that have it: what all
    pages share tells no two apart, and what one page has alone comes from its text.  Without
    it all weigh the same, as published.  ``threshold`` fixes the cut; None leaves it to
    ``choose_cut``.

    Cost: adding a page takes one distance to each point kept (a few operations on integers
    used as bit sets); the passes over all pairs of points, when the pages have grown by
    ``GROWTH``, add up to a multiple of that.
    """

    def __init__(
        self, weigh: bool = True, threshold: float | None = None, limit: int = LIMIT
    ) -> None:
        self._weigh, self._threshold, self._limit = weigh, threshold, limit
        self._points: dict[str, _Point] = {}
        self._bit_of: dict[int, int] = {}
        self._planes: tuple[int, ...] = ()
        self._edges: list[Edge] = []
        self._pages = 0
        self._measured_at = 0
        self._clusters: dict[str, Cluster] | None = None
        self._dropped_from = ""  # the smallest digest ever cut from the sample
        self.cut = Cut(0.0, "no page yet")

    def add(self, fingerprint: Fingerprint, is_article: bool = False, pages: int = 1) -> None:
        """Count one page (or as many as given) with this fingerprint."""
        digest = fingerprint.digest
        self._pages += pages
        if self._dropped_from and digest >= self._dropped_from:
            return
        self._clusters = None
        if digest not in self._points:
            self._points[digest] = _Point(self._bits(fingerprint))
            self._link(digest)
        self._points[digest].pages += pages
        self._points[digest].articles += is_article

    def cluster_of(self, fingerprint: Fingerprint) -> Cluster | None:
        """The cluster of a page, added or not; None where no point is near enough."""
        clusters = self._read()
        if fingerprint.digest in clusters:
            return clusters[fingerprint.digest]
        bits = self._bits(fingerprint)
        distances = ((self._distance(bits, p.bits), digest) for digest, p in self._points.items())
        distance, digest = min(distances, default=(2.0, ""))
        return clusters[digest] if distance <= self.cut.distance else None

    def clusters(self) -> tuple[Cluster, ...]:
        """All clusters over all pages seen, measured anew, sorted by their first digests."""
        self._measure()
        return tuple(sorted(set(self._read().values()), key=lambda cluster: cluster.digests))

    def _read(self) -> dict[str, Cluster]:
        if self._clusters is None:
            grown = self._pages >= self._measured_at * GROWTH
            if grown or len(self._points) > self._limit + _SLACK:
                self._measure()
            self.cut = self._choose_cut()
            groups = cluster_points(self._points, self._edges, self.cut.distance)
            self._clusters = {digest: self._cluster(group) for group in groups for digest in group}
        return self._clusters

    def _choose_cut(self) -> Cut:
        if self._threshold is not None:
            return Cut(self._threshold, "fixed by FOREST_THRESHOLD")
        articles = {d: point.articles for d, point in self._points.items() if point.articles}
        return choose_cut(self._edges, articles)

    def _cluster(self, digests: Sequence[str]) -> Cluster:
        points = [self._points[digest] for digest in digests]
        return Cluster(
            tuple(digests), sum(point.pages for point in points), sum(p.articles for p in points)
        )

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

    def _link(self, digest: str) -> None:
        """Put a new point into the tree by the weights at hand: n old edges and n new ones."""
        bits = self._points[digest].bits
        new = (
            Edge(self._distance(bits, point.bits), *sorted((digest, other)))
            for other, point in self._points.items()
            if other != digest
        )
        self._edges = spanning_tree([*self._edges, *new])

    def _measure(self) -> None:
        """Cut the sample back, weigh the paths, grow the spanning tree anew."""
        self._measured_at = self._pages
        self._clusters = None
        self._cut_back()
        self._planes = self._weigh_paths() if self._weigh else (-1,)
        self._edges = sorted(self._grow_tree())

    def _grow_tree(self) -> Iterator[Edge]:
        """The edges of a minimum spanning tree (Prim), without holding all distances."""
        waiting = sorted(self._points)
        newest = waiting.pop(0) if waiting else ""
        nearest = dict.fromkeys(waiting, Edge(2.0, "", ""))
        while nearest:
            bits = self._points[newest].bits
            for digest, best in nearest.items():
                distance = self._distance(bits, self._points[digest].bits)
                if distance <= best.distance:
                    nearest[digest] = min(best, Edge(distance, *sorted((digest, newest))))
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


def _set_bits(bits: int) -> Iterable[int]:
    return (i for i, digit in enumerate(reversed(f"{bits:b}")) if digit == "1")
