"""The trained local classifier F of Luo et al. (2009, section 4.1): whether a segment is content.

Gradient-boosted trees as plain arrays; ``python -m benchmarks.train`` makes the model file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.segments.features import Vocabulary, describe
from forest_scrapy.core.segments.numeric import NUMERIC
from forest_scrapy.core.segments.segmentation import SegmentedPage
from forest_scrapy.core.segments.tree_scoring import TreeScorer

__all__ = ["Classifier", "default_classifier"]

_FILE = "model.npz"
#: Rows classified at a time, so that a huge page neither takes much memory nor blocks other
#: threads.
_CHUNK = 256


@dataclass(frozen=True)
class Classifier:
    """Trees in arrays of shape ``(trees, nodes)``.

    An inner node has a column and a threshold, and two children: ``lower`` for values up to the
    threshold, ``higher`` for values above.  A leaf has a value, and itself as its children.  No
    tree has more than 64 leaves.
    """

    vocabulary: Vocabulary
    columns: NDArray[np.int16]
    thresholds: NDArray[np.float32]
    lower: NDArray[np.int16]
    higher: NDArray[np.int16]
    values: NDArray[np.float32]

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
        chunks = [self._scorer.sums(table[i : i + _CHUNK]) for i in range(0, len(table), _CHUNK)]
        return 1 / (1 + np.exp(-np.concatenate(chunks))) if chunks else np.zeros(0)

    @cached_property
    def _scorer(self) -> TreeScorer:
        return TreeScorer.of(self.columns, self.thresholds, self.lower, self.higher, self.values)

    def to_bytes(self) -> bytes:
        """The model as an ``.npz`` file, with the names of its features."""
        buffer = BytesIO()
        np.savez_compressed(
            buffer,
            tags=np.array(self.vocabulary.tags),
            words=np.array(self.vocabulary.words),
            numeric=np.array(NUMERIC),
            columns=self.columns,
            thresholds=self.thresholds,
            lower=self.lower,
            higher=self.higher,
            values=self.values,
        )
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Classifier:
        """Read ``to_bytes``; raises ``ValueError`` if the model was trained on other features."""
        with np.load(BytesIO(data), allow_pickle=False) as stored:
            if tuple(stored["numeric"]) != NUMERIC:
                raise ValueError("the model was trained on other features; train it again")
            arrays: dict[str, Any] = {
                name: stored[name]
                for name in ("columns", "thresholds", "lower", "higher", "values")
            }
            vocabulary = Vocabulary(
                tuple(map(str, stored["tags"])), tuple(map(str, stored["words"]))
            )
            return cls(vocabulary, **arrays)


@cache
def default_classifier() -> Classifier:
    """The classifier of the package, loaded once."""
    return Classifier.from_bytes(files("forest_scrapy.core.segments").joinpath(_FILE).read_bytes())
