"""The items of feeds of any format, and the bounded reading of their parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from mimetypes import guess_type
from typing import Any
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from forest_scrapy.core import Entry
from forest_scrapy.core.page.content import MediaFile
from forest_scrapy.core.page.text import strip_markup

__all__ = [
    "LONGEST",
    "LONGEST_CONTENT",
    "MOST_PARTS",
    "FeedItem",
    "collect_files",
    "page_url",
    "plain_text",
    "read_enclosures",
    "read_file",
]

#: The URL of a page and its entry.
FeedItem = tuple[str, Entry]

#: Characters read of a text, and of a full text; tags, authors or files read of an item.
LONGEST, LONGEST_CONTENT, MOST_PARTS = 100_000, 500_000, 100
#: The longest media type.
_LONGEST_TYPE = 100


def page_url(link: Any, feed: str) -> str:
    """The absolute URL of a link, ``""`` if that is not a valid http or https URL.

    >>> page_url("/a", "http://a.example/feed"), page_url("mailto:a@b.example", "")
    ('http://a.example/a', '')
    """
    text = link.strip() if isinstance(link, str) else ""
    try:
        url = safe_url_string(urljoin(feed, text)) if text else ""
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return ""
    return url if is_valid else ""


def plain_text(text: Any) -> str:
    """The start of a text, without markup."""
    return strip_markup(str(text or "")[:LONGEST])


def read_file(url: Any, feed: str, kind: Any = "", length: Any = None) -> MediaFile | None:
    """A file of media; None if its URL is not valid.  ``kind``: its media type, or the first part
    of it; if missing, it is guessed from the URL.  ``length``: bytes; feeds write 0 for unknown.

    >>> read_file("/1.mp3", "http://a.example/", "", "9000")
    MediaFile(url='http://a.example/1.mp3', type='audio/mpeg', length=9000)
    """
    absolute = page_url(url, feed)
    if not absolute:
        return None
    guessed = guess_type(urlsplit(absolute).path)[0] or ""
    given = kind.strip().lower()[:_LONGEST_TYPE] if isinstance(kind, str) else ""
    if "/" not in given and guessed.startswith(given):
        given = guessed
    size = str(length).strip()
    return MediaFile(absolute, given, int(size[:15]) if size.isdecimal() and int(size) else None)


def collect_files(files: Iterable[MediaFile | None]) -> tuple[MediaFile, ...]:
    """The files, each URL once: the first with a type and length."""
    found: dict[str, MediaFile] = {}
    for file in files:
        if file and (file.url not in found or not found[file.url].type):
            found[file.url] = file
    return tuple(found.values())[:MOST_PARTS]


def read_enclosures(entry: Any, feed: str) -> tuple[MediaFile, ...]:
    """The files of an entry that feedparser has read, without duplicates; a thumbnail or the
    image of an episode only if there is no other image."""
    files = collect_files((*_enclosures(entry, feed), *_media(entry, feed)))
    if any(file.kind == "image" for file in files):
        return files
    return collect_files((*files, *_thumbnails(entry, feed)))


def _enclosures(entry: Any, feed: str) -> Iterator[MediaFile | None]:
    """RSS's enclosures, and Atom's links to them."""
    for link in entry.get("links", ())[:MOST_PARTS]:
        if link.get("rel") == "enclosure":
            yield read_file(link.get("href"), feed, link.get("type"), link.get("length"))


def _media(entry: Any, feed: str) -> Iterator[MediaFile | None]:
    for media in entry.get("media_content", ())[:MOST_PARTS]:
        kind = media.get("type") or media.get("medium")
        yield read_file(media.get("url"), feed, kind, media.get("filesize"))


def _thumbnails(entry: Any, feed: str) -> Iterator[MediaFile | None]:
    for media in entry.get("media_thumbnail", ())[:1]:
        yield read_file(media.get("url"), feed, "image")
    image = entry.get("image")
    yield read_file(image.get("href") if isinstance(image, dict) else None, feed, "image")
