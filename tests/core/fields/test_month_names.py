"""Dates with the month in words are read as dateparser reads them."""

from __future__ import annotations

from datetime import datetime

import dateparser
import pytest

from forest_scrapy.core.fields.month_names import read_month_date

SETTINGS = {"REQUIRE_PARTS": ["day", "month", "year"]}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("September 27, 2015", "en"),
        ("27th Sept. 2015", "en"),
        ("3. März 2024", "de"),
        ("1er février 2020", "fr"),
        ("3 de mayo de 2024", "es"),
        ("3 мая 2024", "ru"),
        ("2024. május 3.", "hu"),
        ("2024年5月3日", "ja"),
        ("2024년 5월 3일", "ko"),
    ],
)
def test_dates_in_many_languages(text: str, language: str) -> None:
    found = read_month_date(text, language)
    assert found is not None
    assert found == dateparser.parse(text, languages=[language], settings=SETTINGS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("31 June 2024", "en"),
        ("2024年13月3日", "zh"),
        ("3 May 2024 at 15:47", "en"),
        ("Posted 3 May 2024", "en"),
        ("3 May 24", "en"),
        ("3 May 2024", "de"),
        ("May 2024", "en"),
        ("3 May 2024", "../../etc"),
        ("3 May 2024", ""),
    ],
)
def test_other_texts_are_left_to_dateparser(text: str, language: str) -> None:
    assert read_month_date(text, language) is None


def test_a_day_of_one_digit_and_a_year() -> None:
    assert read_month_date("May 3, 2024", "en") == datetime(2024, 5, 3)
