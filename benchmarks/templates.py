"""How well clustering tells articles from the other pages of their host.

    python -m benchmarks.templates SET [--histogram OUT.png] [--json]

The host's largest article template is the cluster with most feed items, or, without feed
entries, the one that looks most like articles.  The two-way partition "in it / not in it" is
held against the recorded kinds: Rand index, share of the articles inside, share of the other
pages inside.  Mean over hosts, for every distance, with and without feed entries; the
published distances also as published, at their fixed thresholds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from scrapy.http import HtmlResponse

from benchmarks.bench_set import Group, UnreadableSet, load_groups, stop_on_unreadable_set
from benchmarks.partitions import dunn_index, rand_index
from forest_scrapy.core import Fingerprint, HostClusters, Page
from forest_scrapy.core.clustering.fingerprints import shared_distance
from forest_scrapy.core.clustering.hosts import Cluster
from forest_scrapy.core.clustering.page_types import Signals, read_signals, template_score
from forest_scrapy.core.clustering.tag_paths import DISTANCES
from forest_scrapy.runtime.responses import page_of

__all__ = ["main"]

#: The published thresholds (Gottron 2008, table 2).
PUBLISHED = {"cp": 0.7, "cps": 0.6, "ctss": 0.85}
#: Hosts thrown together for the paper's own experiment.
MIXED_HOSTS = 10


@dataclass(frozen=True)
class SeenPage:
    """What clustering sees of a page, and its recorded kind."""

    id: str
    is_article: bool
    has_entry: bool
    signals: Signals
    fingerprints: dict[str, Fingerprint]


@dataclass(frozen=True)
class Found:
    """How one host was parted."""

    rand: float
    articles_in_largest: float
    listings_in_largest: float
    templates: int
    cut: float
    reason: str


def see_pages(group: Group) -> list[SeenPage]:
    """Read the pages of a host."""
    seen = []
    for page in group.pages:
        response = HtmlResponse(page.url, body=page.html, headers={"Content-Type": "text/html"})
        seen.append(_see(page.id, page.is_article, page.entry is not None, page_of(response)))
    return seen


def part_host(
    pages: Sequence[SeenPage], distance: str, with_entries: bool, threshold: float | None
) -> Found:
    """Cluster the host's pages and hold its largest article template against the kinds."""
    clusters = HostClusters(distance == "typed", threshold)
    for page in pages:
        clusters.add(page.fingerprints[distance], with_entries and page.has_entry)
    clusters.measure()
    found = clusters.clusters()
    largest = max(found, key=lambda c: _rank(c, pages, distance, with_entries))
    inside = [page.fingerprints[distance].digest in largest.digests for page in pages]
    articles = [i for page, i in zip(pages, inside, strict=True) if page.is_article]
    others = [i for page, i in zip(pages, inside, strict=True) if not page.is_article]
    return Found(
        rand_index(inside, [page.is_article for page in pages]),
        fmean(articles) if articles else 1.0,
        fmean(others) if others else 0.0,
        len(found),
        round(clusters.cut.distance, 4),
        clusters.cut.reason,
    )


def mix_hosts(hosts: Iterable[Sequence[SeenPage]]) -> float:
    """Rand index of the published CPS at 0.6 over hosts thrown together without their names."""
    pages = [(page, i) for i, host in enumerate(hosts) for page in host]
    clusters = HostClusters(weigh=False, threshold=PUBLISHED["cps"], limit=len(pages))
    for page, _ in pages:
        clusters.add(page.fingerprints["cps"])
    clusters.measure()
    of = {digest: n for n, c in enumerate(clusters.clusters()) for digest in c.digests}
    return rand_index([of[page.fingerprints["cps"].digest] for page, _ in pages],
                      [host for _, host in pages])  # fmt: skip


def host_dunn(pages: Sequence[SeenPage], distance: str) -> float | None:
    """Dunn index of the recorded kinds, by the plain distance."""
    features = [page.fingerprints[distance].features for page in pages]
    matrix = [[shared_distance(a, b) for b in features] for a in features]
    return dunn_index(matrix, [page.is_article for page in pages])


