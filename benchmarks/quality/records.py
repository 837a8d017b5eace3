"""Measure the text of records, such as the posts of threads, on a set.

    python -m benchmarks.quality.records SET [--only multi|single] [--folds 5] [--auto] [--pages]
        [--json] [--counts FILE]
    python -m benchmarks.quality.records --attributes SET [--only multi|single] [--pages] [--json]
    python -m benchmarks.quality.records --items SET [--only multi|single] [--pages] [--json]

Each site's pages are grouped into templates as in a crawl; a wrapper for records is learned from
every template, without labels, and applied to its pages.  Printed: precision, recall and F1 of
word 2-grams of the main text, of threads the text of all records, mean over pages; records on a
page; seconds a page, with learning and without parsing.  Shells, pages with next to no text before
their scripts run, are part of the mean, counted and named; ``without shells`` leaves them out.

The main text of pages that are neither threads nor articles is found by a classifier.  With folds,
as many are trained, on this set and the other sets of ``TRAINED_ON`` in the same folder, and each
page is read by one that has not seen its site.  ``--folds 0``: the classifier in the package, which
has seen these sites.  The kinds of templates are told by the classifier in the package in any case.

``--auto``: also the article method ``auto``, on the same templates.  ``--pages``: each page, the
worst first.  ``--attributes``: values of products instead, see
``benchmarks.quality.product_values``.  ``--items``: the items of lists instead, see
``benchmarks.quality.listed_items``.  ``--comments``: the comments of articles instead, see
``benchmarks.quality.comments``.  ``--counts``: also on how many pages the number of records is
right; FILE is a JSON object with the numbers of pages, by their ids in the manifest.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

from benchmarks.quality.comments import print_comments
from benchmarks.quality.listed_items import print_lists
from benchmarks.quality.method_runs import run_method
from benchmarks.quality.product_values import print_values
from benchmarks.sets.bench_set import UnreadableSet, run_command, set_name
from benchmarks.sets.examples import read_training_data
from benchmarks.sets.placed_pages import Site, read_sites
from benchmarks.sets.scores import Score, mean_score, score_text
from benchmarks.training.folds import NoOtherSites
from benchmarks.training.main_text import TRAINED_ON, MainTextFolds
from forest_scrapy.core import Page, Params
from forest_scrapy.core.page.noscript import has_hidden_content, show_hidden
from forest_scrapy.core.records import learn_records
from forest_scrapy.core.records.main_text import MainTextClassifier

#: Visible characters of the largest shell.
SHELL = 200


@dataclass(frozen=True)
class RecordScore:
    """The figures of one page: its id, the score of its text and that of ``auto``, the number of
    its records, and the seconds of its share of learning and of applying."""

    page: str
    score: Score
    auto: Score | None
    records: int
    is_shell: bool
    seconds: float


@dataclass(frozen=True)
class _Reading:
    """What was read from a page: its text, the number of its records, and the seconds it took."""

    page: Page
    text: str = ""
    records: int = 0
    seconds: float = 0.0


def score_site(
    site: Site,
    with_auto: bool = False,
    classifier: MainTextClassifier | None = None,
) -> Iterator[RecordScore]:
    """The figures of the scored pages of a site; zero for a page in no template.  ``classifier``:
    for the main text, None for the one of the package."""
    auto_texts: Mapping[str, str] | None = None
    if with_auto:
        auto_texts = run_method(site, Params()).texts

    readings: dict[str, _Reading] = {}
    for template in site.templates:
        pages = [placed.page for placed in template]
        for reading in _read_template(pages, classifier):
            readings[reading.page.url] = reading

    for recorded in site.scored:
        url = recorded.url
        reading = readings.get(url) or _Reading(recorded.parse())
        auto = None
        if auto_texts is not None:
            auto_text = auto_texts.get(url, "")
            auto = score_text(recorded.gold, auto_text)
        yield RecordScore(
            page=recorded.id,
            score=score_text(recorded.gold, reading.text),
            auto=auto,
            records=reading.records,
            is_shell=is_shell(reading.page),
            seconds=reading.seconds,
        )


def _read_template(
    pages: Sequence[Page],
    classifier: MainTextClassifier | None,
) -> Iterator[_Reading]:
    """Learn from the pages of a template, and read each."""
    start = perf_counter()
    wrapper = learn_records(pages)
    learning_seconds = (perf_counter() - start) / len(pages)
    for page in pages:
        start = perf_counter()
        text = wrapper.read_text(page, classifier)
        reading_seconds = perf_counter() - start
        records = 1
        if wrapper.rules:
            records = len(wrapper.apply(page))
        yield _Reading(
            page,
            text,
            records,
            learning_seconds + reading_seconds,
        )


def train_classifiers(folder: str, folds: int) -> Callable[[str], MainTextClassifier | None]:
    """For each site, by its name, the classifier for the main text: trained without the site, or
    with 0 folds the one of the package."""
    if not folds:
        return lambda site: None

    this_set = Path(folder).resolve()
    other_sets = []
    for name in TRAINED_ON:
        path = this_set.parent / name
        if path.is_dir() and path != this_set:
            other_sets.append(str(path))
    try:
        data = read_training_data([folder, *other_sets])
        trained = MainTextFolds(data, folds)
        return trained.classifier_of
    except NoOtherSites as error:
        sys.exit(f"--folds {folds}: {error}")


def is_shell(page: Page) -> bool:
    """Whether the page has next to no text, ``noscript`` elements included."""
    if has_hidden_content(page):
        page = show_hidden(page)
    length = sum(len(leaf.text) for leaf in page.outline.leaves)
    return length < SHELL


def summarize(scores: Sequence[RecordScore]) -> dict[str, Any]:
    """The means over pages."""
    all_scores = []
    scores_without_shells = []
    auto_scores = []
    shells = []
    for page in scores:
        all_scores.append(page.score)
        if page.is_shell:
            shells.append(page.page)
        else:
            scores_without_shells.append(page.score)
        if page.auto:
            auto_scores.append(page.auto)

    figures = {
        "pages": len(scores),
        **_rounded(mean_score(all_scores)),
        "shells": sorted(shells),
        "without_shells": _rounded(mean_score(scores_without_shells)),
    }
    if auto_scores:
        figures["auto"] = _rounded(mean_score(auto_scores))
    records_per_page = 0.0
    seconds_per_page = 0.0
    if scores:
        records_per_page = fmean(page.records for page in scores)
        seconds_per_page = fmean(page.seconds for page in scores)
    figures["records_per_page"] = round(records_per_page, 2)
    figures["seconds_per_page"] = round(seconds_per_page, 4)
    return figures


def compare_counts(scores: Sequence[RecordScore], counts: Mapping[str, int]) -> dict[str, Any]:
    """On how many pages the number of records is right, or wrong by one; ``wrong``: the right and
    the found number of the others."""
    extracted = {score.page: score.records for score in scores if score.page in counts}
    wrong = {}
    wrong_by_one = 0
    for page, number in sorted(extracted.items()):
        expected = counts[page]
        if number != expected:
            wrong[page] = (expected, number)
            wrong_by_one += abs(expected - number) == 1
    return {
        "counted": len(extracted),
        "right": len(extracted) - len(wrong),
        "wrong_by_one": wrong_by_one,
        "wrong": wrong,
    }


def read_counts(path: Path) -> dict[str, int]:
    """The numbers of records by page; raises ``UnreadableSet``."""
    try:
        counts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableSet(f"--counts {path}: {error}") from error
    if not isinstance(counts, dict) or not all(isinstance(n, int) for n in counts.values()):
        raise UnreadableSet(f"--counts {path}: not a JSON object of numbers by page id")
    return counts


def _rounded(score: Score) -> dict[str, float]:
    return {name: round(value, 4) for name, value in score._asdict().items()}


def print_report(report: dict[str, Any], scores: Sequence[RecordScore], pages: bool) -> None:
    """The figures for people."""
    line = "{:24.24s} precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}"
    print(line.format("records", **report))
    shells = report["shells"]
    print(line.format(f"without {len(shells)} shells", **report["without_shells"]))
    if shells:
        print("shells:", ", ".join(shells))
    if "auto" in report:
        print(line.format("auto", **report["auto"]))
    print(
        f"{report['pages']} pages, {report['records_per_page']} records a page, "
        f"{report['seconds_per_page'] * 1000:.0f} ms a page"
    )
    if "counts" in report:
        print(
            "number of records right on {right} of {counted} pages, wrong by one on "
            "{wrong_by_one}".format(**report["counts"])
        )
        for page, (right, number) in report["counts"]["wrong"].items():
            print(f"  {right} records, {number} found: {page}")
    if not pages:
        return
    worst_first = sorted(scores, key=lambda page: (page.score.f1, page.page))
    for page_score in worst_first:
        shell = "  shell" if page_score.is_shell else ""
        values = "{:.3f} {:.3f} {:.3f}".format(*page_score.score)
        print(values, f"{page_score.records:4d}", page_score.page, shell)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument(
        "--only",
        default="",
        choices=("multi", "single"),
        help="pages of sites with two or more pages, or with one",
    )
    parser.add_argument("--auto", action="store_true", help="also the article method auto")
    parser.add_argument("--pages", action="store_true", help="print each page, the worst first")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--folds", type=int, default=5, help="0: the classifier of the package")
    parser.add_argument("--attributes", action="store_true", help="values of products")
    parser.add_argument("--items", action="store_true", help="items of lists")
    parser.add_argument("--counts", type=Path, metavar="FILE", help="numbers of records by page")
    parser.add_argument("--comments", action="store_true", help="comments of articles")
    options = parser.parse_args()
    if options.comments:
        print_comments(options.set, options.only, options.pages, options.json)
        return
    if options.folds == 1 or options.folds < 0:
        parser.error("--folds must be 0, or 2 or more")
    if options.attributes:
        print_values(options.set, options.only, options.pages, options.json)
        return
    if options.items:
        print_lists(options.set, options.only, options.pages, options.json)
        return
    counts = read_counts(options.counts) if options.counts else {}
    classifier_of = train_classifiers(options.set, options.folds)
    scores: list[RecordScore] = []
    for site in read_sites(options.set, options.only):
        scores += score_site(site, options.auto, classifier_of(site.name))
    report = {"set": set_name(options.set), "folds": options.folds, **summarize(scores)}
    if counts:
        report["counts"] = compare_counts(scores, counts)
    if options.json:
        print(json.dumps(report))
    else:
        print_report(report, scores, options.pages)


if __name__ == "__main__":
    run_command(main)
