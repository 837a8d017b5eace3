"""What feeds say about polling them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.feeds.schedule import FeedHints, read_hints, read_retry_after

URL = "http://a.example/feed"
FEED = b"""<?xml version="1.0"?><rss xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<ttl> 90 </ttl><sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>
<atom:link rel="hub" href="https://hub.example/"/><atom:link href="?page=2&amp;x=1" rel='next'/>
%s<item><ttl>1</ttl></item></channel></rss>"""


def test_hints() -> None:
    found = read_hints(FEED % b"", URL, {"Cache-Control": "public, max-age=600"})
    assert found == FeedHints(
        ttl=5400, max_age=600, period=21_600, hub="https://hub.example/", older=f"{URL}?page=2&x=1"
    )
    assert FeedHints.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_an_archive_is_preferred_to_the_next_page() -> None:
    link = b'<link rel="prev-archive" href="/2023.xml"/>'
    assert read_hints(FEED % link, URL, {}).older == "http://a.example/2023.xml"


def test_a_feed_without_hints() -> None:
    assert read_hints(b"<rss><channel><item><ttl>5</ttl></item>", URL, {}) == FeedHints()


@pytest.mark.parametrize("text", ["", "soon", "-3", "Thu, 99 Jan 1970 00:00:00 GMT"])
def test_a_retry_after_that_cannot_be_read(text: str) -> None:
    assert read_retry_after(text, 0) is None


@given(st.binary(max_size=300))
def test_any_bytes(body: bytes) -> None:
    assert isinstance(read_hints(body + b"<link rel='next' href='http://[", URL, {}), FeedHints)
