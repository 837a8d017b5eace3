"""Reading the main text of a page: the choice of its segments, and the content that they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.document.content import NO_CONTENT, Content
from forest_scrapy.core.document.content_walk import read_content
from forest_scrapy.core.document.page import Extract, Page
from forest_scrapy.core.records.main_text.classifier import (
    MainTextClassifier,
    default_main_text_classifier,
)
from forest_scrapy.core.segments.running import running_sums
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page, segment_spans

__all__ = ["choose_by_f1", "read_main_text"]


def read_main_text(page: Page, classifier: MainTextClassifier | None = None) -> Extract:
    """The main text of a page; an empty ``Extract`` if there is none.

    ``classifier``: None for the one of this package.  Cost: some 30 ms.
    """
    segmented = segment_page(page)
    scores = (classifier or default_main_text_classifier()).score(segmented)
    lengths = np.array([len(text) for text in segmented.texts], dtype=np.float64)
    found = Extract(_read_kept(segmented, choose_by_f1(scores, lengths)))
    return found.with_captions("inline")  # the items of many lists are figures


def choose_by_f1(scores: NDArray[np.float64], lengths: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which segments to keep: the likeliest ones, as many as give the highest expected F1.

    ``scores``: the probabilities of the segments; ``lengths``: their characters.  The F1 of the
    expected characters is used for the expected F1 (Lewis 1995).  Segments that are equally likely
    are kept together.

    >>> choose_by_f1(np.array([0.9, 0.4, 0.1]), np.array([10, 10, 10])).tolist()
    [True, True, False]
    """
    order = np.argsort(-scores, kind="stable")
    likely = (scores * lengths)[order]
    if not likely.sum():
        return np.zeros(len(scores), dtype=bool)
    f1 = 2 * np.cumsum(likely) / (np.cumsum(lengths[order]) + likely.sum())
    return np.asarray(scores >= scores[order][int(np.argmax(f1.round(9)))])


def _read_kept(page: SegmentedPage, kept: NDArray[np.bool_]) -> Content:
    """The content of the smallest element with all kept segments, without the blocks inside it
    that have other text only.  Text that is directly in a block with kept text stays."""
    blocks = [s.block for s, is_kept in zip(page.segments, kept, strict=True) if is_kept]
    if not blocks:
        return NO_CONTENT
    outline = page.outline
    around = set(outline.path(max(blocks)))
    root = next(node for node in outline.path(min(blocks)) if node in around)
    firsts, lasts = segment_spans(page)
    counts = running_sums(kept)
    is_other = ((lasts > firsts) & (counts[lasts] == counts[firsts])).tolist()
    without = {
        outline.nodes[i].element
        for i in range(root + 1, outline.ends[root])
        if is_other[i] and outline.nodes[i].is_block
    }
    return read_content(outline.nodes[root].element, without, page.page.base_url)
