"""Reading feeds: RSS 0.9x to 2.0, and Atom; JSON Feed by ``json_feed``.

How much of a feed is read is bounded, since feedparser takes about 0.3 s for a million bytes.
"""

import re
from calendar import timegm
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from html import escape, unescape
from itertools import chain
from typing import Any
from xml.parsers.expat import ExpatError

from scrapy.utils.gz import gunzip

from forest_scrapy.core import Entry
from forest_scrapy.core.encoding import detect_encoding, is_utf8
from forest_scrapy.core.fields.dates import decide_order, locale_of_host, read_date
from forest_scrapy.core.page.content import MediaFile
from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.feeds.discovery import discover_feeds
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
from forest_scrapy.feeds.json_feed import is_json, read_json_feed
from forest_scrapy.feeds.own_pages import LinkedEntry, PlacedItems, place_entries
from forest_scrapy.feeds.plain_feed import NotPlain, parse_plain_feed
from forest_scrapy.feeds.schedule import FeedHints, read_max_age
from forest_scrapy.settings import crawl_command

#: Bytes read of a feed.
_MAX_BYTES = 3_000_000
#: Bytes of the largest feed that is unpacked.
_MAX_UNPACKED_BYTES = 52_428_800
#: The start of data in gzip.
_GZIP_START = b"\x1f\x8b\x08"
#: Bytes in which the first tag of a feed is searched.
_MAX_PROLOG_BYTES = 10_000
#: The start of an HTML page; what may stand before it has no tag of a feed.
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s++|<!--(?:(?!-->).){0,5000}+-->|<\?xml[^>]{0,200}+>){0,10}+"
    rb"<(?:!doctype\s++html|html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
#: Bytes of a page in which links to feeds are searched, and feeds of it that a message names.
_MAX_PAGE_BYTES = 50_000
MAX_NAMED_FEEDS = 5
#: Reading a feed above one of these may take long: bytes, tags, and attributes (feedparser takes
#: quadratic time for the attributes of a tag).
_MAX_FAST_BYTES = 500_000
_MAX_FAST_TAGS = 20_000
_MAX_FAST_ATTRIBUTES = 5_000
#: Bytes at the end of a feed in which its end tag is searched first.
_END_BYTES = 200
#: The start of an item.
_ITEM = re.compile(rb"<(?:[\w.-]+:)?(?:item|entry)[\s>]")
#: The start of an id that is a URL.
_ADDRESS_IN_ID = re.compile(
    r"<(?:[\w.-]{1,50}:)?(?:guid|id)(?:\s[^<>]{0,500})?>\s*+(?:<!\[CDATA\[\s*+)?"
    r"((?:https?:|/|\?)(?:(?!\]\]>)[^<>\s]){1,2000})",
    re.IGNORECASE,
)
#: The end of an item.
_ITEM_END = re.compile(rb"</(?:[\w.-]{1,50}:)?(?:item|entry)\s{0,50}>")
_ROOT = re.compile(rb"<((?:[\w.-]+:)?(rss|feed|RDF))[\s>]")
_ROOT_END = re.compile(rb"</((?:[\w.-]{1,50}:)?(?:rss|feed|RDF))\s{0,50}>")

_ATOM = b' xmlns:atom="http://www.w3.org/2005/Atom"'
_PERIODS = {
    "hourly": 3600,
    "daily": 86_400,
    "weekly": 7 * 86_400,
    "monthly": 30 * 86_400,
    "yearly": 365 * 86_400,
}
#: An address with the brackets around it; RSS has the name of the author in brackets after it.
_ADDRESS = re.compile(
    r"(?<![^\s<(,])(?:[<(]\s*)?(?:mailto:)?[^\s@<>(),]++@[^\s@<>(),]++(?:\s*[>)])?"
)
#: The encoding that a feed declares.
_PROLOG = re.compile(rb"(<\?xml[^>]{0,100}?encoding\s*=\s*[\"'])([\w.:-]{1,40})")
_AS_UTF8 = {"content-type": "application/xml; charset=utf-8"}


