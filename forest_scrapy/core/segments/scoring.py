"""Segments of a template's pages, scored and divided into content and boilerplate."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
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
from forest_scrapy.core.segments.segmentation import SegmentedPage, running_sums
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths

#: Scores are rounded, so that equal ones do not depend on the order of additions.
_DIGITS = 6

#: The share of its text from which a page by itself keeps the same as the template.
_SAME = 0.98

#: Candidates of different pages are the same if their paths, thresholds and endings are.
Key = tuple[AnchoredPath, float, int]


class Choice(NamedTuple):
    """What is kept of a page, and how sure that is.

    ``kept``: for each segment whether it is in the best candidate.  ``lead``: how far that one is
    above the best of those that keep other segments, as the mean score of a page of the template;
    infinite if there is none.  ``is_own``: whether the page, by itself, would keep almost the same.
    """

    kept: NDArray[np.bool_]
    lead: float = inf
    is_own: bool = True


def choose_segments(
    pages: Sequence[SegmentedPage], probabilities: Sequence[NDArray[np.float64]], trees: Trees
) -> list[Choice]:
    """What is kept of each page of a template: the segments of the best candidate of the page; none
    if the page has no candidates.

    A candidate's score is the sum, over the pages that have it, of how far the trees score it above
    the mean of the page.  Ties: the higher score on the page itself, the higher threshold, the
    outermost block, the first.
    """
    found = [find_candidates(*page) for page in zip(pages, probabilities, strict=True)]
    scores = [_relative_scores(trees, one) for one in found]
    keys = [_keys(page, one) for page, one in zip(pages, found, strict=True)]
    totals = _sum_scores(keys, scores)
    chosen = []
    for one, own, own_keys, given, page in zip(
        found, scores, keys, probabilities, pages, strict=True
    ):
        ranked = [
            (round(totals[key], _DIGITS), score) for key, score in zip(own_keys, own, strict=True)
        ]
        order = sorted(range(len(ranked)), key=lambda i: ranked[i], reverse=True)  # stable
        if not order:
            chosen.append(Choice(np.zeros(len(given), dtype=bool)))
            continue
        kept = one.kept(order[0], given)
        others = (ranked[i][0] for i in order if (one.kept(i, given) != kept).any())
        lead = (ranked[order[0]][0] - next(others, -inf)) / len(pages)
        alone = one.kept(max(order, key=lambda i: (own[i], -i)), given)
        chosen.append(Choice(kept, lead, _overlap(kept, alone, page.lengths) >= _SAME))
    return chosen


def _overlap(
    one: NDArray[np.bool_], other: NDArray[np.bool_], lengths: NDArray[np.float64]
) -> float:
    """The F1 of the characters that two choices have in common."""
    both = float(lengths[one].sum() + lengths[other].sum())
    return 2 * float(lengths[one & other].sum()) / both if both else 1.0


def _relative_scores(trees: Trees, found: Candidates) -> list[float]:
    """The score of each candidate, relative to the mean of the page."""
    scores = trees.sums(found.table)
    if len(scores):
        scores -= scores.mean()
    relative: list[float] = scores.round(_DIGITS).tolist()
    return relative


def _keys(page: SegmentedPage, found: Candidates) -> list[Key]:
    paths = anchored_paths(page.outline)
    columns = (found.outermost.tolist(), found.thresholds.tolist(), found.endings.tolist())
    return [(paths[node], t, ending) for node, t, ending in zip(*columns, strict=True)]


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


#: Characters up to which a longer segment has more weight in the average of its anchored path: a
#: long paragraph should not outweigh ten short ones.  Not tuned.
_MOST_CHARACTERS = 400


@dataclass(frozen=True)
class ScoredPage:
    """A page with the scores of its segments and what is kept of them.

    ``paths``: the anchored path of each node.  ``kept[i]`` and ``boilerplate[i]``: characters
    kept, and not kept, of the segments before segment i.  ``score_sums[i]``: the sum of their
    probabilities, each times the length of its segment.  ``firsts[n]`` and ``lasts[n]``: the
    segments below node n, from the first to before the last.  ``choice``: how sure that is.
    """

    page: SegmentedPage
    paths: list[AnchoredPath]
    kept: NDArray[np.int64]
    boilerplate: NDArray[np.int64]
    score_sums: NDArray[np.float64]
    firsts: NDArray[np.intp]
    lasts: NDArray[np.intp]
    choice: Choice

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

    def nodes_with_text(self) -> list[int]:
        """The nodes with text.  Those with the same path are on the same level of the tree, so that
        none is inside another."""
        text = self.kept + self.boilerplate
        below: list[int] = np.flatnonzero(text[self.lasts] > text[self.firsts]).tolist()
        return below

    def without(self, paths: set[AnchoredPath]) -> "ScoredPage":
        """The page as if the blocks with these paths had no text."""
        if not paths:
            return self
        kept, boilerplate = np.diff(self.kept), np.diff(self.boilerplate)
        for node in self.blocks(paths):
            below = slice(self.firsts[node], self.lasts[node])
            kept[below] = 0
            boilerplate[below] = 0
        return replace(
            self,
            kept=running_sums(kept, kept.dtype),
            boilerplate=running_sums(boilerplate, boilerplate.dtype),
        )


def score_pages(classifier: Classifier, pages: Sequence[SegmentedPage]) -> list[ScoredPage]:
    """The pages of a template, or a single page, scored and divided."""
    found_on = Counter(text for page in pages for text in set(page.texts))
    probabilities = [
        without_other_articles(page, classifier.score(page, found_on, len(pages))) for page in pages
    ]
    scores = average_scores(pages, probabilities)
    chosen = choose_segments(pages, scores, classifier.block_trees)
    return [_score_page(*page) for page in zip(pages, scores, chosen, strict=True)]


def without_other_articles(
    page: SegmentedPage, probabilities: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The probabilities, 0 for the segments of other articles on the page."""
    others = find_other_articles(page.page, [page.page.root])
    if others:
        firsts, lasts = page.spans
        for i, node in enumerate(page.outline.nodes):
            if node.element in others:
                probabilities[firsts[i] : lasts[i]] = 0
    return probabilities


