"""Fit gradient-boosted trees by lightgbm: those that classify segments, and those that rank the
blocks of a page, which learn the order of each page's candidates by the F1 of their text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.examples import Example, TrainingData
from benchmarks.scores import find_words
from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.segments.block_features import Candidates, find_candidates
from forest_scrapy.core.segments.scoring import average_scores

#: A segment is content if at least this share of its word 2-grams is in the gold text; labels
#: farther from it weigh more.  Not tuned.
CONTENT_SHARE = 0.6
#: Words of a segment beyond these do not add to its weight.  Not tuned.
MOST_WORDS = 80
# Not tuned, except that three times the trees moved F1 on other sites by less than 0.01.
TREES, LEAVES, DEPTH = 200, 31, 8
PARAMETERS = {
    "objective": "binary", "num_leaves": LEAVES, "max_depth": DEPTH, "learning_rate": 0.1,
    "min_data_in_leaf": 60, "feature_fraction": 0.5, "bagging_fraction": 0.8, "bagging_freq": 1,
    "lambda_l2": 2.0, "max_bin": 63, "seed": 1, "deterministic": True, "force_row_wise": True,
    "num_threads": 2, "verbose": -1,
}  # fmt: skip
#: A page has the weight 100.  Segments that are lighter than this are sampled, and those chosen
#: have this weight: a third of all segments is left, which gave the same F1.
_LIGHT = 0.5


def fit_trees(data: TrainingData, chosen: Iterable[int]) -> Trees:
    """Fit the trees to the chosen examples, by index.  Deterministic."""
    return fit_rows(((data.examples[i], data.tables[i]) for i in chosen), TREES, PARAMETERS, _LIGHT)


def fit_rows(
    pages: Iterable[tuple[Example, NDArray[np.float32]]],
    trees: int,
    parameters: dict[str, Any],
    lightest: float = 0.0,
) -> Trees:
    """Fit trees to examples with a table of features each, one row per segment; segments that
    weigh less than ``lightest`` are sampled."""
    import lightgbm

    rows, labels, weights = [], [], []
    random = np.random.default_rng(1)
    for example, own in pages:
        shares = example.labels
        words = [len(segment.text.split()) + 1 for segment in example.page.segments]
        size = np.minimum(words, MOST_WORDS)
        labelled = shares >= 0
        if not labelled.any():
            continue
        clarity = np.abs(shares - CONTENT_SHARE).clip(0.05, 1)
        weight = (100 * size / size.sum() * clarity)[labelled]
        chosen = random.random(len(weight)) * lightest < weight
        rows.append(own[labelled][chosen])
        labels.append((shares >= CONTENT_SHARE)[labelled][chosen])
        weights.append(example.segment_weight * np.maximum(weight, lightest)[chosen])
    table, target = np.concatenate(rows), np.concatenate(labels).astype(float)
    dataset = lightgbm.Dataset(table, target, weight=np.concatenate(weights))
    booster = lightgbm.train(parameters, dataset, trees)
    return as_trees(booster.dump_model()["tree_info"])


def as_trees(trees: Sequence[dict[str, Any]]) -> Trees:
    """The trees of a booster's dump as arrays."""
    flat = [_flatten(tree["tree_structure"]) for tree in trees]
    shape = (len(flat), max(map(len, flat)))
    columns, lower, higher = (np.zeros(shape, dtype=np.int16) for _ in range(3))
    thresholds, values = (np.zeros(shape, dtype=np.float32) for _ in range(2))
    for t, nodes in enumerate(flat):
        for i, (column, threshold, low, high, value) in enumerate(nodes):
            columns[t, i], thresholds[t, i], values[t, i] = column, threshold, value
            lower[t, i], higher[t, i] = low, high
    return Trees(columns, thresholds, lower, higher, values)


def _flatten(root: dict[str, Any]) -> list[tuple[int, float, int, int, float]]:
    """The nodes of one tree: column, threshold, children, value; a leaf is its own child."""
    nodes: list[tuple[int, float, int, int, float]] = []
    waiting = [(root, -1, False)]
    while waiting:
        node, parent, is_higher = waiting.pop()
        at = len(nodes)
        if "leaf_value" in node:
            nodes.append((0, 0.0, at, at, node["leaf_value"]))
        else:
            nodes.append((node["split_feature"], node["threshold"], at, at, 0.0))
            waiting += [(node["right_child"], at, True), (node["left_child"], at, False)]
        if parent >= 0:
            column, threshold, low, high, value = nodes[parent]
            low, high = (low, at) if is_higher else (at, high)
            nodes[parent] = (column, threshold, low, high, value)
    return nodes


#: The F1 of candidates, 0 to 1, is ranked in this many steps.  Not tuned.
STEPS = 30
# Not tuned, except that twice the trees were no better on other sites.
BLOCK_TREES, BLOCK_LEAVES, BLOCK_DEPTH = 200, 15, 6
BLOCK_PARAMETERS = {
    "objective": "lambdarank", "label_gain": list(range(STEPS + 1)),
    "lambdarank_truncation_level": 10,  # the order of the best counts, the rest is never chosen
    "num_leaves": BLOCK_LEAVES, "max_depth": BLOCK_DEPTH, "learning_rate": 0.05,
    "min_data_in_leaf": 40, "feature_fraction": 0.4, "bagging_fraction": 0.7, "bagging_freq": 1,
    "lambda_l2": 5.0, "max_bin": 63, "seed": 1, "deterministic": True, "force_row_wise": True,
    "num_threads": 1, "verbose": -1,
}  # fmt: skip


@dataclass(frozen=True)
class RankedBlocks:
    """The features of a page's candidates, one row each, the F1 of each, and the page's weight."""

    table: NDArray[np.float32]
    f1: NDArray[np.float64]
    weight: float = 1.0


def read_blocks(example: Example, probabilities: NDArray[np.float64]) -> RankedBlocks:
    """The candidates of an example, by the probabilities of its segments as a single page, from
    trees that have not seen the site."""
    (scores,) = average_scores([example.page], [probabilities])
    found = find_candidates(example.page, scores)
    f1 = _score_candidates(example, found, scores)
    return RankedBlocks(found.table, f1, example.block_weight)


def fit_block_trees(pages: Sequence[RankedBlocks], chosen: Iterable[int]) -> Trees:
    """Fit the trees to the chosen pages, by index.  Deterministic."""
    import lightgbm

    own = [pages[i] for i in chosen if len(pages[i].f1) > 1]
    steps = np.concatenate([(page.f1 * STEPS).round() for page in own])
    table = np.concatenate([page.table for page in own])
    sizes = [len(page.f1) for page in own]
    weights = np.repeat([page.weight for page in own], sizes)
    dataset = lightgbm.Dataset(table, steps, group=sizes, weight=weights)
    booster = lightgbm.train(BLOCK_PARAMETERS, dataset, BLOCK_TREES)
    return as_trees(booster.dump_model()["tree_info"])


def _score_candidates(
    example: Example, found: Candidates, scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The F1 of each candidate, from the shares of its segments' words in the gold text."""
    shares = example.labels
    words = np.array([len(find_words(segment.text)) for segment in example.page.segments])
    hits = shares.clip(0) * words
    wanted = max(float(hits[shares >= CONTENT_SHARE].sum()), 1.0)
    f1 = []
    for i in range(len(found.table)):
        kept = found.kept_segments(i, scores)
        hit, given = float(hits[kept].sum()), float(words[kept].sum())
        precision, recall = hit / max(given, 1.0), min(1.0, hit / wanted)
        f1.append(2 * precision * recall / (precision + recall) if hit else 0.0)
    return np.array(f1)