def read_feed(body: bytes, url: str, headers: Mapping[str, str]) -> Feed:
    """The feed with its items, or with the reason why there are none; never raises.

    A malformed feed is read as far as possible, and an item without a valid http or https link, a
    text and a file of media is left out; of a large feed only the start is read (``bound_feed``).
    """
    max_age = read_max_age(headers)
    if is_json(body):
        feed = read_json_feed(body, url)
        hints = FeedHints(max_age=max_age)
        return replace(feed, hints=hints, format="json")
    lower_headers = {name.lower(): value for name, value in headers.items()}
    lower_headers["content-location"] = url
    try:
        body = _decompress(body)
    except Exception as error:  # damaged data, or more than the limit
        return Feed(problem=f"cannot be decompressed: {type(error).__name__}")
    if _is_html(body):
        return Feed(problem=_describe_page(body, url))
    is_cut = is_cut_off(body)
    if is_cut:
        body = _end_after_last_item(body)
    body = bound_feed(body)
    body = _declare_atom(body)
    body = _declare_encoding(body)
    # feedparser believes the server's charset, and assumes ISO-8859-1 if there is no type at all,
    # as of a file.
    content_type = lower_headers.get("content-type")
    may_be_misread = content_type is None or "charset" in content_type.lower()
    if may_be_misread and is_utf8(body):
        lower_headers |= _AS_UTF8
    try:
        parsed = _parse(body, lower_headers)
    except Exception:  # a parser of hostile input; most often it is the declared encoding
        try:
            parsed = _parse(body, lower_headers | _AS_UTF8)
        except Exception as error:
            return Feed(problem=f"not a feed: {type(error).__name__}: {error}")
    placed = _items(parsed, url, body)
    if placed.items:
        return Feed(
            placed.items,
            hints=_hints(parsed.feed, max_age),
            older=_link_of(parsed.feed, "prev-archive", "next"),
            home=page_url(parsed.feed.get("link"), url),
            generator=_generator(parsed.feed),
            format=str(parsed.get("version") or ""),
            shared_pages=placed.shared_pages,
            is_cut=is_cut,
        )
    if parsed.get("bozo") and not parsed.get("version"):
        return Feed(problem=f"not a feed: {parsed.get('bozo_exception')}")
    if is_cut:
        return Feed(problem="cut off before the end of its first item", is_cut=True)
    return Feed(problem=NO_ITEM if parsed.entries else "no items")


def _is_html(body: bytes) -> bool:
    """Whether the body is an HTML page.

    >>> _is_html(b"<!-- x --> <!DOCTYPE html>"), _is_html(b"<rss><title><html></title></rss>")
    (True, False)
    """
    has_feed = _ROOT.search(body, 0, _MAX_PROLOG_BYTES) is not None
    return not has_feed and _HTML_START.match(body) is not None


def _describe_page(body: bytes, url: str) -> str:
    """What to name instead of an HTML page: the feeds that it links, or its site."""
    start = body[:_MAX_PAGE_BYTES]
    root = parse_html(start.decode("utf-8", "replace"))
    links = discover_feeds(root, url)
    if links:
        names = ", ".join(links[:MAX_NAMED_FEEDS])
        return f"not a feed but an HTML page, whose feeds are {names}"
    return (
        "not a feed but an HTML page, which links none; -a site=URL looks for the feeds of its"
        f" site, and {crawl_command()} site -a url=URL crawls a site without any"
    )


def _decompress(body: bytes) -> bytes:
    """The feed itself; some servers send a packed file without saying so."""
    if not body.startswith(_GZIP_START):
        return body
    return gunzip(body, max_size=_MAX_UNPACKED_BYTES)


def bound_feed(body: bytes) -> bytes:
    """The feed without the items beyond ``MAX_ITEMS`` or ``_MAX_BYTES`` bytes, closed again so that
    it stays well-formed; a feed within the bounds as it is.

    >>> bound_feed(b"<rss><channel></channel></rss>")
    b'<rss><channel></channel></rss>'
    """
    if len(body) <= _MAX_BYTES and _has_few_items(body):
        return body
    starts = [match.start() for match in _ITEM.finditer(body)]
    starts_within = []
    for start in starts[: MAX_ITEMS + 1]:
        if start <= _MAX_BYTES:
            starts_within.append(start)
    has_all_items = len(starts_within) == len(starts)
    if len(body) <= _MAX_BYTES and has_all_items:
        return body
    cut = starts_within[-1] if len(starts_within) > 1 else _MAX_BYTES
    whole_items = body[:cut]
    return whole_items + _closing_tags(body)


def _has_few_items(body: bytes) -> bool:
    """Whether a feed has no more than ``MAX_ITEMS`` items, as far as that is known without a search
    for their tags."""
    if body.count(b"<") <= MAX_ITEMS:
        return True
    return body.count(b"item") + body.count(b"entry") <= MAX_ITEMS


