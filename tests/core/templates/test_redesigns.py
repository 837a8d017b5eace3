"""Whether a wrapper still fits."""

from __future__ import annotations

import random

import pytest

from forest_scrapy.core.codec import dumps, loads
from forest_scrapy.core.templates.redesigns import TemplateFit, is_superseded


def fit_of(pages: str, fit: TemplateFit | None = None) -> TemplateFit:
    """The fit after some pages, ``+`` for one that fits."""
    fit = fit or TemplateFit()
    for page in pages:
        fit = fit.add(1000, page == "+")
    return fit


@pytest.mark.parametrize(
    ("pages", "has_failed"),
    [
        ("+" * 100 + "--", False),
        ("+" * 100 + "---", True),
        ("--+--", True),
        ("-++" * 30, False),
        ("-+" * 4, False),
        ("-" * 2, False),
    ],
)
def test_misfits_in_a_row_are_a_redesign(pages: str, has_failed: bool) -> None:
    assert fit_of(pages).has_failed is has_failed


def test_rare_misfits_are_no_redesign() -> None:
    chance = random.Random(1)
    alarms = 0
    for _ in range(200):
        fit = TemplateFit()
        for _ in range(100):
            fit = fit.add(1000, chance.random() > 0.03)
            alarms += fit.has_failed
            fit = TemplateFit() if fit.has_failed else fit
    assert alarms <= 2


@pytest.mark.parametrize(
    ("length", "unseen", "expected"),
    [(1000, 0.0, False), (240, 0.0, True), (260, 0.0, False), (8100, 0.0, True), (1000, 0.6, True)],
)
def test_unusual_texts(length: int, unseen: float, expected: bool) -> None:
    fit = TemplateFit()
    for usual in (1000, 1000, 1500, 2000, 2000):
        fit = fit.add(usual, True)
    assert fit.is_unusual(length, unseen) is expected
    assert not TemplateFit().is_unusual(length, 0.0)


def test_few_lengths_are_kept_and_misfits_give_none() -> None:
    fit = fit_of("+" * 80 + "-")
    assert (fit.pages, len(fit.lengths)) == (81, 50)
    assert loads(TemplateFit, dumps(fit)) == fit


def test_the_only_template_is_superseded_after_two_pages() -> None:
    assert [is_superseded(30, 30, n) for n in (1, 2)] == [False, True]
    assert not is_superseded(0, 0, 100)
