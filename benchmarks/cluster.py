"""How clustering grows with the pages: time and memory a page.

    python -m benchmarks.cluster SET [--pages 100000] [--plot OUT.png] [--json]

Two crawls are made from the fingerprints of recorded pages, by leaving out and adding some of
their paths at random (seeded): PAGES pages of 1,000 hosts, and PAGES pages of one host with 50
templates.  Each page is added and its cluster asked for, as in a crawl.
"""

from __future__ import annotations

import argparse
import json
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from random import Random
from time import perf_counter

from scrapy.http import HtmlResponse

from benchmarks.bench_set import load_groups, stop_on_unreadable_set
from forest_scrapy.core import Fingerprint, HostClusters
from forest_scrapy.core.clustering.tag_paths import typed_paths
from forest_scrapy.runtime.responses import page_of

__all__ = ["main"]

HOSTS = 1000
TEMPLATES = 50
#: Shares of a page's paths that a varied page lacks, and that it has beyond them.
LEFT_OUT, ADDED = 0.05, 0.02
#: Points of the table, and the pages that the last of them is compared with.
STEPS, FIRST = 10, 1000


Pages = Iterator[tuple[int, Fingerprint]]
Sites = Sequence[Sequence[frozenset[int]]]


@dataclass(frozen=True)
class Point:
    """After so many pages: microseconds a page since the point before, bytes a page in all."""

    pages: int
    microseconds: float
    bytes_a_page: float


@dataclass(frozen=True)
class Growth:
    """One crawl: its points, the clusters at the end, and the ratio of the time a page of the
    last point to that of the first 1,000 pages."""

    points: tuple[Point, ...]
    clusters: int
    ratio: float


def vary(features: frozenset[int], random: Random) -> Fingerprint:
    """The fingerprint of a page like the one with these features."""
    kept = {feature for feature in sorted(features) if random.random() >= LEFT_OUT}
    added = {random.getrandbits(64) for _ in range(round(len(features) * ADDED))}
    return Fingerprint(frozenset(kept | added))


def many_hosts(sites: Sites, pages: int) -> Pages:
    """Pages of 1,000 hosts in turns; each host is a recorded one, its pages varied."""
    random = Random(1)
    for i in range(pages):
        host = i % HOSTS
        yield host, vary(random.choice(sites[host % len(sites)]), random)


def one_host(sites: Sites, pages: int) -> Pages:
    """Pages of one host, whose templates are first pages of 50 recorded hosts."""
    random = Random(2)
    templates = [site[0] for site in sites[:TEMPLATES]]
    for _ in range(pages):
        yield 0, vary(random.choice(templates), random)


def measure(make: Callable[[Sites, int], Pages], sites: Sites, pages: int) -> Growth:
    """Place the pages twice: once by the clock, once with every allocation traced."""
    step = max(pages // STEPS, 1)
    marks = sorted({min(FIRST, pages), pages, *range(step, pages, step)})
    times, clusters = _time(make(sites, pages), marks)
    sizes = _trace(make(sites, pages), marks)
    points, before = [], (0, 0.0)
    for mark, seconds, size in zip(marks, times, sizes, strict=True):
        rate = (seconds - before[1]) / (mark - before[0]) * 1e6
        points.append(Point(mark, round(rate, 1), round(size / mark, 1)))
        before = (mark, seconds)
    return Growth(
        tuple(points), clusters, round(points[-1].microseconds / points[0].microseconds, 3)
    )


def _time(pages: Pages, marks: Sequence[int]) -> tuple[list[float], int]:
    hosts: defaultdict[int, HostClusters] = defaultdict(HostClusters)
    spent, times = 0.0, []
    for n, (host, fingerprint) in enumerate(pages, start=1):
        start = perf_counter()
        hosts[host].add(fingerprint)
        hosts[host].cluster_of(fingerprint)
        spent += perf_counter() - start
        if n in marks:
            times.append(spent)
    for host in hosts.values():
        host.measure()
    return times, sum(len(host.clusters()) for host in hosts.values())


def _trace(pages: Pages, marks: Sequence[int]) -> list[int]:
    hosts: defaultdict[int, HostClusters] = defaultdict(HostClusters)
    sizes = []
    tracemalloc.start()
    try:
        for n, (host, fingerprint) in enumerate(pages, start=1):
            hosts[host].add(fingerprint)
            hosts[host].cluster_of(fingerprint)
            if n in marks:
                sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    return sizes


def read_sites(folder: str) -> list[list[frozenset[int]]]:
    """The features of the pages of each host of the set."""
    sites = []
    for group in load_groups(folder):
        responses = (HtmlResponse(page.url, body=page.html) for page in group.pages)
        sites.append([typed_paths(page_of(response).outline) for response in responses])
    return [site for site in sites if site]


def plot(growths: dict[str, Growth], place: str) -> None:
    """Time and memory a page against pages, to a PNG file."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, (above, below) = pyplot.subplots(2, figsize=(7, 7), sharex=True)
    for name, growth in growths.items():
        pages = [point.pages for point in growth.points]
        above.plot(pages, [point.microseconds for point in growth.points], "o-", label=name)
        below.plot(pages, [point.bytes_a_page for point in growth.points], "o-", label=name)
    above.set_ylabel("microseconds a page")
    below.set_ylabel("bytes a page")
    below.set_xlabel("pages")
    below.set_yscale("log")
    above.legend()
    figure.tight_layout()
    figure.savefig(place, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--plot", default="", help="write the plot, a PNG")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.pages < 1:
        parser.error("--pages must be 1 or more")
    sites = read_sites(options.set)
    crawls = {f"{HOSTS} hosts": many_hosts, f"one host, {TEMPLATES} templates": one_host}
    growths = {name: measure(make, sites, options.pages) for name, make in crawls.items()}
    if options.plot:
        plot(growths, options.plot)
    if options.json:
        print(json.dumps({name: asdict(growth) for name, growth in growths.items()}))
        return
    for name, growth in growths.items():
        print(f"{name}: {growth.clusters} clusters; last to first: {growth.ratio:.2f}")
        print(f"{'pages':>10s} {'us a page':>10s} {'bytes a page':>13s}")
        for point in growth.points:
            print(f"{point.pages:10d} {point.microseconds:10.1f} {point.bytes_a_page:13.1f}")


if __name__ == "__main__":
    stop_on_unreadable_set(main)
