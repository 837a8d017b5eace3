"""The choice of the block that is a page's article, from candidates scored as a whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.patterns.anchored import AnchoredPath, anchored_paths
from forest_scrapy.core.segments.block_features import Candidates, find_candidates
from forest_scrapy.core.segments.segmentation import SegmentedPage
from forest_scrapy.core.segments.tree_scoring import Trees

__all__ = ["choose_segments"]

#: Scores are rounded, so that equal ones do not depend on the order of additions.
_DIGITS = 6

#: Candidates of different pages are the same if their paths and thresholds are.
Key = tuple[AnchoredPath, float]


def choose_segments(
    pages: Sequence[SegmentedPage], probabilities: Sequence[NDArray[np.float64]], trees: Trees
) -> list[NDArray[np.bool_]]:
    """For each segment of the pages of a template whether it is in the best candidate of its page;
    none if the page has no candidates.

    A candidate's score is the sum, over the pages that have it, of how far the trees score it above
    the mean of the page.  Ties: the higher score on the page itself, the higher threshold, the
    outermost block, the first.
    """
    found = [find_candidates(*page) for page in zip(pages, probabilities, strict=True)]
    scores = [_relative_scores(trees, one) for one in found]
    keys = [_keys(page, one) for page, one in zip(pages, found, strict=True)]
    totals = _sum_scores(keys, scores)
    kept = []
    for one, own, own_keys, given in zip(found, scores, keys, probabilities, strict=True):
        ranked = [
            (round(totals[key], _DIGITS), score) for key, score in zip(own_keys, own, strict=True)
        ]
        best = max(range(len(ranked)), key=lambda i: (ranked[i], -i), default=None)
        kept.append(np.zeros(len(given), dtype=bool) if best is None else one.kept(best, given))
    return kept


def _relative_scores(trees: Trees, found: Candidates) -> list[float]:
    """The score of each candidate, relative to the mean of the page."""
    scores = trees.sums(found.table)
    if len(scores):
        scores -= scores.mean()
    relative: list[float] = scores.round(_DIGITS).tolist()
    return relative


def _keys(page: SegmentedPage, found: Candidates) -> list[Key]:
    paths = anchored_paths(page.outline)
    outermost = found.outermost.tolist()
    return [(paths[node], t) for node, t in zip(outermost, found.thresholds.tolist(), strict=True)]


def _sum_scores(
    keys: Iterable[Sequence[Key]], scores: Iterable[Sequence[float]]
) -> dict[Key, float]:
    """The sum of the scores of each candidate over the pages; on a page its highest counts."""
    totals: dict[Key, float] = defaultdict(float)
    for own_keys, own in zip(keys, scores, strict=True):
        of_page: dict[Key, float] = {}
        for key, score in zip(own_keys, own, strict=True):
            of_page[key] = max(score, of_page.get(key, score))
        for key, score in of_page.items():
            totals[key] += score
    return totals
