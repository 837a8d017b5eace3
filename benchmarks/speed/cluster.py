"""Measure how clustering scales with the number of pages: time and memory per page.

    python -m benchmarks.speed.cluster SET [--pages 100000] [--plot OUT.png] [--json]

Two crawls are simulated from the fingerprints of recorded pages, by removing and adding some of
their paths at random (seeded): PAGES pages of 1,000 hosts, and PAGES pages of one host with 50
templates.  Each page is added and its cluster looked up, as in a crawl.
"""

from __future__ import annotations

import argparse
import json
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from benchmarks.sets.bench_set import load_groups, run_command
from benchmarks.support.plots import save_plot
from forest_scrapy.core import Fingerprint, HostClusters
from forest_scrapy.core.templates.fingerprints import typed_paths

# None of these is tuned.
HOSTS = 1000
TEMPLATES = 50
#: The share of its paths that a varied page lacks, and the share of other paths that it has.
REMOVED_SHARE = 0.05
ADDED_SHARE = 0.02
#: The number of points that are measured, and the pages of the first of them.
STEPS = 10
FIRST_PAGES = 1000

Pages = Iterator[tuple[int, Fingerprint]]
Sites = Sequence[Sequence[frozenset[int]]]
Hosts = defaultdict[int, HostClusters]


@dataclass(frozen=True)
class Point:
    """After this number of pages: microseconds per page since the point before, and bytes per
    page in all."""

    pages: int
    microseconds: float
    bytes_a_page: float


@dataclass(frozen=True)
class Growth:
    """One crawl: its points, the clusters at the end, and the ratio of the time per page at the
    last point to that at the first."""

    points: tuple[Point, ...]
    clusters: int
    ratio: float


def vary(features: frozenset[int], random: Random) -> Fingerprint:
    """The fingerprint of a page similar to the one with these features."""
    varied = {feature for feature in sorted(features) if random.random() >= REMOVED_SHARE}
    added_count = round(len(features) * ADDED_SHARE)
    for _ in range(added_count):
        varied.add(random.getrandbits(64))
    return Fingerprint(frozenset(varied))


def many_hosts(sites: Sites, pages: int) -> Pages:
    """Pages of 1,000 hosts in turns; each host is a recorded one with its pages varied."""
    random = Random(1)
    for i in range(pages):
        host = i % HOSTS
        site = sites[host % len(sites)]
        features = random.choice(site)
        yield host, vary(features, random)


def one_host(sites: Sites, pages: int) -> Pages:
    """Pages of one host, whose templates are the first pages of 50 recorded hosts."""
    random = Random(2)
    templates = [site[0] for site in sites[:TEMPLATES]]
    for _ in range(pages):
        features = random.choice(templates)
        yield 0, vary(features, random)


def measure(make: Callable[[Sites, int], Pages], sites: Sites, pages: int) -> Growth:
    """Cluster the pages twice: once for the time, once for the memory (tracing is slow)."""
    step = max(pages // STEPS, 1)
    first_mark = min(FIRST_PAGES, pages)
    marks = sorted({first_mark, pages, *range(step, pages, step)})
    times = []
    hosts: Hosts = defaultdict(HostClusters)
    for seconds, hosts_so_far in cluster_pages(make(sites, pages), marks):
        times.append(seconds)
        hosts = hosts_so_far
    clusters = 0
    for host in hosts.values():
        host.measure()
        clusters += len(host.clusters())

    sizes = _trace_memory(make(sites, pages), marks)
    points = []
    earlier_mark = 0
    earlier_seconds = 0.0
    for mark, seconds, size in zip(marks, times, sizes, strict=True):
        step_seconds = seconds - earlier_seconds
        step_pages = mark - earlier_mark
        rate = step_seconds / step_pages * 1e6
        point = Point(
            pages=mark,
            microseconds=round(rate, 1),
            bytes_a_page=round(size / mark, 1),
        )
        points.append(point)
        earlier_mark = mark
        earlier_seconds = seconds
    ratio = points[-1].microseconds / points[0].microseconds
    return Growth(tuple(points), clusters, round(ratio, 3))


def cluster_pages(pages: Pages, marks: Collection[int]) -> Iterator[tuple[float, Hosts]]:
    """Add the pages and look up the cluster of each; at the marks the seconds that this took so
    far, and the hosts' clusters."""
    hosts: Hosts = defaultdict(HostClusters)
    seconds = 0.0
    for n, (host, fingerprint) in enumerate(pages, start=1):
        start = perf_counter()
        hosts[host].add(fingerprint)
        hosts[host].cluster_of(fingerprint)
        seconds += perf_counter() - start
        if n in marks:
            yield seconds, hosts


def _trace_memory(pages: Pages, marks: Collection[int]) -> list[int]:
    """The bytes that the clusters take, at the marks."""
    sizes = []
    tracemalloc.start()
    try:
        for _ in cluster_pages(pages, marks):
            size, _ = tracemalloc.get_traced_memory()
            sizes.append(size)
        return sizes
    finally:
        tracemalloc.stop()


def read_sites(folder: str) -> list[list[frozenset[int]]]:
    """The features of the pages of each host of the set."""
    sites = []
    for group in load_groups(folder):
        features = [typed_paths(page.parse()) for page in group.pages]
        if features:
            sites.append(features)
    return sites


def draw_growth(axes: Any, growths: Mapping[str, Growth]) -> None:
    """Time and memory per page against pages."""
    above, below = axes
    for name, growth in growths.items():
        pages = [point.pages for point in growth.points]
        times = [point.microseconds for point in growth.points]
        sizes = [point.bytes_a_page for point in growth.points]
        above.plot(pages, times, "o-", label=name)
        below.plot(pages, sizes, "o-", label=name)
    above.set_ylabel("microseconds per page")
    below.set_ylabel("bytes per page")
    below.set_xlabel("pages")
    below.set_yscale("log")
    above.legend()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--plot", type=Path, help="write the plot to this PNG file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.pages < 1:
        parser.error("--pages must be 1 or more")
    sites = read_sites(options.set)
    crawls = {
        f"{HOSTS} hosts": many_hosts,
        f"one host, {TEMPLATES} templates": one_host,
    }
    growths = {}
    for name, make in crawls.items():
        growths[name] = measure(make, sites, options.pages)
    if options.plot:
        save_plot(options.plot, draw_growth, growths, rows=2, size=(7, 7))
    if options.json:
        report = {name: asdict(growth) for name, growth in growths.items()}
        print(json.dumps(report))
        return
    for name, growth in growths.items():
        print(f"{name}: {growth.clusters} clusters; last to first: {growth.ratio:.2f}")
        print(f"{'pages':>10s} {'us/page':>10s} {'bytes/page':>13s}")
        for point in growth.points:
            print(f"{point.pages:10d} {point.microseconds:10.1f} {point.bytes_a_page:13.1f}")


if __name__ == "__main__":
    run_command(main)
