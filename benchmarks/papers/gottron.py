"""Sections 5 and 7 of Gottron 2008: distances, clusters, and the entropy extractor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.papers.baselines import extract_plain, extract_slope
from benchmarks.papers.forest import group_f1
from benchmarks.papers.samples import format_interval, sample_evenly
from benchmarks.papers.tables import Row, print_table
from benchmarks.papers.tree_distance import read_tree, tree_distance
from benchmarks.papers.word_sequences import score_sequence
from benchmarks.quality.comparison import compare
from benchmarks.quality.host_partitions import (
    PUBLISHED,
    SeenPage,
    cluster_mixed,
    feature_distance,
    see_pages,
)
from benchmarks.quality.partitions import dunn_index
from benchmarks.quality.templates import MIXED_HOSTS
from benchmarks.sets.bench_set import BenchPage, Group, load_groups
from benchmarks.sets.placed_pages import read_site
from benchmarks.support.plots import save_plot
from forest_scrapy.core import Params
from forest_scrapy.settings import ForestSettings, MethodOptions

#: Articles of each site in tables 1 and 2; RTDM compares each two of all.
SITE_PAGES = 6

TABLE_1 = {"rtdm": "0.466", "cp": "1.169", "cps": "1.227", "ctss": "1.290"}
#: Threshold, number of clusters of five sites, and Rand index.
TABLE_2 = (
    ("cp", 0.7, "5; 1.000"),
    ("cp", 0.9, "3; 0.760"),
    ("ctss", 0.85, "5; 1.000"),
    ("cps", 0.6, "5; 1.000"),
)
#: The least and the largest F1 of the five sites.
TABLE_3 = {
    "entropy cp": "0.636 to 0.901",
    "entropy cps": "0.636 to 0.899",
    "entropy ctss": "0.637 to 0.902",
    "slope curve": "0.690 to 0.938",
    "plain": "0.501 to 0.861",
}
BASELINES = {"slope curve": extract_slope, "plain": extract_plain}
ENTROPY = Params("entropy")

Matrix = list[list[float]]
#: Elements of the smaller page, and seconds of a comparison.
Times = list[tuple[int, float]]


def print_gottron(folder: str, names: set[str], pictures: Path | None) -> None:
    """Print tables 1 to 3 and figure 1 on the named sites of a set."""
    groups = [group for group in load_groups(folder) if group.name in names]
    several = [group for group in groups if len(group.articles) > 1]
    chosen = sample_evenly([group.name for group in several], MIXED_HOSTS)
    hosts = [choose_articles(group) for group in several if group.name in chosen]
    times = print_distances(hosts)
    print_clusters(hosts)
    print_extraction(groups)
    if pictures and times:
        save_plot(pictures / "gottron_figure1.png", draw_times, times)


def choose_articles(group: Group) -> Group:
    """The group with few of its articles, which share a template most of the time."""
    numbers = sample_evenly([page.id for page in group.articles], SITE_PAGES)
    return replace(group, pages=tuple(page for page in group.articles if page.id in numbers))


def print_distances(hosts: Sequence[Group]) -> dict[str, Times]:
    """Table 1, and figure 1 as a table; the times of each comparison."""
    recorded = [page for host in hosts for page in host.pages]
    classes = [host.name for host in hosts for page in host.pages]
    seen = [page for host in hosts for page in see_pages(host)]
    times: dict[str, Times] = {}
    rows = []
    time_rows = []
    for name, published in TABLE_1.items():
        matrix, times[name] = compare_pages(recorded, seen, name)
        dunn = dunn_index(matrix, classes) if matrix else None
        rows.append(Row(name, published, "" if dunn is None else f"{dunn:.3f}"))
        pairs = len(times[name])
        seconds = sum(time for elements, time in times[name])
        mean = f"{1000 * seconds / pairs:.3f} ms" if pairs else ""
        time_rows.append(Row(name, "", mean))
    difference = (
        f"{len(recorded)} articles of {len(hosts)} sites instead of 500 of five; articles of a"
        " site may have several templates."
    )
    print_table("Gottron, table 1: Dunn index of the sites", rows, difference)
    print_table(
        "Gottron, figure 1: time of a pair",
        time_rows,
        "the paper's figure has no numbers; features and trees are read before.",
    )
    return times


def compare_pages(
    recorded: Sequence[BenchPage], seen: Sequence[SeenPage], distance: str
) -> tuple[Matrix, Times]:
    """The distances between all pages, and the time of each comparison."""
    trees = [read_tree(page.parse()) for page in recorded]
    values: Sequence[Any] = trees
    measure: Callable[[Any, Any], float] = tree_distance
    if distance != "rtdm":
        values = [page.fingerprints[distance].features for page in seen]
        measure = feature_distance

    matrix = [[0.0] * len(values) for value in values]
    times: Times = []
    for i, j in combinations(range(len(values)), 2):
        start = perf_counter()
        matrix[i][j] = measure(values[i], values[j])
        seconds = perf_counter() - start
        matrix[j][i] = matrix[i][j]
        times.append((min(trees[i].size, trees[j].size), seconds))
    return matrix, times


def print_clusters(hosts: Sequence[Group]) -> None:
    """Table 2."""
    seen = [see_pages(host) for host in hosts]
    rows = []
    for distance, threshold, published in TABLE_2:
        clusters, rand = cluster_mixed(seen, distance, threshold)
        rows.append(Row(f"{distance} at {threshold}", published, f"{clusters}; {rand:.3f}"))
    print_table(
        "Gottron, table 2: clusters and Rand index at the published thresholds",
        rows,
        f"{len(hosts)} sites instead of five, so the number of clusters should be {len(hosts)}.",
    )


def print_extraction(groups: Sequence[Group]) -> None:
    """Table 3: F1 of the entropy extractor by the distance that its pages are grouped by."""
    rows = []
    for distance in PUBLISHED:
        settings = ForestSettings(method_options=MethodOptions(distance=distance))
        sites = (read_site(group, settings) for group in groups if group.articles)
        results = compare(sites, [ENTROPY], {}, score=score_sequence).methods[ENTROPY]
        name = f"entropy {distance}"
        rows.append(Row(name, TABLE_3[name], format_interval(group_f1(results))))
    plain_sites = (read_site(group) for group in groups if group.articles)
    for name, results in compare(plain_sites, [], BASELINES, score=score_sequence).peers.items():
        rows.append(Row(name, TABLE_3[name], format_interval(group_f1(results))))
    print_table(
        "Gottron, table 3: F1 and its interval at 95% over sites",
        rows,
        "other pages, and means instead of the least and the largest of five sites; training sets"
        " are the templates of the site, cut by the crawl, not pages that were linked.",
    )


def draw_times(axes: Any, times: dict[str, Times]) -> None:
    """Seconds of a comparison against the elements of the smaller page."""
    for name, points in times.items():
        elements = [size for size, seconds in points]
        axes.plot(elements, [seconds for size, seconds in points], ".", label=name)
    axes.set_xlabel("elements of the smaller page")
    axes.set_ylabel("seconds")
    axes.set_yscale("log")
    axes.legend()
