"""Answers in JSON."""

from __future__ import annotations

import json

import pytest

from forest_scrapy.core.records.next_page import find_next_page
from forest_scrapy.forms.answers import Answer, AnswerReader
from forest_scrapy.forms.data import find_records, is_data_page, read_data_page

URL = "http://a.example/api/towns?q=x"


def test_records_are_read_by_their_keys() -> None:
    document = {
        "meta": {"total": 2, "facets": [{"name": "North", "count": 3}]},
        "items": [
            {
                "name": "Bor",
                "people": 1234567,
                "since": "1999-05-03",
                "place": {"region": {"name": "North"}, "lat": 3.5},
                "tags": ["old", "walled"],
                "href": "/town/1",
                "mayor": None,
            },
            {"name": "Cer", "people": 0, "capital": True},
        ],
    }
    page = read_data_page(json.dumps(document), URL)
    assert page is not None and is_data_page(page)
    records = AnswerReader().read(Answer(page, ()))
    assert records is not None
    first, second = records
    assert first.values == {
        "name": "Bor",
        "people": "1234567",
        "since": "1999-05-03",
        "place.region.name": "North",
        "place.lat": "3.5",
        "tags": "old, walled",
        "href": "http://a.example/town/1",
    }
    types = {value.name: value.type for value in first.record.values}
    assert (types["people"], types["since"], types["href"]) == ("number", "date", "url")
    assert (first.title, first.url) == ("Bor", "http://a.example/town/1")
    assert second.values == {"name": "Cer", "people": "0", "capital": "true"}


@pytest.mark.parametrize(
    ("text", "is_answer"),
    [
        ("<html>", False),
        ("", False),
        ("[1, 2", False),
        ("[" * 100_000, False),
        ('{"a": ' * 5000 + "1" + "}" * 5000, None),
        ("[]", True),
        ('{"error": "nothing"}', True),
    ],
)
def test_what_is_no_answer(text: str, is_answer: bool | None) -> None:
    """Very deep ones may be read or not; they end, and have no records."""
    page = read_data_page(text, URL)
    if is_answer is not None:
        assert (page is not None) == is_answer
    if page is not None:
        assert AnswerReader().read(Answer(page, ())) == []


def test_the_array_with_the_most_values_has_the_records() -> None:
    rows = [{"a": 1, "b": 2}, {"a": 3}]
    assert find_records([{"x": 1}, {"rows": rows}]) == [{"x": 1}, {"rows": rows}]
    assert find_records({"y": [{"a": 1}] * 2, "data": {"rows": rows}}) == rows
    assert find_records({"y": [1, 2, 3]}) == []


@pytest.mark.parametrize(
    "links",
    [{"next": "/api/towns?page=2"}, {"links": {"next": {"href": "?page=2"}}}],
)
def test_the_next_page(links: dict[str, object]) -> None:
    page = read_data_page(json.dumps({"items": [{"a": "b"}], **links}), URL)
    assert page is not None
    assert find_next_page(page) == "http://a.example/api/towns?page=2"


def test_large_answers_are_cut() -> None:
    many_keys = {f"k{number}": number for number in range(5000)}
    page = read_data_page(json.dumps([many_keys] * 3 + [{"a": 1}] * 9000), URL)
    assert page is not None
    records = AnswerReader().read(Answer(page, ()))
    assert records is not None
    assert (len(records), len(records[0].values)) == (2000, 100)
