"""The main text of pages that are neither articles nor threads: products, lists and others.

    read_main_text(page) -> Extract

It is often in many places on a page, between what is not, so there is no block to choose as for
articles.  A classifier scores each segment, a second one corrects it by what surrounds the segment
(``context``), and as many of the likeliest are kept as give the highest expected F1.  Each page is
read by itself: what the other pages of its template have adds nothing (0.001 of F1).  ``python -m
benchmarks.train_main_text`` makes the model file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.models.files import read_arrays, read_packaged, write_arrays
from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.page.content import NO_CONTENT, Content
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.records.main_text_context import CONTEXT, describe_context
from forest_scrapy.core.segments.features import NUMERIC, Vocabulary, describe
from forest_scrapy.core.segments.scoring import average_scores, without_other_articles
from forest_scrapy.core.segments.segmentation import (
    SegmentedPage,
    running_sums,
    segment_page,
    segment_spans,
)

__all__ = [
    "MainTextClassifier",
    "choose_by_f1",
    "default_main_text_classifier",
    "read_main_text",
    "score_alone",
]

#: Prefix of the names of the arrays of ``context_trees`` in the file.
_CONTEXT = "context_"

Values = NDArray[np.float64]


@dataclass(frozen=True)
class MainTextClassifier:
    """``trees`` score segments by their own features, ``context_trees`` by those of
    ``describe_context``."""

    vocabulary: Vocabulary
    trees: Trees
    context_trees: Trees

    def score(self, page: SegmentedPage) -> Values:
        """The probability that each of the page's segments is main text; that of segments with
        the same anchored path is the same.

        Cost: some 30 microseconds a segment.
        """
        context = describe_context(page, score_alone(page, self.vocabulary, self.trees))
        (scores,) = average_scores([page], [self.context_trees.probabilities(context)])
        return scores

    def to_bytes(self) -> bytes:
        """The model as an ``.npz`` file, with the names of its features."""
        names = {**self.vocabulary.to_arrays(), "context": CONTEXT}
        trees = {**self.trees.to_arrays(), **self.context_trees.to_arrays(_CONTEXT)}
        return write_arrays({**names, **trees})

    @classmethod
    def from_bytes(cls, data: bytes) -> MainTextClassifier:
        """Read ``to_bytes``; raises ``ValueError`` if the model was trained on other features."""
        arrays = read_arrays(data, {"numeric": NUMERIC, "context": CONTEXT})
        trees = Trees.from_arrays(arrays), Trees.from_arrays(arrays, _CONTEXT)
        return cls(Vocabulary.from_arrays(arrays), *trees)


def score_alone(page: SegmentedPage, vocabulary: Vocabulary, trees: Trees) -> Values:
    """The probability that each of the page's segments is main text, by its own features only; 0
    for those of articles that a page links to."""
    return without_other_articles(page, trees.probabilities(describe(page, {}, 1, vocabulary)))


@cache
def default_main_text_classifier() -> MainTextClassifier:
    """The classifier of this package, loaded once."""
    return MainTextClassifier.from_bytes(read_packaged("main_text"))


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
