"""The F1 of the texts of items, the features of their confidence, and its figures."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.sets.bench_set import Group, load_groups, set_name
from benchmarks.sets.placed_pages import read_site
from benchmarks.sets.scores import score_text, score_words
from benchmarks.training.folds import fold_of
from benchmarks.training.main_text import TRAINED_ON
from benchmarks.training.site_models import Models, train_models
from forest_scrapy.core import Options, Page, TemplateRules, Visit, extract_page, learn_rules
from forest_scrapy.core.health.doubts import LOW_CONFIDENCE
from forest_scrapy.core.items import Article, Thread, WebPage
from forest_scrapy.core.methods import confidence as rating
from forest_scrapy.core.methods.confidence import FEATURES, ConfidenceModel
from forest_scrapy.core.page.content import text_content
from forest_scrapy.core.page.page import Extract
from forest_scrapy.core.wrapper import ENTRY_WRAPPER

#: Pages of a site that are read by its templates, and by themselves.
TEMPLATE_PAGES = 8
SINGLE_PAGES = 3
#: One of so many pages is also read as if its feed had its text, or a summary of it only.
ENTRY_PAGES = 6
#: Characters of such a summary.
SUMMARY_LENGTH = 280

#: The kinds of items that have a confidence.
RATED_KINDS = ("article", "thread", "page")

#: For a site, by its name, the models that it is read with; None: those of the package.
ModelsOf = Callable[[str], Models | None]


@dataclass(frozen=True)
class RatedItem:
    """An item with a text: its page, the F1 of its text by word 2-grams and by words, the features
    that its confidence is estimated from.  ``way``: ``template``, ``single`` or ``feed``."""

    set: str
    site: str
    page: str
    way: str
    f1: float
    words_f1: float
    features: tuple[float, ...]


class _Recorder:
    """Stands for the model of confidence, and keeps the last row of features."""

    def __init__(self) -> None:
        self.row: tuple[float, ...] = ()

    def predict(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        self.row = tuple(table[0].tolist())
        return np.zeros(len(table))


def rate_set(folder: str, models_of: ModelsOf = lambda site: None) -> list[RatedItem]:
    """The items of the pages of a set that have a correct text."""
    name = set_name(folder)
    items: list[RatedItem] = []
    for group in load_groups(folder):
        models = models_of(group.name)
        with ExitStack() as opened:
            if models:
                opened.enter_context(models.in_use())
            items += _Rater(name, group).rate()
    return items


class _Rater:
    """Rates the items of a site."""

    def __init__(self, set_name: str, group: Group) -> None:
        self.set = set_name
        self.group = group
        self.recorder = _Recorder()

    def rate(self) -> Iterator[RatedItem]:
        model = rating.default_model
        rating.default_model = lambda: self.recorder  # type: ignore[assignment]
        try:
            yield from self._rate_all()
        finally:
            rating.default_model = model

    def _rate_all(self) -> Iterator[RatedItem]:
        kind = TRAINED_ON.get(self.set, "article")
        if kind == "article":
            yield from self._rate_articles()
        else:
            yield from self._rate_records()

    def _rate_records(self) -> Iterator[RatedItem]:
        """Pages that are no articles, each by itself."""
        options = Options(kinds=RATED_KINDS)
        visit = Visit(is_article=False)
        for recorded in self.group.pages:
            if recorded.gold:
                page = recorded.parse()
                yield from self._rate(page, recorded.gold, "single", None, options, visit)

    def _rate_articles(self) -> Iterator[RatedItem]:
        """Articles by themselves, by their feed entries, and by their templates."""
        articles = self.group.articles
        for article in articles[:SINGLE_PAGES]:
            page = article.parse()
            yield from self._rate(page, article.gold, "single", None, Options(), Visit())
        for article in articles[:ENTRY_PAGES:ENTRY_PAGES]:
            page = article.parse()
            yield from self._rate_entry(page, article.gold)
        if len(articles) > 1:
            yield from self._rate_templates()

    def _rate_templates(self) -> Iterator[RatedItem]:
        site = read_site(self.group)
        gold_of = {}
        for recorded in site.scored[:TEMPLATE_PAGES]:
            gold_of[recorded.url] = recorded.gold

        for template in site.templates:
            pages = [placed.page for placed in template]
            scored = [page for page in pages if page.url in gold_of]
            if len(pages) < 2 or not scored:
                continue
            rules = learn_rules(pages)
            for page in scored:
                gold = gold_of[page.url]
                yield from self._rate(page, gold, "template", rules, Options(), Visit())

    def _rate(
        self,
        page: Page,
        gold: str,
        way: str,
        rules: TemplateRules | None,
        options: Options,
        visit: Visit,
    ) -> Iterator[RatedItem]:
        self.recorder.row = ()
        result = extract_page(page, rules, options, visit)
        item = result.item
        row = self.recorder.row
        if isinstance(item, Article | Thread | WebPage) and row:
            yield self._rated(page, gold, way, item.text, row)

    def _rate_entry(self, page: Page, gold: str) -> Iterator[RatedItem]:
        """The page with the text of its feed entry, and with a summary of it only."""
        words = " ".join(gold.split())
        summary = words[:SUMMARY_LENGTH]
        origin = rating.TextOrigin(ENTRY_WRAPPER)
        for text in (gold, summary):
            extract = Extract(text_content(text))
            row = rating.describe_text(page, extract, origin)
            yield self._rated(page, gold, "feed", text, tuple(row))

    def _rated(
        self,
        page: Page,
        gold: str,
        way: str,
        text: str,
        row: tuple[float, ...],
    ) -> RatedItem:
        score = score_text(gold, text)
        words_score = score_words(gold, text)
        return RatedItem(
            set=self.set,
            site=self.group.name,
            page=page.url,
            way=way,
            f1=score.f1,
            words_f1=words_score.f1,
            features=row,
        )


def table_of(items: Sequence[RatedItem]) -> NDArray[np.float32]:
    """A row of ``FEATURES`` for each item."""
    rows = [item.features for item in items]
    table = np.array(rows, dtype=np.float32)
    return table.reshape(len(rows), len(FEATURES))


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Spearman's rank correlation; equal values share the mean of their ranks; 0 if all are equal.

    >>> rank_correlation([1, 2, 3], [0.1, 0.3, 0.9]), rank_correlation([1, 2], [5, 5])
    (1.0, 0.0)
    """
    if len(first) < 2:
        return 0.0
    ranks = np.array([_ranks(first), _ranks(second)])
    spreads = ranks.std(axis=1)
    if not spreads.all():
        return 0.0
    correlations = np.corrcoef(ranks)
    return round(float(correlations[0, 1]), 4)


