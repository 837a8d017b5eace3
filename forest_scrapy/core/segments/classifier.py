"""The trained local classifier F of Luo et al. (2009, section 4.1): whether a segment is content.

Gradient-boosted trees as plain arrays; ``python -m benchmarks.train`` makes the model file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.segments.block_features import BLOCK_FEATURES
from forest_scrapy.core.segments.features import NUMERIC, Vocabulary, describe
from forest_scrapy.core.segments.segmentation import SegmentedPage

__all__ = ["Classifier", "default_classifier"]

_FILE = "segments.npz"
#: Prefixes of the names of arrays in the file.
_SEGMENTS, _BLOCKS = "", "block_"


@dataclass(frozen=True)
class Classifier:
    """``trees`` classify segments; ``block_trees`` rank the blocks of a page that may be the
    article (see ``block_ranking``)."""

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
        return np.asarray(1 / (1 + np.exp(-self.trees.sums(table))))

    def to_bytes(self) -> bytes:
        """The model as an ``.npz`` file, with the names of its features."""
        arrays: dict[str, Any] = {
            "tags": np.array(self.vocabulary.tags),
            "words": np.array(self.vocabulary.words),
            "numeric": np.array(NUMERIC),
            "block_numeric": np.array(BLOCK_FEATURES),
            **self.trees.to_arrays(_SEGMENTS),
            **self.block_trees.to_arrays(_BLOCKS),
        }
        buffer = BytesIO()
        np.savez_compressed(buffer, **arrays)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Classifier:
        """Read ``to_bytes``; raises ``ValueError`` if the model was trained on other features."""
        with np.load(BytesIO(data), allow_pickle=False) as stored:
            names = tuple(stored["numeric"]), tuple(stored["block_numeric"])
            if names != (NUMERIC, BLOCK_FEATURES):
                raise ValueError("the model was trained on other features; train it again")
            vocabulary = Vocabulary(
                tuple(map(str, stored["tags"])), tuple(map(str, stored["words"]))
            )
            trees = Trees.from_arrays(stored, _SEGMENTS)
            return cls(vocabulary, trees, Trees.from_arrays(stored, _BLOCKS))


@cache
def default_classifier() -> Classifier:
    """The classifier of the package, loaded once."""
    return Classifier.from_bytes(files("forest_scrapy.core.models").joinpath(_FILE).read_bytes())
