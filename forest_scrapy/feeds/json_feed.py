"""Reading JSON Feed, versions 1.0 and 1.1 (https://www.jsonfeed.org/version/1.1/)."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from forest_scrapy.core import Entry
from forest_scrapy.core.page.content import MediaFile
from forest_scrapy.core.page.tree import encodable
from forest_scrapy.feeds.feed_items import (
    MAX_CONTENT_LENGTH,
    MAX_ITEMS,
    MAX_PARTS,
    MAX_TEXT_LENGTH,
    NO_ITEM,
    Feed,
    collect_files,
    page_url,
    plain_text,
    read_enclosure,
)
from forest_scrapy.feeds.own_pages import LinkedEntry, place_entries


def is_json(body: bytes) -> bool:
    """Whether a body is a JSON object, and not XML.

    >>> is_json(b' {"version": "https://jsonfeed.org/version/1.1"}'), is_json(b"<rss/>")
    (True, False)
    """
    start = body[:1000].lstrip(b"\xef\xbb\xbf \t\r\n")
    return start.startswith(b"{")


def read_json_feed(body: bytes, url: str) -> Feed:
    """The feed with its items, or with the reason why there are none; never raises."""
    try:
        feed = json.loads(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        return Feed(problem=f"not a feed: {error}")
    has_items = isinstance(feed, dict) and isinstance(feed.get("items"), list)
    if not has_items:
        return Feed(problem="not a feed: JSON without items")
    site = page_url(feed.get("home_page_url"), url)
    placed = place_entries(list(_entries(feed, url)), url, site)
    if placed.items:
        return Feed(
            placed.items,
            older=_short_text(feed, "next_url"),
            home=site,
            shared_pages=placed.shared_pages,
        )
    return Feed(problem=NO_ITEM if feed["items"] else "no items")


def _entries(feed: Mapping[str, Any], url: str) -> Iterator[LinkedEntry]:
    authors = _authors(feed)
    for item in feed["items"][:MAX_ITEMS]:
        if not isinstance(item, dict):
            continue
        address = _first(item, "url", "external_url")
        id = _first(item, "id")
        if not address and id.startswith(("http:", "https:", "/")):
            address = id
        yield LinkedEntry(page_url(address, url), _entry(item, url, authors))


def _entry(item: Mapping[str, Any], feed: str, authors: str) -> Entry:
    title = _first(item, "title")
    description = _first(item, "summary", "content_text", "content_html")
    id = str(item.get("id", ""))
    content = _content(item)[:MAX_CONTENT_LENGTH]
    tags = []
    for tag in _as_list(item.get("tags")):
        if isinstance(tag, str):
            tags.append(plain_text(tag))
    return Entry(
        title=plain_text(title),
        description=plain_text(description),
        id=id[:MAX_TEXT_LENGTH],
        published=_short_text(item, "date_published", "date_modified"),
        updated=_short_text(item, "date_modified"),
        author=_authors(item) or authors,
        tags=tuple(dict.fromkeys(tags)),
        feed=feed,
        content=encodable(content),
        enclosures=_enclosures(item, feed),
    )


def _content(item: Mapping[str, Any]) -> str:
    """The full text as HTML."""
    html = item.get("content_html")
    if isinstance(html, str):
        return html
    text = item.get("content_text")
    if isinstance(text, str):
        return _as_html(text)
    return ""


def _authors(part: Mapping[str, Any]) -> str:
    """The names of the authors, separated by commas; version 1.0 has one ``author``."""
    authors = _as_list(part.get("authors")) or [part.get("author")]
    names: dict[str, None] = {}
    for author in authors:
        name = plain_text(author.get("name")) if isinstance(author, dict) else ""
        if name:
            names[name] = None
    return ", ".join(names)


def _enclosures(item: Mapping[str, Any], feed: str) -> tuple[MediaFile, ...]:
    files = []
    for attachment in _as_list(item.get("attachments")):
        if not isinstance(attachment, dict):
            continue
        file = read_enclosure(
            attachment.get("url"),
            feed,
            kind=attachment.get("mime_type"),
            length=attachment.get("size_in_bytes"),
        )
        files.append(file)
    for name in ("image", "banner_image"):
        files.append(read_enclosure(item.get(name), feed, "image"))
    return collect_files(files)


def _first(item: Mapping[str, Any], *names: str) -> str:
    """The first of these texts that the item has."""
    for name in names:
        text = item.get(name)
        if isinstance(text, str):
            return text
    return ""


def _short_text(item: Mapping[str, Any], *names: str) -> str:
    """As ``_first``; no more than ``MAX_TEXT_LENGTH`` characters."""
    return _first(item, *names)[:MAX_TEXT_LENGTH]


def _as_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        return []
    return value[:MAX_PARTS]


def _as_html(text: str) -> str:
    paragraphs = []
    for line in text.splitlines():
        if line.strip():
            paragraphs.append(f"<p>{escape(line, quote=False)}</p>")
    return "".join(paragraphs)
