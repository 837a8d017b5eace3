"""Reading JSON Feed, versions 1.0 and 1.1 (https://www.jsonfeed.org/version/1.1/)."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from forest_scrapy.core import Entry
from forest_scrapy.core.page.content import MediaFile
from forest_scrapy.core.page.tree import encodable
from forest_scrapy.feeds.feed_items import (
    LONGEST,
    LONGEST_CONTENT,
    MOST_ITEMS,
    MOST_PARTS,
    Feed,
    FeedItem,
    collect_files,
    page_url,
    plain_text,
    read_file,
)


def is_json(body: bytes) -> bool:
    """Whether a body is a JSON object, and not XML.

    >>> is_json(b' {"version": "https://jsonfeed.org/version/1.1"}'), is_json(b"<rss/>")
    (True, False)
    """
    return body[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def read_json_feed(body: bytes, url: str) -> Feed:
    """The feed with its items, or with the reason why there are none; never raises."""
    try:
        feed = json.loads(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        return Feed(problem=f"not a feed: {error}")
    if not isinstance(feed, dict) or not isinstance(feed.get("items"), list):
        return Feed(problem="not a feed: JSON without items")
    if items := tuple(_items(feed, url)):
        return Feed(items, older=_first(feed, "next_url")[:LONGEST])
    return Feed(problem="no item with a link" if feed["items"] else "no items")


def _items(feed: Mapping[str, Any], url: str) -> Iterator[FeedItem]:
    authors = _authors(feed)
    for item in feed["items"][:MOST_ITEMS]:
        if not isinstance(item, dict):
            continue
        link = page_url(_first(item, "url", "external_url", "id"), url)
        if link:
            yield link, _entry(item, url, authors)


def _entry(item: Mapping[str, Any], feed: str, authors: str) -> Entry:
    tags = (plain_text(tag) for tag in _as_list(item.get("tags")) if isinstance(tag, str))
    html, text = item.get("content_html"), item.get("content_text")
    content = html if isinstance(html, str) else _as_html(text) if isinstance(text, str) else ""
    return Entry(
        title=plain_text(_first(item, "title")),
        description=plain_text(_first(item, "summary", "content_text", "content_html")),
        id=str(item.get("id", ""))[:LONGEST],
        published=str(_first(item, "date_published", "date_modified"))[:LONGEST],
        updated=str(_first(item, "date_modified"))[:LONGEST],
        author=_authors(item) or authors,
        tags=tuple(dict.fromkeys(tags)),
        feed=feed,
        content=encodable(content[:LONGEST_CONTENT]),
        enclosures=_enclosures(item, feed),
    )


def _authors(part: Mapping[str, Any]) -> str:
    """The names of the authors, separated by commas; version 1.0 has one ``author``."""
    listed = _as_list(part.get("authors")) or [part.get("author")]
    people = (one for one in listed if isinstance(one, dict))
    names = dict.fromkeys(plain_text(one.get("name")) for one in people)
    return ", ".join(name for name in names if name)


def _enclosures(item: Mapping[str, Any], feed: str) -> tuple[MediaFile, ...]:
    files = [
        read_file(one.get("url"), feed, one.get("mime_type"), one.get("size_in_bytes"))
        for one in _as_list(item.get("attachments"))
        if isinstance(one, dict)
    ]
    images = [read_file(item.get(name), feed, "image") for name in ("image", "banner_image")]
    return collect_files((*files, *images))


def _first(item: Mapping[str, Any], *names: str) -> str:
    """The first of these texts that the item has."""
    return next((item[name] for name in names if isinstance(item.get(name), str)), "")


def _as_list(value: Any) -> list[Any]:
    return value[:MOST_PARTS] if isinstance(value, list) else []


def _as_html(text: str) -> str:
    lines = (escape(line, quote=False) for line in text.splitlines() if line.strip())
    return "".join(f"<p>{line}</p>" for line in lines)
