"""Dates in many languages."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Page
from forest_scrapy.core.fields.dates import find_date, read_date
from forest_scrapy.core.fields.read_fields import read_fields

NOON = "2026-01-01T12:00:00+00:00"
CASES = json.loads((Path(__file__).parent / "dates.json").read_text(encoding="utf-8"))["dates"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_dates(case: dict[str, Any]) -> None:
    assert read_date(case["text"], case["language"], NOON) == case["date"]


DATE_PIECES = st.lists(
    st.sampled_from(["2024", "2099", "31", "5", "May", "März", "12:30", "ago", "-", "/", ".", " "]),
    max_size=8,
).map("".join)


@given(
    st.text(max_size=60) | DATE_PIECES,
    st.sampled_from(["", "en", "de", "xx", "en-GB", "zz-ZZ"]),
)
def test_any_text_gives_a_past_date_or_none(text: str, language: str) -> None:
    for found in (read_date(text, language, NOON), find_date(text, language, NOON)):
        if found:
            assert datetime.fromisoformat(found).replace(tzinfo=None) < datetime(2026, 1, 2, 3)


@pytest.mark.parametrize(
    ("head", "day"),
    [
        ("<html lang=en-GB>", "2024-05-03"),
        ("<html lang=en><meta property=og:locale content=en_GB>", "2024-05-03"),
        ("<html lang=en><meta property=og:locale content=fr_FR>", "2024-03-05"),
        ("<html lang=en-US><meta property=og:locale content=en_GB>", "2024-03-05"),
    ],
)
def test_the_region_of_the_page_decides_the_order_of_day_and_month(head: str, day: str) -> None:
    page = Page.from_html(f"{head}<h1>Boats</h1><p class=date>03/05/2024</p>", "http://a.example/")
    assert read_fields(page).published == day


def test_seldom_used_meta_elements_have_the_date() -> None:
    page = Page.from_html("<meta name=published-date content=2024-05-03>", "http://a.example/")
    assert read_fields(page).published == "2024-05-03"


def test_the_country_of_the_host_decides_the_order_of_an_english_page() -> None:
    html = "<html lang=en><h1>Boats</h1><p class=date>03/05/2024</p>"
    assert read_fields(Page.from_html(html, "http://a.co.uk/b")).published == "2024-05-03"
    assert read_fields(Page.from_html(html, "http://a.tv/b")).published == "2024-03-05"


@pytest.mark.parametrize(
    ("order", "day"), [("DMY", "2024-05-03"), ("MDY", "2024-03-05"), ("", "2024-03-05")]
)
def test_a_known_order_comes_before_that_of_the_language(order: str, day: str) -> None:
    assert read_date("03/05/2024", "en", order=order) == day


def test_a_day_above_twelve_is_no_month_whatever_the_order() -> None:
    assert read_date("23/05/2024", "en", order="MDY") == "2024-05-23"


@pytest.mark.parametrize(
    "text", ["3 May 2024 " + "at " * 60, "1" * 190, "(" * 190, "3.5.2024" * 24, "2024 m " * 28]
)
def test_hostile_texts_do_not_take_long(text: str) -> None:
    for _ in range(100):
        find_date(text, "en")
