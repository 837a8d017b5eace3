"""The trained local classifier F of Luo et al. (2009, section 4.1): is a segment content?

Gradient-boosted trees as plain arrays; ``python -m benchmarks.train`` makes the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.segments.features import NUMERIC, Vocabulary

__all__ = ["Classifier", "default_classifier"]

_FILE = "model.npz"
#: Rows judged at a time, so that a huge page takes neither much memory nor the interpreter.
_CHUNK = 256


@dataclass(frozen=True)
class Classifier:
    """Trees in arrays of shape ``(trees, nodes)``.

    An inner node holds the column it asks for, its threshold, and its two children; a leaf is
    its own child and holds a value.  ``depth``: steps from the root to the deepest leaf.
    """

    vocabulary: Vocabulary
    columns: NDArray[np.int16]
    thresholds: NDArray[np.float32]
    lower: NDArray[np.int16]
    higher: NDArray[np.int16]
    values: NDArray[np.float32]
    depth: int

    def predict(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """The probability that each row's segment is content; rows as ``describe`` gives them.

        Cost: rows * trees * depth steps, some 20 ms for a page.
        """
        chunks = [self._predict(table[i : i + _CHUNK]) for i in range(0, len(table), _CHUNK)]
        return np.concatenate(chunks) if chunks else np.zeros(0)

    def _predict(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        trees = np.arange(len(self.columns))[None, :]
        rows = np.arange(len(table))[:, None]
        at = np.zeros((len(table), len(self.columns)), dtype=np.intp)
        for _ in range(self.depth):
            asked = table[rows, self.columns[trees, at]]
            is_lower = asked <= self.thresholds[trees, at]
            at = np.where(is_lower, self.lower[trees, at], self.higher[trees, at])
        score = self.values[trees, at].sum(axis=1, dtype=np.float64)
        return np.asarray(1 / (1 + np.exp(-score)))

    def to_bytes(self) -> bytes:
        """The model as an ``.npz`` file: numbers, and the words of the vocabulary."""
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
            depth=np.array(self.depth),
        )
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Classifier:
        """Read ``to_bytes``; ``ValueError`` where the model was made for other features."""
        with np.load(BytesIO(data), allow_pickle=False) as stored:
            if tuple(stored["numeric"]) != NUMERIC:
                raise ValueError("the model was made for other features; train it again")
            arrays: dict[str, Any] = {
                name: stored[name]
                for name in ("columns", "thresholds", "lower", "higher", "values")
            }
            vocabulary = Vocabulary(
                tuple(map(str, stored["tags"])), tuple(map(str, stored["words"]))
            )
            return cls(vocabulary, **arrays, depth=int(stored["depth"]))


@cache
def default_classifier() -> Classifier:
    """The classifier that ships, loaded once."""
    return Classifier.from_bytes(files("forest_scrapy.core.segments").joinpath(_FILE).read_bytes())
