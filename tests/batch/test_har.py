"""HAR files: the pages among the responses that they record."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy import RawPage
from forest_scrapy.batch import har
from forest_scrapy.batch.har import read_har

MAX_BYTES = 1_000
PAGE = "<html><body><p>Über Köln</p></body></html>"


def entry(
    url: str, text: str | None, mime_type: str = "text/html", **values: Any
) -> dict[str, Any]:
    content = {"size": 9, "mimeType": mime_type, "text": text}
    content.update(values.pop("content", {}))
    return {
        "startedDateTime": "2024-05-03T15:47:42.123Z",
        "request": {"method": "GET", "url": url, "headers": []},
        "response": {"status": values.pop("status", 200), "content": content},
        **values,
    }


def read(*entries: dict[str, Any]) -> list[RawPage]:
    data = json.dumps({"log": {"version": "1.2", "entries": entries}}).encode()
    return list(read_har(io.BytesIO(data), "a.har", MAX_BYTES))


def test_the_pages_are_read_and_nothing_else() -> None:
    encoded = base64.b64encode(PAGE.encode("latin-1")).decode()
    latin = "text/html; charset=iso-8859-1"
    first, second = read(
        entry("http://a.example/", PAGE, "text/html; charset=utf-8"),
        entry("http://a.example/a.png", "iVBORw0KGgo=", "image/png"),
        entry("http://a.example/gone", PAGE, status=404),
        entry("http://a.example/moved", "", status=301),
        entry("http://a.example/2", encoded, latin, content={"encoding": "base64"}),
    )
    assert (first.url, first.body, first.source) == ("http://a.example/", PAGE, "a.har:1")
    assert first.fetched_at == "2024-05-03T15:47:42.123Z"
    assert (second.url, second.source) == ("http://a.example/2", "a.har:5")
    assert second.body == PAGE.encode("latin-1") and second.headers == {"Content-Type": latin}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"text": None}, "was not recorded"),
        ({"text": ""}, "was not recorded"),
        ({"text": 5}, "cannot be decoded"),
        ({"text": "a", "encoding": "base64"}, "cannot be decoded"),
    ],
)
def test_a_page_without_its_content_is_named(content: dict[str, Any], problem: str) -> None:
    bad, good = read(
        entry("http://a.example/1", "", content=content),
        entry("http://a.example/2", PAGE),
    )
    assert problem in bad.error and bad.url == "http://a.example/1"
    assert not good.error


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"response": None}, ""),  # it was aborted
        ({"response": {"status": None, "content": None}}, ""),
        ({"response": "aborted"}, "cannot be read"),
        ({"request": {"url": None}}, "cannot be read"),
    ],
)
def test_an_odd_entry_loses_no_other(values: dict[str, Any], problem: str) -> None:
    odd = {**entry("http://a.example/1", PAGE), **values}
    *bad, good = read(odd, entry("http://a.example/2", PAGE))
    assert good.body == PAGE and good.source == "a.har:2"
    assert [page.source for page in bad] == (["a.har:1"] if problem else [])
    assert all(problem in page.error for page in bad)


def test_a_page_above_the_bound_is_known_to_be_too_long() -> None:
    (page,) = read(entry("http://a.example/", "<p>" * 5_000))
    assert len(page.body) == MAX_BYTES + 1


@pytest.mark.parametrize(
    "data", [b"", b"{}", b'{"log": 1}', b"<html>", b"[" * 100_000, b'{"log": {"entries": [3]}}']
)
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no HAR file"):
        list(read_har(io.BytesIO(data), "a.har", MAX_BYTES))


def test_files_above_the_bound_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(har, "_MAX_SIZE", 100)
    with pytest.raises(ValueError, match="above 100 bytes"):
        read(entry("http://a.example/", PAGE))


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=9),
        lambda part: (
            st.lists(part, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["request", "response", "content", "text", "url", "mimeType", "status"]
                ),
                part,
                max_size=3,
            )
        ),
    )
)
def test_any_entry_is_read_or_refused(value: Any) -> None:
    data = json.dumps({"log": {"entries": [value, entry("http://a.example/", PAGE)]}}).encode()
    try:
        pages = list(read_har(io.BytesIO(data), "a.har", MAX_BYTES))
    except ValueError:
        return
    assert pages[-1].body == PAGE
