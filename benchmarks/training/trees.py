"""Fit gradient-boosted trees by lightgbm: those that classify segments, and those that rank the
blocks of a page, which learn the order of each page's candidates by the F1 of their text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.sets.examples import Example, TrainingData
from benchmarks.sets.scores import find_words
from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.segments.block_features import Candidates, find_candidates
from forest_scrapy.core.segments.scoring import average_scores

#: A segment is content if at least this share of its word 2-grams is in the gold text; labels
#: farther from it weigh more.  Not tuned.
CONTENT_SHARE = 0.6
#: Words of a segment beyond these do not add to its weight.  Not tuned.
MAX_WORDS = 80
# Not tuned, except that three times the trees moved F1 on other sites by less than 0.01.
TREES = 200
LEAVES = 31
DEPTH = 8
PARAMETERS = {
    "objective": "binary",
    "num_leaves": LEAVES,
    "max_depth": DEPTH,
    "learning_rate": 0.1,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 2.0,
    "max_bin": 63,
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 2,
    "verbose": -1,
}
#: A page has the weight 100.  Segments that are lighter than this are sampled, and those chosen
#: have this weight: a third of all segments is left, which gave the same F1.
_MIN_WEIGHT = 0.5


def fit_trees(data: TrainingData, chosen: Iterable[int]) -> Trees:
    """Fit the trees to the chosen examples, by index.  Deterministic."""
    pages = ((data.examples[i], data.tables[i]) for i in chosen)
    return fit_rows(pages, TREES, PARAMETERS, _MIN_WEIGHT)


def fit_rows(
    pages: Iterable[tuple[Example, NDArray[np.float32]]],
    trees: int,
    parameters: dict[str, Any],
    min_weight: float = 0.0,
) -> Trees:
    """Fit trees to examples with a table of features each, one row per segment; segments that
    weigh less than ``min_weight`` are sampled."""
    import lightgbm

    rows = []
    labels = []
    weights = []
    random = np.random.default_rng(1)
    for example, features in pages:
        shares = example.labels
        words = [len(segment.text.split()) + 1 for segment in example.page.segments]
        size = np.minimum(words, MAX_WORDS)
        labelled = shares >= 0
        if not labelled.any():
            continue

        clarity = np.abs(shares - CONTENT_SHARE).clip(0.05, 1)
        page_weights = 100 * size / size.sum() * clarity
        weight = page_weights[labelled]
        chosen = random.random(len(weight)) * min_weight < weight

        is_content = shares >= CONTENT_SHARE
        rows.append(features[labelled][chosen])
        labels.append(is_content[labelled][chosen])
        weights.append(example.segment_weight * np.maximum(weight, min_weight)[chosen])

    table = np.concatenate(rows)
    target = np.concatenate(labels).astype(float)
    dataset = lightgbm.Dataset(table, target, weight=np.concatenate(weights))
    booster = lightgbm.train(parameters, dataset, trees)
    return as_trees(booster.dump_model()["tree_info"])


def as_trees(trees: Sequence[dict[str, Any]]) -> Trees:
    """The trees of a booster's dump as arrays."""
    flat = [_flatten(tree["tree_structure"]) for tree in trees]
    shape = (len(flat), max(map(len, flat)))
    columns = np.zeros(shape, dtype=np.int16)
    thresholds = np.zeros(shape, dtype=np.float32)
    lower = np.zeros(shape, dtype=np.int16)
    higher = np.zeros(shape, dtype=np.int16)
    values = np.zeros(shape, dtype=np.float32)
    for t, nodes in enumerate(flat):
        for i, node in enumerate(nodes):
            columns[t, i] = node.column
            thresholds[t, i] = node.threshold
            lower[t, i] = node.lower
            higher[t, i] = node.higher
            values[t, i] = node.value
    return Trees(columns, thresholds, lower, higher, values)


@dataclass
class _Node:
    """A node of a tree.  Its children are positions in the tree's list of nodes; a leaf is its
    own child, and has a value."""

    column: int
    threshold: float
    lower: int
    higher: int
    value: float


def _flatten(root: dict[str, Any]) -> list[_Node]:
    """The nodes of a tree, each before its children."""
    nodes: list[_Node] = []
    waiting = [(root, -1, False)]
    while waiting:
        dumped, parent, is_higher = waiting.pop()
        position = len(nodes)
        if "leaf_value" in dumped:
            nodes.append(_Node(0, 0.0, position, position, dumped["leaf_value"]))
        else:
            column = dumped["split_feature"]
            nodes.append(_Node(column, dumped["threshold"], position, position, 0.0))
            waiting.append((dumped["right_child"], position, True))
            waiting.append((dumped["left_child"], position, False))

        if parent < 0:
            continue
        if is_higher:
            nodes[parent].higher = position
        else:
            nodes[parent].lower = position
    return nodes


#: The F1 of candidates, 0 to 1, is ranked in this many steps.  Not tuned.
STEPS = 30
# Not tuned, except that twice the trees were no better on other sites.
BLOCK_TREES = 200
BLOCK_LEAVES = 15
BLOCK_DEPTH = 6
BLOCK_PARAMETERS = {
    "objective": "lambdarank",
    "label_gain": list(range(STEPS + 1)),
    "lambdarank_truncation_level": 10,  # the order of the best counts, the rest is never chosen
    "num_leaves": BLOCK_LEAVES,
    "max_depth": BLOCK_DEPTH,
    "learning_rate": 0.05,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbose": -1,
}


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
    candidates = find_candidates(example.page, scores)
    f1 = _score_candidates(example, candidates, scores)
    return RankedBlocks(candidates.table, f1, example.block_weight)


def fit_block_trees(pages: Sequence[RankedBlocks], chosen: Iterable[int]) -> Trees:
    """Fit the trees to the chosen pages, by index.  Deterministic."""
    import lightgbm

    ranked_pages = [pages[i] for i in chosen if len(pages[i].f1) > 1]
    steps = np.concatenate([(page.f1 * STEPS).round() for page in ranked_pages])
    table = np.concatenate([page.table for page in ranked_pages])
    sizes = [len(page.f1) for page in ranked_pages]
    weights = np.repeat([page.weight for page in ranked_pages], sizes)
    dataset = lightgbm.Dataset(table, steps, group=sizes, weight=weights)
    booster = lightgbm.train(BLOCK_PARAMETERS, dataset, BLOCK_TREES)
    return as_trees(booster.dump_model()["tree_info"])


def _score_candidates(
    example: Example,
    candidates: Candidates,
    scores: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The F1 of each candidate, from the shares of its segments' words in the gold text."""
    shares = example.labels
    words = np.array([len(find_words(segment.text)) for segment in example.page.segments])
    gold_words = shares.clip(0) * words
    is_content = shares >= CONTENT_SHARE
    gold_total = max(float(gold_words[is_content].sum()), 1.0)
    f1 = []
    for i in range(len(candidates.table)):
        segments = candidates.kept_segments(i, scores)
        hits = float(gold_words[segments].sum())
        if not hits:
            f1.append(0.0)
            continue

        total = float(words[segments].sum())
        precision = hits / max(total, 1.0)
        recall = min(1.0, hits / gold_total)
        f1.append(2 * precision * recall / (precision + recall))
    return np.array(f1)
