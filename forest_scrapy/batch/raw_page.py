"""A page as it is stored in a file or an archive, and the item that a crawl would make of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scrapy.http import Headers, HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes

from forest_scrapy.batch.saved_url import (
    MAX_URL_LENGTH,
    is_usable_url,
    restore_links,
    saved_url,
)
from forest_scrapy.core import Page
from forest_scrapy.core.page.urls import encode_surrogates, page_key
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import page_of, refuse_page, repair_encoding

#: Characters of a name in a message.
_MAX_NAME_LENGTH = 2_000


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
    def page_url(self) -> str:
        """The URL; that of ``saved_url`` if none is known."""
        if self.url:
            return self.url
        body = _to_bytes(self.body)
        return saved_url(body, self.source)

    @property
    def name(self) -> str:
        """The URL that the page has or declares, and the source of what is no page; as text that
        can be written in UTF-8."""
        is_no_page = self.error and not self.url
        name = self.source if is_no_page else self.page_url
        if len(name) > MAX_URL_LENGTH:
            name = f"{name[:_MAX_NAME_LENGTH]}..."
        encoded = name.encode("utf-8", "backslashreplace")
        return encoded.decode()

    def to_parts(self) -> tuple[dict[str, Any], bytes]:
        """The page as it is kept on disk: its values but the body, as JSON has them, and the
        body."""
        head = {
            **vars(self),
            "is_text": isinstance(self.body, str),
            "headers": dict(self.headers),
        }
        del head["body"]
        return head, _to_bytes(self.body)

    @classmethod
    def from_parts(cls, head: Mapping[str, Any], body: bytes) -> "RawPage":
        """The page of ``to_parts``."""
        values = dict(head)
        is_text = values.pop("is_text")
        return cls(body=body.decode() if is_text else body, **values)


def read_article_page(
    raw: RawPage,
    max_bytes: int,
    is_article: bool,
) -> ArticlePage:
    """The item that a crawl makes of the response: with the same kind of response and the same
    encoding.  Lone surrogates in its URL are percent-encoded.  Raises ``BadPage``."""
    if raw.error:
        raise BadPage(raw.error)
    if not is_usable_url(raw.url):
        raise BadPage("bad_url")
    response = repair_encoding(make_response(raw))
    reason = refuse_page(response, max_bytes)
    if reason:
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
    url = response.url
    return ArticlePage(
        response,
        None,
        is_article,
        key=page_key(url),
        url=url,
        fetched_at=raw.fetched_at,
    )


def damaged_page(source: str, reason: str, url: str = "") -> RawPage:
    """What stands for a page, or a file, that could not be read."""
    return RawPage(url, b"", source, error=reason)


def error_line(error: Exception) -> str:
    """The error in one line."""
    return f"{type(error).__name__}: {error}".replace("\n", " ")


def page_of_item(item: ArticlePage) -> Page:
    """The core's page of an item."""
    return page_of(item.response, shares_tree=False)


def _to_bytes(body: bytes | str) -> bytes:
    if isinstance(body, str):
        return body.encode("utf-8", "replace")
    return body


def make_response(raw: RawPage) -> Response:
    """The response that a crawl would have got, of the type that its headers, its URL and its body
    say."""
    body = _to_bytes(raw.body)
    if not raw.url:
        body = restore_links(body, raw.source)
    url = encode_surrogates(raw.page_url)
    headers = Headers(dict(raw.headers))
    if isinstance(raw.body, str):
        return HtmlResponse(url, raw.status, headers=headers, body=body, encoding="utf-8")
    response_type = responsetypes.from_args(headers, url, body=body)
    return response_type(url, status=raw.status, headers=headers, body=body)
