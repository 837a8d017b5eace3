"""Reading feeds, and finding them on pages."""

from __future__ import annotations

from calendar import timegm
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

import feedparser
from w3lib.url import safe_url_string

from forest_scrapy.core import Entry
from forest_scrapy.core.document.text import strip_markup

__all__ = ["USUAL_PATHS", "FeedItem", "discover_feeds", "read_feed"]

FeedItem = tuple[str, Entry]

#: Where sites keep a feed that they do not link: the paths of the common generators.
USUAL_PATHS = (
    "/feed/", "/feed.xml", "/rss.xml", "/atom.xml", "/index.xml", "/rss", "/feed",
    "/feeds/all.atom.xml", "/feeds/posts/default", "/blog/feed/", "/index.rdf",
)  # fmt: skip

_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/rdf+xml")


def read_feed(body: bytes, url: str, headers: Mapping[str, str]) -> tuple[list[FeedItem], str]:
    """The items of a feed (RSS 0.9x to 2.0, Atom) as (URL, entry), and what is wrong with it.

    A feed with faults gives what can be read of it.  The second value is ``""`` where all is
    well, and a reason where no item was found.
    """
    about = {name.lower(): value for name, value in headers.items()}
    parsed = feedparser.parse(body, response_headers={**about, "content-location": url})
    items = list(_items(parsed, url))
    if items:
        return items, ""
    if parsed.get("bozo") and not parsed.get("version"):
        return [], f"no feed: {parsed.get('bozo_exception')}"
    return [], "no item with a link" if parsed.entries else "no items"


def discover_feeds(root: Any, url: str) -> list[str]:
    """Feeds that a page links as its alternates, in the page's order; feeds of comments last."""
    base = root.xpath("string(//base/@href)")
    found = []
    for link in root.xpath("//link[@href][@rel]"):
        is_feed = (link.get("type") or "").split(";")[0].strip().lower() in _FEED_TYPES
        if is_feed and "alternate" in link.get("rel").lower().split():
            found.append(urljoin(urljoin(url, base), link.get("href").strip()))
    unique = dict.fromkeys(found)
    return sorted(unique, key=lambda feed: "comment" in feed.lower())


def _items(parsed: Any, feed: str) -> Iterator[FeedItem]:
    for entry in parsed.entries:
        link = (entry.get("feedburner_origlink") or entry.get("link") or "").strip()
        if not link and entry.get("guidislink"):
            link = entry.get("id", "")
        address = safe_url_string(urljoin(feed, link)) if link else ""
        if urlsplit(address).scheme in ("http", "https"):
            yield address, _entry(entry, feed)


def _entry(entry: Any, feed: str) -> Entry:
    return Entry(
        title=strip_markup(entry.get("title", "")),
        description=strip_markup(_description(entry)),
        id=entry.get("id", ""),
        published=_date(entry, "published", "updated", "created"),
        updated=_date(entry, "updated"),
        author=_authors(entry),
        tags=tuple(dict.fromkeys(tag.term for tag in entry.get("tags", ()) if tag.get("term"))),
        feed=feed,
        comments_url=_comments_url(entry, feed),
        comments_count=_comments_count(entry),
    )


def _authors(entry: Any) -> str:
    """All authors of the item, each once, between commas."""
    named = [strip_markup(one.get("name", "")) for one in entry.get("authors", ())]
    names = dict.fromkeys(name for name in named if name)
    return ", ".join(names) or strip_markup(entry.get("author", ""))


def _comments_url(entry: Any, feed: str) -> str:
    """Where readers' comments are: RSS's ``comments``, or Atom's link of replies."""
    links = [one.get("href", "") for one in entry.get("links", ()) if one.get("rel") == "replies"]
    given = (entry.get("comments") or next(iter(links), "") or "").strip()
    return safe_url_string(urljoin(feed, given)) if given else ""


def _comments_count(entry: Any) -> int | None:
    """How many there are: ``slash:comments`` or ``thr:total``."""
    for name in ("slash_comments", "thr_total"):
        text = str(entry.get(name) or "").strip()
        if text.isdecimal():
            return int(text[:9])
    return None


def _description(entry: Any) -> str:
    """The summary, else the content: what the feed says of the item, however long."""
    if entry.get("summary"):
        return str(entry.summary)
    return next((str(part.value) for part in entry.get("content", ()) if part.get("value")), "")


def _date(entry: Any, *names: str) -> str:
    """The first of the dates that there is: ISO 8601, with the feed's own offset where that can
    be read, else in UTC; or as the feed has it."""
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
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
        except (ValueError, TypeError, IndexError):
            continue
        return moment.isoformat(timespec="seconds") if moment.tzinfo else ""
    return ""
