"""The history's records of pages: how they are made, and what they decide."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b

from scrapy.http import Response

from forest_scrapy.core import Entry
from forest_scrapy.core.changes.text_summary import TextSummary
from forest_scrapy.core.document.urls import host_of
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.runtime.pages.responses import asked_url, decode_headers, page_key
from forest_scrapy.stores import PageRecord

__all__ = [
    "NO_BODY",
    "entry_digest",
    "has_body",
    "is_same_text",
    "make_article_record",
    "make_page_record",
    "needs_request",
    "to_seconds",
]

_DAY = 86_400
#: The digest of a page that was never fetched: its article is that of its feed entry.
NO_BODY = blake2b(b"", digest_size=8).digest()


def has_body(response: Response) -> bool:
    """Whether a response is that of the page; if not, its feed entry stands in for it."""
    return 200 <= response.status < 300


def make_page_record(item: ArticlePage, known: PageRecord | None, now: int) -> PageRecord:
    """The record of a page that was fetched just now; ``known``: its record so far."""
    url, named = asked_url(item.response), decode_headers(item.response)
    status = item.response.status
    base = known or PageRecord(page_key(url), host_of(url), url, now, now)
    return replace(
        base,
        last_seen=now,
        fetched=to_seconds(item.fetched_at) or now,
        status=status,
        failures=base.failures + 1 if status == 0 or status >= 400 else 0,
        etag=named.get("Etag", ""),
        last_modified=named.get("Last-Modified", ""),
        page_digest=blake2b(item.response.body, digest_size=8).digest(),
        entry_digest=entry_digest(item.entry) if item.entry else base.entry_digest,
    )


def make_article_record(
    item: ArticlePage, article: Article, text: TextSummary, known: PageRecord | None, now: int
) -> PageRecord:
    """The record of a page from which an article was extracted just now."""
    return replace(
        make_page_record(item, known, now),
        text=text,
        published=to_seconds(article.published),
        published_source=article.sources.get("published", ""),
        modified=to_seconds(article.modified),
        modified_source=article.sources.get("modified", ""),
        template=article.template_id,
        wrapper=article.wrapper_id,
        method=article.method,
        fingerprint=item.fingerprint,
    )


def needs_request(known: PageRecord, entry: Entry, now: int) -> bool:
    """Whether a page that is known has to be requested again.

    It is checked again when as much time has passed since it was last fetched as it was old
    then, at least a day: after 1, 2, 4, 8 days and so on.
    """
    if known.fetched is None or known.outcome == "" or known.failures:
        return True
    age = known.fetched - (known.published or known.first_seen)
    is_stale = now - known.fetched > max(age, _DAY)
    return is_stale or entry_digest(entry) != known.entry_digest


def is_same_text(known: PageRecord, wrapper_id: str, text: TextSummary) -> bool:
    """Whether the article's text is the same as last time.  If another wrapper has found it,
    small differences may come from that."""
    if known.text.digest == text.digest:
        return True
    return known.wrapper != wrapper_id and known.text.is_near(text)


def entry_digest(entry: Entry) -> bytes:
    """A digest of what a feed entry says about the page, without the number of comments."""
    values = {**entry.to_dict(), "comments_count": None, "feed": ""}
    return blake2b(json.dumps(values).encode(), digest_size=8).digest()


def to_seconds(moment: str) -> int | None:
    """ISO 8601 as seconds since 1970; without an offset, UTC is assumed.

    >>> to_seconds("1970-01-02"), to_seconds("yesterday")
    (86400, None)
    """
    try:
        parsed = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp())
