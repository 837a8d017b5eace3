"""Reading feeds: RSS 0.9x to 2.0, and Atom; JSON Feed by ``json_feed``.

How much of a feed is read is bounded, since feedparser takes about 0.3 s for a million bytes.
"""

import re
from calendar import timegm
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import escape
from typing import Any

from scrapy.utils.gz import gunzip

from forest_scrapy.core import Entry
from forest_scrapy.core.encoding import detect_encoding, is_utf8
from forest_scrapy.core.fields.dates import decide_order, locale_of_host, read_date
from forest_scrapy.core.page.content import MediaFile
from forest_scrapy.core.page.urls import host_of
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
from forest_scrapy.feeds.json_feed import is_json, read_json_feed
from forest_scrapy.feeds.schedule import FeedHints, read_max_age

#: Bytes read of a feed.
_LARGEST = 3_000_000
#: Bytes of the largest feed that is unpacked, and the start of one in gzip.
_LARGEST_UNPACKED, _GZIP = 52_428_800, b"\x1f\x8b\x08"
#: Reading a feed above one of these may take long: bytes, tags, and attributes (feedparser takes
#: quadratic time for the attributes of a tag).
_LARGE, _MANY_TAGS, _MANY_ATTRIBUTES = 500_000, 20_000, 5_000
#: The start of an item.
_ITEM = re.compile(rb"<(?:[\w.-]+:)?(?:item|entry)[\s>]")
_ROOT = re.compile(rb"<((?:[\w.-]+:)?(rss|feed|RDF))[\s>]")

_ATOM = b' xmlns:atom="http://www.w3.org/2005/Atom"'
_PERIODS = {
    "hourly": 3600,
    "daily": 86_400,
    "weekly": 7 * 86_400,
    "monthly": 30 * 86_400,
    "yearly": 365 * 86_400,
}
#: An author as RSS has it: an address, and a name in brackets, of which the last may be missing.
_WITH_ADDRESS = re.compile(r"\S+@\S+\s*\(([^()]+)\)?")
#: The encoding that a feed declares.
_PROLOG = re.compile(rb"(<\?xml[^>]{0,100}?encoding\s*=\s*[\"'])([\w.:-]{1,40})")
_AS_UTF8 = {"content-type": "application/xml; charset=utf-8"}


def read_feed(body: bytes, url: str, headers: Mapping[str, str]) -> Feed:
    """The feed with its items, or with the reason why there are none; never raises.

    A malformed feed is read as far as possible, and an item without a valid http or https link
    is left out; of a large feed only the start is read (``bound_feed``).
    """
    max_age = read_max_age(headers)
    if is_json(body):
        return replace(read_json_feed(body, url), hints=FeedHints(max_age=max_age))
    named = {name.lower(): value for name, value in headers.items()} | {"content-location": url}
    try:
        body = _decompress(body)
    except Exception as error:  # damaged data, or more than the limit
        return Feed(problem=f"cannot be decompressed: {type(error).__name__}")
    body = _declare_encoding(_declare_atom(bound_feed(body)))
    if is_utf8(body) and "charset" in named.get("content-type", "").lower():
        named |= _AS_UTF8
    try:
        parsed = _parse(body, named)
    except Exception:  # a parser of hostile input; most often it is the declared encoding
        try:
            parsed = _parse(body, named | _AS_UTF8)
        except Exception as error:
            return Feed(problem=f"not a feed: {type(error).__name__}: {error}")
    if items := tuple(_items(parsed, url)):
        feed = parsed.feed
        older = _link_of(feed, "prev-archive", "next")
        return Feed(items, "", _hints(feed, max_age), older, _generator(feed))
    if parsed.get("bozo") and not parsed.get("version"):
        return Feed(problem=f"not a feed: {parsed.get('bozo_exception')}")
    return Feed(problem="no item with a link" if parsed.entries else "no items")


def _decompress(body: bytes) -> bytes:
    """The feed itself; some servers send a packed file without saying so."""
    return gunzip(body, max_size=_LARGEST_UNPACKED) if body.startswith(_GZIP) else body


