"""A bounded sample of a host's pages, as points with distances between them.

Pages with equal fingerprints are one point.  The points that are kept are those with the smallest
digests, so the sample does not depend on the order of the pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from forest_scrapy.core.clustering.distances import Fingerprint, overlap_distance

__all__ = ["Point", "PointSample"]

#: Points that may be added beyond the limit before the sample is cut back to it.
_SLACK = 64
#: Bit planes of the weights, which are whole numbers: 3 planes give weights up to 7.
_PLANES = 3
#: Pages added to the number of pages, with none of the features: otherwise the features that the
#: first two pages share would have no weight.  Not tuned.
_UNSEEN_PAGES = 0.5


@dataclass
class Point:
    """The pages with one fingerprint: its features as bits, their weight, the number of pages,
    and how many of these are known to be articles."""

    bits: int
    weight: int = 0
    pages: int = 0
    articles: int = 0


class PointSample:
    """At most ``limit`` points of a host (some more until ``cut_back``).

    ``weigh``: weigh a feature by p(1 - p), where p is the share of the pages that have it, since
    features of all pages, or of one page, say little about its template.  Otherwise all features
    have the same weight.

    Cost: a distance is two operations on integers used as bit sets, about 1 us.
    """

    def __init__(self, weigh: bool, limit: int) -> None:
        self._weigh, self._limit = weigh, limit
        #: The points by the digest of their fingerprint.
        self.points: dict[str, Point] = {}
        self._bit_of: dict[int, int] = {}
        self._planes: tuple[int, ...] = () if weigh else (-1,)
        self._dropped_from = ""  # the smallest digest that was ever dropped

    @property
    def is_full(self) -> bool:
        """Whether the sample should be cut back before more points are added."""
        return len(self.points) > self._limit + _SLACK

    def accepts(self, fingerprint: Fingerprint) -> bool:
        """Whether a point with this fingerprint would be kept."""
        return not self._dropped_from or fingerprint.digest < self._dropped_from

    def add(self, fingerprint: Fingerprint, pages: int, articles: int) -> None:
        """Count pages with this fingerprint."""
        if fingerprint.digest not in self.points:
            for feature in fingerprint.features:
                self._bit_of.setdefault(feature, len(self._bit_of))
            self.points[fingerprint.digest] = self.point_of(fingerprint)
        point = self.points[fingerprint.digest]
        point.pages += pages
        point.articles += articles

    def point_of(self, fingerprint: Fingerprint) -> Point:
        """A point without pages, that need not be in the sample.

        Features that no point has get bits beyond those of the sample: they have no weight if
        features are weighed, and are never shared.
        """
        known = [self._bit_of[f] for f in fingerprint.features if f in self._bit_of]
        unknown = len(fingerprint.features) - len(known)
        bits = sum(1 << bit for bit in known) | ((1 << unknown) - 1) << len(self._bit_of)
        return Point(bits, self._weight(bits))

    def distance(self, a: Point, b: Point) -> float:
        """The distance of two points by the weights of their features."""
        return overlap_distance(self._weight(a.bits & b.bits), a.weight, b.weight, a.bits == b.bits)

    def cut_back(self) -> None:
        """Drop all but ``limit`` points, and the features that only dropped points have."""
        if len(self.points) <= self._limit:
            return
        digests = sorted(self.points)
        self._dropped_from = digests[self._limit]
        features = {bit: feature for feature, bit in self._bit_of.items()}
        self._bit_of = {}
        kept = {digest: self.points[digest] for digest in digests[: self._limit]}
        for point in kept.values():
            own = [features[bit] for bit in _set_bits(point.bits)]
            point.bits = sum(1 << self._bit_of.setdefault(f, len(self._bit_of)) for f in own)
        self.points = kept

    def weigh_features(self) -> None:
        """Weigh the features anew by the pages that have them now."""
        if self._weigh:
            self._planes = self._find_planes()
        for point in self.points.values():
            point.weight = self._weight(point.bits)

    def _weight(self, bits: int) -> int:
        return sum((bits & plane).bit_count() << i for i, plane in enumerate(self._planes))

    def _find_planes(self) -> tuple[int, ...]:
        total = sum(point.pages for point in self.points.values()) + _UNSEEN_PAGES
        found_on = [0] * len(self._bit_of)
        for point in self.points.values():
            for bit in _set_bits(point.bits):
                found_on[bit] += point.pages
        planes = [0] * _PLANES
        for bit, count in enumerate(found_on):
            share = count / total
            weight = round(4 * share * (1 - share) * (2**_PLANES - 1))
            for i in range(_PLANES):
                planes[i] |= (weight >> i & 1) << bit
        return tuple(planes)


def _set_bits(bits: int) -> Iterator[int]:
    """The positions of the bits that are set, from the lowest."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
