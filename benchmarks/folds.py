"""Classifiers for all sites, and for sites that they were not trained on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import blake2b

from benchmarks.examples import Example, TrainingData
from benchmarks.trees import RankedBlocks, fit_block_trees, fit_trees, read_blocks
from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.segments.features import Vocabulary, describe


class NoOtherSites(Exception):
    """All sites are in one fold, so there are no other sites to train on."""


class TrainedFolds:
    """Classifiers for the sites of each fold, trained without its pages.

    The blocks of a page are ranked by trees that learn from probabilities as they are on new
    sites: those of the segment trees that have not seen the page.
    """

    def __init__(self, data: TrainingData, folds: int) -> None:
        self._data, self._folds = data, folds
        self._fold_of = [fold_of(example.site, folds) for example in data.examples]
        if len(set(self._fold_of)) < 2:
            raise NoOtherSites("all sites are in one fold: name more sets to train on")
        self._trees = {
            fold: fit_trees(data, self._others(fold)) for fold in sorted(set(self._fold_of))
        }
        self._blocks = [
            _read_blocks(example, self._trees[fold], data.vocabulary)
            for example, fold in zip(data.examples, self._fold_of, strict=True)
        ]
        self._classifier = cache(self._train)

    def classifier_of(self, site: str) -> Classifier:
        """The classifier trained without the site, by the site's name."""
        return self._classifier(fold_of(site, self._folds))

    def classifier_of_all(self) -> Classifier:
        """The classifier trained on all sites."""
        everything = range(len(self._data.examples))
        trees = fit_trees(self._data, everything)
        blocks = fit_block_trees(self._blocks, everything)
        return Classifier(self._data.vocabulary, trees, blocks)

    def _train(self, fold: int) -> Classifier:
        trees = self._trees.get(fold) or fit_trees(self._data, self._others(fold))
        blocks = fit_block_trees(self._blocks, self._others(fold))
        return Classifier(self._data.vocabulary, trees, blocks)

    def _others(self, fold: int) -> list[int]:
        """The examples that are not in the fold."""
        return [i for i, own in enumerate(self._fold_of) if own != fold]


def train_folds(data: TrainingData, folds: int) -> Callable[[str], Classifier]:
    """For each site, by its name, a classifier trained without the pages of all sites in its
    fold.  Raises ``NoOtherSites``."""
    return TrainedFolds(data, folds).classifier_of


def _read_blocks(example: Example, trees: Trees, vocabulary: Vocabulary) -> RankedBlocks:
    table = describe(example.page, {}, 1, vocabulary)
    return read_blocks(example, trees.probabilities(table))


def fold_of(site: str, folds: int) -> int:
    """The fold of a site: the same in all sets, with and without ``www.``.

    >>> fold_of("www.Owl.example", 5) == fold_of("owl.example", 5)
    True
    """
    name = site.lower().removeprefix("www.")
    return int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "big") % folds