def average_scores(
    pages: Sequence[SegmentedPage], probabilities: Sequence[NDArray[np.float64]]
) -> list[NDArray[np.float64]]:
    """For each segment of the pages the mean probability of all segments, of all pages, with its
    anchored path."""
    lengths = np.concatenate([page.lengths for page in pages])
    weights = np.minimum(lengths, _MOST_CHARACTERS)
    number_of: dict[AnchoredPath, int] = {}
    numbers = np.array(
        [
            number_of.setdefault(paths[segment.block], len(number_of))
            for page in pages
            for paths in (anchored_paths(page.outline),)
            for segment in page.segments
        ],
        dtype=np.intp,
    )
    sums = np.bincount(numbers, weights * np.concatenate(probabilities), len(number_of))
    means = sums / np.bincount(numbers, weights, len(number_of))
    # Rounded in Python, which is exact: numpy's is not.
    mean = np.array([round(value, 6) for value in means.tolist()])
    averages = mean[numbers] if len(numbers) else np.zeros(0)
    return np.split(averages, np.cumsum([len(page.segments) for page in pages])[:-1])


def _score_page(page: SegmentedPage, scores: NDArray[np.float64], choice: Choice) -> ScoredPage:
    counts, kept = page.lengths.astype(np.int64), choice.kept
    return ScoredPage(
        page,
        anchored_paths(page.outline),
        running_sums(counts * kept, counts.dtype),
        running_sums(counts * ~kept, counts.dtype),
        running_sums(scores * counts),
        *page.spans,
        choice,
    )


def _sums_below(sums: NDArray[Any], page: ScoredPage) -> list[Any]:
    """For each node the sum of its segments, from the running sums of all segments."""
    below: list[Any] = (sums[page.lasts] - sums[page.firsts]).tolist()
    return below
