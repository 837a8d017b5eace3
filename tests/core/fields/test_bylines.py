"""Names in bylines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.fields.bylines import is_plausible_name, split_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Ana Bo", ["Ana Bo"]),
        ("Von Ana Bo und Cy Dee, Berlin", ["Ana Bo", "Cy Dee"]),
        ("Por Juan Ortega y Gasset", ["Juan Ortega y Gasset"]),
        ("Ana Bo y Cy Dee", ["Ana Bo", "Cy Dee"]),
        ("記者 牛镛", ["牛镛"]),
        ("Ana Bo, ana@a.example, @ana", ["Ana Bo"]),
        ("5 minutes", []),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert split_names(text, is_visible=True) == names


@given(st.text(), st.booleans())
def test_any_text_gives_names_only(text: str, is_visible: bool) -> None:
    assert all(map(is_plausible_name, split_names(text, is_visible)))
