"""Reading sitemaps: lists of pages, indexes of sitemaps, and news sitemaps
(https://www.sitemaps.org/protocol.html).

Scrapy's own reader does not read the children of ``news:news``, which are the titles and dates of
news sitemaps.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from lxml import etree
from scrapy.utils.gz import gunzip

from forest_scrapy.core import Entry
from forest_scrapy.core.encoding import detect_utf16
from forest_scrapy.feeds.feed_items import MAX_PARTS, MAX_TEXT_LENGTH, page_url, plain_text

#: Bytes of the largest sitemap, uncompressed, and URLs in it: the limits of the protocol.
MAX_SITEMAP_BYTES = 52_428_800
MAX_URLS = 50_000
_KINDS = {"urlset": "pages", "sitemapindex": "index", "rss": "feed", "feed": "feed", "RDF": "feed"}
#: Elements between the ends of two URLs: all of them are in memory.
_MAX_ELEMENTS = 100_000
#: Bytes at the end of a sitemap in which its end tag is.
_END_SIZE = 1_000
_END_TAG = re.compile(rb"</(?:[\w.-]{1,50}:)?(?:urlset|sitemapindex)\s{0,50}>")
_GZIP_START = b"\x1f\x8b\x08"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_PROLOG = re.compile(r"\A\s*+<\?xml[^<>]{0,200}>")
#: Bytes read of a robots.txt: as many as RFC 9309 asks for.
_MAX_ROBOTS_BYTES = 512_000
_SITEMAP_RULE = re.compile(r"\A\s*+sitemap\s*+:(.{1,5000})", re.IGNORECASE)
#: Reading a sitemap above one of these may take long, or much memory: bytes, tags, attributes, and
#: commas, between which keywords of news are.
_MAX_FAST_BYTES = 500_000
_MAX_FAST_TAGS = 20_000
_MAX_FAST_ATTRIBUTES = 5_000
_MAX_FAST_COMMAS = 5_000


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

    Malformed XML is read as far as possible, without entities; at most ``MAX_URLS`` URLs.  Cost:
    some 1 s for 50,000 URLs.

    >>> read_sitemap(b"http://a.example/1", "http://a.example/sitemap.txt").urls
    (SitemapUrl(url='http://a.example/1', modified='', entry=None),)
    """
    try:
        body = _decompress(body)
    except Exception as error:  # damaged data, or more than MAX_SITEMAP_BYTES
        return Sitemap("", problem=f"cannot be decompressed: {type(error).__name__}")
    body = _recode_utf16(body)
    start = body[:1000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith(b"<"):
        urls = tuple(_read_lines(body, url))
        if urls:
            return Sitemap("pages", urls)
        return Sitemap("", problem="not a sitemap")
    body = _without_cut_text(body)
    try:
        return _read_xml(body, url)
    except etree.XMLSyntaxError as error:
        return Sitemap("", problem=f"not a sitemap: {error}")


def has_sitemap_end(body: bytes) -> bool:
    """Whether a sitemap, compressed or not, is in XML and has its end tag.

    >>> has_sitemap_end(b"<urlset></urlset>"), has_sitemap_end(b"<urlset><url><lo")
    (True, False)
    """
    try:
        end = _decompress(body)[-_END_SIZE:]
    except Exception:  # as in ``read_sitemap``
        return False
    return _END_TAG.search(end) is not None


def _without_cut_text(body: bytes) -> bytes:
    """XML without the text, or the tag, in which it ends: of a document that is cut off, this may
    be the start of a URL.

    >>> _without_cut_text(b"<url><loc>http://a.exam"), _without_cut_text(b"<urlset></urlset>")
    (b'<url>', b'<urlset></urlset>')
    """
    end = body[-_END_SIZE:].rstrip()
    if end.endswith(b">"):
        return body
    return body[: body.rfind(b"<")]


def may_be_slow(body: bytes) -> bool:
    """Whether reading a sitemap may take long, or much memory; always if it is compressed, since a
    few kilobytes may become many megabytes.  Cost: one pass over the bytes."""
    return (
        body.startswith(_GZIP_START)
        or len(body) > _MAX_FAST_BYTES
        or body.count(b"<") > _MAX_FAST_TAGS
        or body.count(b"=") > _MAX_FAST_ATTRIBUTES
        or body.count(b",") > _MAX_FAST_COMMAS
    )


def _decompress(body: bytes) -> bytes:
    if body.startswith(_GZIP_START):
        return gunzip(body, max_size=MAX_SITEMAP_BYTES)
    return body[:MAX_SITEMAP_BYTES]


def _recode_utf16(body: bytes) -> bytes:
    """A text in UTF-16, with or without a byte order mark, in UTF-8 and without its prolog, which
    names another encoding; other bytes as they are."""
    encoding = "utf-16" if body.startswith(_UTF16_MARKS) else detect_utf16(body)
    if not encoding:
        return body
    text = body.decode(encoding, "replace").lstrip("\ufeff")
    return _PROLOG.sub("", text, count=1).encode("utf-8", "replace")


def read_robots(body: bytes, url: str) -> list[str]:
    """The URLs of the sitemaps that a robots.txt names, each once, in its order; of the first
    500 KB (RFC 9309).

    >>> read_robots(b"Sitemap: /news.xml # news", "https://a.example/robots.txt")
    ['https://a.example/news.xml']
    """
    text = _recode_utf16(body[:_MAX_ROBOTS_BYTES]).decode("utf-8", "replace")
    urls: dict[str, bool] = {}
    for line in text.lstrip("\ufeff").splitlines():
        rule = _SITEMAP_RULE.match(line)
        if rule is None:
            continue
        value, _, _ = rule[1].partition("#")
        addresses = value.split()
        are_several = all(address.startswith(("http:", "https:")) for address in addresses)
        if not are_several:
            addresses = [value]
        for address in addresses:
            sitemap_url = page_url(address.strip().strip("<>\"',"), url)
            if sitemap_url:
                urls[sitemap_url] = True
    return list(urls)


def _read_lines(body: bytes, base: str) -> Iterator[SitemapUrl]:
    for line in body.decode("utf-8-sig", "replace").splitlines()[:MAX_URLS]:
        if not line.strip().startswith(("http:", "https:")):
            continue
        url = page_url(line, base)
        if url:
            yield SitemapUrl(url)


def _read_xml(body: bytes, base: str) -> Sitemap:
    parsed = etree.iterparse(
        BytesIO(body),
        events=("start", "end"),
        recover=True,
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    kind = ""
    urls: dict[str, SitemapUrl] = {}
    parts = 0
    for event, element in parsed:
        parts += event == "start"
        if parts > _MAX_ELEMENTS:
            return Sitemap("", problem=f"an element has more than {_MAX_ELEMENTS:,} parts")
        if event == "start" and not kind:
            kind = _KINDS.get(_name(element), "other")
        elif event == "end" and _name(element) in ("url", "sitemap"):
            sitemap_url = _read_url(element, base)
            if sitemap_url:
                urls.setdefault(sitemap_url.url, sitemap_url)
            element.clear()
            parts = 0
            parent = element.getparent()
            while parent is not None and element.getprevious() is not None:
                del parent[0]
        if kind in ("feed", "other") or len(urls) >= MAX_URLS:
            break
    if kind in ("pages", "index", "feed"):
        return Sitemap(kind, tuple(urls.values()))
    return Sitemap("", problem="not a sitemap")


def _name(element: Any) -> str:
    """The tag without its namespace: some sitemaps declare a wrong namespace."""
    if not isinstance(element.tag, str):
        return ""
    _, _, name = element.tag.rpartition("}")
    return name


def _read_url(element: Any, base: str) -> SitemapUrl | None:
    texts = _read_texts(element)
    url = page_url(texts.get("loc"), base)
    if not url:
        return None
    modified = texts.get("lastmod", "")
    for child in element[:MAX_PARTS]:
        if _name(child) == "news":
            return SitemapUrl(url, modified, _read_news(child, modified, base))
    return SitemapUrl(url, modified)


def _read_texts(element: Any) -> dict[str, str]:
    """The texts of the children by their names."""
    texts = {}
    for child in element[:MAX_PARTS]:
        text = child.text or ""
        text = text.strip()
        name = _name(child)
        texts[name] = text[:MAX_TEXT_LENGTH]
    return texts


def _read_news(news: Any, modified: str, sitemap: str) -> Entry | None:
    """The entry of a page in a news sitemap; None if it has neither title nor date."""
    texts = _read_texts(news)
    title = plain_text(texts.get("title"))
    published = texts.get("publication_date", "")
    if not title and not published:
        return None
    keywords = texts.get("keywords", "").split(",")
    tags = [plain_text(keyword) for keyword in keywords[:MAX_PARTS]]
    return Entry(
        title=title,
        published=published,
        updated=modified,
        tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
        feed=sitemap,
    )
