from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_scrapy.core import Fingerprint
from forest_scrapy.core.templates.point_sample import PointSample


def make(*numbers: int) -> Fingerprint:
    return Fingerprint(frozenset(numbers))


def sample(*fingerprints: Fingerprint, weigh: bool = False, limit: int = 256) -> PointSample:
    points = PointSample(weigh, limit)
    for fingerprint in fingerprints:
        points.add(fingerprint, 1, 0)
    points.weigh_features()
    return points


def distance(points: PointSample, a: Fingerprint, b: Fingerprint) -> float:
    return points.distance(points.point_of(a), points.point_of(b))


def test_equal_fingerprints_are_one_point() -> None:
    points = PointSample(weigh=True, limit=256)
    points.add(make(1), 5, 0)
    points.add(make(1), 1, 1)
    assert [(p.pages, p.articles) for p in points.points.values()] == [(6, 1)]


def test_without_weights_the_distance_is_as_published() -> None:
    points = sample(make(1, 2, 3, 4), make(1, 2))
    assert distance(points, make(1, 2, 3, 4), make(1, 2)) == 0.5


def test_features_of_no_point_are_not_shared() -> None:
    points = sample(make(1, 2))
    assert distance(points, make(1, 2), make(1, 2, 8, 9)) == 0.5
    assert distance(points, make(1, 2), make(8, 9)) == 1.0


@pytest.mark.parametrize("weigh", [True, False])
def test_points_without_weight_are_equal_or_not(weigh: bool) -> None:
    points = sample(make(), weigh=weigh)
    assert distance(points, make(), make()) == 0.0
    assert distance(points, make(), make(7)) == 1.0


def test_features_of_half_of_the_pages_have_the_most_weight() -> None:
    """1 is on all pages, 2 on half of them: weights 1 and 7 of p(1 - p) with 4.5 pages."""
    points = sample(make(1, 2), make(1, 3), make(1, 2, 4), make(1, 5), weigh=True)
    weights = {n: points.point_of(make(n)).weight for n in (1, 2, 3)}
    assert weights == {1: 3, 2: 7, 3: 5}


def test_cut_back_keeps_the_smallest_digests_and_their_features() -> None:
    fingerprints = sorted((make(i, i + 1) for i in range(5)), key=lambda f: f.digest)
    points = sample(*fingerprints, limit=3)
    points.cut_back()
    assert sorted(points.points) == [f.digest for f in fingerprints[:3]]
    assert distance(points, fingerprints[0], fingerprints[0]) == 0.0
    assert [points.accepts(f) for f in fingerprints] == [True, True, True, False, False]


@pytest.mark.parametrize(("points", "is_full"), [(65, False), (66, True)])
def test_a_sample_is_full_64_points_beyond_its_limit(points: int, is_full: bool) -> None:
    assert sample(*(make(i) for i in range(points)), limit=1).is_full is is_full


features = st.frozensets(st.integers(0, 12), max_size=9)


@settings(max_examples=60)
@given(st.lists(features, min_size=1, max_size=12), st.booleans())
def test_all_distances_are_those_of_the_pairs(pages: list[frozenset[int]], weigh: bool) -> None:
    points = sample(*map(Fingerprint, pages), weigh=weigh)
    made = list(points.points.values())
    assert points.all_distances() == [[points.distance(a, b) for b in made] for a in made]


def test_all_distances_of_points_with_many_features() -> None:
    """More than are looked at together."""
    points = sample(*(make(*range(i, 9_000, i)) for i in (1, 2, 3)), weigh=True)
    made = list(points.points.values())
    assert points.all_distances() == [[points.distance(a, b) for b in made] for a in made]
