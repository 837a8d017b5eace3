"""Partition the pages of a host by clustering, and compare that with the recorded page types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from benchmarks.quality.partitions import dunn_index, rand_index
from benchmarks.sets.bench_set import BenchPage, Group
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
    pages: Sequence[SeenPage],
    distance: str,
    with_entries: bool,
    threshold: float | None,
) -> Partition:
    """Cluster the pages of a host, and compare "in the largest article template or not" with
    "article or not"."""
    clusters = HostClusters(distance == "typed", threshold)
    for page in pages:
        clusters.add(page.fingerprints[distance], with_entries and page.has_entry)
    clusters.measure()

    templates = clusters.clusters()
    rank = rank_clusters(templates, pages, distance, with_entries)
    largest = max(templates, key=rank)

    is_in_largest = []
    articles_in_largest = []
    listings_in_largest = []
    for page in pages:
        is_inside = page.fingerprints[distance].digest in largest.digests
        is_in_largest.append(is_inside)
        if page.is_article:
            articles_in_largest.append(is_inside)
        else:
            listings_in_largest.append(is_inside)

    return Partition(
        rand=rand_index(is_in_largest, [page.is_article for page in pages]),
        articles_in_largest=fmean(articles_in_largest) if articles_in_largest else 1.0,
        listings_in_largest=fmean(listings_in_largest) if listings_in_largest else 0.0,
        templates=len(templates),
        cut=round(clusters.cut.distance, 4),
        reason=clusters.cut.reason,
    )


def partition_mixed(hosts: Iterable[Sequence[SeenPage]], distance: str) -> float:
    """Rand index of a published distance at its threshold over the pages of several hosts,
    clustered without the names of their hosts (the paper's own experiment, table 2)."""
    return cluster_mixed(hosts, distance, PUBLISHED[distance])[1]


def cluster_mixed(
    hosts: Iterable[Sequence[SeenPage]], distance: str, threshold: float
) -> tuple[int, float]:
    """The number of clusters over the pages of several hosts, and their Rand index."""
    fingerprints = []
    host_numbers = []
    for host_number, host in enumerate(hosts):
        for page in host:
            fingerprints.append(page.fingerprints[distance])
            host_numbers.append(host_number)

    host_clusters = HostClusters(weigh=False, threshold=threshold, limit=len(fingerprints))
    for fingerprint in fingerprints:
        host_clusters.add(fingerprint)
    host_clusters.measure()

    clusters = host_clusters.clusters()
    cluster_of = {}
    for cluster_number, cluster in enumerate(clusters):
        for digest in cluster.digests:
            cluster_of[digest] = cluster_number
    cluster_numbers = [cluster_of[fingerprint.digest] for fingerprint in fingerprints]
    return len(clusters), rand_index(cluster_numbers, host_numbers)


def host_dunn(pages: Sequence[SeenPage], distance: str) -> float | None:
    """Dunn index of the recorded page types, by the unweighted distance."""
    features = [page.fingerprints[distance].features for page in pages]
    matrix = [[feature_distance(a, b) for b in features] for a in features]
    return dunn_index(matrix, [page.is_article for page in pages])


def page_distances(
    hosts: Iterable[Sequence[SeenPage]], distance: str
) -> Iterator[tuple[bool, float]]:
    """For each two pages of the same host whether their type is the same, and their distance."""
    for pages in hosts:
        for a, b in combinations(pages, 2):
            features_a = a.fingerprints[distance].features
            features_b = b.fingerprints[distance].features
            yield a.is_article == b.is_article, feature_distance(features_a, features_b)


def _see_page(recorded: BenchPage) -> SeenPage:
    page = recorded.parse()
    fingerprints = {}
    for name, read_features in DISTANCES.items():
        fingerprints[name] = Fingerprint(read_features(page))
    return SeenPage(
        is_article=recorded.is_article,
        has_entry=recorded.entry is not None,
        signals=read_signals(page),
        fingerprints=fingerprints,
    )


def rank_clusters(
    clusters: Sequence[Cluster],
    pages: Sequence[SeenPage],
    distance: str,
    with_entries: bool,
) -> Callable[[Cluster], tuple[float, tuple[str, ...]]]:
    """A sort key of clusters: the number of feed items, or else the expected number of articles
    by the signals of the pages."""
    host = HostSignals()
    cluster_signals: dict[tuple[str, ...], list[Signals]]
    cluster_signals = {cluster.digests: [] for cluster in clusters}
    for page in pages:
        digest = page.fingerprints[distance].digest
        host.add(digest, page.signals)
        for digests, signals in cluster_signals.items():
            if digest in digests:
                signals.append(page.signals)
    types = classify_templates(host, list(cluster_signals), list(cluster_signals.values()))

    expected_articles = {}
    for digests, template_type in zip(cluster_signals, types, strict=True):
        expected_articles[digests] = sum(template_type.pages)

    def rank(cluster: Cluster) -> tuple[float, tuple[str, ...]]:
        if with_entries and cluster.articles:
            return (_FEED_ITEM * cluster.articles, cluster.digests)
        return (expected_articles[cluster.digests], cluster.digests)

    return rank


def feature_distance(a: frozenset[int], b: frozenset[int]) -> float:
    """The distance of two sets of features, all with the same weight."""
    return overlap_distance(len(a & b), len(a), len(b), a == b)
