"""The trained classifier of main text: two sets of gradient-boosted trees, the second of which
reads what the first says about the segments around each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.records.main_text.context import CONTEXT, describe_context
from forest_scrapy.core.segments.features import Vocabulary, describe
from forest_scrapy.core.segments.numeric import NUMERIC
from forest_scrapy.core.segments.scoring import average_scores, without_other_articles
from forest_scrapy.core.segments.segmentation import SegmentedPage
from forest_scrapy.core.segments.tree_scoring import Trees

__all__ = ["MainTextClassifier", "default_main_text_classifier", "score_alone"]

_FILE = "model.npz"
#: Prefixes of the names of arrays in the file.
_SEGMENTS, _CONTEXT = "", "context_"

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
        (scores,) = average_scores([page], [_probabilities(self.context_trees, context)])
        return scores

    def to_bytes(self) -> bytes:
        """The model as an ``.npz`` file, with the names of its features."""
        arrays: dict[str, Any] = {
            "tags": np.array(self.vocabulary.tags),
            "words": np.array(self.vocabulary.words),
            "numeric": np.array(NUMERIC),
            "context": np.array(CONTEXT),
            **self.trees.to_arrays(_SEGMENTS),
            **self.context_trees.to_arrays(_CONTEXT),
        }
        buffer = BytesIO()
        np.savez_compressed(buffer, **arrays)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> MainTextClassifier:
        """Read ``to_bytes``; raises ``ValueError`` if the model was trained on other features."""
        with np.load(BytesIO(data), allow_pickle=False) as stored:
            if (tuple(stored["numeric"]), tuple(stored["context"])) != (NUMERIC, CONTEXT):
                raise ValueError("the model was trained on other features; train it again")
            vocabulary = Vocabulary(
                tuple(map(str, stored["tags"])), tuple(map(str, stored["words"]))
            )
            trees = Trees.from_arrays(stored, _SEGMENTS)
            return cls(vocabulary, trees, Trees.from_arrays(stored, _CONTEXT))


def score_alone(page: SegmentedPage, vocabulary: Vocabulary, trees: Trees) -> Values:
    """The probability that each of the page's segments is main text, by its own features only; 0
    for those of articles that a page links to."""
    return without_other_articles(page, _probabilities(trees, describe(page, {}, 1, vocabulary)))


@cache
def default_main_text_classifier() -> MainTextClassifier:
    """The classifier of this package, loaded once."""
    folder = files("forest_scrapy.core.records.main_text")
    return MainTextClassifier.from_bytes(folder.joinpath(_FILE).read_bytes())


def _probabilities(trees: Trees, table: NDArray[np.float32]) -> Values:
    return np.asarray(1 / (1 + np.exp(-trees.sums(table))))
