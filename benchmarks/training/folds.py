"""Classifiers for all sites, and for sites that they were not trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b

from benchmarks.sets.examples import TrainingData
from benchmarks.training.trees import RankedBlocks, fit_block_trees, fit_trees, read_blocks
from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.segments.features import describe


class NoOtherSites(Exception):
    """All sites are in one fold, so there are no other sites to train on."""


class ExampleFolds:
    """The folds of examples; those of a site are in the same fold.

    ``of_examples``: the fold of each example.  ``used``: the folds that have examples.  Raises
    ``NoOtherSites``.
    """

    def __init__(self, data: TrainingData, count: int) -> None:
        self.of_examples: list[int] = []
        for example in data.examples:
            fold = fold_of(example.site, count)
            self.of_examples.append(fold)

        used_folds = set(self.of_examples)
        if len(used_folds) < 2:
            raise NoOtherSites("all sites are in one fold: name more sets to train on")
        self.used = sorted(used_folds)

    def outside(self, fold: int) -> list[int]:
        """The indices of the examples that are not in the fold."""
        indices = []
        for i, example_fold in enumerate(self.of_examples):
            if example_fold != fold:
                indices.append(i)
        return indices


class TrainedFolds:
    """Classifiers for the sites of each fold, trained without its pages.

    The blocks of a page are ranked by trees that learn from probabilities as they are on new
    sites: those of the segment trees that have not seen the page.
    """

    def __init__(self, data: TrainingData, folds: int) -> None:
        self._data = data
        self._fold_count = folds
        self._folds = ExampleFolds(data, folds)

        self._trees: dict[int, Trees] = {}
        for fold in self._folds.used:
            examples = self._folds.outside(fold)
            self._trees[fold] = fit_trees(data, examples)

        self._blocks: list[RankedBlocks] = []
        folded_examples = zip(
            data.examples,
            self._folds.of_examples,
            strict=True,
        )
        for example, fold in folded_examples:
            segment_counts: dict[str, int] = {}  # those of a single page
            table = describe(
                example.page,
                segment_counts,
                1,
                data.vocabulary,
            )
            trees = self._trees[fold]
            probabilities = trees.probabilities(table)
            blocks = read_blocks(example, probabilities)
            self._blocks.append(blocks)

        self._classifier = cache(self._train)

    def classifier_of(self, site: str) -> Classifier:
        """The classifier trained without the site, by the site's name."""
        fold = fold_of(site, self._fold_count)
        return self._classifier(fold)

    def classifier_of_all(self) -> Classifier:
        """The classifier trained on all sites."""
        example_count = len(self._data.examples)
        everything = range(example_count)
        trees = fit_trees(self._data, everything)
        return self._join(trees, everything)

    def _train(self, fold: int) -> Classifier:
        examples = self._folds.outside(fold)
        trees = self._trees.get(fold)
        if trees is None:
            trees = fit_trees(self._data, examples)
        return self._join(trees, examples)

    def _join(self, trees: Trees, examples: Sequence[int]) -> Classifier:
        """The classifier of these trees, and of trees for the blocks of the same examples."""
        blocks = fit_block_trees(self._blocks, examples)
        return Classifier(
            self._data.vocabulary,
            trees,
            blocks,
        )


def train_folds(data: TrainingData, folds: int) -> Callable[[str], Classifier]:
    """For each site, by its name, a classifier trained without the pages of all sites in its
    fold.  Raises ``NoOtherSites``."""
    trained = TrainedFolds(data, folds)
    return trained.classifier_of


def fold_of(site: str, folds: int) -> int:
    """The fold of a site: the same in all sets, with and without ``www.``.

    >>> fold_of("www.Owl.example", 5) == fold_of("owl.example", 5)
    True
    """
    lower = site.lower()
    name = lower.removeprefix("www.")
    encoded = name.encode()
    hashed = blake2b(encoded, digest_size=4)
    digest = hashed.digest()
    number = int.from_bytes(digest, "big")
    return number % folds
