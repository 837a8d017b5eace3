"""Finding the feeds that a page links."""

from __future__ import annotations

import pytest

from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.feeds.discovery import discover_feeds

PAGE = "http://a.example/news/"


def discover(*hrefs: str, base: str = "") -> list[str]:
    links = "".join(
        f'<link rel=alternate type="application/rss+xml" href="{href}">' for href in hrefs
    )
    return discover_feeds(parse_html(f"<head>{base}{links}</head>"), PAGE)


@pytest.mark.parametrize(
    "href",
    [
        "file:///etc/feed.xml",
        "file://a.example/etc/feed.xml",
        "javascript:alert(1)",
        "java\tscript:alert(1)",
        "http://[",
        "http://[::1",
        "data:application/rss+xml,x",
        "mailto:a@a.example",
        "ftp://a.example/feed.xml",
    ],
)
def test_only_valid_http_urls_are_feeds(href: str) -> None:
    assert discover(href, "ok.xml") == ["http://a.example/news/ok.xml"]


@pytest.mark.parametrize("base", ["file:///etc/", "http://[", "javascript:x", "mailto:a@b"])
def test_a_bad_base_is_ignored(base: str) -> None:
    assert discover("ok.xml", base=f"<base href='{base}'>") == ["http://a.example/news/ok.xml"]


def test_the_number_of_feeds_is_bounded() -> None:
    assert len(discover(*(f"{i}.xml" for i in range(1000)))) == 50


def test_feeds_of_comments_come_last() -> None:
    found = discover("/comments/feed", "/feed")
    assert found == ["http://a.example/feed", "http://a.example/comments/feed"]


def test_feeds_in_the_header_come_after_those_of_the_page() -> None:
    page = parse_html('<link rel=alternate type="application/rss+xml" href=/a>')
    header = (
        '</b>; rel="alternate"; type="application/atom+xml", </a>; rel=alternate;'
        " type=application/rss+xml, </c>; rel=alternate; type=text/html"
    )
    assert discover_feeds(page, PAGE, header) == ["http://a.example/a", "http://a.example/b"]
