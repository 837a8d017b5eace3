"""Fit the trees that rank the blocks of a page: boosted trees that learn the order of each page's
candidates by the F1 of their text, by lightgbm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.examples import Example, label_segments
from benchmarks.scores import find_words
from benchmarks.trees import CONTENT_SHARE, as_trees
from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.segments.block_features import Candidates, find_candidates
from forest_scrapy.core.segments.scoring import average_scores

__all__ = ["RankedBlocks", "fit_block_trees", "read_blocks"]

#: The F1 of candidates, 0 to 1, is ranked in this many steps.  Not tuned.
STEPS = 30
# Not tuned, except that twice the trees were no better on other sites.
TREES, LEAVES, DEPTH = 200, 15, 6
PARAMETERS = {
    "objective": "lambdarank", "label_gain": list(range(STEPS + 1)),
    "lambdarank_truncation_level": 10,  # the order of the best counts, the rest is never chosen
    "num_leaves": LEAVES, "max_depth": DEPTH, "learning_rate": 0.05,
    "min_data_in_leaf": 40, "feature_fraction": 0.4, "bagging_fraction": 0.7, "bagging_freq": 1,
    "lambda_l2": 5.0, "max_bin": 63, "seed": 1, "deterministic": True, "force_row_wise": True,
    "num_threads": 1, "verbose": -1,
}  # fmt: skip


@dataclass(frozen=True)
class RankedBlocks:
    """The features of a page's candidates, one row each, and the F1 of each."""

    table: NDArray[np.float32]
    f1: NDArray[np.float64]


def read_blocks(example: Example, probabilities: NDArray[np.float64]) -> RankedBlocks:
    """The candidates of an example, by the probabilities of its segments as a single page, from
    trees that have not seen the site."""
    (scores,) = average_scores([example.page], [probabilities])
    found = find_candidates(example.page, scores)
    return RankedBlocks(found.table, _score_candidates(example, found, scores))


def fit_block_trees(pages: Sequence[RankedBlocks], chosen: Iterable[int]) -> Trees:
    """Fit the trees to the chosen pages, by index.  Deterministic."""
    import lightgbm

    own = [pages[i] for i in chosen if len(pages[i].f1) > 1]
    steps = np.concatenate([(page.f1 * STEPS).round() for page in own])
    table = np.concatenate([page.table for page in own])
    dataset = lightgbm.Dataset(table, steps, group=[len(page.f1) for page in own])
    booster = lightgbm.train(PARAMETERS, dataset, TREES)
    return as_trees(booster.dump_model()["tree_info"])


def _score_candidates(
    example: Example, found: Candidates, scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The F1 of each candidate, from the shares of its segments' words in the gold text."""
    shares = np.array(label_segments(example.page, example.gold))
    words = np.array([len(find_words(segment.text)) for segment in example.page.segments])
    hits = shares.clip(0) * words
    wanted = max(float(hits[shares >= CONTENT_SHARE].sum()), 1.0)
    f1 = []
    for i in range(len(found.table)):
        kept = found.kept(i, scores)
        hit, given = float(hits[kept].sum()), float(words[kept].sum())
        precision, recall = hit / max(given, 1.0), min(1.0, hit / wanted)
        f1.append(2 * precision * recall / (precision + recall) if hit else 0.0)
    return np.array(f1)