def bound_feed(body: bytes) -> bytes:
    """The feed without the items beyond ``MOST_ITEMS`` or ``_LARGEST`` bytes, closed again so that
    it stays well-formed; a feed within the bounds as it is.

    >>> bound_feed(b"<rss><channel></channel></rss>")
    b'<rss><channel></channel></rss>'
    """
    if len(body) <= _LARGEST and body.count(b"<") <= MOST_ITEMS:
        return body
    starts = [match.start() for match in _ITEM.finditer(body)]
    within = [start for start in starts[: MOST_ITEMS + 1] if start <= _LARGEST]
    if len(body) <= _LARGEST and len(within) == len(starts):
        return body
    cut = within[-1] if len(within) > 1 else _LARGEST
    return body[:cut] + _closing_tags(body)


def _closing_tags(body: bytes) -> bytes:
    root = _ROOT.search(body, 0, 10_000)
    if root is None:
        return b""
    name, kind = root.groups()
    return (b"</channel></%s>" if kind == b"rss" else b"</%s>") % name


def may_be_slow(body: bytes) -> bool:
    """Whether reading a bounded feed may take long.  Cost: one pass over the bytes."""
    return (
        len(body) > _LARGE or body.count(b"<") > _MANY_TAGS or body.count(b"=") > _MANY_ATTRIBUTES
    )


def _declare_atom(body: bytes) -> bytes:
    """The feed with the prefix of Atom declared, which some feeds use without declaring it."""
    root = _ROOT.search(body, 0, 10_000)
    if root is None or b"<atom:" not in body or b"xmlns:atom" in body:
        return body
    return body[: root.end(1)] + _ATOM + body[root.end(1) :]


def _declare_encoding(body: bytes) -> bytes:
    """The feed with the encoding declared in its prolog that its bytes are in: valid UTF-8 is
    hardly ever another one."""
    prolog = _PROLOG.match(body.lstrip(b"\xef\xbb\xbf \t\r\n"), 0, 200)
    declared = prolog[2].decode("ascii", "replace").lower() if prolog else "utf-8"
    encoding = "utf-8" if is_utf8(body) else detect_encoding(body, declared)
    if not encoding or encoding == declared:
        return body
    if prolog is None:
        return body.decode(encoding, "replace").encode() if encoding != "utf-8" else body
    text = body.decode(encoding, "replace").encode()
    return _PROLOG.sub(rb"\g<1>utf-8", text, count=1)


def _parse(body: bytes, headers: Mapping[str, str]) -> Any:
    import feedparser  # takes long, and many crawls read no feed

    # The HTML of full texts is sanitized, and its URLs are joined, like that of pages.
    return feedparser.parse(
        body, response_headers=headers, sanitize_html=False, resolve_relative_uris=False
    )


def _hints(feed: Any, max_age: int | None) -> FeedHints:
    """What the feed says of polling."""
    minutes, period = _number(feed.get("ttl")), str(feed.get("sy_updateperiod"))
    seconds = _PERIODS.get(period.strip().lower())
    times = _number(feed.get("sy_updatefrequency")) or 1
    return FeedHints(
        ttl=None if minutes is None else minutes * 60,
        max_age=max_age,
        period=seconds // times if seconds else None,
        hub=_link_of(feed, "hub"),
    )


def _generator(feed: Any) -> str:
    """The name and the URL of the program that made a feed, in lower case."""
    detail = feed.get("generator_detail", {})
    return f"{detail.get('name') or ''} {detail.get('href') or ''}".strip().lower()[:LONGEST]


def _link_of(part: Any, *relations: str) -> str:
    """The first link of a feed or an entry with the first of these relations that it has."""
    for relation in relations:
        for link in part.get("links", ()):
            if link.get("rel", "alternate") == relation and link.get("href"):
                return str(link["href"])
    return ""


def _number(text: Any) -> int | None:
    digits = str(text or "").strip()
    return int(digits[:9]) if digits.isdecimal() else None


def _items(parsed: Any, feed: str) -> Iterator[FeedItem]:
    dates = _dates_of(parsed, feed)
    for entry in parsed.entries:
        urls = (page_url(link, feed) for link in _links(entry))
        if url := next((url for url in urls if url), ""):
            yield url, _entry(entry, feed, dates)


def _links(entry: Any) -> Iterator[Any]:
    """The links to the item's page, best first.  feedparser gives the id as link if there is no
    other one of a type that it knows."""
    id = entry.get("id", "") if entry.get("guidislink") else ""
    link = entry.get("link")
    yield entry.get("feedburner_origlink")
    yield link if link != entry.get("id") else None
    yield _link_of(entry, "alternate")  # of whatever type it declares
    yield link
    yield id


