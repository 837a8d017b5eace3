"""Segments of a template's pages, scored and divided into content and boilerplate."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.page.other_articles import find_other_articles
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.segments.block_features import Candidates, find_candidates
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.segments.segmentation import (
    Flags,
    Indices,
    SegmentedPage,
    Values,
    as_indices,
    difference,
    running_sums,
)
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, number_paths

#: Scores are rounded, so that equal ones do not depend on the order of additions.
_DIGITS = 6

#: The share of its text from which a page by itself keeps the same as the template.
_MIN_SHARED = 0.98


class Key(NamedTuple):
    """Candidates of different pages are the same if their keys are equal."""

    path: AnchoredPath
    threshold: float
    ending: int


class Choice(NamedTuple):
    """The segments that are kept of a page, and how sure that is.

    ``is_kept``: for each segment whether it is in the best candidate.  ``lead``: how far the score
    of that one is above the best of those that keep other segments, as the mean of the template's
    pages; infinite if there is none.  ``is_own``: whether the page, by itself, would keep almost
    the same.
    """

    is_kept: Flags
    lead: float = inf
    is_own: bool = True


def choose_segments(
    pages: Sequence[SegmentedPage],
    probabilities: Sequence[Values],
    trees: Trees,
) -> list[Choice]:
    """What is kept of each page of a template: the segments of the best candidate of the page; none
    if the page has no candidates.

    A candidate's score is the sum, over the pages that have it, of how far the trees score it above
    the mean of the page.  Ties: the higher score on the page itself, the higher threshold, the
    outermost block, the first.
    """
    rated_pages = []
    scored = zip(pages, probabilities, strict=True)
    for page, page_probabilities in scored:
        rated_page = _RatedPage.of(page, page_probabilities, trees)
        rated_pages.append(rated_page)
    totals = _sum_scores(rated_pages)
    page_count = len(pages)
    return [page.choose(totals, page_count) for page in rated_pages]


@dataclass(frozen=True)
class _RatedPage:
    """A page with its candidates: the key of each, and its score relative to the page's mean."""

    page: SegmentedPage
    probabilities: Values
    candidates: Candidates
    keys: list[Key]
    scores: list[float]

    @classmethod
    def of(
        cls,
        page: SegmentedPage,
        probabilities: Values,
        trees: Trees,
    ) -> "_RatedPage":
        candidates = find_candidates(page, probabilities)
        keys = _keys(page, candidates)
        scores = _relative_scores(trees, candidates)
        return cls(page, probabilities, candidates, keys, scores)

    def choose(self, totals: Mapping[Key, float], pages: int) -> Choice:
        """The choice for the page; ``totals``: the sums of all ``pages`` of the template."""
        if not self.keys:
            nothing = np.zeros(len(self.probabilities), dtype=bool)
            return Choice(nothing)

        ratings = []
        for key, score in zip(self.keys, self.scores, strict=True):
            total = round(totals[key], _DIGITS)
            ratings.append((total, score))
        indices = range(len(ratings))
        ranked = sorted(indices, key=ratings.__getitem__, reverse=True)  # stable
        is_kept = self._kept_by(ranked[0])

        best_other = -inf
        for index in ranked:
            differs = self._kept_by(index) != is_kept
            if differs.any():
                best_other, _ = ratings[index]
                break
        best, _ = ratings[ranked[0]]
        lead = (best - best_other) / pages

        best_by_itself = max(ranked, key=lambda index: (self.scores[index], -index))
        is_kept_by_itself = self._kept_by(best_by_itself)
        overlap = _overlap(is_kept, is_kept_by_itself, self.page.lengths)
        is_own = overlap >= _MIN_SHARED
        return Choice(is_kept, lead, is_own)

    def _kept_by(self, candidate: int) -> Flags:
        return self.candidates.kept_segments(candidate, self.probabilities)


def _overlap(
    is_kept: Flags,
    is_kept_by_itself: Flags,
    lengths: Values,
) -> float:
    """The F1 of the characters that two choices have in common."""
    length = lengths[is_kept].sum()
    length_by_itself = lengths[is_kept_by_itself].sum()
    total = float(length + length_by_itself)
    if not total:
        return 1.0
    is_shared = is_kept & is_kept_by_itself
    shared = float(lengths[is_shared].sum())
    return 2 * shared / total


def _relative_scores(trees: Trees, candidates: Candidates) -> list[float]:
    """The score of each candidate, relative to the mean of the page."""
    scores = trees.sums(candidates.table)
    if len(scores):
        scores -= scores.mean()
    rounded = scores.round(_DIGITS)
    relative: list[float] = rounded.tolist()
    return relative


