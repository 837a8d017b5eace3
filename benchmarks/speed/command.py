"""CPU time of parsing, of extraction, of learning, and of other extractors, on the same pages.

    python -m benchmarks.speed SET [--pages N] [--rounds N] [--crawl] [--json] [--plot PNG]
                              [--check]

Every contender reads the same pages in turn, for some rounds; printed is the median of the
rounds, in milliseconds of CPU time a page on one core, and the ratios that matter.  A wrapper is
learned from up to ten pages of a site, and applied to these.  ``--crawl`` adds whole crawls
through a local server (see ``benchmarks.speed.crawls``).  ``--check`` ends with status 1 if a
ratio is beyond its limit in ``speed.json``, where the demo site as a set (see
``benchmarks.sets.demo_set``) has limits of its own.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from benchmarks.speed.crawls import crawl_ratios, measure_crawls
from benchmarks.speed.pages import SpeedPage, contenders, read_pages, time_learning

#: For the demo site, and for sets of recorded pages.
LIMITS = Path(__file__).with_name("speed.json")

Milliseconds = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument(
        "--pages",
        type=int,
        default=200,
        help="the largest number of pages (default 200)",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--crawl", action="store_true", help="time whole crawls, too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--plot", metavar="PNG", help="draw the times as bars")
    parser.add_argument("--check", action="store_true", help="hold the ratios against their limits")
    options = parser.parse_args()

    report = measure(options)
    if options.json:
        print(json.dumps(report))
    else:
        print(table(report))
    if options.plot:
        draw_times(report["ms"], options.plot)
    if options.check:
        limits = read_limits(options.set)
        missed = check_ratios(report["ratios"], limits)
        if missed:
            sys.exit("\n".join(missed))


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """The times in milliseconds, and their ratios."""
    pages, templates = read_pages(options.set, options.pages)
    gc.freeze()  # as a crawl does: else each contender looks through all pages for garbage
    ms = time_contenders(pages, options.rounds)
    ms |= time_learning(templates)
    report = {"pages": len(pages), "ms": ms, "ratios": page_ratios(ms)}
    if options.crawl:
        crawls = measure_crawls(options.set, options.pages, options.rounds)
        ms["start of a crawl, beyond bare"] = crawls.start
        for kind, crawl_ms in crawls.ms.items():
            ms[f"crawl, {kind}"] = crawl_ms
        report["MB beyond a bare crawl"] = crawls.more_memory
        report["ratios"] = page_ratios(ms) | crawl_ratios(crawls.ms)
    return report


def time_contenders(pages: Sequence[SpeedPage], rounds: int) -> Milliseconds:
    """The median over the rounds of each contender's mean CPU time a page."""
    times_of: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        for name, run in contenders().items():
            ms = time_pages(run, pages)
            times_of[name].append(ms)

    medians = {}
    for name, times in times_of.items():
        median_time = median(times)
        medians[name] = round(median_time, 3)
    return medians


def time_pages(run: Callable[[SpeedPage], Any], pages: Sequence[SpeedPage]) -> float:
    """Milliseconds of CPU time a page.  The clock is read twice in all: reading it takes time."""
    start = process_time()
    for page in pages:
        run(page)
    seconds = process_time() - start
    return 1000 * seconds / len(pages)


def page_ratios(ms: Mapping[str, float]) -> dict[str, float]:
    """What is compared; a ratio is missing where a peer is not installed."""
    pairs = {
        "article_to_parse": ("article", "parsel"),
        "trafilatura_to_article": ("trafilatura with metadata", "article"),
        "single_to_trafilatura": ("single page", "trafilatura with metadata"),
        "single_to_parse": ("single page", "parsel"),
        "learning_to_parse": ("learning, a page", "parsel"),
    }
    ratios = {}
    for name, (above, below) in pairs.items():
        if above in ms and below in ms:
            ratio = ms[above] / ms[below]
            ratios[name] = round(ratio, 2)
    return ratios


def check_ratios(
    ratios: Mapping[str, float], limits: Mapping[str, Mapping[str, float]]
) -> list[str]:
    """The ratios beyond their limits.

    >>> check_ratios({"article_to_parse": 5.0}, {"article_to_parse": {"most": 4.0}})
    ['article_to_parse is 5.0, at most 4.0 is allowed']
    """
    missed = []
    for name, limit in limits.items():
        if name not in ratios:
            continue
        ratio = ratios[name]
        if ratio > limit.get("most", ratio):
            missed.append(f"{name} is {ratio}, at most {limit['most']} is allowed")
        if ratio < limit.get("least", ratio):
            missed.append(f"{name} is {ratio}, at least {limit['least']} is required")
    return missed


def table(report: Mapping[str, Any]) -> str:
    lines = [f"{report['pages']} pages; CPU time a page, median of the rounds"]
    for name, ms in report["ms"].items():
        lines.append(f"{name:32s} {ms:9.3f} ms")
    for kind, megabytes in report.get("MB beyond a bare crawl", {}).items():
        name = f"crawl, {kind}, beyond bare"
        lines.append(f"{name:32s} {megabytes:9.0f} MB")
    for name, ratio in report["ratios"].items():
        lines.append(f"{name:32s} {ratio:9.2f}")
    return "\n".join(lines)


def draw_times(ms: Mapping[str, float], place: str) -> None:
    """The times as bars, on a logarithmic axis, by matplotlib."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    height = 0.35 * len(ms) + 1
    figure, axes = pyplot.subplots(figsize=(8, height))
    names = list(ms)
    names.reverse()
    times = [ms[name] for name in names]
    axes.barh(names, times)
    axes.set_xscale("log")
    axes.set_xlabel("CPU time, ms (a page; a template; a crawl)")
    figure.tight_layout()
    figure.savefig(place, dpi=100)
    pyplot.close(figure)


def read_limits(folder: str) -> dict[str, dict[str, float]]:
    """The limits of the ratios of a set, by the name in its manifest."""
    manifest_text = Path(folder, "manifest.json").read_text(encoding="utf-8")
    name = json.loads(manifest_text)["name"]

    limits_text = LIMITS.read_text(encoding="utf-8")
    limits: dict[str, dict[str, dict[str, float]]] = json.loads(limits_text)
    limits_of_recorded_sets = limits["recorded"]
    return limits.get(name, limits_of_recorded_sets)
