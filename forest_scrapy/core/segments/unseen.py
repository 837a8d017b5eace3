"""Blocks of a page that no page of its template had when the wrapper was learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.tree import Element, Outline
from forest_scrapy.core.patterns.anchored import anchored_path, write_anchored_path
from forest_scrapy.core.segments.classifier import Classifier, default_classifier
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page

__all__ = ["Unseen", "classify_unseen"]

#: Segments of unseen blocks are left out below this probability.  Low, since text among content
#: usually is content too.  Not tuned.
_KEEP_FROM = 0.1


class Unseen(NamedTuple):
    """The number of segments with anchored paths that are unknown to the wrapper, and the
    elements to leave out because these segments are boilerplate."""

    segments: int = 0
    boilerplate: frozenset[Element] = frozenset()


def classify_unseen(
    page: Page,
    blocks: Collection[Element],
    known: Collection[str],
    without: Collection[Element],
    classifier: Classifier | None = None,
) -> Unseen:
    """Classify the segments in the blocks, except in the elements ``without``, whose anchored
    paths are not ``known``.

    ``known``: paths as ``write_anchored_path`` writes them.  ``classifier``: None is the one of
    the package.  Cost: the paths of the elements with text in the blocks; if one is unknown, also
    the classifier on the whole page, since features depend on neighbours.
    """
    inside = _nodes_inside(page.outline, blocks, without)
    unknown = _unknown_blocks(page.outline, inside, known)
    if not unknown:
        return Unseen()
    segmented = segment_page(page)
    probabilities = (classifier or default_classifier()).score(segmented, {}, 1)
    unseen = [i for i, segment in enumerate(segmented.segments) if segment.block in unknown]
    bad = {i for i in unseen if probabilities[i] < _KEEP_FROM}
    return Unseen(len(unseen), _elements_of(segmented, inside, bad))


def _nodes_inside(
    outline: Outline, blocks: Collection[Element], without: Collection[Element]
) -> set[int]:
    """The nodes in the blocks, except those in elements of ``without``."""
    roots = {i for i, node in enumerate(outline.nodes) if node.element in blocks}
    dropped = {i for i, node in enumerate(outline.nodes) if node.element in without}
    return outline.subtree(roots, dropped)


def _unknown_blocks(outline: Outline, inside: Collection[int], known: Collection[str]) -> set[int]:
    """Those of the nodes inside that have text of their own and an unknown path."""
    blocks = {outline.blocks[leaf.node] for leaf in outline.leaves if leaf.node in inside}
    return {
        i
        for i in blocks
        if i in inside and write_anchored_path(anchored_path(outline, i)) not in known
    }


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
