"""Blocks of a page that no page of its template had: judged there and then."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.tree import Outline
from forest_scrapy.core.patterns.anchored import anchored_path, write_anchored_path
from forest_scrapy.core.segments.classifier import Classifier, default_classifier
from forest_scrapy.core.segments.features import SegmentedPage, describe, segment_page

__all__ = ["Unseen", "classify_unseen"]

#: An unseen block is left out below this verdict: what stands amid the content is content too,
#: unless the classifier is sure of the contrary.
_KEEP_FROM = 0.1


class Unseen(NamedTuple):
    """How many segments stand at places that the template was not seen with, and the elements
    to leave out since these are no content."""

    segments: int = 0
    foreign: frozenset[Any] = frozenset()


def classify_unseen(
    page: Page,
    blocks: Collection[Any],
    known: Collection[str],
    without: Collection[Any],
    classifier: Classifier | None = None,
) -> Unseen:
    """Judge what stands in the blocks, outside of the elements ``without``, at places that are
    not ``known``.

    Cost: the places of the blocks' elements with text; only where one is unknown the
    classifier, over the whole page, since it looks at the surroundings.
    """
    inside = _nodes_inside(page, blocks, without)
    strange = _strange_blocks(page.outline, inside, known)
    if not strange:
        return Unseen()
    segmented = segment_page(page)
    unseen = [i for i, segment in enumerate(segmented.segments) if segment.block in strange]
    judge = classifier or default_classifier()
    verdicts = judge.predict(describe(segmented, {}, 1, judge.vocabulary))
    bad = {i for i in unseen if verdicts[i] < _KEEP_FROM}
    return Unseen(len(unseen), _foreign_elements(segmented, inside, bad))


def _nodes_inside(page: Page, blocks: Collection[Any], without: Collection[Any]) -> set[int]:
    """The nodes in the blocks, except those in elements of ``without``."""
    nodes = page.outline.nodes
    roots = {i for i, node in enumerate(nodes) if node.element in blocks}
    dropped = {i for i, node in enumerate(nodes) if node.element in without}
    return page.outline.subtree(roots, dropped)


def _strange_blocks(outline: Outline, inside: Collection[int], known: Collection[str]) -> set[int]:
    """The nodes inside that have text of their own and stand at an unknown place."""
    parents = {leaf.node for leaf in outline.leaves if leaf.node in inside}
    blocks = set(map(outline.nearest_block, parents))
    return {
        i
        for i in blocks
        if i in inside and write_anchored_path(anchored_path(outline, i)) not in known
    }


def _foreign_elements(
    page: SegmentedPage, inside: Collection[int], bad: Collection[int]
) -> frozenset[Any]:
    """The nodes inside all of whose segments are bad ones."""
    outline = page.page.outline
    total: dict[int, int] = {}
    foreign: dict[int, int] = {}
    for i, segment in enumerate(page.segments):
        for node in outline.path(segment.block):
            if node not in inside:
                break
            total[node] = total.get(node, 0) + 1
            foreign[node] = foreign.get(node, 0) + (i in bad)
    return frozenset(outline.nodes[n].element for n in total if total[n] == foreign[n])
