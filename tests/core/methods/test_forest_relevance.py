from __future__ import annotations

from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.methods.forest import density, informativeness, unexpectedness

counts = st.integers(0, 10_000)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [(1, 0, 0.317), (8, 20, 0.207), (3, 5, 0.217), (0, 0, 0.0), (0, 1, 0.0), (0, 100, 0.0)],
)
def test_density_of_the_paper(x: int, y: int, expected: float) -> None:
    assert density(x, y) == pytest.approx(expected, abs=5e-4)


def test_density_is_equation_2() -> None:
    n = 28
    assert density(8, 20) == pytest.approx((8.5 - sqrt(8.5 * 20.5 / n)) / (n + 1))


def test_a_small_share_of_many_terms_equals_a_large_share_of_few() -> None:
    assert 8 / 28 < 3 / 8
    assert density(8, 20) == pytest.approx(density(3, 5), abs=0.011)


@pytest.mark.parametrize(
    ("x", "y", "expected"), [(10, 26, 22.66), (3, 1, 5.56), (0, 0, 0.0), (20, 0, 35.84)]
)
def test_unexpectedness_of_the_paper(x: int, y: int, expected: float) -> None:
    assert unexpectedness(x, y, 20, 100) == pytest.approx(expected, abs=5e-3)


def test_unexpectedness_is_equation_3() -> None:
    expected = 4 * log(120) - 3 * log(20) - 1 * log(100)
    assert unexpectedness(3, 1, 20, 100) == pytest.approx(expected)


def test_informativeness_is_the_product() -> None:
    product = density(10, 26) * unexpectedness(10, 26, 20, 100)
    assert informativeness(10, 26, 20, 100) == pytest.approx(product)


def test_parts_of_a_page_of_signifiers_only_are_not_informative() -> None:
    assert informativeness(3, 0, 20, 0) == pytest.approx(0.0)


@given(counts, counts, counts, counts)
def test_measures_have_bounds(x: int, y: int, more_x: int, more_y: int) -> None:
    page = (x + more_x, y + more_y)
    assert 0.0 <= density(x, y) < 1.0
    assert unexpectedness(x, y, *page) >= -1e-6
    assert informativeness(x, y, *page) >= -1e-6


@given(counts, counts)
def test_one_more_signifier_is_denser_and_one_more_other_term_is_not(x: int, y: int) -> None:
    assert density(x + 1, y) >= density(x, y)
    assert density(x + 1, y) >= density(x + 1, y + 1)
