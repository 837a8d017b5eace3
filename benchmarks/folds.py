"""Classifiers for sites that they were not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b

from benchmarks.contest import ClassifierOf
from benchmarks.train import choose_vocabulary, fit, read_examples, table_of
from forest_scrapy.core.segments.classifier import Classifier

__all__ = ["NoOtherSites", "fold_of", "train_folds"]


class NoOtherSites(Exception):
    """All sites are in one fold, so that there is none to train on."""


def train_folds(folders: Sequence[str], folds: int) -> ClassifierOf:
    """For each site the classifier that was trained, on the pages of the sets, without any
    page of the sites in its fold; each is trained when it is asked for first.

    The vocabulary, which needs no labels, is that of all sites, as in ``benchmarks.train``.
    Raises ``NoOtherSites``.
    """
    examples = [example for folder in folders for example in read_examples(folder)]
    places = [fold_of(example.site, folds) for example in examples]
    if len(set(places)) < 2:
        raise NoOtherSites("all sites are in one fold: name more sets to train on")
    vocabulary = choose_vocabulary(examples)
    tables = [table_of(example, vocabulary) for example in examples]

    @cache
    def train(fold: int) -> Classifier:
        seen = [i for i, place in enumerate(places) if place != fold]
        return fit([examples[i] for i in seen], [tables[i] for i in seen], vocabulary)

    return lambda site: train(fold_of(site, folds))


def fold_of(site: str, folds: int) -> int:
    """The same for a site in several sets.

    >>> fold_of("www.Owl.example", 5) == fold_of("owl.example", 5)
    True
    """
    name = site.lower().removeprefix("www.")
    return int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "big") % folds
