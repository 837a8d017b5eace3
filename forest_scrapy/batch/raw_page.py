"""A page as it is stored in a file or an archive, and the item that a crawl would make of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from re import DOTALL, IGNORECASE
from re import compile as pattern
from urllib.parse import urljoin, urlsplit

from scrapy.http import Headers, HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes

from forest_scrapy.core import Page
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import page_of, refuse_page, repair_encoding

#: Characters of a URL, and of a name in a message, at most.
_LONGEST_URL, _LONGEST_NAME = 65_536, 2_000
#: Bytes of a page in which its canonical URL is looked for.
_HEAD = 200_000
_LINK = pattern(rb"<link\b[^>]{0,2000}>", IGNORECASE | DOTALL)
_REL = pattern(rb"""\brel\s*=\s*["']?canonical["'\s>]""", IGNORECASE)
_HREF = pattern(rb"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", IGNORECASE)


class BadPage(Exception):
    """A page that cannot be read; ``reason``: why, in one word or as the message of an error."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class RawPage:
    """A stored page.

    - ``url``: ``""`` for a file without a known URL, which gets that of its canonical link.
    - ``body``: the bytes, or the text if it is decoded already.
    - ``source``: the file, or the record of an archive, that it was read from.
    - ``headers``, ``status``: of the HTTP response, if they are known.
    - ``fetched_at``: ISO 8601; ``""`` if it is not known.
    - ``error``: why the page could not be read from its file; ``""`` if it could.
    """

    url: str
    body: bytes | str = field(repr=False)
    source: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    status: int = 200
    fetched_at: str = ""
    error: str = ""

    @property
    def name(self) -> str:
        """The URL, the source if the page has none; as text that can be written in UTF-8."""
        name = self.url or self.source
        if len(name) > _LONGEST_URL:
            name = f"{name[:_LONGEST_NAME]}..."
        return name.encode("utf-8", "backslashreplace").decode()


def read_item(raw: RawPage, max_bytes: int, is_article: bool) -> ArticlePage:
    """The item that a crawl makes of the response: with the same kind of response and the same
    encoding.  Raises ``BadPage``."""
    if raw.error:
        raise BadPage(raw.error)
    if not is_url(raw.url):
        raise BadPage("bad_url")
    response = repair_encoding(_make_response(raw))
    if reason := refuse_page(response, max_bytes):
        raise BadPage(reason)
    if not isinstance(response, HtmlResponse):  # XHTML, which a crawl reads as HTML, too
        assert isinstance(response, TextResponse)
        response = HtmlResponse(
            response.url,
            status=response.status,
            headers=response.headers,
            body=response.body,
            encoding=response.encoding,
        )
    item = ArticlePage(response, None, is_article, url=response.url, fetched_at=raw.fetched_at)
    item.key = page_key(item.url)
    return item


def is_url(url: str) -> bool:
    """Whether the URL can be split into its parts and written in UTF-8, and is not too long.

    >>> is_url("http://a.example/"), is_url("http://[a/"), is_url("http://a.example/\\ud800")
    (True, False, False)
    """
    try:
        urlsplit(url)
        url.encode()
    except ValueError:
        return False
    return len(url) <= _LONGEST_URL


def page_of_item(item: ArticlePage) -> Page:
    """The core's page of an item."""
    return page_of(item.response, shares_tree=False)


def _make_response(raw: RawPage) -> Response:
    if isinstance(raw.body, str):
        body = raw.body.encode("utf-8", "replace")
        url = raw.url or _canonical_url(body, raw.source)
        return HtmlResponse(url, raw.status, headers=dict(raw.headers), body=body, encoding="utf-8")
    url = raw.url or _canonical_url(raw.body, raw.source)
    headers = Headers(dict(raw.headers))
    kind = responsetypes.from_args(headers, url, body=raw.body)
    return kind(url, status=raw.status, headers=headers, body=raw.body)


def _canonical_url(body: bytes, source: str) -> str:
    """The URL that a page declares in its canonical link; ``source`` if it declares none.

    >>> _canonical_url(b'<link rel="canonical" href="https://a.example/1?a&amp;b">', "1.html")
    'https://a.example/1?a&b'
    """
    for link in _LINK.findall(body[:_HEAD]):
        if _REL.search(link) and (found := _HREF.search(link)):
            given = next(part for part in found.groups() if part is not None)
            try:
                url = urljoin(source, unescape(given.decode("utf-8", "replace")).strip())
            except ValueError:
                continue
            if url.startswith(("http://", "https://")) and is_url(url):
                return url
    return source
