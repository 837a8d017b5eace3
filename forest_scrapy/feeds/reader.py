"""Reading feeds: RSS 0.9x to 2.0, Atom, and JSON Feed."""

from __future__ import annotations

from calendar import timegm
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import escape
from typing import Any

import feedparser

from forest_scrapy.core import Entry
from forest_scrapy.feeds.bounds import bound_feed
from forest_scrapy.feeds.feed_items import (
    LONGEST,
    LONGEST_CONTENT,
    MOST_PARTS,
    FeedItem,
    page_url,
    plain_text,
    read_enclosures,
)
from forest_scrapy.feeds.json_feed import is_json, read_json_feed

__all__ = ["FeedItem", "read_feed"]

_AS_UTF8 = {"content-type": "application/xml; charset=utf-8"}


def read_feed(body: bytes, url: str, headers: Mapping[str, str]) -> tuple[list[FeedItem], str]:
    """The items of a feed, and what is wrong with it; never raises.

    A malformed feed is read as far as possible, and an item without a valid http or https link
    is left out; ``feeds.bounds`` says how much of a large feed is read.  The second value is the
    reason why no item was found, ``""`` if there are items.
    """
    if is_json(body):
        return read_json_feed(body, url)
    named = {name.lower(): value for name, value in headers.items()} | {"content-location": url}
    body = bound_feed(body)
    try:
        parsed = _parse(body, named)
    except Exception:  # a parser of hostile input; most often it is the declared encoding
        try:
            parsed = _parse(body, named | _AS_UTF8)
        except Exception as error:
            return [], f"not a feed: {type(error).__name__}: {error}"
    items = list(_items(parsed, url))
    if items:
        return items, ""
    if parsed.get("bozo") and not parsed.get("version"):
        return [], f"not a feed: {parsed.get('bozo_exception')}"
    return [], "no item with a link" if parsed.entries else "no items"


def _parse(body: bytes, headers: Mapping[str, str]) -> Any:
    # The HTML of full texts is sanitized, and its URLs are joined, like that of pages.
    return feedparser.parse(
        body, response_headers=headers, sanitize_html=False, resolve_relative_uris=False
    )


def _items(parsed: Any, feed: str) -> Iterator[FeedItem]:
    for entry in parsed.entries:
        urls = (page_url(link, feed) for link in _links(entry))
        if url := next((url for url in urls if url), ""):
            yield url, _entry(entry, feed)


def _links(entry: Any) -> Iterator[Any]:
    """The links to the item's page, best first.  feedparser gives the id as link if there is no
    other one of a type that it knows."""
    id = entry.get("id", "") if entry.get("guidislink") else ""
    link = entry.get("link")
    yield entry.get("feedburner_origlink")
    yield link if link != entry.get("id") else None
    yield _alternate(entry)
    yield link
    yield id


def _alternate(entry: Any) -> str:
    """The first link to the page itself, whatever the type that it declares."""
    links = (one for one in entry.get("links", ()) if one.get("rel", "alternate") == "alternate")
    return next((one["href"] for one in links if one.get("href")), "")


def _entry(entry: Any, feed: str) -> Entry:
    tags = (tag.term for tag in entry.get("tags", ())[:MOST_PARTS] if tag.get("term"))
    return Entry(
        title=plain_text(entry.get("title")),
        description=plain_text(_description(entry)),
        id=str(entry.get("id", ""))[:LONGEST],
        published=_date(entry, "published", "updated", "created"),
        updated=_date(entry, "updated"),
        author=_authors(entry),
        tags=tuple(dict.fromkeys(tag[:LONGEST] for tag in tags)),
        feed=feed,
        comments_url=_comments_url(entry, feed),
        comments_count=_comments_count(entry),
        content=_full_text(entry),
        enclosures=read_enclosures(entry, feed),
    )


def _authors(entry: Any) -> str:
    """The distinct authors of the item, separated by commas."""
    named = [plain_text(one.get("name")) for one in entry.get("authors", ())[:MOST_PARTS]]
    names = dict.fromkeys(name for name in named if name)
    return ", ".join(names) or plain_text(entry.get("author"))


def _comments_url(entry: Any, feed: str) -> str:
    """The URL of the readers' comments: RSS's ``comments``, or Atom's link to replies."""
    links = [one.get("href", "") for one in entry.get("links", ()) if one.get("rel") == "replies"]
    return page_url((entry.get("comments") or next(iter(links), "") or "").strip(), feed)


def _comments_count(entry: Any) -> int | None:
    """The number of comments: ``slash:comments`` or ``thr:total``."""
    for name in ("slash_comments", "thr_total"):
        text = str(entry.get(name) or "").strip()
        if text.isdecimal():
            return int(text[:9])
    return None


def _description(entry: Any) -> str:
    """The summary, or else the content, whatever its length."""
    if entry.get("summary"):
        return str(entry.summary)
    return next((str(part.value) for part in entry.get("content", ()) if part.get("value")), "")


def _full_text(entry: Any) -> str:
    """The longest content, as HTML (``content:encoded``, Atom's ``content``); ``""`` if there is
    only a summary."""
    texts = [
        text if "html" in str(part.get("type")) else f"<p>{escape(text, quote=False)}</p>"
        for part in entry.get("content", ())[:MOST_PARTS]
        if (text := str(part.get("value") or "")[:LONGEST_CONTENT])
    ]
    return max(texts, key=len, default="")


def _date(entry: Any, *names: str) -> str:
    """The first date that the item has: ISO 8601, with the feed's own offset if that can be
    read, else in UTC; as written in the feed if it cannot be parsed."""
    for name in names:
        text = str(dict.get(entry, name) or "").strip()  # without feedparser's own fallbacks
        if with_offset := _read_offset(text):
            return with_offset
        if parsed := dict.get(entry, f"{name}_parsed"):
            return datetime.fromtimestamp(timegm(parsed), UTC).isoformat()
        if text:
            return text
    return ""


def _read_offset(text: str) -> str:
    """The date as ISO 8601 if it has an offset, else ``""``."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
        except (ValueError, TypeError, IndexError):
            continue
        return moment.isoformat(timespec="seconds") if moment.tzinfo else ""
    return ""
