"""Train the segment classifier.

    python -m benchmarks.train SET [SET ...] [--out MODEL.npz] [--folds 5] [--json]

Reads the pages with gold text of the sets, cuts them into segments, labels each by the share
of its word 2-grams that stand in the gold text, and fits gradient-boosted trees.  With folds,
whole sites are kept together: printed is F1 of what wrappers give that were learned, from up
to ten pages of each template, with trees that have not seen the site.  The same sets give the
same model.  Needs lightgbm.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scrapy.http import HtmlResponse

from benchmarks.bench_set import Group, load_groups, stop_on_unreadable_set
from benchmarks.scores import find_words, score_text
from forest_scrapy.core import Fingerprint, HostClusters
from forest_scrapy.core.clustering.tag_paths import typed_paths
from forest_scrapy.core.methods.trained import learn_with
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.segments.features import Vocabulary, attribute_words, describe
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page
from forest_scrapy.runtime.responses import page_of, repair_encoding

__all__ = ["fit", "main", "read_examples"]

TAGS, WORDS = 30, 300
#: A segment is content when so much of it stands in the gold text; the farther from it, the
#: more the label weighs.
CONTENT_SHARE = 0.6
TREES, LEAVES, DEPTH = 200, 31, 8
#: Pages of a template that the document frequency of a segment is counted on.
MATES = 10


@dataclass(frozen=True)
class Example:
    """A page with its mates of the same template, and its gold text."""

    site: str
    set: str
    id: str
    page: SegmentedPage
    mates: tuple[SegmentedPage, ...]
    gold: str


def read_examples(folder: str) -> list[Example]:
    """All scored pages of a set."""
    return [example for group in load_groups(folder) for example in _group_examples(group, folder)]


def label_segments(page: SegmentedPage, gold: str) -> list[float]:
    """For each segment the share of its word 2-grams that stand in the gold text; a single
    word must be a line of it (1), stand somewhere in it (0.5), or not (0); -1 for none."""
    words = find_words(gold)
    pairs, alone = set(pairwise(words)), set(words)
    lines = {tuple(find_words(line)) for line in gold.splitlines()}
    labels = []
    for segment in page.segments:
        own = find_words(segment.text)
        if len(own) > 1:
            labels.append(fmean(pair in pairs for pair in set(pairwise(own))))
        elif own:
            labels.append(1.0 if tuple(own) in lines else 0.5 * (own[0] in alone))
        else:
            labels.append(-1.0)
    return labels


def choose_vocabulary(examples: Iterable[Example]) -> Vocabulary:
    """The tags and attribute words that most sites have."""
    tags, words = defaultdict(set), defaultdict(set)
    for example in examples:
        for node in example.page.page.outline.nodes:
            tags[node.tag].add(example.site)
            for name in ("class", "id"):
                for word in attribute_words(node.element.get(name) or ""):
                    words[word].add(example.site)
    return Vocabulary(_most_common(tags, TAGS), _most_common(words, WORDS))


def table_of(example: Example, vocabulary: Vocabulary) -> NDArray[np.float32]:
    """The rows of the page's segments."""
    found_on = Counter(text for mate in example.mates for text in set(mate.texts))
    return describe(example.page, found_on, len(example.mates), vocabulary)


def fit(examples: Sequence[Example], tables: Sequence[Any], vocabulary: Vocabulary) -> Classifier:
    """Fit the trees to the examples; deterministic."""
    import lightgbm

    rows, labels, weights = [], [], []
    for example, table in zip(examples, tables, strict=True):
        shares = np.array(label_segments(example.page, example.gold))
        counted = np.array([min(len(s.text.split()) + 1, 80) for s in example.page.segments])
        known = shares >= 0
        if not known.any():
            continue
        sure = np.abs(shares - CONTENT_SHARE).clip(0.05, 1)
        rows.append(table[known])
        labels.append((shares >= CONTENT_SHARE)[known])
        weights.append((100 * counted / counted.sum() * sure)[known])
    data = lightgbm.Dataset(
        np.concatenate(rows), np.concatenate(labels).astype(float), weight=np.concatenate(weights)
    )
    booster = lightgbm.train(_PARAMETERS, data, TREES)
    return _as_arrays(booster.dump_model()["tree_info"], vocabulary)


_PARAMETERS = {
    "objective": "binary", "num_leaves": LEAVES, "max_depth": DEPTH, "learning_rate": 0.1,
    "min_data_in_leaf": 60, "feature_fraction": 0.5, "bagging_fraction": 0.8, "bagging_freq": 1,
    "lambda_l2": 2.0, "max_bin": 63, "seed": 1, "deterministic": True, "force_row_wise": True,
    "num_threads": 2, "verbose": -1,
}  # fmt: skip


