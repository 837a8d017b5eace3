from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Fingerprint
from tests.core.helpers import distance_of

features = st.frozensets(st.integers(0, 12), max_size=7)


def make(*numbers: int) -> Fingerprint:
    return Fingerprint(frozenset(numbers))


@given(features)
def test_bytes_round_trip(numbers: frozenset[int]) -> None:
    fingerprint = Fingerprint(frozenset(number * (2**64 // 13) for number in numbers))
    again = Fingerprint.from_bytes(fingerprint.to_bytes())
    assert (again, again.digest) == (fingerprint, fingerprint.digest)
    assert len(fingerprint.to_bytes()) == 8 * len(numbers)


def test_digests_are_the_same_in_every_process() -> None:
    assert make().digest == "e4a6a0577479b2b4"
    assert make(2, 1).digest == make(1, 2).digest != make(1).digest


@given(features, features)
def test_the_distance_is_symmetric_and_zero_only_for_equal_sets(
    a: frozenset[int], b: frozenset[int]
) -> None:
    assert 0.0 <= distance_of(a, b) <= 1.0
    assert distance_of(a, b) == distance_of(b, a)
    assert (distance_of(a, b) == 0.0) == (a == b)


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
def test_distance_of(a: tuple[int, ...], b: tuple[int, ...], distance: float) -> None:
    assert distance_of(frozenset(a), frozenset(b)) == distance
