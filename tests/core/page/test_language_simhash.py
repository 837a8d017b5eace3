from __future__ import annotations

from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.page.language import BITS, hamming_distance, simhash

weights = st.dictionaries(st.text(max_size=3), st.floats(0.1, 9), max_size=6)


def digest(term: str) -> int:
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "big")


def test_the_simhash_of_one_term_is_its_digest() -> None:
    assert simhash({"owl": 0.5}) == digest("owl")


def test_two_terms_of_equal_weight_set_the_bits_that_both_have() -> None:
    assert simhash({"owl": 1.0, "sea": 1.0}) == digest("owl") & digest("sea")


def test_three_terms_of_equal_weight_vote_on_each_bit() -> None:
    a, b, c = map(digest, ("owl", "sea", "net"))
    assert simhash({"owl": 1.0, "sea": 1.0, "net": 1.0}) == (a & b) | (a & c) | (b & c)


def test_no_weight_sets_no_bit() -> None:
    assert simhash({}) == simhash({"owl": 0.0}) == 0


@pytest.mark.parametrize(
    ("one", "other", "bits"), [(0, 0, 0), (0, 7, 3), (0b1100, 0b1010, 2), (2**BITS - 1, 0, 64)]
)
def test_hamming_distance(one: int, other: int, bits: int) -> None:
    assert hamming_distance(one, other) == hamming_distance(other, one) == bits


@given(weights)
def test_scaling_all_weights_changes_nothing(given: dict[str, float]) -> None:
    scaled = {term: 2.0 * weight for term, weight in reversed(given.items())}
    assert simhash(scaled) == simhash(given) < 2**BITS
