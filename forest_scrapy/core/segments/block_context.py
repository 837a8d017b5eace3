"""The features of candidates that tell an article from teasers, lists and notices: how much prose
it has, and how far from the title it is in the tree."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.segments.running import running_sums
from forest_scrapy.core.segments.segmentation import SegmentedPage

__all__ = ["BLOCK_CONTEXT", "ContextSums"]

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: Characters outside links from which a segment is prose.
_PROSE = 80
_END = re.compile(r"[.!?\u3002\uff1f\uff01\u0964\u2026][\"'\u201d\u2019\u00bb)\]]*$")

#: Names of the features, in their order.
BLOCK_CONTEXT = (
    "levels_to_title", "levels_from_title", "prose_share", "prose_of_page", "mean_length",
    "sentences",
)  # fmt: skip

Values = NDArray[np.float64]


class ContextSums:
    """What the values of ``BLOCK_CONTEXT`` are computed from, for each segment of a page."""

    def __init__(self, page: SegmentedPage, lengths: Values, linked: Values, title: int) -> None:
        self._page, self._lengths = page, lengths
        self._title = page.segments[title].block if title >= 0 else -1
        self._prose = np.where(lengths - linked >= _PROSE, lengths, 0.0)
        ends = [_END.search(segment.text) is not None for segment in page.segments]
        self._sentences = lengths * ends

    def values(
        self,
        firsts: NDArray[np.intp],
        lasts: NDArray[np.intp],
        levels: Values,
        kept: NDArray[np.bool_],
    ) -> Values:
        """One row for each candidate: the kept segments from ``firsts`` to before ``lasts``;
        ``levels``: those of its node."""

        def sums(of: Values) -> Values:
            before = running_sums(of * kept)
            return np.asarray(before[lasts] - before[firsts])

        total = np.maximum(sums(self._lengths), 1.0)
        count = np.maximum(sums(np.ones(len(kept))), 1.0)
        prose = sums(self._prose)
        return np.column_stack(
            (
                levels,
                prose / total,
                prose / max(self._prose.sum(), 1.0),
                np.log1p(total / count),
                sums(self._sentences) / total,
            )
        )

    def levels(self, nodes: Sequence[int]) -> Values:
        """A row for each node: the levels from it up to the nearest element that also contains the
        title, and from there down to the title; -1 without a title."""
        outline = self._page.outline
        if self._title < 0:
            return np.full((len(nodes), 2), -1.0)
        around = set(outline.path(self._title))
        bottom = outline.nodes[self._title].level
        rows = []
        for node in nodes:
            shared = outline.nodes[next(n for n in outline.path(node) if n in around)].level
            rows.append((outline.nodes[node].level - shared, bottom - shared))
        return np.array(rows, dtype=np.float64).reshape(-1, 2)
