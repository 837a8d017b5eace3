"""The records of the history, and their rows.

Values of a row that cannot be read, since they are of a wrong type or out of range, count as
unknown.
"""

import json
import zlib
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from forest_scrapy import core
from forest_scrapy.core.field_changes import FieldMemories, dump_memories, load_memories
from forest_scrapy.stores.database import Row

#: After so many failed requests in a row, a feed is not read again only to request the page.
MAX_FAILURES = 5
#: Dates of entries that are kept of a feed, the newest.
_MAX_DATES = 200
#: The first and the last second of the calendar, since 1970.
_FIRST_SECOND = -62_135_596_800
_LAST_SECOND = 253_402_300_799


@dataclass(frozen=True)
class FeedRecord:
    """A feed.  Times are seconds since 1970, UTC.

    - ``etag``, ``last_modified``: as the server gave them with the body that was read last.
    - ``status``: of the last poll; ``failures``: failed polls since the last success.
    - ``polled``: the last poll; ``read``: the last poll with a body (not status 304); ``due``:
      when to poll again; None: unknown.
    - ``hints``: what the feed and the server say about polling (``FeedHints`` as JSON).
    - ``dates``: publication dates of its newest entries, sorted.
    """

    url: str
    etag: str = ""
    last_modified: str = ""
    status: int = 0
    failures: int = 0
    polled: int | None = None
    read: int | None = None
    due: int | None = None
    hints: dict[str, Any] = field(default_factory=dict)
    dates: tuple[int, ...] = ()

    def due_at(self, now: int) -> int:
        """When the feed is to be polled; 0 if it never was, or if it was polled later than now,
        because the clock was wrong then or is now."""
        if self.polled is not None and self.polled > now:
            return 0
        return self.due or 0


@dataclass(frozen=True)
class PageRecord:
    """One URL that was requested as a possible article.  Times are seconds since 1970, UTC; None
    if unknown.

    - ``url``: the URL that was asked for, before redirects; ``key``: its key.
    - ``first_seen``, ``last_seen``: when a feed or a crawl had the URL first, and last.
    - ``fetched``: when the page was last fetched, or confirmed by status 304; ``status``: the
      last HTTP status; ``failures``: failed requests since the last success.
    - ``outcome``: ``article``, ``gone`` (an article that was deleted), the reason of a drop, or
      ``""`` as long as the page is still to be fetched.
    - ``page_digest``: of the body; ``text``: of the article's text; ``entry_digest``: of the feed
      entry that the page was last fetched with.
    - ``published_source``, ``modified_source``: where the dates come from.
    - ``feed``, ``entry_id``: the feed that listed the URL, and the id there.
    - ``template``, ``wrapper``, ``method``: what the article was extracted with; ``fingerprint``:
      the digest by which the template was recognised.
    - ``fields``: what is known of the fields of the article; empty if it was written before
      fields were compared.
    """

    key: str
    host: str
    url: str
    first_seen: int
    last_seen: int
    fetched: int | None = None
    status: int = 0
    failures: int = 0
    outcome: str = ""
    etag: str = ""
    last_modified: str = ""
    page_digest: bytes = b""
    entry_digest: bytes = b""
    text: "core.TextSummary" = field(default_factory=lambda: core.TextSummary())
    published: int | None = None
    published_source: str = ""
    modified: int | None = None
    modified_source: str = ""
    feed: str = ""
    entry_id: str = ""
    template: str = ""
    wrapper: str = ""
    method: str = ""
    fingerprint: str = ""
    fields: FieldMemories = field(default_factory=dict)

    @property
    def is_failing(self) -> bool:
        """Whether the page is still to be fetched because requests for it have failed."""
        return (self.outcome == "" or self.failures > 0) and self.failures < MAX_FAILURES


def write_feed(feed: FeedRecord) -> dict[str, Any]:
    """The values of a feed's columns."""
    newest_dates = sorted(set(feed.dates))[-_MAX_DATES:]
    return {
        **vars(feed),
        "hints": json.dumps(feed.hints),
        "dates": array("q", newest_dates).tobytes(),
    }


