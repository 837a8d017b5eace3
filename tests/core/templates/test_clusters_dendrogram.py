from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.templates.clusters import (
    DisjointSets,
    Edge,
    choose_cut,
    cluster_points,
    spanning_tree,
)

points = st.text(alphabet="abcdefgh", min_size=1, max_size=1)
edges = st.lists(st.builds(Edge, st.floats(0, 1), points, points), max_size=12)


def path_edges(*distances: float) -> list[Edge]:
    """A tree that is a path: a - b - c ..."""
    names = "abcdefghij"
    return [
        Edge(distance, a, b) for distance, (a, b) in zip(distances, pairwise(names), strict=False)
    ]


@pytest.mark.parametrize(
    ("distance", "clusters"),
    [
        (0.1, [("a",), ("b",), ("c",)]),
        (0.2, [("a", "b"), ("c",)]),
        (0.69, [("a", "b"), ("c",)]),
        (0.7, [("a", "b", "c")]),
    ],
)
def test_points_are_linked_up_to_the_distance(
    distance: float, clusters: list[tuple[str, ...]]
) -> None:
    assert cluster_points("cba", path_edges(0.2, 0.7), distance) == clusters


@pytest.mark.parametrize(("joined", "distance"), [(97, 0.3), (96, 0.5)])
def test_97_of_100_feed_items_must_be_in_one_cluster(joined: int, distance: float) -> None:
    articles = {"a": joined - 10, "b": 10, "c": 100 - joined}
    cut = choose_cut(path_edges(0.3, 0.5), articles)
    assert cut == (distance, "feed items just form one cluster")


@pytest.mark.parametrize(
    ("joined", "reason"),
    [
        (0.6, "feed items just form one cluster"),
        (0.61, "feed items are one cluster only at 0.61; the widest gap"),
    ],
)
def test_above_the_widest_cut_the_gap_decides(joined: float, reason: str) -> None:
    cut = choose_cut(path_edges(joined), {"a": 5, "b": 5})
    assert cut.reason.startswith(reason)
    assert cut.distance <= 0.6


@pytest.mark.parametrize(("items", "narrowest"), [(1, 1 / 3), (3, 0.2), (8, 0.1), (100, 0.1)])
def test_the_narrowest_cut_leaves_room_for_the_next_item(items: int, narrowest: float) -> None:
    cut = choose_cut(path_edges(0.05), {"a": items})
    assert cut.distance == pytest.approx(narrowest)
    assert cut.reason == "feed items are one cluster at 0.00; the narrowest cut"


@pytest.mark.parametrize(("joined", "distance"), [(0.09, 0.1), (0.1, 0.1), (0.11, 0.11)])
def test_cuts_on_both_sides_of_the_narrowest(joined: float, distance: float) -> None:
    assert choose_cut(path_edges(joined), {"a": 10, "b": 10}).distance == distance


def test_feed_items_without_an_edge_between_them() -> None:
    assert choose_cut([], {"a": 1, "b": 1}).reason.startswith(
        "feed items are one cluster only at 1.00"
    )


@pytest.mark.parametrize(
    ("distances", "middle"),
    [
        ((), 0.45),
        ((0.4,), 0.5),
        ((0.5,), 0.4),
        ((0.45,), 0.375),  # two gaps of the same width: the lower one
        ((0.2, 0.9), 0.45),
        ((0.35, 0.4, 0.55), 0.475),
        ((0.3, 0.6), 0.45),
    ],
)
def test_without_a_feed_the_cut_is_in_the_widest_gap(
    distances: tuple[float, ...], middle: float
) -> None:
    cut = choose_cut(path_edges(*distances), {})
    assert cut.distance == pytest.approx(middle)
    assert cut.reason.startswith("no feed; the widest gap between distances")


def test_join_returns_whether_the_sets_were_different() -> None:
    sets = DisjointSets()
    assert sets.join("b", "a")
    assert not sets.join("a", "b")
    assert sets.find("b") == "a"
    assert sets.find("new") == "new"


@given(edges, st.floats(0, 1))
def test_every_point_is_in_one_cluster(tree: list[Edge], distance: float) -> None:
    clusters = cluster_points("abcdefgh", tree, distance)
    assert sorted("".join("".join(cluster) for cluster in clusters)) == list("abcdefgh")
    assert clusters == cluster_points("hgfedcba", tree[::-1], distance)


@given(edges, st.dictionaries(points, st.integers(1, 5), max_size=5))
def test_a_cut_lies_between_the_narrowest_and_the_widest(
    tree: list[Edge], articles: dict[str, int]
) -> None:
    cut = choose_cut(sorted(tree), articles)
    assert 0.1 <= cut.distance <= 0.6
    assert cut == choose_cut(sorted(tree), dict(reversed(articles.items())))


@given(st.dictionaries(points, st.integers(0, 99), max_size=7))
def test_the_spanning_tree_gives_the_clusters_of_all_distances(values: dict[str, int]) -> None:
    def distance(a: int, b: int) -> float:
        return abs(a - b) / 99

    tree = list(spanning_tree(values, distance))
    edges = [Edge(distance(values[a], values[b]), a, b) for a, b in combinations(values, 2)]
    assert len(tree) == max(len(values) - 1, 0)
    for edge in edges:
        cut = edge.distance
        assert cluster_points(values, tree, cut) == cluster_points(values, edges, cut)
