"""Compare the quality of all methods and of other extractors on the same pages.

    python -m benchmarks.quality SET [--only multi|single] [--methods NAME,NAME] [--folds 5]
        [--pages] [--signifiers] [--measures] [--held-out] [--figures FOLDER] [--json]

Each site's pages are grouped into templates once, by the components of a crawl; every method
learns from the same templates.  Printed: precision, recall and F1 of word 2-grams, mean over
pages; the share of pages with F1 below 0.5; seconds per page, parsing and learning included.
Peers are the other extractors that are installed.  A method of the papers gets no help here: if
it finds nothing (FOREST on a template of one page, DESCRIPTION without a feed), the page counts
as empty.  ``benchmarks.quality.extract`` measures with the fallbacks of a crawl.

With both ``auto`` and ``single``, also printed: the sites whose pages lose most by being read by
their template's wrapper instead of each by itself, how many lose more than 0.02, and the number of
pages below 0.5 and below 0.9.

With folds, ``auto``, ``trained`` and ``single`` use classifiers that were trained without the
site; else they use the one that ships, which has seen the sets it was trained on.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib.util import find_spec
from typing import Any

from benchmarks.quality.comparison import (
    ClassifierOf,
    Comparison,
    compare,
    compare_sites,
    score_held_out,
    summarize,
)
from benchmarks.quality.experiments import (
    FIGURE_PAGES,
    FIGURE_SIGNIFIERS,
    Experiment,
    vary_measures,
    vary_pages,
    vary_signifiers,
)
from benchmarks.quality.figures import draw_figures
from benchmarks.quality.tables import print_report
from benchmarks.sets.bench_set import UnreadableSet, set_name
from benchmarks.sets.placed_pages import read_sites
from benchmarks.support.peers import installed_peers
from benchmarks.training.folds import NoOtherSites, train_folds
from benchmarks.training.hard_pages import read_with_hard_pages
from benchmarks.training.site_models import ARTICLE_SETS
from forest_scrapy.core import METHODS, Params

#: The methods of the table.
LINES = (
    "forest",
    "forest-feeds",
    "forest-records",
    "coverage",
    "sigfeed",
    "description",
    "entropy",
    "mss",
    "vsse",
    "vsse-records",
    "single",
    "auto",
)


def main() -> None:
    options = read_options()
    check_requirements(options)
    plans = plan_experiments(options)
    params = {name: Params(name) for name in options.methods}
    variants = {*params.values(), *(p for plan in plans.values() for p in plan.values())}
    peers = {} if options.no_peers else installed_peers()
    results = compare(
        read_sites(options.set, options.only),
        sorted(variants, key=repr),
        peers,
        choose_classifiers(options),
    )
    if not any(method_results.pages for method_results in results.methods.values()):
        raise UnreadableSet(f"{options.set}: it has no such pages with a gold text")
    report = {
        "set": set_name(options.set),
        "classifier": name_classifier(set_name(options.set), options.folds),
        **report_results(results, params, plans, options.held_out),
    }
    if options.figures:
        draw_figures(report, options.figures)
    if options.json:
        print(json.dumps(report))
    else:
        print_report(report)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.quality", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument(
        "--only",
        default="",
        choices=("multi", "single"),
        help="pages of sites with two or more articles, or with one",
    )
    parser.add_argument("--methods", type=_methods, default=LINES, help="NAME,NAME ...")
    parser.add_argument("--no-peers", action="store_true", help="leave out other extractors")
    parser.add_argument("--folds", type=int, default=0, help="train without the site, in N folds")
    parser.add_argument(
        "--train",
        action="append",
        default=[],
        metavar="SET",
        help="with --folds: also train on this set",
    )
    parser.add_argument(
        "--threads",
        action="append",
        default=[],
        metavar="SET",
        help="with --folds: also train on hard pages, made with the posts of this set",
    )
    parser.add_argument(
        "--pages",
        type=_numbers,
        nargs="?",
        const=FIGURE_PAGES,
        default=(),
        help="F1 by pages learned from (figure 5)",
    )
    parser.add_argument(
        "--signifiers",
        type=_numbers,
        nargs="?",
        const=FIGURE_SIGNIFIERS,
        default=(),
        help="F1 by signifiers (figure 6)",
    )
    parser.add_argument("--measures", action="store_true", help="J, U and J*U (figure 7)")
    parser.add_argument(
        "--held-out",
        action="store_true",
        help="F1 on pages learned from and on other pages",
    )
    parser.add_argument("--figures", default="", metavar="FOLDER", help="figures 4 to 7 as PNG")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.folds < 0 or options.folds == 1:
        parser.error("--folds must be 2 or more")
    return options


def check_requirements(options: argparse.Namespace) -> None:
    """End the program before its minutes of work if an option needs a missing package."""
    for option, needed in (("figures", "matplotlib"), ("folds", "lightgbm")):
        if getattr(options, option) and find_spec(needed) is None:
            sys.exit(f"--{option} needs {needed}: pip install -e '.[bench]'")


def choose_classifiers(options: argparse.Namespace) -> ClassifierOf:
    """The classifier that ships (None), or for each site one trained without it."""
    if not options.folds:
        return lambda site: None
    try:
        sets = [options.set, *options.train]
        return train_folds(
            read_with_hard_pages(sets, options.threads, options.folds), options.folds
        )
    except NoOtherSites as error:
        sys.exit(f"--folds {options.folds}: {error} (--train SET)")


def plan_experiments(options: argparse.Namespace) -> dict[str, Experiment]:
    """The experiments to run; the figures need all of them."""
    pages = options.pages or (FIGURE_PAGES if options.figures else ())
    signifiers = options.signifiers or (FIGURE_SIGNIFIERS if options.figures else ())
    plans = {"by_pages": vary_pages(pages), "by_signifiers": vary_signifiers(signifiers)}
    if options.measures or options.figures:
        plans["by_measure"] = vary_measures()
    return {name: plan for name, plan in plans.items() if plan}


def report_results(
    results: Comparison,
    params: dict[str, Params],
    plans: dict[str, Experiment],
    with_held_out: bool,
) -> dict[str, Any]:
    """The report: ``EXPERIMENT[METHOD][VALUE]`` are rows of figures."""
    report: dict[str, Any] = {
        "methods": {
            name: summarize(results.methods[method_params])
            for name, method_params in params.items()
        },
        "peers": {name: summarize(pages) for name, pages in results.peers.items()},
    }
    if "auto" in params and "single" in params:
        report["sites"] = compare_sites(
            results.methods[params["auto"]], results.methods[params["single"]]
        )
    for plan, experiment in plans.items():
        rows: dict[str, dict[str, Any]] = {}
        for (method, value), value_params in experiment.items():
            rows.setdefault(method, {})[str(value)] = summarize(results.methods[value_params])
        report[plan] = rows
    if with_held_out:
        by_method = {name: results.methods[method_params] for name, method_params in params.items()}
        report["held_out"] = {
            name: score_held_out(method_results)
            for name, method_results in by_method.items()
            if method_results.learning
        }
    return report


def name_classifier(name: str, folds: int) -> str:
    """Whether ``auto``, ``trained`` and ``single`` have seen the sites."""
    if folds:
        return "sites not trained on"
    return "trained on these pages" if name in ARTICLE_SETS else "sites not trained on"


def _methods(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in ("auto", *METHODS):
            method_names = ", ".join(("auto", *METHODS))
            raise argparse.ArgumentTypeError(f"no method {name!r}; there are {method_names}")
    return names


def _numbers(text: str) -> tuple[int, ...]:
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        numbers = (0,)
    if min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers from 1, like 1,2,5")
    return numbers
