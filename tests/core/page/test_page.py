from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Entry, Extract, Page

entries = st.builds(
    Entry,
    *[st.text(max_size=8)] * 5,
    tags=st.lists(st.text(max_size=4), max_size=3).map(tuple),
    feed=st.text(max_size=8),
)


@given(entries)
def test_json_round_trip_of_entries(entry: Entry) -> None:
    assert Entry.from_dict(json.loads(json.dumps(entry.to_dict()))) == entry


@pytest.mark.parametrize(
    ("title", "description", "text"),
    [("a", "b", "a\nb"), ("a", "", "a"), ("", "b", "b"), ("", "", "")],
)
def test_the_text_of_an_entry(title: str, description: str, text: str) -> None:
    assert Entry(title, description).text == text


def test_derived_values_are_computed_once() -> None:
    page = Page.from_html("<p>a")
    assert page.outline is page.outline


def test_values_are_frozen() -> None:
    for value in (Entry(), Page.from_html(""), Extract()):
        with pytest.raises(FrozenInstanceError):
            value.text = "b"  # type: ignore[misc,union-attr]
