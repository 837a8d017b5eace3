"""Segments of a template's pages, scored and divided into content and boilerplate."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.document.outline import Outline
from forest_scrapy.core.patterns.anchored import AnchoredPath, anchored_paths
from forest_scrapy.core.segments.segmentation import SegmentedPage
from forest_scrapy.core.segments.subsequence import best_run

__all__ = ["ScoredPage", "Scorer", "score_pages"]

#: A function that gives the probability, 0 to 1, that each segment of a page is content; see
#: ``Classifier.score`` for its arguments.
Scorer = Callable[[SegmentedPage, Mapping[str, int], int], NDArray[np.float64]]

# None of these constants is tuned.
#: Segments within the best run are kept from this probability on.
KEEP_FROM = 0.3
#: The same for a single page, where no average over sibling pages corrects the classifier: the
#: first of these with which the page keeps enough text, else the last.
KEEP_SINGLE_FROM = (0.5, 0.4, 0.3, 0.2, 0.1)
#: Enough text: one of these, in characters and as a share of the page's text.
_LEAST_TEXT, _LEAST_SHARE = 300, 0.1
#: Characters up to which a longer segment has more weight in the average of its anchored path: a
#: long paragraph should not outweigh ten short ones.
_MOST_CHARACTERS = 400


@dataclass(frozen=True)
class ScoredPage:
    """A page with the scores of its segments and what is kept of them.

    ``paths``: the anchored path of each node.  ``kept[i]`` and ``boilerplate[i]``: characters
    kept, and not kept, of the segments before segment i.  ``score_sums[i]``: the sum of their
    probabilities, each times the length of its segment.  ``firsts[n]`` and ``lasts[n]``: the
    segments below node n, from the first to before the last.
    """

    page: SegmentedPage
    paths: list[AnchoredPath]
    kept: NDArray[np.int64]
    boilerplate: NDArray[np.int64]
    score_sums: NDArray[np.float64]
    firsts: NDArray[np.intp]
    lasts: NDArray[np.intp]

    @property
    def outline(self) -> Outline:
        """The outline of the page."""
        return self.page.outline

    def counts(self, node: int) -> tuple[int, int]:
        """Kept characters and characters of boilerplate below a node."""
        return self._kept_below[node], self._boilerplate_below[node]

    @cached_property
    def _kept_below(self) -> list[int]:
        return _sums_below(self.kept, self)

    @cached_property
    def _boilerplate_below(self) -> list[int]:
        return _sums_below(self.boilerplate, self)

    @cached_property
    def _scores_below(self) -> list[float]:
        return _sums_below(self.score_sums, self)

    def score_sum(self, node: int) -> float:
        """The sum of the probabilities below a node, each times the length of its segment."""
        return self._scores_below[node]

    @cached_property
    def nodes_at(self) -> dict[AnchoredPath, list[int]]:
        """The nodes at each anchored path, in document order."""
        found: dict[AnchoredPath, list[int]] = {}
        for node, path in enumerate(self.paths):
            found.setdefault(path, []).append(node)
        return found

    def parent(self, node: int) -> int:
        """The node's parent, -1 for the root."""
        return self.outline.nodes[node].parent

    def blocks(self, paths: set[AnchoredPath]) -> list[int]:
        """The outermost nodes with one of these paths."""
        nodes = [node for path in paths for node in self.nodes_at.get(path, ())]
        return self.outline.outermost(nodes)

    def inner_nodes(self, paths: set[AnchoredPath]) -> list[int]:
        """The nodes below the blocks with these paths, without the blocks."""
        blocks = self.blocks(paths)
        return sorted(self.outline.subtree(blocks).difference(blocks))

    def outermost_nodes(self) -> list[tuple[int, AnchoredPath]]:
        """The nodes with text that are not inside another node with the same path."""
        return [
            (node, path)
            for path, nodes in self.nodes_at.items()
            for node in self.outline.outermost([n for n in nodes if any(self.counts(n))])
        ]

    def without(self, paths: set[AnchoredPath]) -> ScoredPage:
        """The page as if the blocks with these paths had no text."""
        if not paths:
            return self
        kept, boilerplate = np.diff(self.kept), np.diff(self.boilerplate)
        for node in self.blocks(paths):
            below = slice(self.firsts[node], self.lasts[node])
            kept[below] = 0
            boilerplate[below] = 0
        return replace(self, kept=_running_sums(kept), boilerplate=_running_sums(boilerplate))


