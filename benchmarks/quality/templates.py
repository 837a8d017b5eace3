"""Measure how well clustering separates articles from the other pages of their host.

    python -m benchmarks.quality.templates SET [--histogram OUT.png] [--json]

The largest article template of a host is the cluster with most feed items, or, without feed
entries, the one with the highest score as articles.  The partition of the pages into those in it
and the others is compared with the recorded page types: Rand index, share of the articles in it,
share of the other pages in it.  Printed: the mean over hosts, for every distance, with and
without feed entries; for the published distances also at their published thresholds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.quality.host_partitions import (
    PUBLISHED,
    Partition,
    SeenPage,
    host_dunn,
    page_distances,
    partition_host,
    partition_mixed,
    see_pages,
)
from benchmarks.sets.bench_set import Group, UnreadableSet, load_groups, run_command
from benchmarks.support.plots import save_plot
from forest_scrapy.core.templates.fingerprints import DISTANCES

#: Hosts that are clustered together for the paper's own experiment.
MIXED_HOSTS = 10

Hosts = Mapping[str, list[SeenPage]]
#: By distance, whether with feed entries, and threshold (None: found for each host), the
#: partition of each host.
Results = dict[tuple[str, bool, float | None], dict[str, Partition]]


def partition_hosts(hosts: Hosts) -> Results:
    """Every host partitioned in every way."""
    return {
        (distance, with_entries, threshold): {
            name: partition_host(pages, distance, with_entries, threshold)
            for name, pages in hosts.items()
        }
        for distance in DISTANCES
        for with_entries in (True, False)
        for threshold in dict.fromkeys((None, PUBLISHED.get(distance)))
    }


def draw_histogram(axes: Any, hosts: Sequence[Sequence[SeenPage]]) -> None:
    """Distances between the pages of each host, as in the paper's figure 2."""
    for axis, distance in zip(axes, DISTANCES, strict=True):
        values: list[list[float]] = [[], []]
        for is_same, apart in page_distances(hosts, distance):
            values[is_same].append(apart)
        axis.hist(values[::-1], bins=50, range=(0, 1), log=True, label=["same type", "other type"])
        axis.set_title(distance)
    axes[0].legend()
    axes[-1].set_xlabel("distance between two pages of a host")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--histogram", type=Path, help="write the distances' histogram as PNG")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    groups = (group for group in load_groups(options.set) if _has_both_types(group))
    hosts = {group.name: see_pages(group) for group in groups}
    if not hosts:
        raise UnreadableSet(f"{options.set}: no host has both articles and other pages")
    if options.histogram:
        save_plot(
            options.histogram,
            draw_histogram,
            list(hosts.values()),
            rows=len(DISTANCES),
            size=(7, 9),
        )
    results = partition_hosts(hosts)
    mixed_hosts = list(islice(hosts.values(), MIXED_HOSTS))
    mixed = {distance: partition_mixed(mixed_hosts, distance) for distance in PUBLISHED}
    if options.json:
        print(json.dumps(make_report(results, mixed)))
    else:
        print_hosts(results["typed", True, None])
        print_distances(results)
        print_dunn_indexes(hosts)
        for distance, rand in mixed.items():
            at = f"{distance} at {PUBLISHED[distance]}"
            print(f"{len(mixed_hosts)} hosts clustered together, {at}: Rand index {rand:.4f}")


def make_report(results: Results, mixed: Mapping[str, float]) -> dict[str, Any]:
    """The figures of the default distance as one value."""
    with_entries = results["typed", True, None]
    without = results["typed", False, None]
    return {
        **_mean(with_entries),
        "without_entries": _mean(without),
        "mixed_hosts_rand": {distance: round(rand, 4) for distance, rand in mixed.items()},
        "hosts": {
            name: {
                "with_entries": asdict(with_entries[name]),
                "without_entries": asdict(without[name]),
            }
            for name in with_entries
        },
    }


def print_hosts(partitions: Mapping[str, Partition]) -> None:
    """One line for each host."""
    for name, partition in partitions.items():
        shares = f"{partition.articles_in_largest:6.3f} {partition.listings_in_largest:6.3f}"
        cut = f"{partition.cut:.2f} {partition.reason}"
        print(f"{name:44.44s} {partition.rand:6.3f} {shares}  {cut}")


def print_distances(results: Results) -> None:
    """One line for each distance and threshold, with and without feed entries."""
    hosts = len(next(iter(results.values())))
    print(
        f"\n{'distance':9s} {'entries':8s} {'cut':>9s} {'Rand':>7s} {'articles':>9s}"
        f" {'listings':>9s} {'perfect':>8s}   mean of {hosts} hosts"
    )
    for (distance, with_entries, threshold), partitions in results.items():
        mean = _mean(partitions)
        perfect = sum(host.rand == 1 for host in partitions.values())
        print(
            f"{distance:9s} {'with' if with_entries else 'without':8s}"
            f" {'found' if threshold is None else threshold:>9} {mean['rand']:7.4f}"
            f" {mean['articles_in_largest']:9.4f} {mean['listings_in_largest']:9.4f}"
            f" {perfect:8d}"
        )


def print_dunn_indexes(hosts: Hosts) -> None:
    """The mean Dunn index of each distance."""
    for distance in DISTANCES:
        indexes = [host_dunn(pages, distance) for pages in hosts.values()]
        defined = [dunn for dunn in indexes if dunn is not None]
        print(f"Dunn index, {distance}: " + (f"{fmean(defined):.3f}" if defined else "none"))


def _has_both_types(group: Group) -> bool:
    return len({page.is_article for page in group.pages}) == 2


def _mean(partitions: Mapping[str, Partition]) -> dict[str, float]:
    return {
        name: round(fmean(getattr(host, name) for host in partitions.values()), 4)
        for name in ("rand", "articles_in_largest", "listings_in_largest")
    }


if __name__ == "__main__":
    run_command(main)
