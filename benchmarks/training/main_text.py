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
from benchmarks.training.folds import ExampleFolds, fold_of
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
SEGMENT_PARAMETERS = {
    **PARAMETERS,
    "learning_rate": 0.15,
    "feature_fraction": 0.2,
}
# Half, and three times, as many of these trees were as good on other sites.
CONTEXT_TREES = 100
CONTEXT_PARAMETERS = {
    **PARAMETERS,
    "num_leaves": 15,
    "max_depth": 6,
    "learning_rate": 0.05,
}


class MainTextFolds:
    """Classifiers for the sites of each fold, trained without its pages.

    The trees that read what surrounds a segment learn from probabilities as they are on new
    sites: those of the trees that have not seen the page.  Raises ``NoOtherSites``.
    """

    def __init__(self, data: TrainingData, folds: int) -> None:
        self._data = _as_single_pages(data)
        self._fold_count = folds
        self._folds = ExampleFolds(data, folds)

        self._trees: dict[int, Trees] = {}
        for fold in self._folds.used:
            examples = self._folds.outside(fold)
            self._trees[fold] = self._fit(examples)

        self._context = []
        for example, fold in zip(data.examples, self._folds.of_examples, strict=True):
            trees = self._trees[fold]
            scores = score_alone(example.page, data.vocabulary, trees)
            context = describe_context(example.page, scores)
            self._context.append(context)

        self._classifier = cache(self._train)

    def classifier_of(self, site: str) -> MainTextClassifier:
        """The classifier trained without the site, by the site's name."""
        fold = fold_of(site, self._fold_count)
        return self._classifier(fold)

    def classifier_of_all(self) -> MainTextClassifier:
        """The classifier trained on all sites."""
        everything = range(len(self._data.examples))
        trees = self._fit(everything)
        return self._join(trees, everything)

    def _train(self, fold: int) -> MainTextClassifier:
        examples = self._folds.outside(fold)
        trees = self._trees.get(fold)
        if trees is None:
            trees = self._fit(examples)
        return self._join(trees, examples)

    def _fit(self, chosen: Sequence[int]) -> Trees:
        """Trees for the segments of these examples."""
        pages = []
        for i in chosen:
            page = (self._data.examples[i], self._data.tables[i])
            pages.append(page)
        return fit_rows(pages, TREES, SEGMENT_PARAMETERS)

    def _join(self, trees: Trees, chosen: Sequence[int]) -> MainTextClassifier:
        """The classifier of these trees, and of trees for what surrounds a segment."""
        pages = []
        for i in chosen:
            page = (self._data.examples[i], self._context[i])
            pages.append(page)
        context_trees = fit_rows(pages, CONTEXT_TREES, CONTEXT_PARAMETERS)
        return MainTextClassifier(self._data.vocabulary, trees, context_trees)


def _as_single_pages(data: TrainingData) -> TrainingData:
    """The examples with the features that they have as single pages."""
    tables = []
    for example in data.examples:
        table = describe(example.page, {}, 1, data.vocabulary)
        tables.append(table)
    return replace(data, tables=tuple(tables))


def cross_validate(data: TrainingData, trained: MainTextFolds) -> dict[str, float]:
    """F1 by set of pages read by trees that have seen no page of the site."""
    scores: dict[str, list[float]] = defaultdict(list)
    for example in data.examples:
        classifier = trained.classifier_of(example.site)
        main_text = read_main_text(example.page.page, classifier)
        score = score_text(example.gold, main_text.text)
        scores[example.set].append(score.f1)

    means = {}
    for name, values in sorted(scores.items()):
        mean = fmean(values)
        means[name] = round(mean, 4)
    return means


def main() -> None:
    train(__doc__ or "", MainTextFolds, cross_validate)


if __name__ == "__main__":
    run_command(main)
