"""A page as a few bars: where its text is, and which of it is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from forest_scrapy.core.patterns.anchored import AnchoredPath, anchored_paths
from forest_scrapy.core.segments.segmentation import SegmentedPage
from forest_scrapy.runtime.report.marks import Marks, mark_states

__all__ = ["Bar", "Thumbnail", "draw_thumbnail", "mean_agreement"]

#: Bars of a page, and the characters of a segment that has a bar of full width.
BARS, _LINE = 32, 150


@dataclass(frozen=True)
class Bar:
    """Successive segments.  ``kind``: ``kept``, ``dropped``, or ``other`` if they are outside of
    what was kept; ``width``: 0 to 1."""

    kind: str
    width: float


@dataclass(frozen=True)
class Thumbnail:
    """A page in bars, from top to bottom; ``kept_paths``: the anchored paths that have text that
    is kept."""

    bars: tuple[Bar, ...]
    kept_paths: frozenset[AnchoredPath]


def draw_thumbnail(page: SegmentedPage, marks: Marks) -> Thumbnail:
    """The thumbnail of a page whose parts are marked."""
    leaves, paths = page.outline.leaves, anchored_paths(page.outline)
    states = mark_states(marks, page.page)
    found = [
        (states[leaves[segment.first].node] or "other", len(segment.text))
        for segment in page.segments
    ]
    kept = (s for s, (kind, _) in zip(page.segments, found, strict=True) if kind == "kept")
    return Thumbnail(tuple(_join_bars(found)), frozenset(paths[one.block] for one in kept))


def _join_bars(segments: Sequence[tuple[str, int]]) -> list[Bar]:
    """At most ``BARS`` bars, each for as many segments.

    >>> _join_bars([("kept", 75), ("other", 300)])
    [Bar(kind='kept', width=0.5), Bar(kind='other', width=1.0)]
    """
    size = -(-len(segments) // BARS) or 1
    bars = []
    for start in range(0, len(segments), size):
        group = segments[start : start + size]
        characters: Counter[str] = Counter()
        for kind, length in group:
            characters[kind] += length
        kind = max(sorted(characters), key=lambda one: characters[one])
        mean = characters.total() / len(group)
        bars.append(Bar(kind, round(min(1.0, max(0.1, mean / _LINE)), 2)))
    return bars


def mean_agreement(sets: Sequence[frozenset[AnchoredPath]]) -> list[float | None]:
    """For each page the mean F1 of the paths of its kept text against those of each other page;
    None for a single page.

    >>> a, b = (AnchoredPath(None, (tag,)) for tag in "pq")
    >>> mean_agreement([frozenset((a,)), frozenset((a, b)), frozenset((a,))])
    [0.833, 0.667, 0.833]
    """
    return [
        round(sum(_f1(own, other) for k, other in enumerate(sets) if k != i) / (len(sets) - 1), 3)
        if len(sets) > 1
        else None
        for i, own in enumerate(sets)
    ]


def _f1(one: frozenset[AnchoredPath], other: frozenset[AnchoredPath]) -> float:
    total = len(one) + len(other)
    return 2 * len(one & other) / total if total else 1.0
