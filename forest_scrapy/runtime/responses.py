"""Conversion between Scrapy's responses, the core's pages and the spool's pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from scrapy.http import HtmlResponse, Request, Response, TextResponse

from forest_scrapy.core import Entry, Page
from forest_scrapy.core.document.urls import host_of
from forest_scrapy.core.learning import sample_key
from forest_scrapy.items import ArticlePage
from forest_scrapy.runtime.page_urls import fold_url
from forest_scrapy.stores import SpooledPage

__all__ = [
    "asked_url",
    "page_key",
    "page_of",
    "rebuild_page",
    "refuse_page",
    "repair_encoding",
    "spool_page",
]


def page_key(url: str) -> str:
    """The key of a page in a crawl: a digest of its URL, the same for URLs that lead to the same
    page (see ``fold_url``)."""
    return blake2b(fold_url(url).encode(), digest_size=12).hexdigest()


def first_url(request: Request) -> str:
    """The URL that was requested first, before redirects."""
    return next(iter(request.meta.get("redirect_urls", ())), request.url)


def asked_url(response: Response) -> str:
    """The URL that was requested first for a response."""
    return first_url(response.request) if response.request else response.url


def refuse_page(response: Response, max_bytes: int) -> str | None:
    """Why the page cannot be read as HTML, as the name of a stat; None if it can."""
    if not response.body.strip():
        return "empty"
    if len(response.body) > max_bytes:
        return "too_large"
    if not isinstance(response, TextResponse):
        return "not_html"
    if b"\0" in response.body[:1024] and not response.body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "not_html"
    return None


def repair_encoding(response: Response) -> Response:
    """The response read as UTF-8 if its bytes are valid UTF-8 but another encoding is declared:
    text in another encoding is hardly ever valid UTF-8 by chance.  Else the response itself."""
    if not isinstance(response, TextResponse) or response.encoding.lower() in ("utf-8", "utf8"):
        return response
    try:
        is_ascii = len(response.body.decode("utf-8")) == len(response.body)
    except UnicodeDecodeError:
        return response
    return response if is_ascii else response.replace(encoding="utf-8")


def page_of(response: Response, entry: Entry | None = None, feed_fields: bool = True) -> Page:
    """The core's page; it shares the response's tree, which is parsed once.

    ``feed_fields``: False if no field of the article may be read from ``entry``.  A response
    without text gives a page with an empty tree.
    """
    if entry and not feed_fields:
        entry = entry.for_signifiers()
    if isinstance(response, HtmlResponse) and response.body:
        return Page(response.url, response.selector.root, entry)
    text = response.text if isinstance(response, TextResponse) else ""
    return Page.from_html(text, response.url, entry)


def spool_page(item: ArticlePage) -> SpooledPage:
    """The page for the spool, as it was received.  Does not parse it."""
    response = item.response
    comes_late, digest = sample_key(response.url, item.entry is not None)
    return SpooledPage(
        key=page_key(response.url),
        host=host_of(response.url),
        url=response.url,
        is_article=item.is_article,
        entry=item.entry,
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
        sample_key=f"{int(comes_late)} {digest}",
        meta=_json_values(response.request.meta if response.request else {}),
        status=response.status,
        headers=_text_headers(response),
        encoding=response.encoding if isinstance(response, TextResponse) else None,
        body=response.body,
    )


def rebuild_page(page: SpooledPage, callback: Callable[..., Any] | None = None) -> ArticlePage:
    """The item that was spooled.  The request of its response hands it to ``callback``."""
    item = ArticlePage(
        response=Response(page.url),
        entry=page.entry,
        is_article=page.is_article,
        key=page.key,
        fetched_at=page.fetched_at,
        fingerprint=page.fingerprint,
        template_key=page.template_key,
        url=page.url,
    )
    item.response = HtmlResponse(
        page.url,
        status=page.status,
        headers=dict(page.headers),
        body=page.body,
        encoding=page.encoding or "utf-8",
        request=Request(
            page.url,
            callback=callback,
            cb_kwargs={"item": item},
            meta=page.meta,
            dont_filter=True,
        ),
    )
    return item


def _text_headers(response: Response) -> list[tuple[str, str]]:
    """The headers as text; bytes that are not UTF-8 are replaced."""
    headers = response.headers.items()
    return [
        (name.decode("utf-8", "replace"), b",".join(values).decode("utf-8", "replace"))
        for name, values in headers
    ]


def _json_values(meta: dict[str, Any]) -> dict[str, Any]:
    """The values of a request's meta that can be written as JSON."""
    plain = {}
    for name, value in meta.items():
        try:
            plain[str(name)] = json.loads(json.dumps(value))
        except (TypeError, ValueError):
            continue
    return plain