def feed_of_row(row: Row) -> FeedRecord:
    """The feed of a row.  Raises ``TypeError`` for one without a URL."""
    values = _read_values(_FEED_CHECKS, row)
    values["hints"] = _read_object(row["hints"])
    values["dates"] = _read_dates(row["dates"])
    return FeedRecord(**values)


def _read_dates(packed: Any) -> tuple[int, ...]:
    dates = array("q")
    if not isinstance(packed, bytes) or len(packed) % dates.itemsize:
        return ()
    dates.frombytes(packed)
    return tuple(filter(_is_time, dates))


def _read_object(text: Any) -> dict[str, Any]:
    """The object of a text of JSON; an empty one if there is none."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return {}
    if isinstance(value, dict):
        return value
    return {}


def text_of_row(row: Row) -> str:
    """The text of a row.  Raises ``zlib.error`` and ``TypeError``."""
    return zlib.decompress(row["text"]).decode("utf-8", "replace")


def _is_time(value: Any) -> bool:
    return isinstance(value, int) and _FIRST_SECOND <= value <= _LAST_SECOND


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and 0 <= value <= _LAST_SECOND


#: Tells whether a value is one of a column.
_Check = Callable[[Any], bool]
#: By the types of the records' fields; others are read by themselves.
_CHECKS: dict[Any, _Check] = {
    str: lambda value: isinstance(value, str),
    bytes: lambda value: isinstance(value, bytes),
    int: _is_count,
    int | None: lambda value: value is None or _is_time(value),
}


def _checks_of(record: type[FeedRecord | PageRecord]) -> dict[str, _Check]:
    """The checks of the fields of a record by their names."""
    checks = {}
    for field_of_record in fields(record):
        check = _CHECKS.get(field_of_record.type)
        if check is not None:
            checks[field_of_record.name] = check
    return checks


_FEED_CHECKS = _checks_of(FeedRecord)
_PAGE_CHECKS = _checks_of(PageRecord)


def _read_values(checks: Mapping[str, _Check], row: Row) -> dict[str, Any]:
    """The values of a row that have the types of the record; others are left out, so that they
    have their defaults.  SQLite stores values of any type in any column."""
    values = {}
    for name, check in checks.items():
        value = row[name]
        if check(value):
            values[name] = value
    return values


def row_of_page(page: PageRecord) -> dict[str, Any]:
    """The values of a page's columns, in which digests are packed."""
    return {
        **vars(page),
        "key": bytes.fromhex(page.key),
        "fingerprint": bytes.fromhex(page.fingerprint),
        "entry_id": "" if page.entry_id == page.url else page.entry_id,
        "text": _pack_summary(page.text),
        "fields": json.dumps(dump_memories(page.fields), ensure_ascii=False),
    }


def page_of_row(row: Row) -> PageRecord:
    """The page of a row.  Raises ``TypeError`` for one without a key or a URL."""
    values = {
        "first_seen": 0,
        "last_seen": 0,
        **_read_values(_PAGE_CHECKS, row),
    }
    values["host"] = _text_or_empty(row["host_name"])
    values["feed"] = _text_or_empty(row["feed_url"])
    values["key"] = _text_or_empty(row["key"].hex())
    values["fingerprint"] = _bytes_or_empty(row["fingerprint"]).hex()
    values["entry_id"] = values.get("entry_id") or values.get("url", "")
    values["text"] = _read_summary(_bytes_or_empty(row["text"]))
    values["fields"] = load_memories(_read_object(row["fields"]))
    return PageRecord(**values)


def _pack_summary(text: "core.TextSummary") -> bytes:
    if not text.digest:
        return b""
    return text.digest + text.simhash.to_bytes(8, "big") + text.sketch


def _read_summary(packed: bytes) -> "core.TextSummary":
    return core.TextSummary(
        digest=packed[:8],
        simhash=int.from_bytes(packed[8:16], "big"),
        sketch=packed[16:],
    )


def _text_or_empty(value: Any) -> str:
    if isinstance(value, str):
        return value
    return ""


def _bytes_or_empty(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    return b""