def _keys(page: SegmentedPage, candidates: Candidates) -> list[Key]:
    paths = anchored_paths(page.outline)
    outermost = candidates.outermost.tolist()
    thresholds = candidates.thresholds.tolist()
    endings = candidates.endings.tolist()
    node_paths = [paths[node] for node in outermost]
    return list(map(Key, node_paths, thresholds, endings))


def _sum_scores(pages: Iterable[_RatedPage]) -> dict[Key, float]:
    """The sum of the scores of each candidate over the pages; on a page its highest counts."""
    totals: dict[Key, float] = defaultdict(float)
    for page in pages:
        highest: dict[Key, float] = {}
        for key, score in zip(page.keys, page.scores, strict=True):
            previous = highest.get(key, score)
            highest[key] = max(score, previous)
        for key, score in highest.items():
            totals[key] += score
    return totals


#: Characters up to which a longer segment has more weight in the average of its anchored path: a
#: long paragraph should not outweigh ten short ones.  Not tuned.
_MAX_WEIGHT = 400


class PathSize(NamedTuple):
    """The characters in all elements of a page at a path: those that are kept, and the others."""

    path: AnchoredPath
    kept: int
    boilerplate: int


@dataclass(frozen=True)
class ScoredPage:
    """A page with the scores of its segments and what is kept of them.

    ``kept_sums[i]`` and ``boilerplate_sums[i]``:
    characters kept, and not kept, of the segments before segment i.  ``score_sums[i]``: the sum of
    their probabilities, each times the length of its segment.  ``firsts[n]`` and ``lasts[n]``: the
    segments below node n, from the first to before the last.  ``choice``: how sure that is.
    """

    page: SegmentedPage
    kept_sums: NDArray[np.int64]
    boilerplate_sums: NDArray[np.int64]
    score_sums: Values
    firsts: Indices
    lasts: Indices
    choice: Choice

    @property
    def outline(self) -> Outline:
        """The outline of the page."""
        return self.page.outline

    @cached_property
    def paths(self) -> list[AnchoredPath]:
        """The anchored path of each node."""
        return anchored_paths(self.outline)

    def counts(self, node: int) -> tuple[int, int]:
        """Kept characters and characters of boilerplate below a node."""
        return self._kept_below[node], self._boilerplate_below[node]

    @cached_property
    def _kept_below(self) -> list[int]:
        return _sums_below(self.kept_sums, self)

    @cached_property
    def _boilerplate_below(self) -> list[int]:
        return _sums_below(self.boilerplate_sums, self)

    @cached_property
    def _scores_below(self) -> list[float]:
        return _sums_below(self.score_sums, self)

    def score_sum(self, node: int) -> float:
        """The sum of the probabilities below a node, each times the length of its segment."""
        return self._scores_below[node]

    @cached_property
    def nodes_at(self) -> dict[AnchoredPath, list[int]]:
        """The nodes at each anchored path, in document order."""
        paths, numbers = number_paths(self.outline)
        nodes_of_number: list[list[int]] = [[] for _ in paths]
        for node, number in enumerate(numbers.tolist()):
            nodes_of_number[number].append(node)
        return dict(zip(paths, nodes_of_number, strict=True))

    def parent(self, node: int) -> int:
        """The node's parent, -1 for the root."""
        return self.outline.nodes[node].parent

    def blocks(self, paths: set[AnchoredPath]) -> list[int]:
        """The outermost nodes with one of these paths."""
        nodes: list[int] = []
        for path in paths:
            nodes += self.nodes_at.get(path, ())
        return self.outline.outermost(nodes)

    def inner_nodes(self, paths: set[AnchoredPath]) -> list[int]:
        """The nodes below the blocks with these paths, without the blocks."""
        blocks = self.blocks(paths)
        below = self.outline.subtree(blocks)
        return sorted(below.difference(blocks))

    def path_sizes(self) -> list[PathSize]:
        """The sizes of all paths with text.  Nodes with the same path are on the same level of the
        tree, so that none is inside another."""
        paths, numbers = number_paths(self.outline)
        kept_below = difference(self.kept_sums, self.firsts, self.lasts)
        boilerplate_below = difference(self.boilerplate_sums, self.firsts, self.lasts)
        kept_sizes = np.bincount(numbers, kept_below)
        boilerplate_sizes = np.bincount(numbers, boilerplate_below)
        with_text = np.flatnonzero(kept_sizes + boilerplate_sizes)
        sizes = []
        for number in with_text.tolist():
            kept_size = int(kept_sizes[number])
            boilerplate_size = int(boilerplate_sizes[number])
            sizes.append(PathSize(paths[number], kept_size, boilerplate_size))
        return sizes

    def keeping(self, nodes: Iterable[int]) -> "ScoredPage":
        """The page with all segments below these nodes kept, too."""
        is_kept = self.choice.is_kept.copy()
        for node in nodes:
            is_kept[self.firsts[node] : self.lasts[node]] = True
        lengths = np.diff(self.kept_sums) + np.diff(self.boilerplate_sums)
        return replace(
            self,
            choice=self.choice._replace(is_kept=is_kept),
            kept_sums=running_sums(lengths * is_kept, lengths.dtype),
            boilerplate_sums=running_sums(lengths * ~is_kept, lengths.dtype),
        )

    def without(self, paths: set[AnchoredPath]) -> "ScoredPage":
        """The page as if the blocks with these paths had no text."""
        if not paths:
            return self
        kept_lengths = np.diff(self.kept_sums)
        boilerplate_lengths = np.diff(self.boilerplate_sums)
        for node in self.blocks(paths):
            below = slice(self.firsts[node], self.lasts[node])
            kept_lengths[below] = 0
            boilerplate_lengths[below] = 0
        return replace(
            self,
            kept_sums=running_sums(kept_lengths, kept_lengths.dtype),
            boilerplate_sums=running_sums(boilerplate_lengths, boilerplate_lengths.dtype),
        )


