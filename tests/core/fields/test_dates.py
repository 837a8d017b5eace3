"""Dates in many languages."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.fields.dates import find_date, read_date

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
