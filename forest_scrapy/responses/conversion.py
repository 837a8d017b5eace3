"""Scrapy's responses as pages: what can be read of them, in which encoding, and their conversion
to the core's pages, and to the spool's pages and back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeGuard

from scrapy.http import HtmlResponse, Request, Response, TextResponse, XmlResponse

from forest_scrapy import core
from forest_scrapy.core import Entry
from forest_scrapy.core.encoding import (
    detect_encoding,
    detect_utf16,
    is_text_encoding,
    is_utf8,
)
from forest_scrapy.core.page.tree import choose_classes_fast, is_as_in_browsers, parse_html
from forest_scrapy.core.page.urls import host_with_port, is_entry_url, page_key
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.notes import notes_of
from forest_scrapy.stores import SpooledPage

#: The flag of a response whose download was cancelled because of its size.
TOO_LARGE = "too_large"
#: The flag of a response that takes too long to read, as a spider has found.
TOO_SLOW = "too_slow"
#: The flag of the empty response that stands for a page that could not be fetched.
NOT_FETCHED = "not_fetched"
#: Why a feed entry without a page of its own (``entry_url``) has no page to read.
NO_PAGE = "no_page"
#: The key of ``ArticlePage.extra`` in the meta of a page in the spool.
_EXTRA = "forest_extra"
#: Control characters that are not in texts (escape is in Japanese ones).
_CONTROLS = bytes({*range(32)} - {*b"\t\n\v\f\r\x1b"})
#: The share of them in the first bytes above which a response is not HTML.  In compressed data it
#: is some 10%.
_MAX_CONTROLS = 0.05

#: The start of a document in a format of feeds, sitemaps or feed lists.
_XML = re.compile(
    rb"(?:<\?xml[^>]*+>\s*+|<!--(?:(?!-->).)*+-->\s*+)*+"  # stylesheets, too: in one way only
    rb"<(?:rss|feed|rdf:rdf|urlset|sitemapindex|opml)\b",
    re.IGNORECASE | re.DOTALL,
)


def first_url(request: Request) -> str:
    """The URL that was requested first, before redirects."""
    redirect_urls = request.meta.get("redirect_urls", ())
    return next(iter(redirect_urls), request.url)


def asked_url(response: Response) -> str:
    """The URL that was requested first for a response."""
    if response.request:
        return first_url(response.request)
    return response.url


def decode_headers(response: Response) -> dict[str, str]:
    """The headers by name (``Content-Type``, ``Etag``), several values of one joined by commas.
    Bytes that are not UTF-8 are read as Latin-1, as HTTP once had it."""
    headers = {}
    for name, values in response.headers.items():
        header = _decode(name)
        headers[header] = ",".join(map(_decode, values))
    return headers


def _decode(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def repair_encoding(response: Response) -> Response:
    """The response read as UTF-8 if its bytes are valid UTF-8 but another encoding is declared:
    text in another encoding is hardly ever valid UTF-8 by chance.  If its text is garbled in the
    declared encoding, the response read in that which it is likely in (see ``detect_encoding``).
    Else the response itself."""
    response = replace_codec(response)
    if not isinstance(response, TextResponse):
        return response
    utf16 = detect_utf16(response.body)
    if utf16:
        return response.replace(encoding=utf16)
    encoding = response.encoding.lower()
    if is_utf8(response.body):
        is_declared = encoding in ("utf-8", "utf8")
        if is_declared:
            return response
        return response.replace(encoding="utf-8")
    detected = detect_encoding(response.body, encoding)
    if detected:
        return response.replace(encoding=detected)
    return response


def replace_codec(response: Response) -> Response:
    """The response read as UTF-8 if it declares what is no encoding of text, such as
    ``charset=hex``, with which its text cannot be read.  Else the response itself."""
    if not isinstance(response, TextResponse) or is_text_encoding(response.encoding):
        return response
    return response.replace(encoding="utf-8")


def refuse_page(response: Response, max_bytes: int) -> str | None:
    """Why the page cannot be read as HTML, as the name of a stat; None if it can."""
    if is_entry_url(response.url):
        return NO_PAGE
    if TOO_LARGE in response.flags or len(response.body) > max_bytes:
        return TOO_LARGE
    for reason in (NOT_FETCHED, TOO_SLOW):
        if reason in response.flags:
            return reason
    if not response.body.strip():
        return "empty"
    if not _is_html(response) or _is_binary(response):
        return "not_html"
    return None


def _is_html(response: Response) -> TypeGuard[TextResponse]:
    """Whether the page is HTML or XHTML; feeds, sitemaps, JSON and PDF are not, even if they
    are served as HTML."""
    start = response.body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if isinstance(response, XmlResponse):
        return b"<html" in start.lower()
    if not isinstance(response, HtmlResponse):
        return False
    is_pdf = start.startswith(b"%PDF-")
    if is_pdf or _XML.match(start):
        return False
    is_json = start.startswith((b"{", b"[")) and b"<" not in start
    return not is_json


def _is_binary(response: TextResponse) -> bool:
    """Whether many of the first bytes are control characters, as in no text but UTF-16 and
    UTF-32.  A few of them are an error of the page; parsers leave them out."""
    has_byte_order_mark = response.body.startswith((b"\xff\xfe", b"\xfe\xff"))
    if has_byte_order_mark or "16" in response.encoding:
        return False
    # Archives of texts have a binary header.
    header = response.body[:64]
    start = response.body[:1024]
    return _has_controls(header) or _has_controls(start)


def _has_controls(start: bytes) -> bool:
    text = start.translate(None, _CONTROLS)
    control_count = len(start) - len(text)
    max_controls = _MAX_CONTROLS * len(start)
    return control_count > max_controls


def page_of(
    response: Response,
    entry: Entry | None = None,
    feed_fields: bool = True,
    shares_tree: bool = True,
) -> core.Page:
    """The core's page; it shares the response's tree, which is parsed once.

    ``feed_fields``: False if no field of the article may be read from ``entry``.
    ``shares_tree``: False if nothing else reads the response.
    A response without text gives a page with an empty tree.
    """
    if entry and not feed_fields:
        entry = entry.for_signifiers()
    link_header = read_link_header(response)
    link_texts = read_link_texts(response)
    if shares_tree and isinstance(response, HtmlResponse) and response.body:
        selector = response.selector
        # Else the response and its tree refer to each other, and wait for the garbage collector.
        selector.response = None
        choose_classes_fast(selector.root)
        if is_as_in_browsers(selector.root, response.text):
            root = selector.root
            return core.Page(
                response.url,
                root,
                entry,
                link_header=link_header,
                link_texts=link_texts,
            )
    text = response.text if isinstance(response, TextResponse) else ""
    root = parse_html(text)
    return core.Page(response.url, root, entry, link_header=link_header, link_texts=link_texts)


def page_of_item(item: ArticlePage, feed_fields: bool) -> core.Page:
    """The core's page of an item; see ``page_of``.  If it could not be fetched, all fields may be
    read from its feed entry."""
    uses_entry = feed_fields or not was_fetched(item)
    return page_of(item.response, item.entry, uses_entry)


def read_link_texts(response: Response) -> tuple[str, ...]:
    """The text of the link that the page was requested for: ``meta["link_text"]``, as Scrapy's
    ``CrawlSpider`` has it."""
    if response.request is None:
        return ()
    text = response.request.meta.get("link_text")
    if isinstance(text, str) and text.strip():
        return (" ".join(text.split()),)
    return ()


def read_link_header(response: Response) -> str:
    """The HTTP header ``Link``, several of them joined by commas."""
    values = response.headers.getlist("Link")
    return ", ".join(value.decode("latin-1") for value in values)


def spool_page(item: ArticlePage) -> SpooledPage:
    """The page for the spool, as it was received.  Does not parse it."""
    response = item.response
    url = response.url
    comes_late, digest = core.sample_key(url, item.entry is not None)
    fetched_at = notes_of(response).fetched_at
    if not fetched_at:
        now = datetime.now(UTC)
        fetched_at = now.isoformat(timespec="seconds")
    request_meta = response.request.meta if response.request else {}
    meta = _json_values(request_meta) | _extra_meta(item)
    headers = decode_headers(response)
    encoding = response.encoding if isinstance(response, TextResponse) else None
    return SpooledPage(
        key=page_key(url),
        host=host_with_port(url),
        url=url,
        is_article=item.is_article,
        entry=item.entry,
        fetched_at=fetched_at,
        sample_key=f"{int(comes_late)} {digest}",
        meta=meta,
        status=response.status,
        headers=list(headers.items()),
        encoding=encoding,
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
        extra=page.meta.get(_EXTRA, {}),
    )
    request = Request(
        page.url,
        callback=callback,
        cb_kwargs={"item": item},
        meta=page.meta,
        dont_filter=True,
    )
    item.response = HtmlResponse(
        page.url,
        status=page.status,
        headers=dict(page.headers),
        body=page.body,
        encoding=page.encoding or "utf-8",
        request=request,
    )
    return item


def _extra_meta(item: ArticlePage) -> dict[str, Any]:
    if item.extra:
        return {_EXTRA: item.extra}
    return {}


def _json_values(meta: dict[str, Any]) -> dict[str, Any]:
    """The values of a request's meta that can be written as JSON."""
    json_meta = {}
    for name, value in meta.items():
        try:
            text = json.dumps(value)
            json_meta[str(name)] = json.loads(text)
        except (TypeError, ValueError):
            continue
    return json_meta


def visit_of(
    item: ArticlePage,
    template: core.Template | None = None,
    may_be_outdated: bool | None = None,
) -> core.Visit:
    """What is known of a page besides its markup; ``template``: that of the page.
    ``may_be_outdated``: see ``Visit``; None: if the rules are from a store."""
    response = item.response
    headers = decode_headers(response)
    notes = notes_of(response)
    if may_be_outdated is None:
        may_be_outdated = template is not None and template.is_stored
    has_page = not is_entry_url(response.url)
    return core.Visit(
        fetched_at=item.fetched_at,
        status=response.status if has_page else 0,
        last_modified=headers.get("Last-Modified", ""),
        etag=headers.get("Etag", ""),
        lastmod=notes.lastmod,
        is_article=item.is_article,
        may_be_article=template is None or template.may_be_articles,
        was_fetched=was_fetched(item),
        template_id=template.id if template else "",
        may_be_outdated=may_be_outdated,
        number=notes.number,
    )


def was_fetched(item: ArticlePage) -> bool:
    """Whether there is a page, and not only its feed entry."""
    response = item.response
    if is_entry_url(response.url):
        return False
    return bool(response.body) or 0 < response.status < 400
