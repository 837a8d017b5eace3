from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Cluster, Fingerprint, HostClusters
from forest_scrapy.core.clustering.hosts import LIMIT, shared_distance
from forest_scrapy.core.clustering.tag_paths import typed_paths

from ..helpers import demo_pages

Distance = Callable[[Fingerprint, Fingerprint], float]

features = st.frozensets(st.integers(0, 12), max_size=7)
fingerprints = st.builds(Fingerprint, features)
#: Pages as they come: a fingerprint, and whether it is known as an article.
arrivals = st.lists(st.tuples(fingerprints, st.booleans()), min_size=1, max_size=14)
Arrivals = Sequence[tuple[Fingerprint, bool]]


def make(*numbers: int) -> Fingerprint:
    return Fingerprint(frozenset(numbers))


def place(pages: Arrivals, host: HostClusters) -> tuple[Cluster, ...]:
    for fingerprint, is_article in pages:
        host.add(fingerprint, is_article)
    return host.clusters()


def plain_distance(a: Fingerprint, b: Fingerprint) -> float:
    return shared_distance(a.features, b.features)


def weighted_distance(pages: Arrivals) -> Distance:
    """p(1 - p) for each path, in whole numbers up to 7; half a page is assumed with none."""
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
    """Single linkage without any cleverness: clusters grow together while a pair is near."""
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
def test_published_clusters_are_single_linkage(pages: Arrivals, threshold: float) -> None:
    found = place(pages, HostClusters(weigh=False, threshold=threshold))
    assert partition(found) == link_singly(pages, plain_distance, threshold)


@given(arrivals)
def test_weighed_clusters_are_single_linkage_at_the_cut_that_was_chosen(pages: Arrivals) -> None:
    host = HostClusters()
    found = place(pages, host)
    assert partition(found) == link_singly(pages, weighted_distance(pages), host.cut.distance)


@given(arrivals)
def test_the_cut_is_where_the_feeds_items_hold_together(pages: Arrivals) -> None:
    host = HostClusters()
    place(pages, host)
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
def test_the_order_of_arrival_does_not_matter(pages: Arrivals, random: Random, weigh: bool) -> None:
    shuffled = list(pages)
    random.shuffle(shuffled)
    first, second = HostClusters(weigh), HostClusters(weigh)
    assert place(pages, first) == place(shuffled, second)
    assert first.cut == second.cut


@given(arrivals, st.randoms(use_true_random=False), st.integers(1, 5))
def test_the_points_that_are_kept_do_not_depend_on_the_order(
    pages: Arrivals, random: Random, limit: int
) -> None:
    """They are those with the smallest digests, and all pages behind them are counted, also
    where the sample was cut back on the way."""
    kept = sorted({page.digest for page, _ in pages})[:limit]
    shuffled = list(pages)
    random.shuffle(shuffled)
    often = HostClusters(limit=limit)
    for fingerprint, is_article in shuffled:
        often.add(fingerprint, is_article)
        often.clusters()
    found = often.clusters()
    assert sorted(digest for cluster in found for digest in cluster.digests) == kept
    assert found == place(pages, HostClusters(limit=limit))
    inside = [(page, is_article) for page, is_article in pages if page.digest in kept]
    assert found == place(inside, HostClusters())


@given(arrivals)
def test_all_pages_and_articles_are_counted(pages: Arrivals) -> None:
    found = place(pages, HostClusters())
    assert sum(cluster.pages for cluster in found) == len(pages)
    assert sum(cluster.articles for cluster in found) == sum(is_article for _, is_article in pages)


@given(arrivals, fingerprints)
def test_any_page_can_be_asked_for(pages: Arrivals, other: Fingerprint) -> None:
    host = HostClusters()
    clusters = place(pages, host)
    assert all(host.cluster_of(page) in clusters for page, _ in pages)
    assert host.cluster_of(other) in {None, *clusters}