def draw_histogram(hosts: Iterable[Sequence[SeenPage]], place: str) -> None:
    """Distances between the pages of each host, as the paper's figure 2, to a PNG file."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(len(DISTANCES), figsize=(7, 9), sharex=True)
    hosts = list(hosts)
    for axis, distance in zip(axes, DISTANCES, strict=True):
        values: list[list[float]] = [[], []]
        for pages in hosts:
            for i, a in enumerate(pages):
                for b in pages[:i]:
                    d = shared_distance(
                        a.fingerprints[distance].features, b.fingerprints[distance].features
                    )
                    values[a.is_article == b.is_article].append(d)
        axis.hist(values[::-1], bins=50, range=(0, 1), log=True, label=["same kind", "other kind"])
        axis.set_title(distance)
    axes[0].legend()
    axes[-1].set_xlabel("distance between two pages of one host")
    figure.tight_layout()
    figure.savefig(place, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--histogram", default="", help="write the distances' histogram, a PNG")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    groups = (group for group in load_groups(options.set) if _has_both_kinds(group))
    hosts = {group.name: see_pages(group) for group in groups}
    if not hosts:
        raise UnreadableSet(f"{options.set}: no host has both articles and other pages")
    if options.histogram:
        Path(options.histogram).parent.mkdir(parents=True, exist_ok=True)
        draw_histogram(hosts.values(), options.histogram)
    results = {
        (distance, with_entries, threshold): {
            name: part_host(pages, distance, with_entries, threshold)
            for name, pages in hosts.items()
        }
        for distance in DISTANCES
        for with_entries in (True, False)
        for threshold in dict.fromkeys((None, PUBLISHED.get(distance)))
    }
    mixed = mix_hosts(islice(hosts.values(), MIXED_HOSTS))
    if options.json:
        print(json.dumps(_report(results, mixed)))
    else:
        _print_table(hosts, results, mixed)


def _see(id: str, is_article: bool, has_entry: bool, page: Page) -> SeenPage:
    fingerprints = {name: Fingerprint(f(page.outline)) for name, f in DISTANCES.items()}
    return SeenPage(id, is_article, has_entry, read_signals(page), fingerprints)


def _rank(
    cluster: Cluster, pages: Sequence[SeenPage], distance: str, with_entries: bool
) -> tuple[float, tuple[str, ...]]:
    if with_entries and cluster.articles:
        return (1000.0 * cluster.articles, cluster.digests)
    own = [p.signals for p in pages if p.fingerprints[distance].digest in cluster.digests]
    return (template_score(own), cluster.digests)


def _has_both_kinds(group: Group) -> bool:
    return len({page.is_article for page in group.pages}) == 2


def _mean(found: dict[str, Found]) -> dict[str, float]:
    return {
        name: round(fmean(getattr(host, name) for host in found.values()), 4)
        for name in ("rand", "articles_in_largest", "listings_in_largest")
    }


def _report(results: dict[Any, dict[str, Found]], mixed: float) -> dict[str, Any]:
    with_entries = results["typed", True, None]
    without = results["typed", False, None]
    return {
        **_mean(with_entries),
        "without_entries": _mean(without),
        "mixed_hosts_rand": round(mixed, 4),
        "hosts": {
            name: {
                "with_entries": asdict(with_entries[name]),
                "without_entries": asdict(without[name]),
            }
            for name in with_entries
        },
    }


def _print_table(
    hosts: dict[str, list[SeenPage]], results: dict[Any, dict[str, Found]], mixed: float
) -> None:
    for name, found in results["typed", True, None].items():
        print(f"{name:44.44s} {found.rand:6.3f} {found.articles_in_largest:6.3f}"
              f" {found.listings_in_largest:6.3f}  {found.cut:.2f} {found.reason}")  # fmt: skip
    print(f"\n{'distance':9s} {'entries':8s} {'cut':>9s} {'Rand':>7s} {'articles':>9s}", end="")
    print(f" {'listings':>9s} {'perfect':>8s}   mean of {len(hosts)} hosts")
    for (distance, with_entries, threshold), parted in results.items():
        mean = _mean(parted)
        perfect = sum(host.rand == 1 for host in parted.values())
        print(f"{distance:9s} {'with' if with_entries else 'without':8s}"
              f" {'found' if threshold is None else threshold:>9} {mean['rand']:7.4f}"
              f" {mean['articles_in_largest']:9.4f} {mean['listings_in_largest']:9.4f}"
              f" {perfect:8d}")  # fmt: skip
    for distance in DISTANCES:
        dunns = [d for pages in hosts.values() if (d := host_dunn(pages, distance)) is not None]
        print(f"Dunn index, {distance}: {fmean(dunns):.3f}" if dunns else f"no Dunn, {distance}")
    print(f"{MIXED_HOSTS} hosts thrown together, cps at 0.6: Rand index {mixed:.4f}")


if __name__ == "__main__":
    stop_on_unreadable_set(main)
