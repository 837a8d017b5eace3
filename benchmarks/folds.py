"""Classifiers for sites that they were not trained on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import blake2b

from benchmarks.examples import TrainingData
from benchmarks.trees import fit_classifier
from forest_scrapy.core.segments.classifier import Classifier

__all__ = ["NoOtherSites", "fold_of", "train_folds"]


class NoOtherSites(Exception):
    """All sites are in one fold, so there are no other sites to train on."""


def train_folds(data: TrainingData, folds: int) -> Callable[[str], Classifier]:
    """For each site, by its name, a classifier trained without the pages of all sites in its
    fold.  Each is trained on first use.  Raises ``NoOtherSites``."""
    fold_of_example = [fold_of(example.site, folds) for example in data.examples]
    if len(set(fold_of_example)) < 2:
        raise NoOtherSites("all sites are in one fold: name more sets to train on")

    @cache
    def train(fold: int) -> Classifier:
        return fit_classifier(data, [i for i, own in enumerate(fold_of_example) if own != fold])

    return lambda site: train(fold_of(site, folds))


def fold_of(site: str, folds: int) -> int:
    """The fold of a site: the same in all sets, with and without ``www.``.

    >>> fold_of("www.Owl.example", 5) == fold_of("owl.example", 5)
    True
    """
    name = site.lower().removeprefix("www.")
    return int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "big") % folds
