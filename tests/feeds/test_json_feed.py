"""Reading JSON Feed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Entry
from forest_scrapy.core.page.content import MediaFile
from forest_scrapy.feeds.reader import read_feed

URL = "http://a.example/feed.json"
VERSION = "https://jsonfeed.org/version/1.1"


def read(item: dict[str, Any], **feed: Any) -> tuple[str, Entry]:
    body = json.dumps({"version": VERSION, "title": "A", "items": [item], **feed}).encode()
    found = read_feed(body, URL, {"Content-Type": "application/feed+json"})
    assert found.problem == ""
    return found.items[0]


def test_an_item_with_everything() -> None:
    url, entry = read(
        {
            "id": "1",
            "url": "/owls",
            "title": "Owls &amp; elks",
            "summary": "Two <b>owls</b>",
            "content_html": "<p>Two owls sat.</p>",
            "date_published": "2024-05-01T10:00:00+02:00",
            "date_modified": "2024-05-02T10:00:00+02:00",
            "authors": [{"name": "Ana Bo"}, {"name": "Cy Dee"}, {}],
            "tags": ["sea", "sea", 7],
            "image": "/i.jpg",
            "attachments": [
                {"url": "/1.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 9000},
                {"mime_type": "audio/mpeg"},
            ],
        }
    )
    assert url == "http://a.example/owls"
    assert entry == Entry(
        title="Owls & elks",
        description="Two owls",
        id="1",
        published="2024-05-01T10:00:00+02:00",
        updated="2024-05-02T10:00:00+02:00",
        author="Ana Bo, Cy Dee",
        tags=("sea",),
        feed=URL,
        content="<p>Two owls sat.</p>",
        enclosures=(
            MediaFile("http://a.example/1.mp3", "audio/mpeg", 9000),
            MediaFile("http://a.example/i.jpg", "image/jpeg"),
        ),
    )
    assert Entry.from_dict(json.loads(json.dumps(entry.to_dict()))) == entry


def test_half_of_a_character_is_replaced() -> None:
    _, entry = read({"url": "/owls", "title": "Owls \ud83e", "content_html": "<p>Owls \ud83e"})
    assert (entry.title, entry.content) == ("Owls ?", "<p>Owls ?")


def test_version_1_0() -> None:
    url, entry = read(
        {"id": "http://a.example/1", "content_text": "a < b\nc"},
        version="https://jsonfeed.org/version/1",
        author={"name": "Ana Bo"},
    )
    assert (url, entry.author) == ("http://a.example/1", "Ana Bo")
    assert (entry.description, entry.content) == ("a < b c", "<p>a &lt; b</p><p>c</p>")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"{", "not a feed: Expecting property name"),
        (b'{"a": 1}', "not a feed: JSON without items"),
        (b'{"items": {}}', "not a feed: JSON without items"),
        (b'{"items": []}', "no items"),
        (b'{"items": [1, null, {"id": 7}, {"url": "mailto:a@b.c"}]}', "no item with a link"),
        (b'{"items":' + b"[" * 100_000, "not a feed: "),
    ],
)
def test_what_is_wrong_with_a_feed(body: bytes, problem: str) -> None:
    feed = read_feed(body, URL, {})
    assert feed.items == ()
    assert feed.problem.startswith(problem)


_NAMES = (
    "id url title summary content_html content_text date_published tags authors author attachments"
    " image mime_type size_in_bytes name"
).split()
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.just("http://a.example/"),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_NAMES), inner, max_size=6)
    ),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.sampled_from(_NAMES), _VALUES), max_size=4))
def test_any_json_is_read(items: list[Any]) -> None:
    feed = read_feed(json.dumps({"items": items, "next_url": items}).encode(), URL, {})
    assert bool(feed.items) != bool(feed.problem)
