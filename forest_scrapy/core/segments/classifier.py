"""The trained local classifier F of Luo et al. (2009, section 4.1): whether a segment is content;
and what it says of blocks that no page of their template had when the wrapper was learned.

Gradient-boosted trees as plain arrays; ``python -m benchmarks.train`` makes the model file.
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
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page
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
        self, page: SegmentedPage, found_on: Mapping[str, int], pages: int
    ) -> NDArray[np.float64]:
        """The probability that each of the page's segments is content.

        ``found_on``: the number of the template's ``pages`` on which a segment's text is found.
        """
        return self.predict(describe(page, found_on, pages, self.vocabulary))

    def predict(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """The probability for each row of a table from ``describe`` that its segment is content.

        Cost: some 6 microseconds a row.
        """
        return self.trees.probabilities(table)

    def to_bytes(self) -> bytes:
        """The model as an ``.npz`` file, with the names of its features."""
        names = {**self.vocabulary.to_arrays(), "block_numeric": BLOCK_FEATURES}
        trees = {**self.trees.to_arrays(), **self.block_trees.to_arrays(_BLOCKS)}
        return write_arrays({**names, **trees})

    @classmethod
    def from_bytes(cls, data: bytes) -> "Classifier":
        """Read ``to_bytes``; raises ``ValueError`` if the model was trained on other features."""
        arrays = read_arrays(data, {"numeric": NUMERIC, "block_numeric": BLOCK_FEATURES})
        trees = Trees.from_arrays(arrays), Trees.from_arrays(arrays, _BLOCKS)
        return cls(Vocabulary.from_arrays(arrays), *trees)


@cache
def default_classifier() -> Classifier:
    """The classifier of the package, loaded once."""
    return Classifier.from_bytes(read_packaged("segments"))


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
