"""What is read of a feed of any format, and the bounded reading of its parts."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from mimetypes import guess_type
from typing import Any
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from forest_scrapy.core import Entry
from forest_scrapy.core.page.content import MediaFile
from forest_scrapy.core.page.text import strip_markup
from forest_scrapy.feeds.schedule import FeedHints

#: The URL of a page and its entry.
FeedItem = tuple[str, Entry]


@dataclass(frozen=True)
class Feed:
    """A feed that was read.

    - ``problem``: why it has no items; ``""`` if it has some.
    - ``older``: the link to the document with the next older items (RFC 5005: ``prev-archive`` or
      ``next``; ``next_url`` of JSON Feed), ``""`` if there is none.
    - ``generator``: the program that made it, in lower case; ``""`` if it does not say.
    """

    items: tuple[FeedItem, ...] = ()
    problem: str = ""
    hints: FeedHints = field(default_factory=FeedHints)
    older: str = ""
    generator: str = ""


#: Items read of a feed, the first ones; feeds list the newest item first.
MOST_ITEMS = 2_000

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
    media_type = kind.strip().lower()[:_LONGEST_TYPE] if isinstance(kind, str) else ""
    if "/" not in media_type and guessed.startswith(media_type):
        media_type = guessed
    size = str(length).strip()[:15]
    return MediaFile(absolute, media_type, int(size) or None if size.isdecimal() else None)


def collect_files(files: Iterable[MediaFile | None]) -> tuple[MediaFile, ...]:
    """The files, each URL once: the first with a type and length."""
    by_url: dict[str, MediaFile] = {}
    for file in files:
        if file and (file.url not in by_url or not by_url[file.url].type):
            by_url[file.url] = file
    return tuple(by_url.values())[:MOST_PARTS]
