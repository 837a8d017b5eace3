"""Where feeds are: those that a page links or an OPML file lists, and the pages of a feed with its
older items."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from lxml import etree
from w3lib.url import add_or_replace_parameter

from forest_scrapy.core.page.urls import absolute_url
from forest_scrapy.feeds.feed_items import Feed, page_url

#: Paths of feeds that sites do not link, from the common site generators.
USUAL_PATHS = (
    "/feed/",
    "/feed.xml",
    "/rss.xml",
    "/atom.xml",
    "/index.xml",
    "/rss",
    "/feed",
    "/feeds/all.atom.xml",
    "/feeds/posts/default",
    "/blog/feed/",
    "/index.rdf",
)

#: Feeds taken from a page.
_MAX_FEEDS = 50

_FEED_TYPES = (
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "application/feed+json",
)


def discover_feeds(root: Any, url: str, link_header: str = "") -> list[str]:
    """The http and https URLs of the feeds that a page, and the HTTP header ``Link`` after it, link
    as alternates, in their order, feeds of comments last; at most ``_MAX_FEEDS``.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<link rel=alternate type=application/rss+xml href=feed.xml>")
    >>> discover_feeds(page, "http://a.example/news/")
    ['http://a.example/news/feed.xml']
    """
    base = absolute_url(root.xpath("string(//base/@href)"), url)
    if not base.startswith("http"):
        base = url
    links = root.xpath("//link[@href][@rel]")
    if link_header:
        from forest_scrapy.core.page.header_links import read_header_links  # few pages have it

        links += read_header_links(link_header, url)
    feeds = []
    for link in links:
        media_type, _, _ = (link.get("type") or "").partition(";")
        is_feed = media_type.strip().lower() in _FEED_TYPES
        if not is_feed:
            continue
        relations = link.get("rel").lower().split()
        if "alternate" not in relations:
            continue
        feed_url = absolute_url(link.get("href"), base)
        feeds.append(feed_url)
    web_feeds = [feed for feed in feeds if feed.startswith(("http:", "https:"))]
    distinct_feeds = list(dict.fromkeys(web_feeds))
    distinct_feeds.sort(key=lambda feed: "comment" in feed.lower())
    return distinct_feeds[:_MAX_FEEDS]


#: Bytes read of a file, some 25,000 feeds.
_MAX_OPML_BYTES = 5_000_000
_ROOT = re.compile("<opml", re.IGNORECASE)
#: An ampersand that begins no entity of XML: many files have them in addresses.
_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)")


def is_opml(body: bytes) -> bool:
    """Whether a file is OPML.

    >>> is_opml(b'<?xml version="1.0"?><opml version="2.0">'), is_opml(b"https://a.example/feed")
    (True, False)
    """
    return b"<opml" in body[:5000].lower()


def has_opml_end(body: bytes) -> bool:
    """Whether an OPML file has its end tag.

    >>> has_opml_end(b"<opml><body></body></opml>"), has_opml_end(b"<opml><body><outl")
    (True, False)
    """
    return b"</opml" in body.lower()


def read_opml(body: bytes) -> list[str]:
    """The URLs of the feeds in an OPML file, in its order, each once; never raises.  A broken file
    is read as far as possible.  Takes linear time; there are no entities besides those of XML, and
    outlines below 250 others are left out.

    >>> read_opml(b'<opml><body><outline xmlUrl="http://a.example/feed"/></body></opml>')
    ['http://a.example/feed']
    """
    text = body[:_MAX_OPML_BYTES].decode("utf-8", "replace")
    root = _ROOT.search(text)  # after a DOCTYPE, which may define entities
    if root:
        text = text[root.start() :]
    text = _AMPERSAND.sub("&amp;", text)
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
    )
    try:
        tree = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError:  # the caller says that there is no feed
        return []
    if tree is None:
        return []
    urls = []
    for outline in tree.iter("{*}outline"):
        for name, value in outline.items():
            url = value.strip()
            if url and name.lower() == "xmlurl":
                urls.append(url)
    return list(dict.fromkeys(urls))


#: Parameters with the number of the page, and the same in a path.
_NUMBERS = ("paged", "page", "pg", "p", "pagenum")
_PATH_NUMBER = re.compile(r"(/pages?/)(\d{1,6})(?=/|\.|$)", re.IGNORECASE)
#: Blogger's number of the first item, from 1.
_START = "start-index"


def older_page(url: str, feed: Feed, is_first: bool = True) -> str:
    """The URL of the page of a feed that has the items before those of this one; ``""`` if there
    is none, or none that can be requested.

    It is the page that the feed names, or else the next one by number: ``start-index`` (Blogger),
    ``paged`` (WordPress), or ``page``.  Other servers ignore the number; their next page has the
    same items.  ``feed``: the page at ``url``; ``is_first``: whether that is the feed itself.

    >>> older_page("https://a.example/feed/", Feed())
    'https://a.example/feed/?paged=2'
    >>> older_page("https://a.example/rss?page=3", Feed())
    'https://a.example/rss?page=4'
    """
    if feed.older:
        return page_url(feed.older, url)
    match = _PATH_NUMBER.search(urlsplit(url).path)
    if match:
        number = int(match[2]) + 1
        return url.replace(match[0], f"{match[1]}{number}", 1)
    parameters = parse_qs(urlsplit(url).query)
    for name in (_START, *_NUMBERS):
        value = parameters.get(name, [""])[-1]
        if not value.isdecimal():
            continue
        step = 1
        if name == _START:
            step = max(len(feed.items), 1)
        number = int(value[:9]) + step
        return add_or_replace_parameter(url, name, str(number))
    if not is_first:
        return ""
    return _second_page(url, feed)


def _second_page(url: str, feed: Feed) -> str:
    """The second page by number, by the program that made the feed."""
    path = urlsplit(url).path
    is_blogger = "blogger" in feed.generator or "/feeds/posts/" in path
    if is_blogger:
        start = len(feed.items) + 1
        return add_or_replace_parameter(url, _START, str(start))
    is_wordpress = "wordpress" in feed.generator or path.rstrip("/").endswith("/feed")
    parameter = "paged" if is_wordpress else "page"
    return add_or_replace_parameter(url, parameter, "2")
