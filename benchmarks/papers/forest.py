"""Section 4 of FOREST (Oita and Senellart 2012), and sections 2.5 and 2.6 of Oita's thesis."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from types import MappingProxyType

from benchmarks.papers.samples import format_interval
from benchmarks.papers.tables import Row, print_table
from benchmarks.quality.comparison import Comparison, Results, compare, summarize
from benchmarks.quality.experiments import (
    FIGURE_PAGES,
    FIGURE_SIGNIFIERS,
    Experiment,
    vary_measures,
    vary_pages,
    vary_signifiers,
)
from benchmarks.quality.figures import draw_boxes, draw_curves, draw_measures
from benchmarks.sets.placed_pages import read_sites
from benchmarks.support.peers import installed_peers
from benchmarks.support.plots import save_plot
from forest_scrapy.core import Params

#: F1 of table 1 (table 2.2 of the thesis).
TABLE_1 = {
    "forest": "0.921",
    "forest-feeds": "0.896",
    "sigfeed": "0.840",
    "coverage": "0.829",
    "description": "0.303",
}
#: That of BOILERPIPE, whose port is this peer.
BOILERPIPE = {"boilerpy3": "0.817"}
#: Shares of articles that are correct to the letter (table 2.1 of the thesis).
TABLE_2_1 = {"sigfeed": "79.0%", "boilerpy3": "62.5%"}
#: What p of equation 5 counts.
OCCURRENCES = ("pages", "paths")

METHODS = {name: Params(name) for name in TABLE_1}
PAGES = {key: params for key, params in vary_pages(FIGURE_PAGES).items() if key[0] == "forest"}
SIGNIFIERS = vary_signifiers(FIGURE_SIGNIFIERS)
MEASURES = vary_measures()
COUNTS: Experiment = {
    (name, occurrences): Params(name, occurrences=occurrences)
    for name in ("forest", "forest-feeds")
    for occurrences in OCCURRENCES
}
#: What section 4 of FOREST tries beside the method, and what it tells of it.
CHALLENGES: Experiment = {
    (name, label): params
    for name in ("forest", "forest-feeds")
    for label, params in (
        ("as published", Params(name)),
        ("full values", Params(name, attribute_values="full")),
        ("no level", Params(name, level_factor=False)),
        ("no lists of links", Params(name, filtered=("links",))),
        ("no comments", Params(name, filtered=("comments",))),
    )
}
CHALLENGE_CLAIMS = {
    "full values": "1% less",
    "no level": "2% less",
    "no lists of links": "1% more",
    "no comments": "2% more",
}
#: The sources of signifiers of sections 3.1 and 5 of FOREST.
SOURCES: Experiment = {
    ("forest", source): Params("forest", source=source)
    for source in ("tf-idf", "feed", "title", "metadata", "url", "links")
}
SOURCE_F1 = {"tf-idf": "0.921", "feed": "0.896"}
#: Title and description of the entry, and its title alone (thesis, 2.5.1).
TITLES: Experiment = {
    ("sigfeed", source): Params("sigfeed", source=source) for source in ("feed", "title")
}
#: The words of an n-gram of SIGFEED (thesis, 2.3.2 and 5.2).
NGRAMS: Experiment = {("sigfeed", n): Params("sigfeed", ngram=n) for n in (1, 2, 3, 4, 5)}
NGRAM_CLAIMS = {"3": "best"}
TITLE_CLAIMS = {"feed": "0.840", "title": "poor"}


def print_forest(folder: str, names: set[str], pictures: Path | None) -> None:
    """Print table 1, the figures and the variants on the named sites of a set."""
    experiments = (PAGES, SIGNIFIERS, MEASURES, COUNTS, CHALLENGES, SOURCES, TITLES, NGRAMS)
    variants = set(METHODS.values())
    for experiment in experiments:
        variants.update(experiment.values())

    peers = installed_peers()
    sites = read_sites(
        folder,
        is_wanted=lambda group: group.name in names,
        with_link_texts=True,
    )
    comparison = compare(sites, sorted(variants, key=repr), peers)
    print_methods(comparison)
    print_experiments(comparison)
    if pictures:
        draw_pictures(comparison, pictures)


def results_of(comparison: Comparison) -> dict[str, Results]:
    """The results of the methods of table 1 and of the peers, by their names."""
    methods = {name: comparison.methods[params] for name, params in METHODS.items()}
    return {**methods, **comparison.peers}


def print_methods(comparison: Comparison) -> None:
    """Table 1, and the exactly extracted articles of the thesis's table 2.1."""
    f1_rows = []
    exact_rows = []
    published = {**TABLE_1, **BOILERPIPE}
    for name, results in results_of(comparison).items():
        f1_rows.append(Row(name, published.get(name, ""), format_interval(group_f1(results))))
        exact_rows.append(Row(name, TABLE_2_1.get(name, ""), f"{exact_share(results):.1%}"))
    for name, f1 in BOILERPIPE.items():
        if name not in comparison.peers:
            f1_rows.append(Row(name, f1, "not installed"))
            exact_rows.append(Row(name, TABLE_2_1[name], "not installed"))
    pages = len(next(iter(comparison.methods.values())).pages)
    print_table(
        "FOREST, table 1; thesis, table 2.2: F1 and its interval at 95% over sites",
        f1_rows,
        f"{pages} pages of feeds with full texts instead of 1,006 annotated ones; the paper"
        " has ± 0.06 for all methods, by the number of its sites.",
    )
    print_table(
        "Thesis, table 2.1: articles that are extracted exactly",
        exact_rows,
        "exact is that the sets of word 2-grams are equal, in the thesis to the letter.",
    )


