"""The kinds of errors that extraction makes on the pages of sets, and the worst pages.

    python -m benchmarks.quality.errors SET [SET ...] [--folds 5] [--threads SET] [--most 200]
        [--worst 20] [--peers] [--json]

For each set, pages extracted with the wrapper of their template (``grouped``, pages with siblings
only) and each by itself (``single``): F1 of word 2-grams, pages with F1 below 0.5, pages without
text, and the error (1 - F1) divided among its kinds, see ``benchmarks.quality.error_kinds``; then
the pages with F1 below 0.6, their share of the error, and their causes, see
``benchmarks.quality.catastrophes``.  With folds, classifiers are trained on all the sets without
the site of a page; else the one that ships is used.  Sets of threads add hard pages
(``benchmarks.training.hard_pages``), to learn from and to measure.  ``--most`` takes the first
pages of each set in an order that never changes.  ``--peers`` adds trafilatura and
readability-lxml.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from statistics import fmean
from typing import Any

from lxml import html as lxml_html

from benchmarks.quality.catastrophes import (
    CATASTROPHE,
    find_cause,
    summarize_catastrophes,
    write_summary,
)
from benchmarks.quality.error_kinds import KINDS, divide_error
from benchmarks.sets.bench_set import run_command
from benchmarks.sets.examples import Example, read_examples
from benchmarks.sets.scores import score_text
from benchmarks.support.peers import PEERS, run_peer
from benchmarks.training.folds import NoOtherSites, train_folds
from benchmarks.training.hard_pages import read_with_hard_pages
from forest_scrapy.core import Page, Params, Wrapper, learn
from forest_scrapy.core.article_text import find_article
from forest_scrapy.core.segments.classifier import Classifier

_PEERS = ("trafilatura", "readability-lxml")


@dataclass(frozen=True)
class PageErrors:
    """What an extractor (``grouped``, ``single`` or a peer) found on a page: F1, whether the text
    is empty, the error by kind, and the cause of a catastrophe (``""`` if it is none)."""

    set: str
    url: str
    extractor: str
    f1: float
    is_empty: bool
    kinds: Mapping[str, float]
    cause: str = ""


def measure_errors(
    examples: Sequence[Example],
    classifier_of: Callable[[str], Classifier | None],
    peers: bool,
) -> Iterator[PageErrors]:
    """Extract every example and compare it with its gold text."""
    wrappers: dict[tuple[int, ...], Any] = {}
    for example in examples:
        classifier = classifier_of(example.site)
        page = example.page.page
        if len(example.siblings) > 1:
            key = tuple(map(id, example.siblings))
            if key not in wrappers:
                siblings = [sibling.page for sibling in example.siblings]
                wrappers[key] = learn(siblings, None, classifier)
            text = _read(page, wrappers[key], classifier)
            yield _compare(example, "grouped", text)

        wrapper = learn([page], None, classifier)
        text = _read(page, wrapper, classifier)
        yield _compare(example, "single", text)

        if not peers:
            continue
        for name in _PEERS:
            html = lxml_html.tostring(page.root, encoding="utf-8")
            text, _ = run_peer(PEERS[name], html)
            yield _compare(example, name, text)


def _read(page: Page, wrapper: Wrapper, classifier: Classifier | None) -> str:
    """The text that a page has in a crawl in which it was named as an article."""
    return find_article(page, wrapper, Params(), True, classifier).extract.text


def summarize_errors(pages: Iterable[PageErrors]) -> dict[str, dict[str, Any]]:
    """A row of figures for each set and extractor; the kinds are points of F1 (hundredths)."""
    rows = {}
    for name, group in _group(pages).items():
        row: dict[str, Any] = {
            "pages": len(group),
            "f1": round(fmean(page.f1 for page in group), 4),
            "below_half": sum(page.f1 < 0.5 for page in group),
            "empty": sum(page.is_empty for page in group),
        }
        for kind in KINDS:
            mean_error = fmean(page.kinds[kind] for page in group)
            row[kind] = round(100 * mean_error, 2)
        rows[name] = row
    return rows


def count_catastrophes(pages: Iterable[PageErrors]) -> dict[str, dict[str, Any]]:
    """The catastrophes of each set and extractor, and of each extractor on all sets."""
    pages = list(pages)
    sets = {page.set for page in pages}
    if len(sets) > 1:
        pages += [replace(page, set="all sets") for page in pages]

    summaries = {}
    for name, group in _group(pages).items():
        causes = [(page.f1, page.cause) for page in group]
        summaries[name] = summarize_catastrophes(causes)
    return summaries


def _group(pages: Iterable[PageErrors]) -> dict[str, list[PageErrors]]:
    """The pages by the names of their set and extractor."""
    groups: dict[str, list[PageErrors]] = {}
    for page in pages:
        groups.setdefault(f"{page.set}, {page.extractor}", []).append(page)
    return groups


def take_first(examples: Iterable[Example], max_examples: int) -> list[Example]:
    """At most this many examples of each set (0: all), by a digest of their URLs."""
    by_set: dict[str, list[Example]] = {}
    for example in sorted(examples, key=_order):
        by_set.setdefault(example.set, []).append(example)

    first_examples: list[Example] = []
    for set_examples in by_set.values():
        first_examples += set_examples[: max_examples or None]
    return first_examples


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", help="folders with a manifest.json")
    parser.add_argument("--folds", type=int, default=0, help="train without the site, in N folds")
    parser.add_argument(
        "--threads",
        action="append",
        default=[],
        metavar="SET",
        help="with --folds: also hard pages, made with the posts of this set",
    )
    parser.add_argument("--most", type=int, default=0, help="pages of each set; 0: all")
    parser.add_argument("--worst", type=int, default=20, help="the number of worst pages to print")
    parser.add_argument("--peers", action="store_true", help="also " + " and ".join(_PEERS))
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.folds < 0 or options.folds == 1:
        parser.error("--folds must be 2 or more")
    try:
        examples, classifier_of = read_examples_and_classifiers(
            options.sets, options.threads, options.folds
        )
    except NoOtherSites as error:
        sys.exit(f"--folds {options.folds}: {error}")

    chosen = take_first(examples, options.most)
    pages = list(measure_errors(chosen, classifier_of, options.peers))
    of_the_package = [page for page in pages if page.extractor in ("grouped", "single")]
    worst_first = sorted(of_the_package, key=_badness)
    report(
        summarize_errors(pages),
        count_catastrophes(pages),
        worst_first[: options.worst],
        options.json,
    )


def read_examples_and_classifiers(
    sets: Sequence[str],
    threads: Sequence[str],
    folds: int,
) -> tuple[Sequence[Example], Callable[[str], Classifier | None]]:
    """The examples of the sets, with the hard pages made of them if there are sets of threads, and
    the classifier for each site by its name."""
    if not folds:
        return read_examples(sets), lambda site: None
    data = read_with_hard_pages(sets, threads, folds)
    return data.examples, train_folds(data, folds)


def report(
    rows: dict[str, dict[str, Any]],
    catastrophes: dict[str, dict[str, Any]],
    worst: Sequence[PageErrors],
    as_json: bool,
) -> None:
    if as_json:
        pages = []
        for page in worst:
            row = {
                "url": page.url,
                "extractor": page.extractor,
                "f1": page.f1,
                "cause": page.cause,
                **page.kinds,
            }
            pages.append(row)
        print(json.dumps({"sets": rows, "catastrophes": catastrophes, "worst": pages}))
        return
    print(f"{'':36s}", *(f"{name:>10s}" for name in next(iter(rows.values()))))
    for name, row in rows.items():
        print(f"{name:36s}", *(f"{value:>10}" for value in row.values()))
    for name, summary in catastrophes.items():
        print(write_summary(name, summary))
    for page in worst:
        large_kinds = []
        for kind, error in page.kinds.items():
            if error >= 0.05:
                large_kinds.append(f"{kind} {error:.2f}")
        kinds = ", ".join(large_kinds)
        cause = f"{page.cause}: " if page.cause else ""
        print(f"{page.f1:.2f} {page.set} {page.extractor} {page.url} {cause}{kinds}")


def _compare(example: Example, extractor: str, text: str) -> PageErrors:
    page = example.page.page
    f1 = score_text(example.gold, text).f1
    cause = ""
    if f1 < CATASTROPHE:
        cause = find_cause(page, example.gold, text)
    return PageErrors(
        set=example.set,
        url=page.url,
        extractor=extractor,
        f1=f1,
        is_empty=not text.strip(),
        kinds=divide_error(page, example.gold, text),
        cause=cause,
    )


def _order(example: Example) -> tuple[str, str]:
    url = example.page.page.url
    return blake2b(url.encode(), digest_size=8).hexdigest(), url


def _badness(page: PageErrors) -> tuple[float, str, str]:
    return page.f1, page.url, page.extractor


if __name__ == "__main__":
    run_command(main)
