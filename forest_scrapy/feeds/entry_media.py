"""The files of media in an RSS or Atom entry: enclosures, Media RSS, and images of podcasts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from forest_scrapy.core.document.content import MediaFile
from forest_scrapy.feeds.feed_items import MOST_PARTS, collect_files, read_file

__all__ = ["read_enclosures"]


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
