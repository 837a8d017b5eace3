"""Finding the feeds of a site."""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

__all__ = ["USUAL_PATHS", "discover_feeds"]

#: Paths of feeds that sites do not link, from the common site generators.
USUAL_PATHS = (
    "/feed/", "/feed.xml", "/rss.xml", "/atom.xml", "/index.xml", "/rss", "/feed",
    "/feeds/all.atom.xml", "/feeds/posts/default", "/blog/feed/", "/index.rdf",
)  # fmt: skip

_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/rdf+xml")


def discover_feeds(root: Any, url: str) -> list[str]:
    """URLs of the feeds that a page links as alternates, in the page's order, feeds of comments
    last.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<link rel=alternate type=application/rss+xml href=feed.xml>")
    >>> discover_feeds(page, "http://a.example/news/")
    ['http://a.example/news/feed.xml']
    """
    base = root.xpath("string(//base/@href)")
    found = []
    for link in root.xpath("//link[@href][@rel]"):
        is_feed = (link.get("type") or "").split(";")[0].strip().lower() in _FEED_TYPES
        if is_feed and "alternate" in link.get("rel").lower().split():
            found.append(urljoin(urljoin(url, base), link.get("href").strip()))
    unique = dict.fromkeys(found)
    return sorted(unique, key=lambda feed: "comment" in feed.lower())
