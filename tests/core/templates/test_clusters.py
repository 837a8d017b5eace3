from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Cluster, Fingerprint, HostClusters
from forest_scrapy.core.templates.clusters import LIMIT
from forest_scrapy.core.templates.fingerprints import typed_paths

from ..helpers import demo_pages, distance_of

Distance = Callable[[Fingerprint, Fingerprint], float]

features = st.frozensets(st.integers(0, 12), max_size=7)
fingerprints = st.builds(Fingerprint, features)
#: Pages in their order: a fingerprint, and whether the page is known to be an article.
arrivals = st.lists(st.tuples(fingerprints, st.booleans()), min_size=1, max_size=14)
Arrivals = Sequence[tuple[Fingerprint, bool]]


def make(*numbers: int) -> Fingerprint:
    return Fingerprint(frozenset(numbers))


def cluster_pages(pages: Arrivals, host: HostClusters) -> tuple[Cluster, ...]:
    for fingerprint, is_article in pages:
        host.add(fingerprint, is_article)
    host.measure()
    return host.clusters()


def plain_distance(a: Fingerprint, b: Fingerprint) -> float:
    return distance_of(a.features, b.features)


def weighted_distance(pages: Arrivals) -> Distance:
    """By p(1 - p) for each path, in whole numbers up to 7, with half a page more without any."""
    total = len(pages) + 0.5

    def weigh(paths: frozenset[int]) -> int:
        shares = [sum(path in page.features for page, _ in pages) / total for path in paths]
        return sum(round(4 * p * (1 - p) * 7) for p in shares)

    def distance(a: Fingerprint, b: Fingerprint) -> float:
        heaviest = max(weigh(a.features), weigh(b.features))
        if not heaviest:
            return float(a.features != b.features)
        return 1 - weigh(a.features & b.features) / heaviest

    return distance


def link_singly(pages: Arrivals, distance: Distance, cut: float) -> set[frozenset[str]]:
    """Single linkage by its definition: clusters with a pair of near points are joined."""
    points = {page.digest: page for page, _ in pages}
    clusters = [{digest} for digest in points]
    near = [(a, b) for a, b in combinations(points, 2) if distance(points[a], points[b]) <= cut]
    for a, b in near:
        joined = [cluster for cluster in clusters if a in cluster or b in cluster]
        rest = [cluster for cluster in clusters if cluster not in joined]
        clusters = [*rest, set().union(*joined)]
    return {frozenset(cluster) for cluster in clusters}


def partition(clusters: Sequence[Cluster]) -> set[frozenset[str]]:
    return {frozenset(cluster.digests) for cluster in clusters}


@given(arrivals, st.sampled_from([0.0, 0.25, 0.5, 0.7, 1.0]))
def test_clusters_at_a_threshold_are_single_linkage(pages: Arrivals, threshold: float) -> None:
    found = cluster_pages(pages, HostClusters(weigh=False, threshold=threshold))
    assert partition(found) == link_singly(pages, plain_distance, threshold)


@given(arrivals)
def test_weighted_clusters_are_single_linkage_at_the_chosen_cut(pages: Arrivals) -> None:
    host = HostClusters()
    found = cluster_pages(pages, host)
    assert partition(found) == link_singly(pages, weighted_distance(pages), host.cut.distance)


@given(arrivals)
def test_the_cut_is_where_the_feed_items_are_one_cluster(pages: Arrivals) -> None:
    host = HostClusters()
    cluster_pages(pages, host)
    items = [page for page, is_article in pages if is_article]
    distance = weighted_distance(pages)
    cuts = sorted({0.0, *(distance(a, b) for (a, _), (b, _) in combinations(pages, 2))})
    held = next(
        cut
        for cut in cuts
        if any(
            sum(item.digest in cluster for item in items) >= 0.97 * len(items)
            for cluster in link_singly(pages, distance, cut)
        )
    )
    if items and held <= 0.6:
        assert host.cut.distance == max(held, 0.1, 1 / (len(items) + 2))
    else:
        assert "gap" in host.cut.reason


