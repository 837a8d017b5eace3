"""Where the older items of a feed are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.feeds.discovery import older_page

SITE = "https://a.example"


@pytest.mark.parametrize(
    ("url", "body", "older"),
    [
        ("/rss", '<rss><channel><atom:link rel="next" href="/rss?from=9"/><item>', "/rss?from=9"),
        ("/a", "<feed><link rel='prev-archive' href='2023.xml'/><entry>", "/2023.xml"),
        ("/a", "<feed><link rel='next' href='mailto:a@b.example'/><entry>", ""),
        ("/f.json", '{"items": [], "next_url": "/f.json?2"}', "/f.json?2"),
        ("/f.json", '{"items": []}', "/f.json?page=2"),
        ("/f.json", '{"items": [', "/f.json?page=2"),
        ("/x", "<rss><generator>https://wordpress.org/?v=6.5</generator><item>", "/x?paged=2"),
        ("/blog/feed/", "<rss>", "/blog/feed/?paged=2"),
        ("/feed/?paged=2", "<rss>", "/feed/?paged=3"),
        ("/b", "<feed><generator version='7.00'>Blogger</generator>", "/b?start-index=11"),
        ("/feeds/posts/default?start-index=11", "<feed>", "/feeds/posts/default?start-index=21"),
        ("/archive/page/12/", "<rss>", "/archive/page/13/"),
        ("/archive/page/9.xml", "<rss>", "/archive/page/10.xml"),
        ("/rss?page=2&x=1", "<rss>", "/rss?page=3&x=1"),
        ("/rss", "<rss>", "/rss?page=2"),
    ],
)
def test_older_page(url: str, body: str, older: str) -> None:
    assert older_page(SITE + url, body.encode(), 10) == (older and SITE + older)


@given(st.binary(max_size=300), st.text(max_size=30), st.integers(0, 2000))
def test_any_feed(body: bytes, path: str, items: int) -> None:
    url = older_page(f"{SITE}/{path}", body, items)
    assert not url or url.startswith(("http://", "https://"))
