"""Where the older items of a feed are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.feeds.discovery import older_page
from forest_scrapy.feeds.feed_items import Feed
from forest_scrapy.feeds.reader import read_feed

SITE = "https://a.example"
RSS = "<rss xmlns:atom='http://www.w3.org/2005/Atom'><channel>"


ITEM, ENTRY = "<item><link>/1</link></item>", "<entry><link href='/1'/></entry>"


@pytest.mark.parametrize(
    ("url", "body", "older"),
    [
        ("/rss", f"{RSS}<atom:link rel='next' href='/rss?from=9'/>", "/rss?from=9"),
        ("/a", "<feed><link rel='prev-archive' href='2023.xml'/>", "/2023.xml"),
        ("/a", "<feed><link rel='next' href='mailto:a@b.example'/>", ""),
        ("/f.json", '{"items": [{"url": "/1"}], "next_url": "/f.json?2"}', "/f.json?2"),
        ("/f.json", '{"items": [{"url": "/1"}]}', "/f.json?page=2"),
        (
            "/x",
            "<rss><channel><generator>https://wordpress.org/?v=6.5</generator>",
            "/x?paged=2",
        ),
        ("/x", "<feed><generator uri='https://wordpress.org/'>WP</generator>", "/x?paged=2"),
        ("/blog/feed/", "<rss>", "/blog/feed/?paged=2"),
        ("/feed/?paged=2", "<rss>", "/feed/?paged=3"),
        ("/b", "<feed><generator version='7.00'>Blogger</generator>", "/b?start-index=2"),
        ("/feeds/posts/default?start-index=11", "<feed>", "/feeds/posts/default?start-index=12"),
        ("/archive/page/12/", "<rss>", "/archive/page/13/"),
        ("/archive/page/9.xml", "<rss>", "/archive/page/10.xml"),
        ("/rss?page=2&x=1", "<rss>", "/rss?page=3&x=1"),
        ("/rss", "<rss>", "/rss?page=2"),
    ],
)
def test_older_page(url: str, body: str, older: str) -> None:
    """Each feed has one item."""
    item = "" if body.startswith("{") else ENTRY if body.startswith("<feed") else ITEM
    feed = read_feed((body + item).encode(), SITE + url, {})
    assert len(feed.items) == 1
    assert older_page(SITE + url, feed) == (older and SITE + older)


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_any_feed(path: str, older: str, generator: str) -> None:
    url = older_page(f"{SITE}/{path}", Feed(older=older, generator=generator))
    assert not url or url.startswith(("http://", "https://"))
