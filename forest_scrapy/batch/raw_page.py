"""A page as it is stored in a file or an archive, and the item that a crawl would make of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scrapy.http import Headers, HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes

from forest_scrapy.batch.saved_url import LONGEST_URL, is_url, saved_url
from forest_scrapy.core import Page
from forest_scrapy.core.page.urls import encode_surrogates, page_key
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import page_of, refuse_page, repair_encoding

#: Characters of a name in a message, at most.
_LONGEST_NAME = 2_000


class BadPage(Exception):
    """A page that cannot be read; ``reason``: why, in one word or as the message of an error."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class RawPage:
    """A stored page.

    - ``url``: ``""`` for a file without a known URL, which gets that of
      ``saved_url``.
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
        if len(name) > LONGEST_URL:
            name = f"{name[:_LONGEST_NAME]}..."
        return name.encode("utf-8", "backslashreplace").decode()


def read_item(raw: RawPage, max_bytes: int, is_article: bool) -> ArticlePage:
    """The item that a crawl makes of the response: with the same kind of response and the same
    encoding.  Lone surrogates in its URL are percent-encoded.  Raises ``BadPage``."""
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


def page_of_item(item: ArticlePage) -> Page:
    """The core's page of an item."""
    return page_of(item.response, shares_tree=False)


def _make_response(raw: RawPage) -> Response:
    if isinstance(raw.body, str):
        body = raw.body.encode("utf-8", "replace")
        url = encode_surrogates(raw.url or saved_url(body, raw.source))
        return HtmlResponse(url, raw.status, headers=dict(raw.headers), body=body, encoding="utf-8")
    url = encode_surrogates(raw.url or saved_url(raw.body, raw.source))
    headers = Headers(dict(raw.headers))
    kind = responsetypes.from_args(headers, url, body=raw.body)
    return kind(url, status=raw.status, headers=headers, body=raw.body)
