"""Reading sitemaps: lists of pages, indexes of sitemaps, and news sitemaps
(https://www.sitemaps.org/protocol.html).

Scrapy's own reader does not read the children of ``news:news``, which are the titles and dates of
news sitemaps.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from lxml import etree
from scrapy.utils.gz import gunzip

from forest_scrapy.core import Entry
from forest_scrapy.feeds.feed_items import LONGEST, MOST_PARTS, page_url, plain_text

#: Bytes of the largest sitemap, uncompressed, and URLs in it: the limits of the protocol.
LARGEST, MOST_URLS = 52_428_800, 50_000
_KINDS = {"urlset": "pages", "sitemapindex": "index", "rss": "feed", "feed": "feed", "RDF": "feed"}
#: Elements between the ends of two URLs: all of them are in memory.
_MOST_ELEMENTS = 100_000
_GZIP = b"\x1f\x8b\x08"
#: Reading a sitemap above one of these may take long, or much memory: bytes, tags, attributes, and
#: commas, between which keywords of news are.
_LARGE, _MANY_TAGS, _MANY_ATTRIBUTES, _MANY_COMMAS = 500_000, 20_000, 5_000, 5_000


@dataclass(frozen=True)
class SitemapUrl:
    """A page or sitemap: its URL, the date of its last change as written (``""`` if unknown), and
    what a news sitemap says about the page."""

    url: str
    modified: str = ""
    entry: Entry | None = None


@dataclass(frozen=True)
class Sitemap:
    """A sitemap that was read.  ``kind``: ``pages``, ``index``, ``feed`` (RSS or Atom, not read),
    or ``""`` for any other file; ``problem`` is then the reason."""

    kind: str
    urls: tuple[SitemapUrl, ...] = ()
    problem: str = ""


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """Read a sitemap: XML, compressed or not, or text with one URL on each line; never raises.

    Malformed XML is read as far as possible, without entities; at most ``MOST_URLS`` URLs.  Cost:
    some 3 s for 50,000 URLs.

    >>> read_sitemap(b"http://a.example/1", "http://a.example/sitemap.txt").urls
    (SitemapUrl(url='http://a.example/1', modified='', entry=None),)
    """
    try:
        body = _decompress(body)
    except Exception as error:  # damaged data, or more than LARGEST
        return Sitemap("", problem=f"cannot be decompressed: {type(error).__name__}")
    start = body[:1000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith(b"<"):
        found = tuple(_read_lines(body, url))
        return Sitemap("pages", found) if found else Sitemap("", problem="not a sitemap")
    try:
        return _read_xml(body, url)
    except etree.XMLSyntaxError as error:
        return Sitemap("", problem=f"not a sitemap: {error}")


def may_be_slow(body: bytes) -> bool:
    """Whether reading a sitemap may take long, or much memory; always if it is compressed, since a
    few kilobytes may become many megabytes.  Cost: one pass over the bytes."""
    return (
        body.startswith(_GZIP)
        or len(body) > _LARGE
        or body.count(b"<") > _MANY_TAGS
        or body.count(b"=") > _MANY_ATTRIBUTES
        or body.count(b",") > _MANY_COMMAS
    )


def _decompress(body: bytes) -> bytes:
    return gunzip(body, max_size=LARGEST) if body.startswith(_GZIP) else body[:LARGEST]


def _read_lines(body: bytes, base: str) -> Iterator[SitemapUrl]:
    for line in body.decode("utf-8", "replace").splitlines()[:MOST_URLS]:
        if line.strip().startswith(("http:", "https:")) and (url := page_url(line, base)):
            yield SitemapUrl(url)


def _read_xml(body: bytes, base: str) -> Sitemap:
    parsed = etree.iterparse(
        BytesIO(body), events=("start", "end"), recover=True, resolve_entities=False,
        no_network=True, remove_comments=True, remove_pis=True,
    )  # fmt: skip
    kind = ""
    urls: dict[str, SitemapUrl] = {}
    parts = 0
    for event, element in parsed:
        parts += event == "start"
        if parts > _MOST_ELEMENTS:
            return Sitemap("", problem=f"an element has more than {_MOST_ELEMENTS:,} parts")
        if event == "start" and not kind:
            kind = _KINDS.get(_name(element), "other")
        elif event == "end" and _name(element) in ("url", "sitemap"):
            if found := _read_url(element, base):
                urls.setdefault(found.url, found)
            element.clear()
            parts = 0
            parent = element.getparent()
            while parent is not None and element.getprevious() is not None:
                del parent[0]
        if kind in ("feed", "other") or len(urls) >= MOST_URLS:
            break
    if kind in ("pages", "index", "feed"):
        return Sitemap(kind, tuple(urls.values()))
    return Sitemap("", problem="not a sitemap")


def _name(element: Any) -> str:
    """The tag without its namespace: some sitemaps declare a wrong namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _read_url(element: Any, base: str) -> SitemapUrl | None:
    texts = {_name(child): (child.text or "").strip()[:LONGEST] for child in element[:MOST_PARTS]}
    url = page_url(texts.get("loc"), base)
    news = next((child for child in element[:MOST_PARTS] if _name(child) == "news"), None)
    modified = texts.get("lastmod", "")
    entry = _read_news(news, modified, base) if news is not None else None
    return SitemapUrl(url, modified, entry) if url else None


def _read_news(news: Any, modified: str, sitemap: str) -> Entry | None:
    """The entry of a page in a news sitemap; None if it has neither title nor date."""
    texts = {_name(child): (child.text or "").strip()[:LONGEST] for child in news[:MOST_PARTS]}
    title, published = plain_text(texts.get("title")), texts.get("publication_date", "")
    if not title and not published:
        return None
    tags = (plain_text(tag) for tag in texts.get("keywords", "").split(",")[:MOST_PARTS])
    return Entry(
        title=title,
        published=published,
        updated=modified,
        tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
        feed=sitemap,
    )
