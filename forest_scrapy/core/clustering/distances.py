"""Fingerprints of pages, and their distance (Gottron 2008, section 4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from heapq import nsmallest

__all__ = ["MANY_FEATURES", "Fingerprint", "bound_features", "overlap_distance", "shared_distance"]

#: A page with more features is unusual (of 700 pages of the development set, none has more than
#: 350): it has very many classes, or is nested very deeply, so that walks over it may be slow.
MANY_FEATURES = 600
#: Features that are kept of a page: placing takes time in proportion to all that a host has.
_MOST_FEATURES = 1_000


def bound_features(features: frozenset[int]) -> frozenset[int]:
    """The features, the smallest ones if there are very many: so the features that two pages
    share are kept of both, or of none.

    >>> len(bound_features(frozenset(range(5_000))))
    1000
    """
    is_small = len(features) <= _MOST_FEATURES
    return features if is_small else frozenset(nsmallest(_MOST_FEATURES, features))


@dataclass(frozen=True)
class Fingerprint:
    """The features of one page: 64-bit digests of its tag paths or shingles.  Fingerprints with
    the same features have the same ``digest``."""

    features: frozenset[int] = field(repr=False)
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", blake2b(self.to_bytes(), digest_size=8).hexdigest())

    def to_bytes(self) -> bytes:
        """The features, sorted, 8 bytes each."""
        return b"".join(feature.to_bytes(8, "big") for feature in sorted(self.features))

    @classmethod
    def from_bytes(cls, packed: bytes) -> Fingerprint:
        """Read ``to_bytes``."""
        cells = (packed[i : i + 8] for i in range(0, len(packed), 8))
        return cls(frozenset(int.from_bytes(cell, "big") for cell in cells))


def overlap_distance(shared: int, a: int, b: int, are_equal: bool) -> float:
    """1 - |A & B| / max(|A|, |B|), equations 1 to 3, from the sizes (or weights) of the two sets
    and of their intersection.  If both are 0, the sets differ by 0 or 1.
    """
    larger = max(a, b)
    return 1 - shared / larger if larger else float(not are_equal)


def shared_distance(a: frozenset[int], b: frozenset[int]) -> float:
    """The distance of two sets of features, all with the same weight.

    >>> shared_distance(frozenset({1, 2, 3, 4}), frozenset({1, 2}))
    0.5
    """
    return overlap_distance(len(a & b), len(a), len(b), a == b)
