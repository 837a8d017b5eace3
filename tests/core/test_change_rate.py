"""Estimating how often pages change, and planning when to look again."""

from __future__ import annotations

import random
from math import log

import pytest

from forest_scrapy.core.change_rate import (
    ChangeRate,
    Look,
    estimate_rate,
    plan_hours,
    read_looks,
    spread_hours,
)

HOURS = (1.0, 4.0, 12.0)


@pytest.mark.parametrize(("changed", "number"), [(1, 10), (5, 10), (10, 10), (1, 1)])
def test_equal_intervals_give_the_published_estimator(changed: int, number: int) -> None:
    looks = [Look(3600, place < changed) for place in range(number)]
    expected = -log((number - changed + 0.5) / (number + 0.5)) / 3600
    assert estimate_rate(looks) == pytest.approx(expected, rel=1e-6)


def test_the_rate_of_unequal_intervals_is_found_again() -> None:
    chance = random.Random("changes")
    rate = 1 / 5000
    looks = []
    for _ in range(4000):
        seconds = chance.choice((600, 3600, 4 * 3600, 12 * 3600))
        looks.append(Look(seconds, chance.expovariate(rate) < seconds))
    assert estimate_rate(looks) == pytest.approx(rate, rel=0.06)


def test_nothing_known_is_no_change() -> None:
    assert estimate_rate([]) == 0
    assert estimate_rate([Look(0, True), Look(-5, True)]) == 0
    assert estimate_rate([Look(60, False)] * 3) == 0


def test_versions_after_the_first_day_do_not_count() -> None:
    assert read_looks([], 100) == []
    assert read_looks([(0, 90), (150, 200)], 100) == [Look(90, False)]


def test_templates_that_change_are_looked_at_more_often_within_the_budget() -> None:
    rates = {"still": ChangeRate(1e-7, 80), "busy": ChangeRate(1e-4, 20)}
    plans = plan_hours(HOURS, rates)
    assert len(plans["busy"]) > 3 > len(plans["still"])
    total = sum(len(plans[name]) * rate.pages for name, rate in rates.items())
    assert total <= 3 * 100
    for hours in plans.values():
        assert min(hours) >= 1
        assert max(hours) <= 12


@pytest.mark.parametrize("rate", [0.0, 1e-5])
def test_templates_that_change_alike_keep_their_hours(rate: float) -> None:
    rates = {"a": ChangeRate(rate, 30), "b": ChangeRate(rate, 50)}
    assert plan_hours(HOURS, rates) == {"a": HOURS, "b": HOURS}
    assert plan_hours((), rates) == {}


def test_one_hour_stays_one() -> None:
    assert plan_hours((6,), {"a": ChangeRate(1.0, 30)}) == {"a": (6,)}
    assert spread_hours(6, 6, 2) == (6, 6)