@given(arrivals, st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_pages_does_not_matter(pages: Arrivals, random: Random, weigh: bool) -> None:
    shuffled = list(pages)
    random.shuffle(shuffled)
    first, second = HostClusters(weigh), HostClusters(weigh)
    assert cluster_pages(pages, first) == cluster_pages(shuffled, second)
    assert first.cut == second.cut


@given(arrivals, st.randoms(use_true_random=False), st.integers(1, 5))
def test_the_points_that_are_kept_do_not_depend_on_the_order(
    pages: Arrivals, random: Random, limit: int
) -> None:
    """They are those with the smallest digests, and all their pages are counted, also if the
    sample was cut back several times."""
    kept = sorted({page.digest for page, _ in pages})[:limit]
    shuffled = list(pages)
    random.shuffle(shuffled)
    often = HostClusters(limit=limit)
    for fingerprint, is_article in shuffled:
        often.add(fingerprint, is_article)
        often.measure()
    found = often.clusters()
    assert sorted(digest for cluster in found for digest in cluster.digests) == kept
    assert found == cluster_pages(pages, HostClusters(limit=limit))
    inside = [(page, is_article) for page, is_article in pages if page.digest in kept]
    assert found == cluster_pages(inside, HostClusters())


@given(arrivals)
def test_all_pages_and_articles_are_counted(pages: Arrivals) -> None:
    found = cluster_pages(pages, HostClusters())
    assert sum(cluster.pages for cluster in found) == len(pages)
    assert sum(cluster.articles for cluster in found) == sum(is_article for _, is_article in pages)


@given(arrivals, fingerprints)
def test_any_page_has_at_most_one_cluster(pages: Arrivals, other: Fingerprint) -> None:
    host = HostClusters()
    clusters = cluster_pages(pages, host)
    assert all(host.cluster_of(page) in clusters for page, _ in pages)
    assert host.cluster_of(other) in {None, *clusters}


def test_a_chain_is_one_cluster() -> None:
    """Single linkage: neighbours share half of their features, the ends none."""
    pages = [make(i, i + 1) for i in range(6)]
    host = HostClusters(weigh=False, threshold=0.5)
    (found,) = cluster_pages([(p, False) for p in pages], host)
    assert len(found.digests) == 6
    host = HostClusters(weigh=False, threshold=0.49)
    assert len(cluster_pages([(p, False) for p in pages], host)) == 6


def test_equal_pages_are_one_point() -> None:
    host = HostClusters()
    host.add(make(1), pages=5)
    host.add(make(1), is_article=True)
    assert host.clusters() == (Cluster((make(1).digest,), 6, 1),)
    assert host.cluster_of(make(1)) == host.clusters()[0]


def test_a_page_that_was_not_added_is_in_the_cluster_of_its_nearest_point() -> None:
    host = HostClusters(weigh=False, threshold=0.5)
    near, far = cluster_pages([(make(1, 2, 3, 4), True), (make(8, 9), False)], host)[::-1]
    if not near.articles:
        near, far = far, near
    assert host.cluster_of(make(1, 2, 3, 9)) == near
    assert host.cluster_of(make(8, 9, 4)) == far
    assert host.cluster_of(make(1, 2, 21, 22)) == near
    assert host.cluster_of(make(1, 2, 21, 22, 23)) is None
    assert host.cluster_of(make(20, 21)) is None


def test_a_host_without_pages_and_with_one() -> None:
    host = HostClusters()
    assert host.cluster_of(make(1)) is None
    assert host.clusters() == ()
    host.add(make(1))
    assert host.cluster_of(make(1)) == Cluster((make(1).digest,), 1, 0)


def test_between_measurements_a_page_joins_a_group_within_the_cut() -> None:
    host = HostClusters(weigh=False, threshold=0.5)
    for page in [make(1, 2), make(1, 2), make(1, 2), make(1, 2), make(1, 3)]:
        host.add(page)
    found = host.cluster_of(make(1, 3))
    assert found is not None
    assert (len(found.digests), found.pages) == (2, 5)


def test_a_host_keeps_256_points() -> None:
    random = Random(7)
    pages = [Fingerprint(frozenset(random.sample(range(60), 12))) for _ in range(400)]
    host = HostClusters()
    found = cluster_pages([(page, False) for page in pages], host)
    kept = sorted({page.digest for page in pages})[:LIMIT]
    assert LIMIT == 256
    assert sorted(digest for cluster in found for digest in cluster.digests) == kept


def test_features_of_all_pages_do_not_separate_templates() -> None:
    """20 shared paths, and one more for each of two templates: unweighted, they are one cluster."""
    shared = tuple(range(100, 120))
    pages = [(make(*shared, 1 + i % 2), False) for i in range(30)]
    assert len(cluster_pages(pages, HostClusters(weigh=False, threshold=0.6))) == 1
    assert len(cluster_pages(pages, HostClusters(threshold=0.6))) == 2


def test_the_sections_of_the_demo_are_two_clusters() -> None:
    host = HostClusters()
    sections = {
        section: [Fingerprint(typed_paths(page)) for page in demo_pages(section)]
        for section in ("news", "journal")
    }
    found = cluster_pages([(page, False) for pages in sections.values() for page in pages], host)
    assert partition(found) == {
        frozenset(page.digest for page in pages) for pages in sections.values()
    }
    assert host.cut.reason.startswith("no feed")


def test_several_articles_are_added_at_once() -> None:
    host = HostClusters()
    host.add(make(1), is_article=True, pages=5)
    assert host.clusters()[0].articles == 5


@given(arrivals, arrivals)
def test_queries_change_nothing(pages: Arrivals, more: Arrivals) -> None:
    host = HostClusters()
    for fingerprint, is_article in pages:
        host.add(fingerprint, is_article)
    asked = [page for page, _ in (*pages, *more)]
    before = [(host.cut, host.clusters(), host.cluster_of(page)) for page in asked]
    assert [(host.cut, host.clusters(), host.cluster_of(page)) for page in asked] == before


@given(arrivals)
def test_measuring_twice_changes_nothing(pages: Arrivals) -> None:
    host = HostClusters()
    once = cluster_pages(pages, host)
    host.measure()
    assert host.clusters() == once


@pytest.mark.parametrize(("least", "clusters"), [(0.0, 2), (0.49, 2), (0.5, 1)])
def test_the_cut_is_not_below_the_least_one(least: float, clusters: int) -> None:
    """Two feed items with equal features give the narrowest cut, 0.25; the third page is at 0.5."""
    host = HostClusters(weigh=False, min_cut=least)
    pages = [(make(1, 2), True), (make(1, 2), True), (make(1, 3), False)]
    assert len(cluster_pages(pages, host)) == clusters
    assert host.cut.distance == max(0.25, least)


def test_the_least_cut_gives_its_reason() -> None:
    host = HostClusters(min_cut=0.9)
    cluster_pages([(make(1), True)], host)
    assert host.cut.reason == "as when the stored wrappers were learned"