def print_experiments(comparison: Comparison) -> None:
    """Figures 5 to 7, the two readings of p in equation 5, and the variants of sections 4 and 5."""
    print_table(
        "FOREST, figure 5: F1 by the pages learned from",
        experiment_rows(comparison, PAGES),
        "the paper's figure has no numbers; it tells a plateau at 8 to 10 pages.",
    )
    print_table(
        "FOREST, figure 6: F1 by the signifiers of a page",
        experiment_rows(comparison, SIGNIFIERS),
        "the paper's figure has no numbers; it tells that F1 falls below 5. The signifiers of"
        " SIGFEED are 3-grams, which k does not limit.",
    )
    print_table(
        "FOREST, figure 7: F1 by J, U and J*U",
        experiment_rows(comparison, MEASURES),
        "the paper's figure has no numbers; it tells that J*U is better than either.",
    )
    print_table(
        "FOREST, equation 5: F1 by what p counts",
        experiment_rows(comparison, COUNTS),
        "the paper says both, and measures one of them.",
    )
    print_table(
        "FOREST, section 4, challenges: F1 of the variants",
        experiment_rows(comparison, CHALLENGES, CHALLENGE_CLAIMS),
        "the paper tells differences only, not for which keywords; lists of links are those with"
        " two or more, and no other text.",
    )
    print_table(
        "FOREST, sections 3.1 and 5: F1 by the source of signifiers",
        experiment_rows(comparison, SOURCES, SOURCE_F1),
        "the paper measures the first two. Texts of links are those on all recorded pages of the"
        " site, and the titles in its feed; with tf-idf p of equation 5 counts pages, else paths.",
    )
    print_table(
        "Thesis, section 2.5.1: F1 of SIGFEED by what is taken of the entry",
        experiment_rows(comparison, TITLES, TITLE_CLAIMS),
        "the thesis has no figure; it looks for the lowest block around the title, here that with"
        " the most 3-grams of it is taken.",
    )
    print_table(
        "Thesis, section 2.3.2: F1 of SIGFEED by the words of an n-gram",
        experiment_rows(comparison, NGRAMS, NGRAM_CLAIMS),
        "the thesis has no figures for n.",
    )


def experiment_rows(
    comparison: Comparison,
    experiment: Experiment,
    published: Mapping[str, str] = MappingProxyType({}),
) -> list[Row]:
    """A row for each value; ``published``: what the paper has for it."""
    rows = []
    for (name, value), params in experiment.items():
        f1 = format_interval(group_f1(comparison.methods[params]))
        rows.append(Row(f"{name} {value}", published.get(str(value), ""), f1))
    return sorted(rows, key=lambda row: row.name.split()[0])


def group_f1(results: Results) -> list[list[float]]:
    """The F1 of the pages of each site."""
    groups: dict[str, list[float]] = {}
    for page in results.pages:
        groups.setdefault(page.site, []).append(page.score.f1)
    return list(groups.values())


def exact_share(results: Results) -> float:
    """The share of pages whose text has all word 2-grams of the correct one, and no other."""
    return fmean(page.score.f1 == 1 for page in results.pages)


def draw_pictures(comparison: Comparison, folder: Path) -> None:
    """Figures 4 to 7 as PNG."""
    boxes = {name: summarize(results) for name, results in results_of(comparison).items()}
    save_plot(folder / "forest_figure4.png", draw_boxes, boxes)
    pages = summarize_experiment(comparison, PAGES)
    save_plot(folder / "forest_figure5.png", draw_curves, pages, "pages", None)
    signifiers = summarize_experiment(comparison, SIGNIFIERS)
    save_plot(folder / "forest_figure6.png", draw_curves, signifiers, "signifiers", None)
    measures = summarize_experiment(comparison, MEASURES)
    save_plot(folder / "forest_figure7.png", draw_measures, measures)


def summarize_experiment(
    comparison: Comparison, experiment: Experiment
) -> dict[str, dict[str, dict[str, object]]]:
    """The figures by method and by value of the varied parameter."""
    curves: dict[str, dict[str, dict[str, object]]] = {}
    for (name, value), params in experiment.items():
        curves.setdefault(name, {})[str(value)] = summarize(comparison.methods[params])
    return curves
