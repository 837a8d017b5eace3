"""Keep and drop, by the trained classifier: the method ``trained``, and ``single`` for a page.

The classifier judges every segment of the pages (Luo et al. 2009, section 4.1); its verdicts
are averaged over the template's pages for segments that stand at the same place, since on one
page it errs where on ten it does not; the maximum scoring run gives the body.  What is kept is
then written down as the places that hold it, and the places inside these that do not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.classifier import Classifier, default_classifier
from forest_scrapy.core.features import SegmentedPage, describe, segment_page
from forest_scrapy.core.page import Page
from forest_scrapy.core.params import Params
from forest_scrapy.core.places import Place, find_places, place_xpath
from forest_scrapy.core.subsequence import best_run
from forest_scrapy.core.wrapper import Evidence, Wrapper

__all__ = ["learn_single", "learn_trained", "learn_with"]

#: Inside the best run a segment stays with a verdict from here on; a page alone has no mates
#: that vouch for its doubtful segments.
KEEP_FROM, KEEP_ALONE_FROM = 0.3, 0.5
#: A segment counts for its place with so many characters at the most: one long paragraph shall
#: not outvote ten short ones.
_MOST_CHARACTERS = 400
#: What foreign text in a block weighs against the article's text in it; it can be dropped.
_FOREIGN = 0.5
#: A further block must hold so much of the kept text, and there are at most so many.
_LEAST_BLOCK, _MOST_BLOCKS = 0.05, 4
#: An element is dropped when at most so much of its text is kept.
_DROP_SHARE = 0.1
_MOST_DROPS = 60


@dataclass(frozen=True)
class Judged:
    """A page with what is kept of it.

    ``kept[i]`` and ``foreign[i]``: characters, kept and not, in the segments before segment i;
    ``spans[n]``: the segments below node n, as ``spans[n][0]:spans[n][1]``.
    """

    page: SegmentedPage
    places: list[Place]
    kept: NDArray[np.int64]
    foreign: NDArray[np.int64]
    spans: list[tuple[int, int]]

    def counts(self, node: int) -> tuple[int, int]:
        """Kept and foreign characters below a node."""
        first, last = self.spans[node]
        return (
            int(self.kept[last] - self.kept[first]),
            int(self.foreign[last] - self.foreign[first]),
        )


def learn_trained(pages: Sequence[Page], params: Params) -> Wrapper:
    """A wrapper that keeps and drops, from the pages of a template."""
    return learn_with(default_classifier(), pages)


def learn_single(pages: Sequence[Page], params: Params) -> Wrapper:
    """The same from one page alone (of several, the first)."""
    return learn_with(default_classifier(), pages[:1])


def learn_with(classifier: Classifier, pages: Sequence[Page]) -> Wrapper:
    """Learn from the verdicts of a given classifier."""
    judged = _judge_pages(classifier, [segment_page(page) for page in pages])
    keep = _keep_blocks(judged)
    uncovered = [page for page in judged if not _covered(page, keep)]
    spare = _keep_blocks(uncovered) if uncovered and len(uncovered) < len(judged) else []
    drops = _drop_places(judged, {*keep, *spare})
    alternatives = [blocks for blocks in (keep, spare) if blocks]
    total = sum(int(page.kept[-1]) for page in judged)
    inside = sum(page.counts(node)[0] for page in judged for node in _blocks_of(page, set(keep)))
    return Wrapper(
        "trained" if len(pages) > 1 else "single",
        tuple(" | ".join(_xpath(place, judged) for place in blocks) for blocks in alternatives),
        Evidence(
            pages=len(pages), signifiers="segments", score=round(inside / total, 4) if total else 0
        ),
        drop=tuple(sorted(_xpath(place, judged) for place in drops)),
        take="all",
    )


def _judge_pages(classifier: Classifier, pages: Sequence[SegmentedPage]) -> list[Judged]:
    """Verdicts page by page, averaged by place over the pages, and what they keep."""
    found_on = Counter(text for page in pages for text in set(page.texts))
    verdicts = [
        classifier.predict(describe(page, found_on, len(pages), classifier.vocabulary))
        for page in pages
    ]
    places = [find_places(page.page.outline) for page in pages]
    sums: dict[Place, list[float]] = defaultdict(lambda: [0.0, 0.0])
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


def _judge(page: SegmentedPage, places: list[Place], verdicts: list[float], alone: bool) -> Judged:
    lengths = [len(segment.text) for segment in page.segments]
    if alone:
        kept = [verdict >= KEEP_ALONE_FROM for verdict in verdicts]
    else:
        first, last = best_run([(v - 0.5) * n for v, n in zip(verdicts, lengths, strict=True)])
        kept = [first <= i < last and v >= KEEP_FROM for i, v in enumerate(verdicts)]
    counts = np.array(lengths, dtype=np.int64)
    mask = np.array(kept, dtype=bool)
    starts = [segment.first for segment in page.segments]
    nodes = page.page.outline.nodes
    firsts = np.searchsorted(starts, [node.first for node in nodes]).tolist()
    lasts = np.searchsorted(starts, [node.last for node in nodes]).tolist()
    spans = list(zip(firsts, lasts, strict=True))
    return Judged(
        page,
        places,
        _running(counts * mask),
        _running(counts * ~mask),
        spans,
    )


def _keep_blocks(pages: Sequence[Judged]) -> list[Place]:
    """The places that hold the kept text with little else: the best, then those that hold
    what it leaves out."""
    total = sum(int(page.kept[-1]) for page in pages)
    chosen: list[Place] = []
    while total and len(chosen) < _MOST_BLOCKS:
        gains: dict[Place, float] = defaultdict(float)
        sizes: dict[Place, int] = defaultdict(int)
        for page in pages:
            rest = _without_blocks(page, set(chosen))
            for node, place in _outermost_nodes(rest):
                kept, foreign = rest.counts(node)
                gains[place] += kept - _FOREIGN * foreign
                sizes[place] += kept
        ranked = sorted(gains, key=lambda p: (-round(gains[p], 3), -_level(p), str(p)))
        if not ranked or sizes[ranked[0]] < _LEAST_BLOCK * total or gains[ranked[0]] <= 0:
            break
        best = ranked[0]
        chosen = [place for place in chosen if not _all_below(pages, place, best)] + [best]
    return chosen


def _without_blocks(page: Judged, places: set[Place]) -> Judged:
    """The page as if the blocks at these places had no text."""
    if not places:
        return page
    kept, foreign = np.diff(page.kept), np.diff(page.foreign)
    for node in _blocks_of(page, places):
        first, last = page.spans[node]
        kept[first:last] = 0
        foreign[first:last] = 0
    return replace(page, kept=_running(kept), foreign=_running(foreign))


def _running(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sums of the counts before each place, and of all."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts)))


def _outermost_nodes(page: Judged) -> list[tuple[int, Place]]:
    """The nodes with text that stand in no other of the same place."""
    found = []
    inside: dict[Place, int] = {}  # the last node of a place, and what stands in it
    nodes = page.page.page.outline.nodes
    for node, place in enumerate(page.places):
        if page.counts(node) == (0, 0):
            continue
        outer = inside.get(place)
        is_deeper = outer is not None and nodes[node].level > nodes[outer].level
        if outer is not None and is_deeper and nodes[node].last <= nodes[outer].last:
            continue
        inside[place] = node
        found.append((node, place))
    return found


def _all_below(pages: Sequence[Judged], place: Place, above: Place) -> bool:
    """Whether on every page all elements of one place stand in elements of the other."""
    for page in pages:
        outer = set(_blocks_of(page, {above}))
        for node in _blocks_of(page, {place}):
            if not outer.intersection(page.page.page.outline.path(node)):
                return False
    return True


def _blocks_of(page: Judged, places: set[Place]) -> list[int]:
    """The outermost nodes that stand at one of the places."""
    found: list[int] = []
    inside: set[int] = set()
    for node, place in enumerate(page.places):
        parent = page.page.page.outline.nodes[node].parent
        if parent in inside:
            inside.add(node)
        elif place in places:
            inside.add(node)
            found.append(node)
    return found


def _covered(page: Judged, places: Sequence[Place]) -> bool:
    """Whether the places hold most of what is kept of the page."""
    inside = sum(page.counts(node)[0] for node in _blocks_of(page, set(places)))
    return inside >= 0.5 * int(page.kept[-1])


def _drop_places(pages: Sequence[Judged], blocks: set[Place]) -> list[Place]:
    """The places inside the blocks whose text is not kept, outermost first, largest first."""
    kept: dict[Place, int] = defaultdict(int)
    foreign: dict[Place, int] = defaultdict(int)
    for page in pages:
        for node in _inner_nodes(page, blocks):
            own = page.counts(node)
            kept[page.places[node]] += own[0]
            foreign[page.places[node]] += own[1]
    bad = {p for p in foreign if foreign[p] and kept[p] <= _DROP_SHARE * (kept[p] + foreign[p])}
    outer: set[Place] = set()
    for page in pages:
        dropped: set[int] = set()
        for node in _inner_nodes(page, blocks):
            if page.page.page.outline.nodes[node].parent in dropped:
                dropped.add(node)
            elif page.places[node] in bad:
                dropped.add(node)
                outer.add(page.places[node])
    return sorted(outer, key=lambda p: (-foreign[p], str(p)))[:_MOST_DROPS]


def _inner_nodes(page: Judged, blocks: set[Place]) -> list[int]:
    inside: set[int] = set(_blocks_of(page, blocks))
    found = []
    for node, seen in enumerate(page.page.page.outline.nodes):
        if seen.parent in inside and node not in inside:
            inside.add(node)
            found.append(node)
    return found


def _level(place: Place) -> int:
    return (place.anchor.level if place.anchor else 0) + len(place.tags)


def _xpath(place: Place, pages: Sequence[Judged]) -> str:
    elements = [
        page.page.page.outline.nodes[node].element
        for page in pages
        for node, seen in enumerate(page.places)
        if seen == place
    ]
    return place_xpath(place, elements)
