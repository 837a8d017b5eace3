"""A page with a verdict on each of its segments: what is kept of it, and what stands where."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.patterns.anchored import AnchoredPath, anchored_paths
from forest_scrapy.core.segments.features import SegmentedPage
from forest_scrapy.core.segments.subsequence import best_run

__all__ = ["ScoredPage", "Scorer", "score_pages"]

#: How likely each segment of a page is content, 0 to 1, given on how many of the template's
#: pages a segment's folded text stands, and how many pages there are.
Scorer = Callable[[SegmentedPage, Mapping[str, int], int], NDArray[np.float64]]

#: Inside the best run a segment stays with a verdict from here on; a page alone has no mates
#: that vouch for its doubtful segments.  Where it then has next to nothing, the bar is lowered.
KEEP_FROM, KEEP_ALONE_FROM = 0.3, (0.5, 0.4, 0.3, 0.2, 0.1)
#: Next to nothing is less text than both of these, in characters and as a share of the page's.
_LEAST_TEXT, _LEAST_SHARE = 300, 0.1
#: A segment counts for its place with so many characters at the most: one long paragraph shall
#: not outvote ten short ones.
_MOST_CHARACTERS = 400


@dataclass(frozen=True)
class ScoredPage:
    """A page with what is kept of it.

    ``kept[i]`` and ``foreign[i]``: characters, kept and not, in the segments before segment i;
    ``worth[i]``: the sum of their verdicts, each weighted by its segment's characters;
    ``spans[n]``: the segments below node n, as ``spans[n][0]:spans[n][1]``.
    """

    page: SegmentedPage
    places: list[AnchoredPath]
    kept: NDArray[np.int64]
    foreign: NDArray[np.int64]
    worth: NDArray[np.float64]
    spans: list[tuple[int, int]]

    def counts(self, node: int) -> tuple[int, int]:
        """Kept and foreign characters below a node."""
        first, last = self.spans[node]
        return (
            int(self.kept[last] - self.kept[first]),
            int(self.foreign[last] - self.foreign[first]),
        )

    def worth_of(self, node: int) -> float:
        """The verdicts below a node, weighted by characters, as a sum."""
        first, last = self.spans[node]
        return float(self.worth[last] - self.worth[first])

    def parent(self, node: int) -> int:
        """The node's parent, -1 for the root."""
        return self.page.page.outline.nodes[node].parent

    def blocks(self, places: set[AnchoredPath]) -> list[int]:
        """The outermost nodes that stand at one of the places."""
        nodes = {node for node, place in enumerate(self.places) if place in places}
        return self.page.page.outline.outermost(nodes)

    def inner_nodes(self, places: set[AnchoredPath]) -> list[int]:
        """The nodes inside the blocks at these places, the blocks themselves not among them."""
        blocks = self.blocks(places)
        return sorted(self.page.page.outline.subtree(blocks).difference(blocks))

    def outermost_nodes(self) -> list[tuple[int, AnchoredPath]]:
        """The nodes with text that stand in no other of the same place."""
        found = []
        inside: dict[AnchoredPath, int] = {}  # the last node of a place, and what stands in it
        nodes = self.page.page.outline.nodes
        for node, place in enumerate(self.places):
            if self.counts(node) == (0, 0):
                continue
            outer = inside.get(place)
            is_deeper = outer is not None and nodes[node].level > nodes[outer].level
            if outer is not None and is_deeper and nodes[node].last <= nodes[outer].last:
                continue
            inside[place] = node
            found.append((node, place))
        return found

    def without(self, places: set[AnchoredPath]) -> ScoredPage:
        """The page as if the blocks at these places had no text."""
        if not places:
            return self
        kept, foreign = np.diff(self.kept), np.diff(self.foreign)
        for node in self.blocks(places):
            first, last = self.spans[node]
            kept[first:last] = 0
            foreign[first:last] = 0
        return replace(self, kept=_running(kept), foreign=_running(foreign))


def score_pages(judge: Scorer, pages: Sequence[SegmentedPage]) -> list[ScoredPage]:
    """Verdicts page by page, averaged by place over the pages, and what they keep."""
    found_on = Counter(text for page in pages for text in set(page.texts))
    verdicts = [judge(page, found_on, len(pages)) for page in pages]
    places = [anchored_paths(page.page.outline) for page in pages]
    sums: dict[AnchoredPath, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for page, own, probabilities in zip(pages, places, verdicts, strict=True):
        for segment, probability in zip(page.segments, probabilities, strict=True):
            characters = min(len(segment.text), _MOST_CHARACTERS)
            total = sums[own[segment.block]]
            total[0] += characters * float(probability)
            total[1] += characters
    mean = {place: value / weight for place, (value, weight) in sums.items()}
    return [
        _judge(page, own, [round(mean[own[s.block]], 6) for s in page.segments], len(pages) == 1)
        for page, own in zip(pages, places, strict=True)
    ]


def _judge(
    page: SegmentedPage, places: list[AnchoredPath], verdicts: list[float], alone: bool
) -> ScoredPage:
    lengths = [len(segment.text) for segment in page.segments]
    if alone:
        bar = _choose_bar(verdicts, lengths)
        kept = [verdict >= bar for verdict in verdicts]
    else:
        first, last = best_run([(v - 0.5) * n for v, n in zip(verdicts, lengths, strict=True)])
        kept = [first <= i < last and v >= KEEP_FROM for i, v in enumerate(verdicts)]
    counts = np.array(lengths, dtype=np.int64)
    mask = np.array(kept, dtype=bool)
    worth = np.array(verdicts, dtype=np.float64) * counts
    return ScoredPage(
        page, places, _running(counts * mask), _running(counts * ~mask), _running(worth),
        _spans(page),
    )  # fmt: skip


def _choose_bar(verdicts: Sequence[float], lengths: Sequence[int]) -> float:
    """The verdict from which a segment of a page alone is kept.

    >>> _choose_bar([0.9, 0.1], [400, 400]), _choose_bar([0.45, 0.35], [400, 400])
    (0.5, 0.4)
    """
    enough = min(_LEAST_TEXT, _LEAST_SHARE * sum(lengths))
    for bar in KEEP_ALONE_FROM:
        if sum(n for v, n in zip(verdicts, lengths, strict=True) if v >= bar) >= enough:
            return bar
    return KEEP_ALONE_FROM[-1]


def _spans(page: SegmentedPage) -> list[tuple[int, int]]:
    """For each node the segments below it."""
    starts = [segment.first for segment in page.segments]
    nodes = page.page.outline.nodes
    firsts = np.searchsorted(starts, [node.first for node in nodes]).tolist()
    lasts = np.searchsorted(starts, [node.last for node in nodes]).tolist()
    return list(zip(firsts, lasts, strict=True))


def _running(counts: NDArray[Any]) -> NDArray[Any]:
    """The sums of the counts before each place, and of all."""
    return np.concatenate((np.zeros(1, dtype=counts.dtype), np.cumsum(counts)))
