"""Train the segment classifier.

    python -m benchmarks.train SET [SET ...] [--out MODEL.npz] [--folds 5] [--json]

Reads the pages with gold text of the sets, cuts them into segments, labels each by the share of
its word 2-grams that are in the gold text, and fits gradient-boosted trees; other trees learn to
rank the blocks of each page.  Then, with folds of whole sites, prints the F1 of wrappers that were
learned, from up to ten pages of each template, with trees that have not seen the site.  The same
sets give the same model.  Needs lightgbm.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean

from benchmarks.bench_set import run_command
from benchmarks.examples import Example, TrainingData, read_training_data
from benchmarks.folds import NoOtherSites, TrainedFolds
from benchmarks.scores import score_text
from forest_scrapy.core import learn

__all__ = ["main"]


def cross_validate(data: TrainingData, trained: TrainedFolds) -> dict[str, float]:
    """F1 by set, templates and single pages apart, of wrappers learned with trees that have
    seen no page of the site."""
    templates: dict[tuple[int, ...], list[Example]] = defaultdict(list)
    for example in data.examples:
        templates[tuple(map(id, example.siblings))].append(example)
    scores = defaultdict(list)
    for own in templates.values():
        classifier, siblings = trained.classifier_of(own[0].site), own[0].siblings
        wrapper = learn([page.page for page in siblings], classifier=classifier)
        name = f"{own[0].set}, {'template' if len(siblings) > 1 else 'single'}"
        for example in own:
            text = wrapper.apply(example.page.page, classifier).text
            scores[name].append(score_text(example.gold, text).f1)
    return {name: round(fmean(found), 4) for name, found in sorted(scores.items())}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", help="folders with a manifest.json")
    parser.add_argument("--out", type=Path, help="write the model trained on all pages")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.folds < 2:
        parser.error("--folds must be 2 or more")
    data = read_training_data(options.sets)
    try:
        trained = TrainedFolds(data, options.folds)
    except NoOtherSites as error:
        sys.exit(f"--folds {options.folds}: {error}")
    size = options.out.write_bytes(trained.classifier_of_all().to_bytes()) if options.out else 0
    f1 = cross_validate(data, trained)
    if options.json:
        print(json.dumps({"pages": len(data.examples), "f1": f1, "model_bytes": size}))
        return
    print(f"{len(data.examples)} pages of {len({example.site for example in data.examples})} sites")
    for name, value in f1.items():
        print(f"{name:32s} F1 {value:.4f} on sites not trained on")
    if size:
        print(f"{options.out}: {size} bytes")


if __name__ == "__main__":
    run_command(main)
