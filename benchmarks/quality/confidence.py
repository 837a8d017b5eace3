"""Compare the confidence of items with the F1 of their text.

    python -m benchmarks.quality.confidence SET [SET ...] [--folds 5] [--models FILE] [--worst 20]
        [--json]

The pages of each site are read in templates, as in a crawl, if the site has two or more articles,
and each page by itself; those of the sets of ``benchmarks.training.main_text.TRAINED_ON`` that are
no articles by themselves only, with the kinds of items wanted that have a confidence.

With folds, all classifiers are trained without the site of the page, and the model of the
confidence is, too.  ``--models``: the file that the classifiers are stored in, and read from if it
is there, since training them takes ten minutes.  Else the models of the package are used, which
have seen these pages.

Printed, for each set, for the sets of WCXB together, and for all: the rank correlation (Spearman)
of confidence and F1 of word 2-grams, and of words; the mean of the F1 and of the confidence; the
mean F1 of the items of low confidence, and of the others; F1 by tenths of confidence; with
``--worst`` the items whose confidence is farthest from their F1.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.sets.bench_set import UnreadableSet, run_command
from benchmarks.training.confidence import fit_confidence
from benchmarks.training.ratings import (
    RatedItem,
    predict_folds,
    print_sets,
    rate_set,
    read_models,
    summarize_sets,
    table_of,
)
from forest_scrapy.core.methods.confidence import default_model


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", metavar="SET", help="folders with a manifest.json")
    parser.add_argument("--folds", type=int, default=0, help="train without the site, in N folds")
    parser.add_argument("--models", type=Path, metavar="FILE", help="where models are stored")
    parser.add_argument("--worst", type=int, default=0, help="print the N worst estimates")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.folds < 0 or options.folds == 1:
        parser.error("--folds must be 2 or more")
    beside = Path(options.sets[0]).resolve().parent
    models_of = read_models(beside, options.folds, options.models)
    items: list[RatedItem] = []
    for folder in options.sets:
        items += rate_set(folder, models_of)
    if all(item.way == "feed" for item in items):
        raise UnreadableSet("no page has an item and a correct text")

    if options.folds:
        confidence = predict_folds(items, options.folds, fit_confidence)
    else:
        model = default_model()
        confidence = model.predict(table_of(items)).round(3).tolist()
    report = summarize_sets(items, confidence)
    if options.json:
        print(json.dumps({"folds": options.folds, "sets": report}))
        return
    print_sets(report)
    print_worst(items, confidence, options.worst)


def print_worst(items: Sequence[RatedItem], confidence: Sequence[float], count: int) -> None:
    """The items whose F1 is farthest from their confidence."""

    def by_error(pair: tuple[float, RatedItem]) -> tuple[float, str]:
        sure, item = pair
        return -abs(sure - item.f1), item.page

    pairs = sorted(zip(confidence, items, strict=True), key=by_error)
    for sure, item in pairs[:count]:
        print(f"{sure:.3f} F1 {item.f1:.3f} {item.set} {item.way} {item.page}")


if __name__ == "__main__":
    run_command(main)
