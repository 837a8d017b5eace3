"""Estimates of how many records a form has, and what its last probes brought."""

from __future__ import annotations

import random

import pytest

from forest_scrapy.forms.coverage import LAST_PROBES, MIN_ANSWERS, Coverage, LastGain


def cover(total: int, answers: int, size: int) -> Coverage:
    """The coverage of answers that show records by chance."""
    chance = random.Random(3)
    coverage = Coverage()
    known: set[str] = set()
    for _ in range(answers):
        keys = set(map(str, chance.sample(range(total), size)))
        coverage.add(keys, len(keys - known))
        known |= keys
    return coverage


@pytest.mark.parametrize(("answers", "found"), [(30, 450), (100, 870)])
def test_the_total_is_estimated_before_all_records_are_known(answers: int, found: int) -> None:
    coverage = cover(total=1000, answers=answers, size=20)
    assert 900 < coverage.estimated_total < 1100
    assert abs(coverage.known - found) < 25
    assert coverage.has_unknown


def test_nothing_is_unknown_once_answers_bring_nothing_new() -> None:
    coverage = cover(total=100, answers=200, size=10)
    assert coverage.estimated_total == coverage.known == 100
    assert coverage.last_gain == LastGain(LAST_PROBES, 10 * LAST_PROBES, 0)
    assert not coverage.last_gain.is_ongoing
    assert not coverage.has_unknown


def test_few_answers_give_no_estimate() -> None:
    assert cover(total=1000, answers=MIN_ANSWERS - 1, size=5).estimated_total == 0
    assert cover(total=1000, answers=MIN_ANSWERS, size=5).estimated_total > 0
    assert Coverage().last_gain == LastGain(0, 0, 0)
    assert not Coverage().has_unknown


def test_new_records_of_the_last_probes_go_on_from_two_in_a_hundred_on() -> None:
    assert LastGain(50, 100, 2).is_ongoing
    assert not LastGain(50, 101, 2).is_ongoing
    assert not LastGain(50, 0, 0).is_ongoing