def cross_validate(examples: Sequence[Example], tables: Sequence[Any], vocabulary: Vocabulary,
                   folds: int) -> dict[str, float]:  # fmt: skip
    """F1 by set, pages with template mates and pages alone apart, of wrappers learned with
    trees that saw no page of the site."""
    scores = defaultdict(list)
    for fold in range(folds):
        seen = [i for i, example in enumerate(examples) if _fold(example, folds) != fold]
        model = fit([examples[i] for i in seen], [tables[i] for i in seen], vocabulary)
        templates: dict[tuple[int, ...], list[Example]] = defaultdict(list)
        for example in examples:
            if _fold(example, folds) == fold:
                templates[tuple(id(mate) for mate in example.mates)].append(example)
        for own in templates.values():
            wrapper = learn_with(model, [mate.page for mate in own[0].mates])
            for example in own:
                text = wrapper.apply(example.page.page, model).text
                name = f"{example.set}, {'template' if len(example.mates) > 1 else 'alone'}"
                scores[name].append(score_text(example.gold, text).f1)
    return {name: round(fmean(found), 4) for name, found in sorted(scores.items())}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", help="folders with a manifest.json")
    parser.add_argument("--out", default="", help="write the model trained on all pages")
    parser.add_argument("--folds", type=int, default=5, help="0: no cross-validation")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    examples = [example for folder in options.sets for example in read_examples(folder)]
    vocabulary = choose_vocabulary(examples)
    tables = [table_of(example, vocabulary) for example in examples]
    f1 = cross_validate(examples, tables, vocabulary, options.folds) if options.folds else {}
    size = 0
    if options.out:
        model = fit(examples, tables, vocabulary).to_bytes()
        Path(options.out).write_bytes(model)
        size = len(model)
    if options.json:
        print(json.dumps({"pages": len(examples), "f1": f1, "model_bytes": size}))
        return
    print(f"{len(examples)} pages of {len({example.site for example in examples})} sites")
    for name, value in f1.items():
        print(f"{name:32s} F1 {value:.4f} on sites not trained on")
    if size:
        print(f"{options.out}: {size} bytes")


def _group_examples(group: Group, folder: str) -> list[Example]:
    articles = group.articles
    headers = {"Content-Type": "text/html"}
    responses = [HtmlResponse(page.url, body=page.html, headers=headers) for page in articles]
    pages = [segment_page(page_of(repair_encoding(response))) for response in responses]
    clusters = HostClusters()
    prints = [Fingerprint(typed_paths(page.page.outline)) for page in pages]
    for fingerprint in prints:
        clusters.add(fingerprint, is_article=True)
    examples = []
    for i, (article, page) in enumerate(zip(articles, pages, strict=True)):
        cluster = clusters.cluster_of(prints[i])
        digests = cluster.digests if cluster else ()
        mates = tuple(p for p, own in zip(pages, prints, strict=True) if own.digest in digests)
        mates = mates[:MATES] or (page,)
        name = Path(folder).name
        examples.append(Example(group.name.lower(), name, article.id, page, mates, article.gold))
    return examples


def _fold(example: Example, folds: int) -> int:
    return int.from_bytes(blake2b(example.site.encode(), digest_size=4).digest(), "big") % folds


def _most_common(sites_of: dict[str, set[str]], most: int) -> tuple[str, ...]:
    ranked = sorted(sites_of, key=lambda name: (-len(sites_of[name]), name))
    return tuple(sorted(ranked[:most]))


def _as_arrays(trees: Sequence[dict[str, Any]], vocabulary: Vocabulary) -> Classifier:
    flat = [_flatten(tree["tree_structure"]) for tree in trees]
    shape = (len(flat), max(map(len, flat)))
    columns, lower, higher = (np.zeros(shape, dtype=np.int16) for _ in range(3))
    thresholds, values = (np.zeros(shape, dtype=np.float32) for _ in range(2))
    for t, nodes in enumerate(flat):
        for i, (column, threshold, low, high, value) in enumerate(nodes):
            columns[t, i], thresholds[t, i], values[t, i] = column, threshold, value
            lower[t, i], higher[t, i] = low, high
    return Classifier(vocabulary, columns, thresholds, lower, higher, values, DEPTH)


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


if __name__ == "__main__":
    stop_on_unreadable_set(main)
