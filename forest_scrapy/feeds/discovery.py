"""Finding feeds: those that a page links, those in an OPML file, and the pages with older items."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import listparser
from w3lib.url import add_or_replace_parameter

from forest_scrapy.core.page.urls import absolute_url
from forest_scrapy.feeds.bounds import LARGEST
from forest_scrapy.feeds.feed_items import page_url
from forest_scrapy.feeds.json_feed import is_json
from forest_scrapy.feeds.schedule import HEAD, read_hints

__all__ = ["USUAL_PATHS", "discover_feeds", "is_opml", "older_page", "read_opml"]

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


_GENERATOR = re.compile(rb"<generator\b[^>]*>[^<]{0,200}", re.IGNORECASE)
#: Parameters with the number of the page, and the same in a path.
_NUMBERS = ("paged", "page", "pg", "p", "pagenum")
_PATH_NUMBER = re.compile(r"(/pages?/)(\d{1,6})(?=/|\.|$)", re.IGNORECASE)
#: Blogger's number of the first item, from 1.
_START = "start-index"


def older_page(url: str, body: bytes, items: int, is_first: bool = True) -> str:
    """The URL of the page of a feed that has the items before those of this one; ``""`` if there
    is none, or none that can be requested.

    It is the page that the feed names (RFC 5005: ``prev-archive`` or ``next``; ``next_url`` of
    JSON Feed), or else the next one by number: ``start-index`` (Blogger), ``paged`` (WordPress),
    or ``page``.  Other servers ignore the number; their next page has the same items.  ``items``:
    the number of items on this page; ``is_first``: whether it is the feed itself.

    >>> older_page("https://a.example/feed/", b"<rss>", 10)
    'https://a.example/feed/?paged=2'
    >>> older_page("https://a.example/rss?page=3", b"<rss>", 10)
    'https://a.example/rss?page=4'
    """
    if named := _named_page(url, body):
        return page_url(named, url)
    if match := _PATH_NUMBER.search(urlsplit(url).path):
        number = int(match[2]) + 1
        return url.replace(match[0], f"{match[1]}{number}", 1)
    given = parse_qs(urlsplit(url).query)
    for name in (_START, *_NUMBERS):
        value = given.get(name, [""])[-1]
        if value.isdecimal():
            step = max(items, 1) if name == _START else 1
            return add_or_replace_parameter(url, name, str(int(value[:9]) + step))
    return _second_page(url, body, items) if is_first else ""


def _named_page(url: str, body: bytes) -> str:
    """The URL of older items that the feed names, ``""`` if there is none."""
    if not is_json(body):
        return read_hints(body, url, {}).older
    try:
        feed = json.loads(body[:LARGEST].decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return ""
    return str(feed.get("next_url") or "")


def _second_page(url: str, body: bytes, items: int) -> str:
    """The second page by number, by the program that made the feed."""
    made_by = b" ".join(_GENERATOR.findall(body[:HEAD])).lower()
    path = urlsplit(url).path
    if b"blogger" in made_by or "/feeds/posts/" in path:
        return add_or_replace_parameter(url, _START, str(items + 1))
    is_wordpress = b"wordpress" in made_by or path.rstrip("/").endswith("/feed")
    return add_or_replace_parameter(url, "paged" if is_wordpress else "page", "2")


#: Bytes read of a file, some 5,000 feeds.
_LARGEST = 1_000_000


def is_opml(body: bytes) -> bool:
    """Whether a file is OPML.

    >>> is_opml(b'<?xml version="1.0"?><opml version="2.0">'), is_opml(b"https://a.example/feed")
    (True, False)
    """
    return b"<opml" in body[:5000].lower()


def read_opml(body: bytes) -> list[str]:
    """The URLs of the feeds in an OPML file, in its order, each once; never raises.  A broken file
    is read as far as possible.

    >>> read_opml(b'<opml><body><outline xmlUrl="http://a.example/feed"/></body></opml>')
    ['http://a.example/feed']
    """
    try:
        found = listparser.parse(body[:_LARGEST].decode("utf-8", "replace").encode())
    except Exception:  # a parser of any input; the caller says that there is no feed
        return []
    urls = (str(feed.get("url", "")).strip() for feed in found.get("feeds", ()))
    return list(dict.fromkeys(url for url in urls if url))
