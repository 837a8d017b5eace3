"""Blocks of a page that no page of its template had when the wrapper was learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.segments.classifier import Classifier, default_classifier
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page
from forest_scrapy.core.xpaths.anchored import element_path

__all__ = ["Unseen", "classify_unseen", "find_unknown"]

#: Segments of unseen blocks are left out below this probability.  Low, since text among content
#: usually is content too.  Not tuned.
_KEEP_FROM = 0.1


class Unseen(NamedTuple):
    """The number of segments with anchored paths that are unknown to the wrapper, and the
    elements to leave out because these segments are boilerplate."""

    segments: int = 0
    boilerplate: frozenset[Element] = frozenset()


def find_unknown(text_blocks: Iterable[Element], known: Collection[str]) -> list[Element]:
    """The blocks whose anchored paths, as ``write_anchored_path`` writes them, are not known."""
    paths: dict[Element, str] = {}
    levels: dict[Element, int] = {}
    return [block for block in text_blocks if element_path(block, paths, levels) not in known]


def classify_unseen(
    page: Page,
    blocks: Collection[Element],
    unknown: Collection[Element],
    without: Collection[Element],
    classifier: Classifier | None = None,
) -> Unseen:
    """Classify the segments of the ``unknown`` blocks, which are inside ``blocks`` and outside of
    the elements ``without``.

    ``classifier``: None is the one of the package.  Cost: the classifier on the whole page, since
    features depend on neighbours.
    """
    outline = page.outline
    inside = outline.subtree(outline.indices(blocks), set(outline.indices(without)))
    nodes = set(outline.indices(unknown))
    segmented = segment_page(page)
    probabilities = (classifier or default_classifier()).score(segmented, {}, 1)
    unseen = [i for i, segment in enumerate(segmented.segments) if segment.block in nodes]
    bad = {i for i in unseen if probabilities[i] < _KEEP_FROM}
    return Unseen(len(unseen), _elements_of(segmented, inside, bad))


def _elements_of(
    page: SegmentedPage, inside: Collection[int], segments: Collection[int]
) -> frozenset[Element]:
    """The elements inside that have no other segments than these."""
    outline = page.outline
    all_of: Counter[int] = Counter()
    own_of: Counter[int] = Counter()
    for i, segment in enumerate(page.segments):
        for node in outline.path(segment.block):
            if node not in inside:
                break
            all_of[node] += 1
            own_of[node] += i in segments
    return frozenset(outline.nodes[n].element for n in all_of if all_of[n] == own_of[n])
