"""The trained local classifier F of Luo et al. (2009, section 4.1): whether a segment is content.
It also classifies blocks that no page of their template had when the wrapper was learned.

Gradient-boosted trees as plain arrays; ``python -m benchmarks.training.segments`` makes the model
file.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.models.files import read_arrays, read_packaged, write_arrays
from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.segments.block_features import BLOCK_FEATURES
from forest_scrapy.core.segments.features import NUMERIC, Vocabulary, describe
from forest_scrapy.core.segments.segmentation import SegmentedPage, Values, segment_page
from forest_scrapy.core.xpaths.anchored import element_path

#: Prefix of the names of the arrays of ``block_trees`` in the file.
_BLOCKS = "block_"


@dataclass(frozen=True)
class Classifier:
    """``trees`` classify segments; ``block_trees`` rank the blocks of a page that may be the
    article (see ``block_features``)."""

    vocabulary: Vocabulary
    trees: Trees
    block_trees: Trees

    def score(
        self,
        page: SegmentedPage,
        pages_with_text: Mapping[str, int],
        pages: int,
    ) -> Values:
        """The probability that each of the page's segments is content.

        ``pages_with_text``: the number of the template's ``pages`` that have a segment's text.
        """
        table = describe(page, pages_with_text, pages, self.vocabulary)
        return self.predict(table)

    def predict(self, table: NDArray[np.float32]) -> Values:
        """The probability for each row of a table from ``describe`` that its segment is content.

        Cost: some 6 microseconds a row.
        """
        return self.trees.probabilities(table)

    def to_bytes(self) -> bytes:
        """The model as an ``.npz`` file, with the names of its features."""
        arrays = {
            **self.vocabulary.to_arrays(),
            "block_numeric": BLOCK_FEATURES,
            **self.trees.to_arrays(),
            **self.block_trees.to_arrays(_BLOCKS),
        }
        return write_arrays(arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Classifier":
        """Read ``to_bytes``; raises ``ValueError`` if the model was trained on other features."""
        features = {"numeric": NUMERIC, "block_numeric": BLOCK_FEATURES}
        arrays = read_arrays(data, features)
        return cls(
            vocabulary=Vocabulary.from_arrays(arrays),
            trees=Trees.from_arrays(arrays),
            block_trees=Trees.from_arrays(arrays, _BLOCKS),
        )


@cache
def default_classifier() -> Classifier:
    """The classifier of the package, loaded once."""
    return Classifier.from_bytes(read_packaged("segments"))


#: Segments of unseen blocks are left out below this probability.  Low, since text among content
#: usually is content too.  Not tuned.
_MIN_PROBABILITY = 0.1


class Unseen(NamedTuple):
    """The number of segments with anchored paths that are unknown to the wrapper, and the
    elements to leave out because these segments are boilerplate."""

    segments: int = 0
    boilerplate: frozenset[Element] = frozenset()


def find_unknown(
    text_blocks: Iterable[Element],
    known_paths: Collection[str],
) -> list[Element]:
    """The blocks whose anchored path is not one of the known ones, which are as
    ``write_anchored_path`` writes them."""
    paths: dict[Element, str] = {}
    levels: dict[Element, int] = {}
    unknown = []
    for block in text_blocks:
        path = element_path(block, paths, levels)
        if path not in known_paths:
            unknown.append(block)
    return unknown


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
    left_out = set(outline.indices(without))
    nodes_inside = outline.subtree(outline.indices(blocks), left_out)
    unknown_nodes = set(outline.indices(unknown))
    segmented = segment_page(page)
    if classifier is None:
        classifier = default_classifier()
    probabilities = classifier.score(segmented, {}, 1)

    unseen_segments = 0
    boilerplate = set()
    for i, segment in enumerate(segmented.segments):
        if segment.block not in unknown_nodes:
            continue
        unseen_segments += 1
        if probabilities[i] < _MIN_PROBABILITY:
            boilerplate.add(i)
    return Unseen(unseen_segments, _elements_with_only(boilerplate, segmented, nodes_inside))


def _elements_with_only(
    segments: Collection[int],
    page: SegmentedPage,
    nodes_inside: Collection[int],
) -> frozenset[Element]:
    """The elements inside that have these segments and no others."""
    outline = page.outline
    segments_below: Counter[int] = Counter()
    listed_below: Counter[int] = Counter()
    for i, segment in enumerate(page.segments):
        for node in outline.path(segment.block):
            if node not in nodes_inside:
                break
            segments_below[node] += 1
            listed_below[node] += i in segments

    elements = set()
    for node, count in segments_below.items():
        if count == listed_below[node]:
            elements.add(outline.nodes[node].element)
    return frozenset(elements)
