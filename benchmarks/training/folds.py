"""Classifiers for all sites, and for sites that they were not trained on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import blake2b

from benchmarks.sets.examples import TrainingData
from benchmarks.training.trees import RankedBlocks, fit_block_trees, fit_trees, read_blocks
from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.segments.features import describe


class NoOtherSites(Exception):
    """All sites are in one fold, so there are no other sites to train on."""


class TrainedFolds:
    """Classifiers for the sites of each fold, trained without its pages.

    The blocks of a page are ranked by trees that learn from probabilities as they are on new
    sites: those of the segment trees that have not seen the page.
    """

    def __init__(self, data: TrainingData, folds: int) -> None:
        self._data = data
        self._folds = folds
        self._fold_of = [fold_of(example.site, folds) for example in data.examples]
        used_folds = sorted(set(self._fold_of))
        if len(used_folds) < 2:
            raise NoOtherSites("all sites are in one fold: name more sets to train on")

        self._trees: dict[int, Trees] = {}
        for fold in used_folds:
            self._trees[fold] = fit_trees(data, self._examples_outside(fold))

        self._blocks: list[RankedBlocks] = []
        for example, fold in zip(data.examples, self._fold_of, strict=True):
            table = describe(example.page, {}, 1, data.vocabulary)
            probabilities = self._trees[fold].probabilities(table)
            self._blocks.append(read_blocks(example, probabilities))

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
        examples = self._examples_outside(fold)
        trees = self._trees.get(fold) or fit_trees(self._data, examples)
        blocks = fit_block_trees(self._blocks, examples)
        return Classifier(self._data.vocabulary, trees, blocks)

    def _examples_outside(self, fold: int) -> list[int]:
        """The indices of the examples that are not in the fold."""
        return [i for i, example_fold in enumerate(self._fold_of) if example_fold != fold]


def train_folds(data: TrainingData, folds: int) -> Callable[[str], Classifier]:
    """For each site, by its name, a classifier trained without the pages of all sites in its
    fold.  Raises ``NoOtherSites``."""
    return TrainedFolds(data, folds).classifier_of


def fold_of(site: str, folds: int) -> int:
    """The fold of a site: the same in all sets, with and without ``www.``.

    >>> fold_of("www.Owl.example", 5) == fold_of("owl.example", 5)
    True
    """
    name = site.lower().removeprefix("www.")
    digest = blake2b(name.encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") % folds