def score_pages(scorer: Scorer, pages: Sequence[SegmentedPage]) -> list[ScoredPage]:
    """The pages of a template, scored: the probability of each segment is averaged over all
    segments of all pages with the same anchored path."""
    found_on = Counter(text for page in pages for text in set(page.texts))
    paths = [anchored_paths(page.outline) for page in pages]
    sums: dict[AnchoredPath, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for page, path_of in zip(pages, paths, strict=True):
        probabilities = scorer(page, found_on, len(pages))
        for segment, probability in zip(page.segments, probabilities, strict=True):
            characters = min(len(segment.text), _MOST_CHARACTERS)
            total = sums[path_of[segment.block]]
            total[0] += characters * float(probability)
            total[1] += characters
    mean = {path: round(value / weight, 6) for path, (value, weight) in sums.items()}
    return [
        _score_page(page, path_of, [mean[path_of[s.block]] for s in page.segments], len(pages) == 1)
        for page, path_of in zip(pages, paths, strict=True)
    ]


def _score_page(
    page: SegmentedPage, paths: list[AnchoredPath], scores: Sequence[float], is_single: bool
) -> ScoredPage:
    lengths = [len(segment.text) for segment in page.segments]
    choose = _choose_by_threshold if is_single else _choose_best_run
    is_kept = np.array(choose(scores, lengths), dtype=bool)
    counts = np.array(lengths, dtype=np.int64)
    return ScoredPage(
        page,
        paths,
        _running_sums(counts * is_kept),
        _running_sums(counts * ~is_kept),
        _running_sums(np.array(scores, dtype=np.float64) * counts),
        *_segment_spans(page),
    )


def _choose_by_threshold(scores: Sequence[float], lengths: Sequence[int]) -> list[bool]:
    """Which segments of a single page to keep.

    >>> _choose_by_threshold([0.9, 0.1], [400, 400]), _choose_by_threshold([0.45, 0.35], [400, 400])
    ([True, False], [True, False])
    """
    enough = min(_LEAST_TEXT, _LEAST_SHARE * sum(lengths))
    for threshold in KEEP_SINGLE_FROM:
        kept = [score >= threshold for score in scores]
        if sum(n for n, is_kept in zip(lengths, kept, strict=True) if is_kept) >= enough:
            break
    return kept


def _choose_best_run(scores: Sequence[float], lengths: Sequence[int]) -> list[bool]:
    """Which segments to keep of a page with siblings: those of the maximum scoring subsequence
    (Luo et al. 2009, section 4.1) that are likely content themselves.

    >>> _choose_best_run([0.1, 0.9, 0.4, 0.2, 0.9, 0.1], [9, 9, 9, 9, 9, 9])
    [False, True, True, False, True, False]
    """
    first, last = best_run([(s - 0.5) * n for s, n in zip(scores, lengths, strict=True)])
    return [first <= i < last and score >= KEEP_FROM for i, score in enumerate(scores)]


def _segment_spans(page: SegmentedPage) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each node the first segment below it, and the one after the last."""
    starts = [segment.first for segment in page.segments]
    nodes = page.outline.nodes
    firsts = np.searchsorted(starts, [node.first for node in nodes])
    return firsts, np.searchsorted(starts, [node.last for node in nodes])


def _sums_below(sums: NDArray[Any], page: ScoredPage) -> list[Any]:
    """For each node the sum of its segments, from the running sums of all segments."""
    below: list[Any] = (sums[page.lasts] - sums[page.firsts]).tolist()
    return below


def _running_sums(counts: NDArray[Any]) -> NDArray[Any]:
    """For each position the sum of the counts before it, and at the end the sum of all."""
    return np.concatenate((np.zeros(1, dtype=counts.dtype), np.cumsum(counts)))