def score_pages(
    classifier: Classifier,
    pages: Sequence[SegmentedPage],
) -> list[ScoredPage]:
    """The pages of a template, or a single page, scored and divided."""
    pages_with_text: Counter[str] = Counter()
    for page in pages:
        pages_with_text.update(set(page.texts))

    probabilities = []
    for page in pages:
        page_probabilities = classifier.score(page, pages_with_text, len(pages))
        probabilities.append(without_other_articles(page, page_probabilities))
    scores = average_scores(pages, probabilities)
    choices = choose_segments(pages, scores, classifier.block_trees)
    scored_pages = map(_score_page, pages, scores, choices)
    return list(scored_pages)


def without_other_articles(
    page: SegmentedPage,
    probabilities: Values,
) -> Values:
    """The probabilities, 0 for the segments of other articles on the page."""
    other_articles = find_other_articles(page.page, [page.page.root])
    if other_articles:
        firsts, lasts = page.spans
        for i, node in enumerate(page.outline.nodes):
            if node.element in other_articles:
                below = slice(firsts[i], lasts[i])
                probabilities[below] = 0
    return probabilities


def average_scores(
    pages: Sequence[SegmentedPage],
    probabilities: Sequence[Values],
) -> list[Values]:
    """For each segment of the pages the mean probability of all segments, of all pages, with its
    anchored path."""
    numbers_of_paths: dict[AnchoredPath, int] = {}
    numbers_by_page = []
    for page in pages:
        paths, node_numbers = number_paths(page.outline)
        page_numbers, segment_positions = np.unique(node_numbers[page.blocks], return_inverse=True)
        template_numbers = []
        for page_number in page_numbers.tolist():
            path = paths[page_number]
            number = numbers_of_paths.setdefault(path, len(numbers_of_paths))
            template_numbers.append(number)
        numbers_by_page.append(as_indices(template_numbers)[segment_positions])

    numbers = np.concatenate(numbers_by_page)
    lengths = np.concatenate([page.lengths for page in pages])
    weights = np.minimum(lengths, _MAX_WEIGHT)
    weighted = weights * np.concatenate(probabilities)
    count = len(numbers_of_paths)
    path_weights = np.bincount(numbers, weights, count)
    path_sums = np.bincount(numbers, weighted, count)
    path_means = path_sums / path_weights
    # Rounded in Python, which is exact: numpy's is not.
    rounded = [round(mean, 6) for mean in path_means.tolist()]
    averages = np.zeros(0)
    if len(numbers):
        averages = np.array(rounded)[numbers]
    segment_counts = [len(page.segments) for page in pages]
    page_ends = np.cumsum(segment_counts)
    return np.split(averages, page_ends[:-1])


def _score_page(
    page: SegmentedPage,
    scores: Values,
    choice: Choice,
) -> ScoredPage:
    lengths = page.lengths.astype(np.int64)
    kept_lengths = lengths * choice.is_kept
    boilerplate_lengths = lengths * ~choice.is_kept
    firsts, lasts = page.spans
    return ScoredPage(
        page,
        kept_sums=running_sums(kept_lengths, lengths.dtype),
        boilerplate_sums=running_sums(boilerplate_lengths, lengths.dtype),
        score_sums=running_sums(scores * lengths),
        firsts=firsts,
        lasts=lasts,
        choice=choice,
    )


def _sums_below(sums: NDArray[Any], page: ScoredPage) -> list[Any]:
    """For each node the sum of its segments, from the running sums of all segments."""
    sums_of_nodes = difference(sums, page.firsts, page.lasts)
    below: list[Any] = sums_of_nodes.tolist()
    return below
