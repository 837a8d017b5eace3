"""The trained local classifier F of Luo et al. (2009, section 4.1): whether a segment is content.

Gradient-boosted trees as plain arrays; ``python -m benchmarks.train`` makes the model file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.models.files import read_arrays, read_packaged, write_arrays
from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.segments.block_features import BLOCK_FEATURES
from forest_scrapy.core.segments.features import NUMERIC, Vocabulary, describe
from forest_scrapy.core.segments.segmentation import SegmentedPage

__all__ = ["Classifier", "default_classifier"]

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
    def from_bytes(cls, data: bytes) -> Classifier:
        """Read ``to_bytes``; raises ``ValueError`` if the model was trained on other features."""
        arrays = read_arrays(data, {"numeric": NUMERIC, "block_numeric": BLOCK_FEATURES})
        trees = Trees.from_arrays(arrays), Trees.from_arrays(arrays, _BLOCKS)
        return cls(Vocabulary.from_arrays(arrays), *trees)


@cache
def default_classifier() -> Classifier:
    """The classifier of the package, loaded once."""
    return Classifier.from_bytes(read_packaged("segments"))
