"""Score the text of whatever item a page becomes, its kind not told.

    python -m benchmarks.quality.page_texts SET [SET ...] [--kinds KIND,KIND] [--folds 5] [--pages]
        [--json]

Every page with a gold text is extracted by itself, as ``forest-scrapy extract`` does with a single
page, with all kinds of items wanted (or those of ``--kinds``).  Printed: precision, recall and F1
of words, as the public scorer of WCXB counts them, mean over the pages of each set and over all
pages; what the pages became; milliseconds a page.  A page without an item counts as empty.

With folds, all classifiers are trained without the site of the page: those of articles on the sets
of ``benchmarks.training.site_models.ARTICLE_SETS``, those of main text and of kinds on the sets of
``benchmarks.training.main_text.TRAINED_ON``, as far as they are in the same folder as the first
SET.  Else those of the package are used, which have seen these pages.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any

from benchmarks.sets.bench_set import BenchPage, UnreadableSet, load_groups, run_command, set_name
from benchmarks.sets.scores import Score, mean_score, score_words
from benchmarks.training.site_models import Models, train_models
from forest_scrapy.core import Options, Visit, extract_page
from forest_scrapy.core.items import ITEM_KINDS


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
