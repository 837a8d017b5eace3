"""Reading the items of a feed."""

from __future__ import annotations

from typing import Any

import pytest

from forest_scrapy.core import Entry
from forest_scrapy.feeds.reader import read_feed

FEED = "http://a.example/feed.xml"
RSS = """<?xml version="1.0"?><rss version="2.0"
 xmlns:slash="http://purl.org/rss/1.0/modules/slash/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>News</title><item><title>Boats</title><link>/boats</link>{}</item></channel></rss>"""
ATOM = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"
 xmlns:thr="http://purl.org/syndication/thread/1.0"><title>News</title>
<entry><title>Boats</title><link href="/boats"/><id>x</id>{}</entry></feed>"""


def read(form: str, inside: str) -> Entry:
    items, problem = read_feed(form.format(inside).encode(), FEED, {})
    assert problem == ""
    assert [url for url, _ in items] == ["http://a.example/boats"]
    return items[0][1]


@pytest.mark.parametrize(
    ("form", "inside", "name", "value"),
    [
        (RSS, "<comments>/boats#talk</comments>", "comments_url", "http://a.example/boats#talk"),
        (RSS, "<slash:comments>12</slash:comments>", "comments_count", 12),
        (RSS, "<slash:comments>many</slash:comments>", "comments_count", None),
        (RSS, "", "comments_url", ""),
        (ATOM, '<link rel="replies" href="/talk"/>', "comments_url", "http://a.example/talk"),
        (ATOM, "<thr:total>3</thr:total>", "comments_count", 3),
        (RSS, "<dc:creator>Ana Bo</dc:creator>", "author", "Ana Bo"),
        (
            ATOM,
            "<author><name>Ana Bo</name></author><author><name>Cy Dee</name></author>",
            "author",
            "Ana Bo, Cy Dee",
        ),
        (RSS, "<category>Sea</category><category>Sea</category>", "tags", ("Sea",)),
    ],
)
def test_parts_of_an_entry(form: str, inside: str, name: str, value: Any) -> None:
    assert getattr(read(form, inside), name) == value


def test_dates_keep_their_offset() -> None:
    entry = read(
        ATOM,
        "<published>2024-05-01T10:00:00+02:00</published>"
        "<updated>2024-05-02T11:00:00+02:00</updated>",
    )
    assert entry.published == "2024-05-01T10:00:00+02:00"
    assert entry.updated == "2024-05-02T11:00:00+02:00"


def test_an_entry_is_read_from_its_dict() -> None:
    entry = read(RSS, "<comments>/talk</comments><slash:comments>2</slash:comments>")
    assert Entry.from_dict(entry.to_dict()) == entry
