"""Measures of partitions: the Rand index and the Dunn index (Gottron 2008, section 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations


def rand_index(clusters: Sequence[Hashable], classes: Sequence[Hashable]) -> float:
    """The share of the pairs that both partitions put into one group, or both into different
    groups; 1.0 if there are no pairs.

    >>> rand_index("aabb", "xxyy"), rand_index("aaaa", "xxyy")
    (1.0, 0.3333333333333333)
    """
    pairs = _pairs(len(clusters))
    if not pairs:
        return 1.0
    both = sum(map(_pairs, Counter(zip(clusters, classes, strict=True)).values()))
    in_clusters = sum(map(_pairs, Counter(clusters).values()))
    in_classes = sum(map(_pairs, Counter(classes).values()))
    return (pairs + 2 * both - in_clusters - in_classes) / pairs


def dunn_index(distances: Sequence[Sequence[float]], classes: Sequence[Hashable]) -> float | None:
    """The smallest distance between pages of different groups over the largest within a group;
    None if either does not exist or the latter is 0.

    >>> dunn_index([[0, 0.2, 0.9], [0.2, 0, 0.8], [0.9, 0.8, 0]], "aab")
    4.0
    """
    within: list[float] = []
    between: list[float] = []
    for i, j in combinations(range(len(classes)), 2):
        (within if classes[i] == classes[j] else between).append(distances[i][j])
    if not within or not between or max(within) == 0:
        return None
    return min(between) / max(within)


def _pairs(n: int) -> int:
    return n * (n - 1) // 2