def is_cut_off(body: bytes) -> bool:
    """Whether a feed has no end tag: its server or the connection has failed in the middle.

    >>> is_cut_off(b"<rss><channel><item></item><it"), is_cut_off(b"<rss></rss>")
    (True, False)
    """
    root = _ROOT.search(body, 0, _MAX_PROLOG_BYTES)
    if root is None:
        return False
    last_bytes = max(len(body) - _END_BYTES, 0)
    last_ends = _ROOT_END.finditer(body, last_bytes)
    ends = chain(last_ends, _ROOT_END.finditer(body))
    return all(end[1] != root[1] for end in ends)


def _end_after_last_item(body: bytes) -> bytes:
    """A feed that is cut off, without the item that it ends in: its link may be cut off, too."""
    ends = [match.end() for match in _ITEM_END.finditer(body)]
    if ends:
        return body[: ends[-1]] + _closing_tags(body)
    first_item = _ITEM.search(body)
    return body[: first_item.start()] + _closing_tags(body) if first_item else body


def _closing_tags(body: bytes) -> bytes:
    root = _ROOT.search(body, 0, _MAX_PROLOG_BYTES)
    if root is None:
        return b""
    name, kind = root.groups()
    root_end = b"</%s>" % name
    if kind == b"rss":
        return b"</channel>" + root_end
    return root_end


def may_be_slow(body: bytes) -> bool:
    """Whether reading a bounded feed may take long.  Cost: one pass over the bytes."""
    if len(body) > _MAX_FAST_BYTES:
        return True
    if body.count(b"<") > _MAX_FAST_TAGS:
        return True
    return body.count(b"=") > _MAX_FAST_ATTRIBUTES


def _declare_atom(body: bytes) -> bytes:
    """The feed with the prefix of Atom declared, which some feeds use without declaring it."""
    root = _ROOT.search(body, 0, _MAX_PROLOG_BYTES)
    if root is None or b"<atom:" not in body or b"xmlns:atom" in body:
        return body
    end_of_name = root.end(1)
    before = body[:end_of_name]
    after = body[end_of_name:]
    return before + _ATOM + after


def _declare_encoding(body: bytes) -> bytes:
    """The feed with the encoding declared in its prolog that its bytes are in: valid UTF-8 is
    hardly ever another one."""
    prolog = _PROLOG.match(body.lstrip(b"\xef\xbb\xbf \t\r\n"), 0, 200)
    declared = prolog[2].decode("ascii", "replace").lower() if prolog else "utf-8"
    encoding = "utf-8" if is_utf8(body) else detect_encoding(body, declared)
    if not encoding or encoding == declared:
        return body
    if prolog is None and encoding == "utf-8":
        return body
    recoded = body.decode(encoding, "replace").encode()
    if prolog is None:
        return recoded
    return _PROLOG.sub(rb"\g<1>utf-8", recoded, count=1)


def _parse(body: bytes, headers: Mapping[str, str]) -> Any:
    try:
        return parse_plain_feed(body, headers)
    except NotPlain as error:  # feedparser reads all
        is_malformed = isinstance(error.__cause__, ExpatError)
    if is_malformed:
        from forest_scrapy.feeds.xml_repair import repair_xml  # few feeds are

        body = repair_xml(body)
        with suppress(NotPlain):
            return parse_plain_feed(body, headers)
    import feedparser  # takes long, and many crawls read no feed

    # The HTML of full texts is sanitized, and its URLs are joined, like that of pages.
    return feedparser.parse(
        body,
        response_headers=headers,
        sanitize_html=False,
        resolve_relative_uris=False,
    )


def _hints(feed: Any, max_age: int | None) -> FeedHints:
    """What the feed says of polling."""
    minutes = _number(feed.get("ttl"))
    period = str(feed.get("sy_updateperiod")).strip().lower()
    period_seconds = _PERIODS.get(period)
    updates = _number(feed.get("sy_updatefrequency")) or 1
    return FeedHints(
        ttl=None if minutes is None else minutes * 60,
        max_age=max_age,
        period=period_seconds // updates if period_seconds else None,
        hub=_link_of(feed, "hub"),
    )


def _generator(feed: Any) -> str:
    """The name and the URL of the program that made a feed, in lower case."""
    detail = feed.get("generator_detail", {})
    name = detail.get("name") or ""
    href = detail.get("href") or ""
    return f"{name} {href}".strip().lower()[:MAX_TEXT_LENGTH]


