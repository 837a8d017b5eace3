"""A bounded sample of a host's pages, as points with distances between them.

Pages with equal fingerprints are one point.  The points that are kept are those with the smallest
digests, so the sample does not depend on the order of the pages.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from forest_scrapy.core.templates.fingerprints import Fingerprint, overlap_distance

#: Points that may be added beyond the limit before the sample is cut back to it.
_SLACK = 64
#: Bit planes of the weights, which are whole numbers: 3 planes give weights up to 7.
_PLANES = 3
#: Pages added to the number of pages, with none of the features: otherwise the features that the
#: first two pages share would have no weight.  Not tuned.
_UNSEEN_PAGES = 0.5
#: Features that are looked at together, so that a matrix of them takes a few MB.
_BLOCK = 4096


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
        self._weigh = weigh
        self._limit = limit
        #: The points by the digest of their fingerprint.
        self.points: dict[str, Point] = {}
        self._bit_of: dict[int, int] = {}
        # Without weights, one plane in which all bits are set.
        self._planes: tuple[int, ...] = (-1,)
        if weigh:
            self._planes = ()
        #: The smallest digest that was ever dropped.
        self._dropped_from = ""

    @property
    def is_full(self) -> bool:
        """Whether the sample should be cut back before more points are added."""
        max_points = self._limit + _SLACK
        return len(self.points) > max_points

    def accepts(self, fingerprint: Fingerprint) -> bool:
        """Whether a point with this fingerprint would be kept."""
        if not self._dropped_from:
            return True
        return fingerprint.digest < self._dropped_from

    def add(
        self,
        fingerprint: Fingerprint,
        pages: int,
        articles: int,
    ) -> None:
        """Count pages with this fingerprint."""
        digest = fingerprint.digest
        if digest not in self.points:
            for feature in fingerprint.features:
                next_bit = len(self._bit_of)
                self._bit_of.setdefault(feature, next_bit)
            self.points[digest] = self.point_of(fingerprint)

        point = self.points[digest]
        point.pages += pages
        point.articles += articles

    def fingerprints(self) -> dict[str, Fingerprint]:
        """The fingerprints of the points, by digest."""
        feature_of = self._features_by_bit()
        fingerprints = {}
        for digest, point in self.points.items():
            features = [feature_of[bit] for bit in _set_bits(point.bits)]
            fingerprints[digest] = Fingerprint(frozenset(features))
        return fingerprints

    def _features_by_bit(self) -> dict[int, int]:
        return {bit: feature for feature, bit in self._bit_of.items()}

    def point_of(self, fingerprint: Fingerprint) -> Point:
        """A point without pages, that need not be in the sample.

        Features that no point has get bits beyond those of the sample: they have no weight if
        features are weighed, and are never shared.
        """
        bits = 0
        unknown = 0
        for feature in fingerprint.features:
            bit = self._bit_of.get(feature)
            if bit is None:
                unknown += 1
            else:
                bits |= 1 << bit
        unknown_bits = (1 << unknown) - 1
        bits |= unknown_bits << len(self._bit_of)
        weight = self._weight(bits)
        return Point(bits, weight)

    def distance(self, a: Point, b: Point) -> float:
        """The distance of two points by the weights of their features."""
        common_bits = a.bits & b.bits
        shared = self._weight(common_bits)
        are_equal = a.bits == b.bits
        return overlap_distance(shared, a.weight, b.weight, are_equal)

    def all_distances(self) -> list[list[float]]:
        """The distances of all points to each other, in their order: some 10 ms for 256 points
        with 3,000 features."""
        points = list(self.points.values())
        if len(points) == 1:
            return [[0.0]]
        shape = (len(points), len(points))
        shared = np.zeros(shape)
        for start, matrix in self._feature_blocks():
            _, width = matrix.shape
            feature_weights = self._weights(start, width)
            weighted = matrix * feature_weights
            shared += weighted @ matrix.T

        point_weights = [point.weight for point in points]
        weights = np.array(point_weights, float)
        column = weights[:, None]
        larger = np.maximum(column, weights)
        larger = np.where(larger, larger, 1)  # points without weight have the distance 1
        shares = shared / larger
        distances = 1 - shares
        np.fill_diagonal(distances, 0.0)
        return distances.tolist()  # type: ignore[no-any-return]

    def cut_back(self) -> None:
        """Drop all but ``limit`` points, and the features that only dropped points have."""
        if len(self.points) <= self._limit:
            return
        digests = sorted(self.points)
        self._dropped_from = digests[self._limit]
        remaining_digests = digests[: self._limit]
        self.points = {digest: self.points[digest] for digest in remaining_digests}

        feature_of = self._features_by_bit()
        self._bit_of = {}
        for point in self.points.values():
            old_bits = point.bits
            point.bits = 0
            for old_bit in _set_bits(old_bits):
                feature = feature_of[old_bit]
                next_bit = len(self._bit_of)
                bit = self._bit_of.setdefault(feature, next_bit)
                point.bits |= 1 << bit

    def weigh_features(self) -> None:
        """Weigh the features anew by the pages that have them now."""
        if self._weigh:
            self._planes = self._find_planes()
        for point in self.points.values():
            point.weight = self._weight(point.bits)

    def _weight(self, bits: int) -> int:
        """The sum of the weights of the features."""
        weight = 0
        for i, plane in enumerate(self._planes):
            common = bits & plane
            weight += common.bit_count() << i
        return weight

    def _weights(self, start: int, width: int) -> Any:
        """The weights of ``width`` features from ``start`` on."""
        weights: Any = 0
        planes = list(self._planes)
        rows = _unpack(planes, start, width)
        for i, row in enumerate(rows):
            value = 1 << i
            weights = weights + row * value
        return weights

    def _find_planes(self) -> tuple[int, ...]:
        """The weights of all features as bit planes, the lowest bits first."""
        points = self.points.values()
        pages = np.array([point.pages for point in points])
        page_count = pages.sum() + _UNSEEN_PAGES
        max_weight = 2**_PLANES - 1
        planes = [0] * _PLANES
        for start, matrix in self._feature_blocks():
            pages_with_feature = pages @ matrix.astype(int)
            shares = pages_with_feature / page_count
            weights = 4 * shares * (1 - shares) * max_weight
            rounded = np.rint(weights)
            whole_weights = rounded.astype(int)
            for i in range(_PLANES):
                bits = whole_weights >> i & 1
                packed = np.packbits(bits, bitorder="little")
                plane_bits = int.from_bytes(packed.tobytes(), "little")
                planes[i] |= plane_bits << start
        return tuple(planes)

    def _feature_blocks(self) -> Iterator[tuple[int, Any]]:
        """Which points have which features, in blocks: the first bit of a block, and a matrix of
        0 and 1 with a row for each point and a column for each bit."""
        rows = [point.bits for point in self.points.values()]
        feature_count = len(self._bit_of)
        for start in range(0, feature_count, _BLOCK):
            remaining_width = feature_count - start
            width = min(_BLOCK, remaining_width)
            matrix = _unpack(rows, start, width)
            yield start, matrix


def _unpack(
    rows: list[int],
    start: int,
    width: int,
) -> Any:
    """So many bits of each row from ``start`` on, as a matrix of 0 and 1."""
    mask = (1 << width) - 1
    size = (width + 7) // 8
    parts = [row >> start & mask for row in rows]
    packed = b"".join(part.to_bytes(size, "little") for part in parts)
    cells = np.frombuffer(packed, np.uint8)
    cells = cells.reshape(len(rows), size)
    bits = np.unpackbits(cells, axis=1, count=width, bitorder="little")
    return bits.astype(np.float32)


def _set_bits(bits: int) -> Iterator[int]:
    """The positions of the bits that are set, from the lowest."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