def _ranks(values: Sequence[float]) -> NDArray[np.float64]:
    _, numbers, counts = np.unique(np.array(values), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means = ends - (counts - 1) / 2
    return np.asarray(means[numbers], dtype=np.float64)


def summarize(items: Sequence[RatedItem], confidence: Sequence[float]) -> dict[str, Any]:
    """The figures of some items with their confidence."""
    f1 = [item.f1 for item in items]
    words_f1 = [item.words_f1 for item in items]
    low = []
    high = []
    for value, sure in zip(f1, confidence, strict=True):
        if sure < LOW_CONFIDENCE:
            low.append(value)
        else:
            high.append(value)

    return {
        "items": len(items),
        "spearman": rank_correlation(confidence, f1),
        "spearman_words": rank_correlation(confidence, words_f1),
        "f1": round(fmean(f1), 4),
        "confidence": round(fmean(confidence), 4),
        "low": len(low),
        "low_f1": round(fmean(low), 4) if low else None,
        "other_f1": round(fmean(high), 4) if high else None,
        "below_half": sum(value < 0.5 for value in f1),
        "low_below_half": sum(value < 0.5 for value in low),
        "tenths": _summarize_tenths(f1, confidence),
    }


def _summarize_tenths(
    f1: Sequence[float],
    confidence: Sequence[float],
) -> list[dict[str, float]]:
    """The mean confidence and F1 of the items of each tenth of confidence that has any."""
    confidence_of: dict[int, list[float]] = defaultdict(list)
    f1_of: dict[int, list[float]] = defaultdict(list)
    for sure, value in zip(confidence, f1, strict=True):
        tenth = min(int(10 * sure), 9)
        confidence_of[tenth].append(sure)
        f1_of[tenth].append(value)

    rows: list[dict[str, float]] = []
    for tenth in sorted(f1_of):
        mean_confidence = fmean(confidence_of[tenth])
        mean_f1 = fmean(f1_of[tenth])
        row = {
            "items": len(f1_of[tenth]),
            "confidence": round(mean_confidence, 3),
            "f1": round(mean_f1, 3),
        }
        rows.append(row)
    return rows


def summarize_sets(
    items: Sequence[RatedItem], confidence: Sequence[float]
) -> dict[str, dict[str, Any]]:
    """The figures of each set and way, of the sets of WCXB together, and of all; what a feed has is
    made, and in none of these."""
    groups: dict[str, list[int]] = {}
    for number, item in enumerate(items):
        if item.way == "feed":
            continue
        names = [f"{item.set}, {item.way}", "all"]
        if item.set.startswith("wcxb"):
            names.append(f"WCXB, {item.way}")
        for name in names:
            groups.setdefault(name, []).append(number)
    summaries = {}
    for name, numbers in sorted(groups.items()):
        group_items = [items[i] for i in numbers]
        group_confidence = [confidence[i] for i in numbers]
        summaries[name] = summarize(group_items, group_confidence)
    return summaries


def read_models(beside: Path, folds: int, file: Path | None) -> ModelsOf:
    """For each site, by its name, models that were trained without it; those of the package with 0
    folds.  ``file``: where they are stored."""
    if not folds:
        return lambda site: None
    if file is not None and file.exists():
        models: dict[int, Models] = pickle.loads(file.read_bytes())
        return lambda site: models[fold_of(site, folds)]
    trained = train_models(beside, folds)
    if file is None:
        return trained
    site_of: dict[int, str] = {}
    for number in range(100 * folds):
        name = f"{number}.example"
        site_of.setdefault(fold_of(name, folds), name)
    models = {fold: trained(name) for fold, name in site_of.items()}
    file.write_bytes(pickle.dumps(models))
    return lambda site: models[fold_of(site, folds)]


def predict_folds(
    items: Sequence[RatedItem],
    folds: int,
    fit: Callable[[Sequence[RatedItem]], ConfidenceModel],
) -> list[float]:
    """The confidence of each item, by a model that was fitted to those of other folds of sites."""
    table = table_of(items)
    predictions = np.zeros(len(items))
    fold = np.array([fold_of(item.site, folds) for item in items])
    for number in range(folds):
        is_tested = fold == number
        training_items = [items[i] for i in np.flatnonzero(~is_tested).tolist()]
        if is_tested.any() and training_items:
            model = fit(training_items)
            predictions[is_tested] = model.predict(table[is_tested])
    return [round(value, 3) for value in predictions.tolist()]


def print_sets(report: dict[str, dict[str, Any]]) -> None:
    print(f"{'':30s} items Spearman  words      F1   conf.  low: items    F1  others' F1")
    for name, row in report.items():
        low_f1 = "     -" if row["low_f1"] is None else f"{row['low_f1']:6.3f}"
        other_f1 = "-" if row["other_f1"] is None else f"{row['other_f1']:.3f}"
        print(
            f"{name:30.30s} {row['items']:5d} {row['spearman']:8.3f} {row['spearman_words']:6.3f}"
            f" {row['f1']:7.3f} {row['confidence']:7.3f} {row['low']:11d} {low_f1} {other_f1:>11s}"
        )
    print("\nAll, by tenths of confidence")
    for row in report["all"]["tenths"]:
        print(f"  {row['items']:5d} items  confidence {row['confidence']:.3f}  F1 {row['f1']:.3f}")
