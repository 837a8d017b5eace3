"""Score the text of whatever item a page becomes, its kind not told.

    python -m benchmarks.quality.page_texts SET [SET ...] [--kinds KIND,KIND] [--folds 5] [--pages]
        [--json]

Every page with a gold text is extracted by itself, as ``forest-scrapy extract`` does with a single
page, with all kinds of items wanted (or those of ``--kinds``).  Printed: precision, recall and F1
of words, as the public scorer of WCXB counts them, mean over the pages of each set and over all
pages; what the pages became; milliseconds a page.  A page without an item counts as empty.

With folds, all classifiers are trained without the site of the page: those of articles on the sets
of ``benchmarks.quality.TRAINED_ON``, those of main text and of kinds on the sets of
``benchmarks.training.main_text.TRAINED_ON``, as far as they are in the same folder as the first
SET.  Else those of the package are used, which have seen these pages.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any
from unittest.mock import patch

from benchmarks.quality.command import TRAINED_ON as OF_ARTICLES
from benchmarks.sets.bench_set import BenchPage, UnreadableSet, load_groups, run_command, set_name
from benchmarks.sets.examples import read_training_data
from benchmarks.sets.scores import Score, mean_score, score_words
from benchmarks.training.folds import fold_of, train_folds
from benchmarks.training.kinds import fit_kinds, read_templates
from benchmarks.training.main_text import TRAINED_ON, MainTextFolds
from forest_scrapy.core import Options, Visit, extract_page
from forest_scrapy.core.items import ITEM_KINDS
from forest_scrapy.core.models.logistic import LogisticModel
from forest_scrapy.core.records.main_text import MainTextClassifier
from forest_scrapy.core.segments.classifier import Classifier


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
        read_training_data([present[name] for name in sorted(OF_ARTICLES & present.keys())]), folds
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


@dataclass(frozen=True)
class PageScore:
    """The score of a page, what it became, and the seconds that took."""

    page: str
    score: Score
    kind: str
    seconds: float


def score_page(page: BenchPage, options: Options) -> PageScore:
    """The score of the text of the page's item."""
    parsed = page.parse()
    start = process_time()
    result = extract_page(parsed, None, options, Visit(is_article=False))
    seconds = process_time() - start
    text = result.item.text if result.item else ""
    return PageScore(page.id, score_words(page.gold, text), result.reason or result.method, seconds)


def score_set(
    folder: str,
    options: Options,
    models_of: Callable[[str], Models] | None = None,
) -> list[PageScore]:
    """The scores of the pages of a set that have a gold text."""
    scores = []
    for group in load_groups(folder):
        with ExitStack() as opened:
            if models_of:
                opened.enter_context(models_of(group.name).in_use())
            scores += [score_page(page, options) for page in group.pages if page.gold]
    if not scores:
        raise UnreadableSet(f"{folder}: it has no pages with a gold text")
    return scores


def summarize(scores: Sequence[PageScore]) -> dict[str, Any]:
    """The means, and how many pages became what; articles are not divided by method."""
    mean = mean_score([page.score for page in scores])
    kinds = Counter(
        page.kind if page.kind in ITEM_KINDS or "_" in page.kind else "article" for page in scores
    )
    return {
        "pages": len(scores),
        **{name: round(value, 4) for name, value in mean._asdict().items()},
        "became": dict(sorted(kinds.items())),
        "ms": round(1000 * fmean(page.seconds for page in scores), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", metavar="SET", help="folders with a manifest.json")
    parser.add_argument("--kinds", default=",".join(ITEM_KINDS), metavar="KIND,KIND")
    parser.add_argument("--folds", type=int, default=0, help="train without the site, in N folds")
    parser.add_argument("--pages", action="store_true", help="print each page, the worst first")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    kinds = tuple(options.kinds.split(","))
    unknown = set(kinds) - ITEM_KINDS.keys()
    if unknown:
        parser.error(f"no kind {', '.join(sorted(unknown))}; there are {', '.join(ITEM_KINDS)}")
    if options.folds < 0 or options.folds == 1:
        parser.error("--folds must be 2 or more")
    beside = Path(options.sets[0]).resolve().parent
    models_of = train_models(beside, options.folds) if options.folds else None
    report = {}
    all_scores = []
    for folder in options.sets:
        scores = score_set(folder, Options(kinds=kinds), models_of)
        report[set_name(folder)] = summarize(scores)
        all_scores += scores
    report["all"] = summarize(all_scores)
    if options.json:
        print(json.dumps({"folds": options.folds, "sets": report}))
        return
    line = "{:24.24s} {pages:5d} pages  P {precision:.3f}  R {recall:.3f}  F1 {f1:.4f}  {ms:.0f} ms"
    for name, row in report.items():
        print(line.format(name, **row), row["became"])
    if not options.pages:
        return
    worst_first = sorted(all_scores, key=lambda page: (page.score.f1, page.page))
    for page in worst_first:
        print("{:.3f} {:.3f} {:.3f}".format(*page.score), page.kind, page.page)


if __name__ == "__main__":
    run_command(main)
