"""The choice of the block that is a page's article, from candidates scored as a whole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.segments.block_features import find_candidates
from forest_scrapy.core.segments.segmentation import SegmentedPage
from forest_scrapy.core.segments.tree_scoring import Trees

__all__ = ["choose_segments"]

#: Scores are rounded, so that rows with equal features have equal scores everywhere.
_DIGITS = 6


def choose_segments(
    page: SegmentedPage, probabilities: NDArray[np.float64], trees: Trees
) -> NDArray[np.bool_]:
    """For each segment of the page whether it is in the candidate with the highest score; none
    if there are no candidates.  Ties: the higher threshold, then the outermost block, then the
    first."""
    found = find_candidates(page, probabilities)
    if not len(found.table):
        return np.zeros(len(probabilities), dtype=bool)
    best = int(np.argmax(trees.sums(found.table).round(_DIGITS)))
    return found.kept(best, probabilities)