def _link_of(part: Any, *relations: str) -> str:
    """The first link of a feed or an entry with the first of these relations that it has."""
    for relation in relations:
        for link in part.get("links", ()):
            if link.get("rel", "alternate") == relation and link.get("href"):
                return str(link["href"])
    return ""


def _number(text: Any) -> int | None:
    digits = str(text or "").strip()
    if not digits.isdecimal():
        return None
    return int(digits[:9])


def _items(parsed: Any, feed: str, body: bytes) -> PlacedItems:
    dates = _dates_of(parsed, feed)
    addresses = _AddressesInIds(feed, body, parsed.get("encoding"))
    entries = []
    for entry in parsed.entries:
        link = _url_of(entry, feed, addresses)
        entries.append(LinkedEntry(link, _entry(entry, feed, dates)))
    site = page_url(parsed.feed.get("link"), feed)
    return place_entries(entries, feed, site)


class _AddressesInIds:
    """The URLs that are written as ids; feedparser joins ids that are none, such as ``ep7``, to the
    URL of the feed.  Read when an entry is found to have only an id: few feeds have any."""

    def __init__(self, feed: str, body: bytes, encoding: Any) -> None:
        self._feed = feed
        self._body = body
        self._encoding = encoding

    def __contains__(self, url: str) -> bool:
        return url in self._urls

    @cached_property
    def _urls(self) -> frozenset[str]:
        urls = set()
        for match in _ADDRESS_IN_ID.finditer(_decode(self._body, self._encoding)):
            urls.add(page_url(unescape(match[1]), self._feed))
        return frozenset(urls)


def _decode(body: bytes, encoding: Any) -> str:
    """The text of a feed in the encoding that feedparser has read it in."""
    try:
        return body.decode(str(encoding or "utf-8"), "replace")
    except (LookupError, ValueError):  # none of Python's, or not one of texts
        return body.decode("utf-8", "replace")


def _has_id_for_link(entry: Any, feed: str) -> bool:
    """Whether the link of an item is its id, which feedparser gives as link if there is no other
    one of a type that it knows."""
    return page_url(entry.get("link"), feed) == page_url(entry.get("id"), feed)


def _url_of(entry: Any, feed: str, addresses: _AddressesInIds) -> str:
    """The URL of the item's page; ``""`` if it has no valid link.  ``addresses``: the ids that are
    URLs."""
    for link in _links(entry, feed):
        url = page_url(link, feed)
        if url:
            return url
    id_url = page_url(entry.get("id"), feed)
    if id_url and _has_id_for_link(entry, feed) and id_url in addresses:
        return id_url
    return ""


def _links(entry: Any, feed: str) -> Iterator[Any]:
    """The links to the item's page, best first."""
    yield entry.get("feedburner_origlink")
    if not _has_id_for_link(entry, feed):
        yield entry.get("link")
    yield _link_of(entry, "alternate")  # of whatever type it declares


def _entry(entry: Any, feed: str, dates: "_FeedDates") -> Entry:
    tags = {}
    for tag in entry.get("tags", ())[:MAX_PARTS]:
        term = tag.get("term")
        if term:
            tags[term[:MAX_TEXT_LENGTH]] = True
    id = str(entry.get("id", ""))
    description = _description(entry)
    return Entry(
        title=plain_text(entry.get("title")),
        description=plain_text(description),
        id=id[:MAX_TEXT_LENGTH],
        published=dates.read(entry, "published", "updated", "created"),
        updated=dates.read(entry, "updated"),
        author=_authors(entry),
        tags=tuple(tags),
        feed=feed,
        comments_url=_comments_url(entry, feed),
        comments_count=_comments_count(entry),
        content=_full_text(entry),
        enclosures=_enclosures(entry, feed),
    )


def _authors(entry: Any) -> str:
    """The distinct authors of the item, separated by commas."""
    written = plain_text(entry.get("author"))
    authors = entry.get("authors", ())[:MAX_PARTS]
    names: dict[str, bool] = {}
    for author in authors:
        name = plain_text(author.get("name"))
        email = author.get("email")
        if email and len(authors) == 1:
            name = _without_addresses(written)
        elif email and name.count("(") != name.count(")"):
            name = _without_addresses(f"{email}{name}")
        if name:
            names[name] = True
    return ", ".join(names) or _without_addresses(written)


