"""Partition the pages of a host by clustering, and compare that with the recorded page types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from benchmarks.bench_set import BenchPage, Group
from benchmarks.partitions import dunn_index, rand_index
from forest_scrapy.core import Fingerprint, HostClusters
from forest_scrapy.core.templates.clusters import Cluster
from forest_scrapy.core.templates.fingerprints import DISTANCES, overlap_distance
from forest_scrapy.core.templates.kinds import classify_templates
from forest_scrapy.core.templates.signals import HostSignals, Signals, read_signals

#: The published thresholds (Gottron 2008, table 2).
PUBLISHED = {"cp": 0.7, "cps": 0.6, "ctss": 0.85}
#: Above any score by signals, so that feed items decide if there are any.
_FEED_ITEM = 1000.0


@dataclass(frozen=True)
class SeenPage:
    """What clustering sees of a page, and its recorded type."""

    is_article: bool
    has_entry: bool
    signals: Signals
    fingerprints: dict[str, Fingerprint]


@dataclass(frozen=True)
class Partition:
    """How well the largest article template of a host matches the recorded page types."""

    rand: float
    articles_in_largest: float
    listings_in_largest: float
    templates: int
    cut: float
    reason: str


def see_pages(group: Group) -> list[SeenPage]:
    """Parse the pages of a host."""
    return [_see_page(page) for page in group.pages]


def partition_host(
    pages: Sequence[SeenPage], distance: str, with_entries: bool, threshold: float | None
) -> Partition:
    """Cluster the pages of a host, and compare "in the largest article template or not" with
    "article or not"."""
    clusters = HostClusters(distance == "typed", threshold)
    for page in pages:
        clusters.add(page.fingerprints[distance], with_entries and page.has_entry)
    clusters.measure()
    found = clusters.clusters()
    largest = max(found, key=rank_clusters(found, pages, distance, with_entries))
    inside = [page.fingerprints[distance].digest in largest.digests for page in pages]
    articles = [i for page, i in zip(pages, inside, strict=True) if page.is_article]
    others = [i for page, i in zip(pages, inside, strict=True) if not page.is_article]
    return Partition(
        rand_index(inside, [page.is_article for page in pages]),
        fmean(articles) if articles else 1.0,
        fmean(others) if others else 0.0,
        len(found),
        round(clusters.cut.distance, 4),
        clusters.cut.reason,
    )


def partition_mixed(hosts: Iterable[Sequence[SeenPage]]) -> float:
    """Rand index of the published CPS at 0.6 over the pages of several hosts, clustered without
    the names of their hosts (the paper's own experiment)."""
    pages = [(page, i) for i, host in enumerate(hosts) for page in host]
    clusters = HostClusters(weigh=False, threshold=PUBLISHED["cps"], limit=len(pages))
    for page, _ in pages:
        clusters.add(page.fingerprints["cps"])
    clusters.measure()
    of = {digest: n for n, c in enumerate(clusters.clusters()) for digest in c.digests}
    return rand_index([of[page.fingerprints["cps"].digest] for page, _ in pages],
                      [host for _, host in pages])  # fmt: skip


def host_dunn(pages: Sequence[SeenPage], distance: str) -> float | None:
    """Dunn index of the recorded page types, by the unweighted distance."""
    features = [page.fingerprints[distance].features for page in pages]
    matrix = [[_distance(a, b) for b in features] for a in features]
    return dunn_index(matrix, [page.is_article for page in pages])


def page_distances(
    hosts: Iterable[Sequence[SeenPage]], distance: str
) -> Iterator[tuple[bool, float]]:
    """For each two pages of the same host whether their type is the same, and their distance."""
    for pages in hosts:
        for a, b in combinations(pages, 2):
            apart = _distance(a.fingerprints[distance].features, b.fingerprints[distance].features)
            yield a.is_article == b.is_article, apart


def _see_page(recorded: BenchPage) -> SeenPage:
    page = recorded.parse()
    prints = {name: Fingerprint(features(page)) for name, features in DISTANCES.items()}
    return SeenPage(recorded.is_article, recorded.entry is not None, read_signals(page), prints)


def rank_clusters(
    clusters: Sequence[Cluster], pages: Sequence[SeenPage], distance: str, with_entries: bool
) -> Callable[[Cluster], tuple[float, tuple[str, ...]]]:
    """A sort key of clusters: the number of feed items, or else the expected number of articles
    by the signals of the pages."""
    host = HostSignals()
    own: dict[tuple[str, ...], list[Signals]] = {cluster.digests: [] for cluster in clusters}
    for page in pages:
        digest = page.fingerprints[distance].digest
        host.add(digest, page.signals)
        for digests, signals in own.items():
            if digest in digests:
                signals.append(page.signals)
    types = classify_templates(host, list(own), list(own.values()))
    expected = {digests: sum(one.pages) for digests, one in zip(own, types, strict=True)}

    def rank(cluster: Cluster) -> tuple[float, tuple[str, ...]]:
        if with_entries and cluster.articles:
            return (_FEED_ITEM * cluster.articles, cluster.digests)
        return (expected[cluster.digests], cluster.digests)

    return rank


def _distance(a: frozenset[int], b: frozenset[int]) -> float:
    """The distance of two sets of features, all with the same weight."""
    return overlap_distance(len(a & b), len(a), len(b), a == b)
