"""What feeds say about polling them, and about who made them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.codec import from_json, to_json
from forest_scrapy.feeds.feed_items import Feed
from forest_scrapy.feeds.reader import read_feed
from forest_scrapy.feeds.schedule import FeedHints, read_max_age, read_retry_after

URL = "http://a.example/feed"
BEYOND = "Thu, 01 Jan 99999999999999999999 00:00:00 GMT"
ITEM = b"<item><link>/1</link><ttl>1</ttl></item></channel></rss>"
FEED = b"""<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<ttl> 90 </ttl><sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>
<atom:link rel="hub" href="https://hub.example/"/><atom:link href="?page=2&amp;x=1" rel='next'/>
%s"""


def read(body: bytes, **headers: str) -> Feed:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return read_feed(body + ITEM, URL, named)


def test_hints() -> None:
    feed = read(FEED % b"", Cache_Control="public, max-age=600")
    expected = FeedHints(ttl=5400, max_age=600, period=21_600, hub="https://hub.example/")
    assert (feed.hints, feed.older) == (expected, f"{URL}?page=2&x=1")
    assert from_json(Feed, to_json(feed)) == feed


def test_other_names_of_namespaces() -> None:
    body = (
        b'<rss version="2.0" xmlns:a="http://www.w3.org/2005/Atom"'
        b' xmlns:s="http://purl.org/rss/1.0/modules/syndication/"><channel>'
        b'<s:updatePeriod>weekly</s:updatePeriod><a:link rel="hub" href="/hub"/>'
    )
    assert read(body).hints == FeedHints(period=7 * 86_400, hub="http://a.example/hub")


def test_the_prefix_of_atom_is_not_declared() -> None:
    links = b'<atom:link rel="self" href="/"/><atom:link rel="next" href="/2"/>'
    assert read(b"<rss><channel>" + links).older == "http://a.example/2"


def test_hints_of_earlier_versions_are_read() -> None:
    stored = {"ttl": 60, "older": "http://a.example/2"}
    assert from_json(FeedHints, stored, ignore_unknown=True) == FeedHints(ttl=60)


def test_an_archive_is_preferred_to_the_next_page() -> None:
    feed = read(FEED % b'<atom:link rel="prev-archive" href="/2023.xml"/>')
    assert feed.older == "http://a.example/2023.xml"


def test_a_feed_without_hints() -> None:
    feed = read(b"<rss><channel>")
    assert (feed.hints, feed.older, feed.generator) == (FeedHints(), "", "")


@pytest.mark.parametrize("ttl", ["", "soon", "-3", "1.5", "<b>"])
def test_a_ttl_that_is_no_number(ttl: str) -> None:
    assert read(b"<rss><channel><ttl>%s</ttl>" % ttl.encode()).hints == FeedHints()


def test_json_feed() -> None:
    body = b'{"items": [{"url": "/1"}], "next_url": "/2.json"}'
    feed = read_feed(body, URL, {"Cache-Control": "max-age=60"})
    assert (feed.hints, feed.older) == (FeedHints(max_age=60), "/2.json")


DATE = {"Date": "Thu, 01 Jan 1970 00:00:30 GMT"}
EXPIRES = {"Expires": "Thu, 01 Jan 1970 01:00:30 GMT"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Cache-Control": 'private, Max-Age="600"'}, 600),
        ({"Cache-Control": "max-age=600", "Age": "500"}, 100),
        ({"Cache-Control": "max-age=600", "Age": "700"}, 0),
        ({"Cache-Control": "max-age=60", **DATE, **EXPIRES}, 60),
        (DATE | EXPIRES, 3600),
        (DATE | EXPIRES | {"Age": "1800"}, 1800),
        (EXPIRES, None),
        (DATE | {"Expires": "0"}, None),
        (DATE | {"Expires": BEYOND}, None),
        (DATE | {"Expires": DATE["Date"]}, 0),
        ({"Cache-Control": "no-cache, max-age=600"}, None),
        ({"Cache-Control": 'max-age=600, no-cache="Set-Cookie"'}, 600),
        ({"Cache-Control": "no-store", **DATE, **EXPIRES}, None),
        ({"Cache-Control": "s-maxage=600"}, None),
    ],
)
def test_how_long_a_response_may_be_kept(headers: dict[str, str], seconds: int | None) -> None:
    assert read_max_age(headers) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-3", "Thu, 99 Jan 1970 00:00:00 GMT", BEYOND])
def test_a_retry_after_that_cannot_be_read(text: str) -> None:
    assert read_retry_after(text, 0) is None


def test_a_date_beyond_all_numbers() -> None:
    """The other entries of the feed are read."""
    head = f"<rss><channel><item><link>/0</link><pubDate>{BEYOND}</pubDate></item>"
    assert len(read(head.encode()).items) == 2


@given(st.binary(max_size=300))
def test_any_bytes(body: bytes) -> None:
    assert isinstance(read(body + b"<link rel='next' href='http://["), Feed)
