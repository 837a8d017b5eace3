"""The command line of the trainings: fit a model to sets, and score it on other sites."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from benchmarks.sets.examples import TrainingData
from benchmarks.training.folds import NoOtherSites
from benchmarks.training.hard_pages import read_with_hard_pages


class _Model(Protocol):
    def to_bytes(self) -> bytes: ...


class _Folds(Protocol):
    def classifier_of_all(self) -> _Model: ...


Folds = TypeVar("Folds", bound=_Folds)


def train(
    description: str,
    fit: Callable[[TrainingData, int], Folds],
    cross_validate: Callable[[TrainingData, Folds], dict[str, float]],
) -> None:
    """Read the sets of the command line, ``fit`` classifiers for a number of folds, write the one
    of all sites, and print the F1 by set that ``cross_validate`` finds.  Sets of threads add hard
    pages.

    ``description``: its first line is that of the help.
    """
    options = _read_options(description)
    data = read_with_hard_pages(options.sets, options.threads, options.folds)
    try:
        trained = fit(data, options.folds)
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


def _read_options(description: str) -> Any:
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("sets", nargs="+", help="folders with a manifest.json")
    parser.add_argument("--out", type=Path, help="write the model trained on all pages")
    parser.add_argument(
        "--threads",
        action="append",
        default=[],
        metavar="SET",
        help="also train on hard pages, with posts of this set",
    )
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.folds < 2:
        parser.error("--folds must be 2 or more")
    return options
