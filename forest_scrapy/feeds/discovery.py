"""Finding the feeds of a site."""

from __future__ import annotations

from typing import Any

from forest_scrapy.core.document.urls import absolute_url

__all__ = ["USUAL_PATHS", "discover_feeds"]

#: Paths of feeds that sites do not link, from the common site generators.
USUAL_PATHS = (
    "/feed/", "/feed.xml", "/rss.xml", "/atom.xml", "/index.xml", "/rss", "/feed",
    "/feeds/all.atom.xml", "/feeds/posts/default", "/blog/feed/", "/index.rdf",
)  # fmt: skip

#: Feeds taken from a page.
_MOST_FEEDS = 50

_FEED_TYPES = (
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "application/feed+json",
)


def discover_feeds(root: Any, url: str) -> list[str]:
    """The http and https URLs of the feeds that a page links as alternates, in the page's order,
    feeds of comments last; at most ``_MOST_FEEDS``.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<link rel=alternate type=application/rss+xml href=feed.xml>")
    >>> discover_feeds(page, "http://a.example/news/")
    ['http://a.example/news/feed.xml']
    """
    base = absolute_url(root.xpath("string(//base/@href)"), url)
    found = []
    for link in root.xpath("//link[@href][@rel]"):
        is_feed = (link.get("type") or "").split(";")[0].strip().lower() in _FEED_TYPES
        if is_feed and "alternate" in link.get("rel").lower().split():
            found.append(absolute_url(link.get("href"), base if base.startswith("http") else url))
    unique = dict.fromkeys(feed for feed in found if feed.startswith(("http:", "https:")))
    return sorted(unique, key=lambda feed: "comment" in feed.lower())[:_MOST_FEEDS]
