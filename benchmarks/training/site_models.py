"""All classifiers that a page is read with, trained without its site."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from benchmarks.sets.examples import read_training_data
from benchmarks.training.folds import fold_of, train_folds
from benchmarks.training.kinds import fit_kinds, read_templates
from benchmarks.training.main_text import TRAINED_ON, MainTextFolds
from forest_scrapy.core.models.logistic import LogisticModel
from forest_scrapy.core.records.main_text import MainTextClassifier
from forest_scrapy.core.segments.classifier import Classifier

#: The names of the sets that the classifier of articles which ships was trained on.
ARTICLE_SETS = frozenset(
    ("feeds-dev", "fundus", "wcxb-dev-articles", "wcxb-dev-docs", "postlight", "magic-article")
)


@dataclass(frozen=True)
class Models:
    """The classifiers that a page is read with."""

    articles: Classifier
    main_text: MainTextClassifier
    kinds: LogisticModel

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Let the package use these instead of its own."""
        names = {
            "segments.classifier.default_classifier": self.articles,
            "methods.trained.default_classifier": self.articles,
            "records.main_text.default_main_text_classifier": self.main_text,
            "templates.kinds.kind_model": self.kinds,
        }
        with ExitStack() as patches:
            for name, model in names.items():
                replacement = patch(f"forest_scrapy.core.{name}", lambda model=model: model)
                patches.enter_context(replacement)
            yield


def train_models(beside: Path, folds: int) -> Callable[[str], Models]:
    """For each site, by its name, models that were trained without it."""
    present = {path.name: str(path) for path in beside.iterdir() if path.is_dir()}
    of_kinds = {name: kind for name, kind in TRAINED_ON.items() if name in present}
    articles = train_folds(
        read_training_data([present[name] for name in sorted(ARTICLE_SETS & present.keys())]), folds
    )
    main_text = MainTextFolds(read_training_data([present[name] for name in of_kinds]), folds)
    templates = [
        template
        for name, kind in of_kinds.items()
        for template in read_templates(kind, present[name], sites=1_000)
    ]
    kinds = {
        fold: fit_kinds(
            [template for template in templates if fold_of(template.site, folds) != fold]
        )
        for fold in range(folds)
    }

    def of_site(site: str) -> Models:
        name = site.lower()
        text = main_text.classifier_of(name)
        return Models(articles(name), text, kinds[fold_of(name, folds)])

    return of_site
