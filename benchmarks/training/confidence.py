"""Train the model that estimates the F1 of an item's text, its confidence.

    python -m benchmarks.training.confidence SET [SET ...] [--out CONFIDENCE.npz] [--folds 5]
        [--models FILE] [--json]

Reads the items of the sets as ``benchmarks.quality.confidence`` does, by classifiers that were
trained without their sites, and fits gradient-boosted trees to the F1 of their texts; sets weigh
the same.  Then prints the figures of ``benchmarks.quality.confidence``, by models that have not
seen the site.  ``--models``: the file that the classifiers are stored in, and read from if it is
there; they have to be trained again after a change of what they are trained with.  The same sets
and classifiers give the same model.  Needs lightgbm.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.sets.bench_set import UnreadableSet, run_command
from benchmarks.training.ratings import (
    RatedItem,
    predict_folds,
    print_sets,
    rate_set,
    read_models,
    summarize_sets,
    table_of,
)
from benchmarks.training.trees import as_trees
from forest_scrapy.core.methods.confidence import ConfidenceModel

#: The weight of an item falls with the number of those of its set and way, by this power.
SET_POWER = 0.5
# Not tuned.
TREES = 150
PARAMETERS = {
    "objective": "cross_entropy",
    "num_leaves": 12,
    "max_depth": 5,
    "learning_rate": 0.05,
    "min_data_in_leaf": 20,
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


def fit_confidence(items: Sequence[RatedItem]) -> ConfidenceModel:
    """Fit trees to the F1 of the items.  Deterministic."""
    import lightgbm

    counts = Counter((item.set, item.way) for item in items)
    weights = np.array([counts[item.set, item.way] ** -SET_POWER for item in items])
    data = lightgbm.Dataset(
        table_of(items),
        label=np.array([item.f1 for item in items]),
        weight=weights / weights.mean(),
    )
    booster = lightgbm.train(PARAMETERS, data, TREES)
    return ConfidenceModel(as_trees(booster.dump_model()["tree_info"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", metavar="SET", help="folders with a manifest.json")
    parser.add_argument("--out", type=Path, help="write the model trained on all sites")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--models", type=Path, metavar="FILE", help="where classifiers are stored")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.folds < 2:
        parser.error("--folds must be 2 or more")
    beside = Path(options.sets[0]).resolve().parent
    models_of = read_models(beside, options.folds, options.models)
    items = [item for folder in options.sets for item in rate_set(folder, models_of)]
    if not items:
        raise UnreadableSet("no pages to train on")
    size = options.out.write_bytes(fit_confidence(items).to_bytes()) if options.out else 0
    report = summarize_sets(items, predict_folds(items, options.folds, fit_confidence))
    if options.json:
        print(json.dumps({"items": len(items), "sets": report, "model_bytes": size}))
        return
    print_sets(report)
    if size:
        print(f"{options.out}: {size} bytes")


if __name__ == "__main__":
    run_command(main)
