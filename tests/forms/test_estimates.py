"""How many new records a term is expected to find."""

from __future__ import annotations

import pytest

from forest_scrapy.forms.estimates import TermCount, bucket_of, estimate_terms
from forest_scrapy.forms.terms import RecordTerms, read_record_terms


def records_of(*titles: str) -> dict[str, RecordTerms]:
    return {str(number): read_record_terms({"title": title}) for number, title in enumerate(titles)}


def ranked_terms(
    records: dict[str, RecordTerms],
    weights: dict[str, float] | None = None,
    covers: dict[str, int] | None = None,
    shown: frozenset[str] = frozenset(),
    max_shown: int = 0,
) -> dict[str, float]:
    estimates = estimate_terms(records, weights or {}, covers or {}, shown, max_shown)
    expected = {}
    for terms in estimates.ranked.values():
        for negative, _, term in terms:
            expected[term] = -negative
    return expected


def test_records_stand_for_the_unknown_ones_of_their_answer() -> None:
    records = records_of("owl hill", "owl lane", "bee lane")
    expected = ranked_terms(records, weights={"0": 60.0, "1": 0.5})
    assert (expected["owl"], expected["lane"], expected["bee"]) == (60.5, 1.5, 1.0)


def test_the_records_of_a_complete_answer_stand_for_one_together() -> None:
    records = records_of("owl hill", "owl lane", "owl road")
    expected = ranked_terms(records, covers={"0": 1, "1": 1, "2": 2})
    assert (expected["owl"], expected["hill"]) == (2.0, 1.0)


def test_a_term_of_all_records_of_a_cut_answer_is_left_out() -> None:
    """Its answer would be the same one."""
    records = records_of("owl hill", "owl lane", "owl road")
    weights = dict.fromkeys(records, 10.0)
    expected = ranked_terms(records, weights, shown=frozenset(records), max_shown=3)
    assert "owl" not in expected
    assert expected["hill"] > 0


@pytest.mark.parametrize(
    ("count", "max_shown", "expected"),
    [
        (TermCount(known=2, unknown=8.0), 0, 8.0),
        (TermCount(known=2, unknown=8.0), 10, 8.0),
        (TermCount(known=10, unknown=30.0), 20, 15.0),
        (TermCount(known=10, shown=10, unknown=30.0), 20, 10.0),
        (TermCount(known=20, shown=20, unknown=30.0), 20, 0.0),
    ],
)
def test_an_answer_that_is_cut_off_shows_a_part(
    count: TermCount, max_shown: int, expected: float
) -> None:
    assert count.expect(max_shown) == expected


def test_buckets_are_powers_of_two() -> None:
    assert [bucket_of(value) for value in (0.2, 0.25, 0.5, 1.0, 1.9, 2.0)] == [
        "00",
        "01",
        "02",
        "03",
        "03",
        "04",
    ]