def _entry(entry: Any, feed: str, dates: "_FeedDates") -> Entry:
    tags = (tag.term for tag in entry.get("tags", ())[:MOST_PARTS] if tag.get("term"))
    return Entry(
        title=plain_text(entry.get("title")),
        description=plain_text(_description(entry)),
        id=str(entry.get("id", ""))[:LONGEST],
        published=dates.read(entry, "published", "updated", "created"),
        updated=dates.read(entry, "updated"),
        author=_authors(entry),
        tags=tuple(dict.fromkeys(tag[:LONGEST] for tag in tags)),
        feed=feed,
        comments_url=_comments_url(entry, feed),
        comments_count=_comments_count(entry),
        content=_full_text(entry),
        enclosures=_enclosures(entry, feed),
    )


def _authors(entry: Any) -> str:
    """The distinct authors of the item, separated by commas."""
    named = [_author_name(one) for one in entry.get("authors", ())[:MOST_PARTS]]
    names = dict.fromkeys(name for name in named if name)
    return ", ".join(names) or plain_text(entry.get("author"))


def _author_name(author: Any) -> str:
    """The name of an author.  In ``press@a.example (Ana Bo)`` feedparser takes a part of a long
    domain for the start of the name."""
    name = plain_text(author.get("name"))
    if name.count("(") == name.count(")"):
        return name
    written = _WITH_ADDRESS.fullmatch(f"{author.get('email') or ''}{name}")
    return written[1].strip() if written else name


def _comments_url(entry: Any, feed: str) -> str:
    """The URL of the readers' comments: RSS's ``comments``, or Atom's link to replies."""
    return page_url(entry.get("comments") or _link_of(entry, "replies"), feed)


def _comments_count(entry: Any) -> int | None:
    """The number of comments: ``slash:comments`` or ``thr:total``."""
    counts = (_number(entry.get(name)) for name in ("slash_comments", "thr_total"))
    return next((count for count in counts if count is not None), None)


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


@dataclass(frozen=True)
class _FeedDates:
    """How the dates of a feed are read: its language with the country, and the order of day and
    month in its dates of numbers; both ``""`` if the feed does not tell."""

    locale: str
    order: str

    def read(self, entry: Any, *names: str) -> str:
        """The first date that the item has: ISO 8601, with an offset and a time if the feed gives
        them; as written in the feed if it cannot be read."""
        for name in names:
            text = str(dict.get(entry, name) or "").strip()  # without feedparser's own fallbacks
            if not text:
                continue
            moment = read_date(text, self.locale, order=self.order)
            moment = moment or read_date(text, order=self.order)
            return moment or _read_parsed(text, dict.get(entry, f"{name}_parsed")) or text
        return ""


def _dates_of(parsed: Any, feed: str) -> _FeedDates:
    language, _, country = str(parsed.feed.get("language") or "").replace("_", "-").partition("-")
    locale = language.strip().lower()[:3]
    if len(country) == 2:
        locale = f"{locale}-{country.upper()}"
    texts = (str(dict.get(entry, "published") or "") for entry in parsed.entries)
    orders = {order for text in texts if (order := decide_order(text[:LONGEST]))}
    order = orders.pop() if len(orders) == 1 else ""
    return _FeedDates(locale_of_host(locale, host_of(feed)), order)


def _read_parsed(text: str, parsed: Any) -> str:
    """What feedparser reads of a date in another form, in UTC; ``""`` if its year or its day is
    not in the text: it reads 2024/10/06 as 1 November."""
    numbers = set(re.findall(r"\d+", text[:LONGEST]))
    if not parsed or not {str(parsed[0]), f"{parsed[2]:02}"} <= numbers:
        return ""
    return datetime.fromtimestamp(timegm(parsed), UTC).isoformat()


def _enclosures(entry: Any, feed: str) -> tuple[MediaFile, ...]:
    """The files of an entry, without duplicates; a thumbnail or the
    image of an episode only if there is no other image."""
    files = collect_files((*_linked_files(entry, feed), *_media(entry, feed)))
    if any(file.kind == "image" for file in files):
        return files
    return collect_files((*files, *_thumbnails(entry, feed)))


def _linked_files(entry: Any, feed: str) -> Iterator[MediaFile | None]:
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