def _without_addresses(written: str) -> str:
    """The names in the author of an item as it is written, without addresses and without the
    brackets around names.  feedparser knows no domain with a long last part: in
    ``press@a.example (Ana Bo)`` it takes a part of it for the start of the name.

    >>> _without_addresses("Ana Bo <ana@a.example>, cy@a.media (Cy Dee)")
    'Ana Bo, Cy Dee'
    """
    if "@" not in written:
        return written
    names = []
    for part in _ADDRESS.split(written):
        name = part.strip(" ,")
        if name.startswith("(") and name.endswith(")"):
            name = name[1:-1].strip()
        if name:
            names.append(name)
    return ", ".join(names)


def _comments_url(entry: Any, feed: str) -> str:
    """The URL of the readers' comments: RSS's ``comments``, or Atom's link to replies."""
    address = entry.get("comments") or _link_of(entry, "replies")
    return page_url(address, feed)


def _comments_count(entry: Any) -> int | None:
    """The number of comments: ``slash:comments`` or ``thr:total``."""
    count = _number(entry.get("slash_comments"))
    if count is None:
        count = _number(entry.get("thr_total"))
    return count


def _description(entry: Any) -> str:
    """The summary, or else the content, whatever its length."""
    if entry.get("summary"):
        return str(entry["summary"])
    for part in entry.get("content", ()):
        if part.get("value"):
            return str(part["value"])
    return ""


def _full_text(entry: Any) -> str:
    """The longest content, as HTML (``content:encoded``, Atom's ``content``); ``""`` if there is
    only a summary."""
    texts = []
    for part in entry.get("content", ())[:MAX_PARTS]:
        text = str(part.get("value") or "")[:MAX_CONTENT_LENGTH]
        if not text:
            continue
        is_html = "html" in str(part.get("type"))
        texts.append(text if is_html else f"<p>{escape(text, quote=False)}</p>")
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
            return (
                _read_written(text, self.locale, self.order)
                or _read_parsed(text, _parsed_date(entry, name))
                or text
            )
        return ""


@lru_cache(maxsize=16)  # many entries are published and updated at the same time
def _read_written(text: str, locale: str, order: str) -> str:
    return read_date(text, locale, order=order) or read_date(text, order=order)


def _dates_of(parsed: Any, feed: str) -> _FeedDates:
    code = str(parsed.feed.get("language") or "")
    language, _, country = code.replace("_", "-").partition("-")
    locale = language.strip().lower()[:3]
    if len(country) == 2:
        locale = f"{locale}-{country.upper()}"
    orders = set()
    for entry in parsed.entries:
        published = str(dict.get(entry, "published") or "")
        orders.add(decide_order(published[:MAX_TEXT_LENGTH]))
    orders.discard("")
    order = orders.pop() if len(orders) == 1 else ""
    return _FeedDates(locale_of_host(locale, host_of(feed)), order)


def _parsed_date(entry: Any, name: str) -> Any:
    """What feedparser reads of a date."""
    parsed = dict.get(entry, f"{name}_parsed")
    if parsed is None and type(entry) is dict:  # of a plain feed
        from feedparser.datetimes import _parse_date

        parsed = _parse_date(dict.get(entry, name))
    return parsed


def _read_parsed(text: str, parsed: Any) -> str:
    """What feedparser reads of a date in another form, in UTC; ``""`` if its year or its day is
    not in the text: it reads 2024/10/06 as 1 November."""
    numbers = set(re.findall(r"\d+", text[:MAX_TEXT_LENGTH]))
    if not parsed:
        return ""
    year = str(parsed[0])
    day = f"{parsed[2]:02}"
    if year not in numbers or day not in numbers:
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
    for link in entry.get("links", ())[:MAX_PARTS]:
        if link.get("rel") == "enclosure":
            yield read_enclosure(
                link.get("href"),
                feed,
                kind=link.get("type"),
                length=link.get("length"),
            )


def _media(entry: Any, feed: str) -> Iterator[MediaFile | None]:
    for media in entry.get("media_content", ())[:MAX_PARTS]:
        kind = media.get("type") or media.get("medium")
        yield read_enclosure(media.get("url"), feed, kind, media.get("filesize"))


def _thumbnails(entry: Any, feed: str) -> Iterator[MediaFile | None]:
    for media in entry.get("media_thumbnail", ())[:1]:
        yield read_enclosure(media.get("url"), feed, "image")
    image = entry.get("image")
    image_url = image.get("href") if isinstance(image, dict) else None
    yield read_enclosure(image_url, feed, "image")
