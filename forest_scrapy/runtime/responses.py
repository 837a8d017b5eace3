"""Between Scrapy's responses and the spool: taking a page apart, and putting it together again."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any
from urllib.parse import urlsplit

from scrapy.http import HtmlResponse, Request, Response, TextResponse
from w3lib.url import canonicalize_url

from forest_scrapy.core import Entry, Fingerprint, Page
from forest_scrapy.core.clustering.page_types import read_signals
from forest_scrapy.core.clustering.tag_paths import DISTANCES
from forest_scrapy.core.learning import sample_key
from forest_scrapy.items import ArticlePage
from forest_scrapy.stores import SpooledPage

__all__ = ["page_key", "page_of", "rebuild_page", "refuse_page", "repair_encoding", "spool_page"]


def page_key(url: str) -> str:
    """What identifies a page in a crawl: a digest of its canonical URL."""
    return blake2b(canonicalize_url(url).encode(), digest_size=12).hexdigest()


def refuse_page(response: Response, max_bytes: int) -> str | None:
    """Why the page cannot be read as HTML, as the name of a stat; None where it can."""
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
    """The response read as UTF-8, where its bytes are that and something else is declared: text
    in another encoding is hardly ever valid UTF-8 by chance."""
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
    without text, or that is not text, gives a page with an empty tree.
    """
    if entry and not feed_fields:
        entry = entry.for_signifiers()
    if isinstance(response, HtmlResponse) and response.body:
        return Page(response.url, response.selector.root, entry)
    text = response.text if isinstance(response, TextResponse) else ""
    return Page.from_html(text, response.url, entry)


def spool_page(
    item: ArticlePage, distance: str, refused: bool = False
) -> tuple[SpooledPage, Fingerprint]:
    """The page as the spool keeps it, and its fingerprint (parses it: some 10 ms).

    Of a page that was refused neither the body nor the tree is touched.
    """
    response = item.response
    features, signals = frozenset[int](), None
    if not refused:
        page = page_of(response)
        features = DISTANCES[distance](page.outline)
        signals = None if item.is_article else read_signals(page)
    fingerprint = Fingerprint(features)
    comes_late, digest = sample_key(response.url, item.entry is not None)
    headers = response.headers.to_unicode_dict()
    return SpooledPage(
        key=page_key(response.url),
        host=(urlsplit(response.url).hostname or "").lower(),
        url=response.url,
        fingerprint=fingerprint.digest,
        is_article=item.is_article,
        entry=item.entry,
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
        sample_key=f"{int(comes_late)} {digest}",
        meta=_plain(response.request.meta if response.request else {}),
        status=response.status,
        headers=[(str(name), str(value)) for name, value in headers.items()],
        encoding=response.encoding if isinstance(response, TextResponse) else None,
        body=b"" if refused else response.body,
        signals=signals,
    ), fingerprint


def rebuild_page(page: SpooledPage, callback: Callable[..., Any] | None = None) -> ArticlePage:
    """The item as it was, its response with a request that hands it to ``callback``."""
    item = ArticlePage(
        response=Response(page.url),
        entry=page.entry,
        is_article=page.is_article,
        key=page.key,
        fetched_at=page.fetched_at,
        template=page.template,
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


def _plain(meta: dict[str, Any]) -> dict[str, Any]:
    """What of a request's meta can be written down as JSON and read again."""
    plain = {}
    for name, value in meta.items():
        try:
            plain[str(name)] = json.loads(json.dumps(value))
        except (TypeError, ValueError):
            continue
    return plain