@given(features)
def test_a_fingerprint_goes_through_bytes(numbers: frozenset[int]) -> None:
    fingerprint = Fingerprint(frozenset(number * (2**64 // 13) for number in numbers))
    again = Fingerprint.from_bytes(fingerprint.to_bytes())
    assert (again, again.digest) == (fingerprint, fingerprint.digest)
    assert len(fingerprint.to_bytes()) == 8 * len(numbers)


@given(features, features)
def test_the_distance_is_one(a: frozenset[int], b: frozenset[int]) -> None:
    assert 0.0 <= shared_distance(a, b) <= 1.0
    assert shared_distance(a, b) == shared_distance(b, a)
    assert (shared_distance(a, b) == 0.0) == (a == b)


def test_digests_are_the_same_in_every_process() -> None:
    assert make().digest == "e4a6a0577479b2b4"
    assert make(2, 1).digest == make(1, 2).digest != make(1).digest


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ((), (), 0.0),
        ((), (1,), 1.0),
        ((1, 2, 3, 4), (1, 2), 0.5),
        ((1, 2, 3, 4), (1, 2, 5, 6), 0.5),
        ((1, 2), (1, 2), 0.0),
    ],
)
def test_shared_distance(a: tuple[int, ...], b: tuple[int, ...], distance: float) -> None:
    assert shared_distance(frozenset(a), frozenset(b)) == distance


def test_a_chain_is_one_cluster() -> None:
    """Single linkage: the ends have nothing in common, each neighbour has half."""
    pages = [make(i, i + 1) for i in range(6)]
    host = HostClusters(weigh=False, threshold=0.5)
    assert [len(cluster.digests) for cluster in place([(p, False) for p in pages], host)] == [6]
    host = HostClusters(weigh=False, threshold=0.49)
    assert len(place([(p, False) for p in pages], host)) == 6


def test_equal_pages_are_one_point() -> None:
    host = HostClusters()
    host.add(make(1), pages=5)
    host.add(make(1), is_article=True)
    assert host.clusters() == (Cluster((make(1).digest,), 6, 1),)
    assert host.cluster_of(make(1)) == host.clusters()[0]


def test_a_page_that_was_not_added_belongs_to_its_nearest_point() -> None:
    host = HostClusters(weigh=False, threshold=0.5)
    near, far = place([(make(1, 2, 3, 4), True), (make(8, 9), False)], host)[::-1]
    if not near.articles:
        near, far = far, near
    assert host.cluster_of(make(1, 2, 3, 9)) == near
    assert host.cluster_of(make(8, 9, 4)) == far
    assert host.cluster_of(make(1, 2, 21, 22)) == near
    assert host.cluster_of(make(1, 2, 21, 22, 23)) is None
    assert host.cluster_of(make(20, 21)) is None


def test_a_page_before_any_other() -> None:
    host = HostClusters()
    assert host.cluster_of(make(1)) is None
    assert host.clusters() == ()
    host.add(make(1))
    assert host.cluster_of(make(1)) == Cluster((make(1).digest,), 1, 0)


def test_a_page_joins_the_group_it_is_near_to_between_two_measurings() -> None:
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
    found = place([(page, False) for page in pages], host)
    kept = sorted({page.digest for page in pages})[:LIMIT]
    assert LIMIT == 256
    assert sorted(digest for cluster in found for digest in cluster.digests) == kept


def test_what_all_pages_share_tells_none_apart() -> None:
    """20 shared paths and one of its own for each kind: published, one cluster."""
    shared = tuple(range(100, 120))
    pages = [(make(*shared, 1 + i % 2), False) for i in range(30)]
    assert len(place(pages, HostClusters(weigh=False, threshold=0.6))) == 1
    assert len(place(pages, HostClusters(threshold=0.6))) == 2


def test_the_demos_sections_are_two_clusters() -> None:
    host = HostClusters()
    sections = {
        section: [Fingerprint(typed_paths(page.outline)) for page in demo_pages(section)]
        for section in ("news", "journal")
    }
    found = place([(page, False) for pages in sections.values() for page in pages], host)
    assert partition(found) == {
        frozenset(page.digest for page in pages) for pages in sections.values()
    }
    assert host.cut.reason.startswith("no feed")


def test_several_pages_that_are_articles() -> None:
    host = HostClusters()
    host.add(make(1), is_article=True, pages=5)
    assert host.clusters()[0].articles == 5
