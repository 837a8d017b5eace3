"""Train the classifier of the main text of pages of any kind.

    python -m benchmarks.training.main_text SET [SET ...] [--out MODEL.npz] [--folds 5] [--json]

Reads the pages with gold text of the sets, each as a single page, and fits two sets of
gradient-boosted trees: to the features of each segment, and to what the first ones, trained
without the site, say about the segments around it.  Then, with folds of whole sites, prints the F1
of the main text that is found by trees that have not seen the site.  The same sets give the same
model.  Needs lightgbm.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from statistics import fmean

from benchmarks.sets.bench_set import run_command
from benchmarks.sets.examples import TrainingData
from benchmarks.sets.scores import score_text
from benchmarks.training.command_line import train
from benchmarks.training.folds import NoOtherSites, fold_of
from benchmarks.training.trees import PARAMETERS, fit_rows
from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.records.main_text import (
    MainTextClassifier,
    describe_context,
    read_main_text,
    score_alone,
)
from forest_scrapy.core.segments.features import describe

#: The sets that the classifier in the package was trained on, and the kinds of their pages.
TRAINED_ON = {
    "harvest-forum": "thread",
    "wcxb-dev-forum": "thread",
    "wcxb-dev-listing": "listing",
    "wcxb-dev-collection": "listing",
    "wcxb-dev-product": "product",
    "wcxb-dev-articles": "article",
    "wcxb-dev-docs": "article",
    "wcxb-dev-service": "other",
}
# The pages are many: these trees take a fifth of the time of those of articles to fit.
TREES = 100
SEGMENT_PARAMETERS = {**PARAMETERS, "learning_rate": 0.15, "feature_fraction": 0.2}
# Half, and three times, as many of these trees were as good on other sites.
CONTEXT_TREES = 100
CONTEXT_PARAMETERS = {**PARAMETERS, "num_leaves": 15, "max_depth": 6, "learning_rate": 0.05}


class MainTextFolds:
    """Classifiers for the sites of each fold, trained without its pages.

    The trees that read what surrounds a segment learn from probabilities as they are on new
    sites: those of the trees that have not seen the page.  Raises ``NoOtherSites``.
    """

    def __init__(self, data: TrainingData, folds: int) -> None:
        self._data = _as_single_pages(data)
        self._folds = folds
        self._fold_of = [fold_of(example.site, folds) for example in data.examples]
        used_folds = sorted(set(self._fold_of))
        if len(used_folds) < 2:
            raise NoOtherSites("all sites are in one fold: name more sets to train on")

        self._trees: dict[int, Trees] = {}
        for fold in used_folds:
            self._trees[fold] = self._fit(self._examples_outside(fold))

        self._context = []
        for example, fold in zip(data.examples, self._fold_of, strict=True):
            scores = score_alone(example.page, data.vocabulary, self._trees[fold])
            self._context.append(describe_context(example.page, scores))

        self._classifier = cache(self._train)

    def classifier_of(self, site: str) -> MainTextClassifier:
        """The classifier trained without the site, by the site's name."""
        return self._classifier(fold_of(site, self._folds))

    def classifier_of_all(self) -> MainTextClassifier:
        """The classifier trained on all sites."""
        everything = range(len(self._data.examples))
        return self._join(self._fit(everything), everything)

    def _train(self, fold: int) -> MainTextClassifier:
        examples = self._examples_outside(fold)
        trees = self._trees.get(fold) or self._fit(examples)
        return self._join(trees, examples)

    def _fit(self, chosen: Sequence[int]) -> Trees:
        pages = ((self._data.examples[i], self._data.tables[i]) for i in chosen)
        return fit_rows(pages, TREES, SEGMENT_PARAMETERS)

    def _join(self, trees: Trees, chosen: Sequence[int]) -> MainTextClassifier:
        pages = ((self._data.examples[i], self._context[i]) for i in chosen)
        context = fit_rows(pages, CONTEXT_TREES, CONTEXT_PARAMETERS)
        return MainTextClassifier(self._data.vocabulary, trees, context)

    def _examples_outside(self, fold: int) -> list[int]:
        """The indices of the examples that are not in the fold."""
        return [i for i, example_fold in enumerate(self._fold_of) if example_fold != fold]


def _as_single_pages(data: TrainingData) -> TrainingData:
    """The examples with the features that they have as single pages."""
    tables = (describe(example.page, {}, 1, data.vocabulary) for example in data.examples)
    return replace(data, tables=tuple(tables))


def cross_validate(data: TrainingData, trained: MainTextFolds) -> dict[str, float]:
    """F1 by set of pages read by trees that have seen no page of the site."""
    scores = defaultdict(list)
    for example in data.examples:
        classifier = trained.classifier_of(example.site)
        text = read_main_text(example.page.page, classifier).text
        scores[example.set].append(score_text(example.gold, text).f1)
    return {name: round(fmean(values), 4) for name, values in sorted(scores.items())}


def main() -> None:
    train(__doc__ or "", MainTextFolds, cross_validate)


if __name__ == "__main__":
    run_command(main)
