"""What is read of a feed of any format, and the bounded reading of its parts."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from mimetypes import guess_type
from typing import Any
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from forest_scrapy.core import Entry
from forest_scrapy.core.page.content import MediaFile
from forest_scrapy.core.page.text import strip_markup
from forest_scrapy.feeds.schedule import FeedHints

#: The URL of a page and its entry; of one without a page ``entry_url``.
FeedItem = tuple[str, Entry]


@dataclass(frozen=True)
class Feed:
    """A feed that was read.

    - ``problem``: why it has no items; ``""`` if it has some.
    - ``older``: the link to the document with the next older items (RFC 5005: ``prev-archive`` or
      ``next``; ``next_url`` of JSON Feed), ``""`` if there is none.
    - ``home``: the page that it belongs to, such as the blog; ``""`` if it names none.
    - ``format``: ``rss20``, ``atom10``, ``json`` and so on; ``""`` if unknown.
    - ``generator``: the program that made it, in lower case; ``""`` if it does not say.
    - ``is_cut``: whether the document ends before its end tag; the item that it ends in is left
      out.
    - ``shared_pages``: the keys of the pages that several of its entries link (see ``own_pages``).
    """

    items: tuple[FeedItem, ...] = ()
    problem: str = ""
    hints: FeedHints = field(default_factory=FeedHints)
    older: str = ""
    home: str = ""
    generator: str = ""
    format: str = ""
    shared_pages: tuple[str, ...] = ()
    is_cut: bool = False


#: Why a feed with items has none that can be an article.
NO_ITEM = "no item with a link, a text or a file of media"
#: Items read of a feed, the first ones; feeds list the newest item first.
MAX_ITEMS = 2_000

#: Characters read of a text, and of a full text.
MAX_TEXT_LENGTH = 100_000
MAX_CONTENT_LENGTH = 500_000
#: Tags, authors or files read of an item.
MAX_PARTS = 100
#: Characters of the longest media type.
_MAX_TYPE_LENGTH = 100
#: Digits of the largest size of a file.
_MAX_SIZE_DIGITS = 15
#: A URL that is valid and normal as it stands, as nearly all in sitemaps of 50,000 URLs are.
_NORMAL_URL = re.compile(
    r"https?://[a-z0-9]+(?:[.-][a-z0-9]+)*+(?::[1-9][0-9]{0,3})?"
    r"/[A-Za-z0-9_.~/%-]*+(?:\?[A-Za-z0-9_.~=&-]++)?(?:#[A-Za-z0-9_.~/=&;-]++)?"
)
#: A URL of another scheme, such as the ids of Atom.
_OTHER_SCHEME = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*+:", re.IGNORECASE)


def page_url(link: Any, feed: str) -> str:
    """The absolute URL of a link, ``""`` if that is not a valid http or https URL.

    >>> page_url("/a", "http://a.example/feed"), page_url("mailto:a@b.example", "")
    ('http://a.example/a', '')
    """
    text = link.strip() if isinstance(link, str) else ""
    if not text:
        return ""
    if _NORMAL_URL.fullmatch(text):
        return text
    if _OTHER_SCHEME.match(text):
        return ""
    return _absolute_page_url(text, feed)


@lru_cache(maxsize=1024)  # the link of an entry is asked for several times
def _absolute_page_url(text: str, feed: str) -> str:
    try:
        url = safe_url_string(urljoin(feed, text))
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return ""
    return url if is_valid else ""


def plain_text(text: Any) -> str:
    """The start of a text, without markup."""
    return strip_markup(str(text or "")[:MAX_TEXT_LENGTH])


def read_enclosure(
    url: Any,
    feed: str,
    kind: Any = "",
    length: Any = None,
) -> MediaFile | None:
    """A file of media that an item names; None if its URL is not valid.

    ``kind``: its media type, or the first part of it; if missing, it is guessed from the URL.
    ``length``: bytes; feeds write 0 for unknown.

    >>> read_enclosure("/1.mp3", "http://a.example/", "", "9000")
    MediaFile(url='http://a.example/1.mp3', type='audio/mpeg', length=9000)
    """
    absolute = page_url(url, feed)
    if not absolute:
        return None
    guessed_type, _ = guess_type(urlsplit(absolute).path)
    media_type = ""
    if isinstance(kind, str):
        lower_kind = kind.strip().lower()
        media_type = lower_kind[:_MAX_TYPE_LENGTH]
    if "/" not in media_type and (guessed_type or "").startswith(media_type):
        media_type = guessed_type or ""
    digits = str(length).strip()[:_MAX_SIZE_DIGITS]
    size = int(digits) if digits.isdecimal() else 0
    return MediaFile(absolute, media_type, size or None)


def collect_files(files: Iterable[MediaFile | None]) -> tuple[MediaFile, ...]:
    """The files, each URL once: the first with a type and length."""
    file_by_url: dict[str, MediaFile] = {}
    for file in files:
        if file is None:
            continue
        same_url = file_by_url.get(file.url)
        if same_url is None or not same_url.type:
            file_by_url[file.url] = file
    return tuple(file_by_url.values())[:MAX_PARTS]
