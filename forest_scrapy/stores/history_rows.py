"""The records of the history, and their rows.

Values of a row that cannot be read, since they are of a wrong type or out of range, count as
unknown.
"""

import json
import zlib
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from forest_scrapy.core.changes import TextSummary
from forest_scrapy.stores.database import Row

#: After so many failed requests in a row, a feed is not read again only to request the page.
MOST_FAILURES = 5
#: Dates of entries that are kept of a feed, the newest.
_MOST_DATES = 200
#: The first and the last second of the calendar, since 1970.
_FIRST, _LAST = -62_135_596_800, 253_402_300_799


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
        return 0 if (self.polled or 0) > now else self.due or 0


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
    text: TextSummary = field(default_factory=TextSummary)
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

    @property
    def is_failing(self) -> bool:
        """Whether the page is still to be fetched because requests for it have failed."""
        return (self.outcome == "" or self.failures > 0) and self.failures < MOST_FAILURES


def write_feed(feed: FeedRecord) -> dict[str, Any]:
    """The values of a feed's columns."""
    dates = array("q", sorted(set(feed.dates))[-_MOST_DATES:]).tobytes()
    return {**vars(feed), "hints": json.dumps(feed.hints), "dates": dates}


def read_feed(row: Row) -> FeedRecord:
    values = _known_values(_FEED_CHECKS, row)
    dates, hints = row["dates"], _read_hints(row["hints"])
    is_packed = isinstance(dates, bytes) and len(dates) % array("q").itemsize == 0
    found = tuple(filter(_is_time, array("q", dates))) if is_packed else ()
    return FeedRecord(**{**values, "hints": hints, "dates": found})


def _read_hints(text: Any) -> dict[str, Any]:
    try:
        hints = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return {}
    return hints if isinstance(hints, dict) else {}


def read_text(row: Row) -> str:
    return zlib.decompress(row["text"]).decode("utf-8", "replace")


def _is_time(value: Any) -> bool:
    return isinstance(value, int) and _FIRST <= value <= _LAST


#: How the values of each type are told.
_CHECKS: dict[Any, Callable[[Any], bool]] = {
    str: lambda value: isinstance(value, str),
    bytes: lambda value: isinstance(value, bytes),
    int: lambda value: isinstance(value, int) and 0 <= value <= _LAST,
    int | None: lambda value: value is None or _is_time(value),
}


_Checks = list[tuple[str, Callable[[Any], bool]]]


def _checks_of(kind: type[FeedRecord | PageRecord]) -> _Checks:
    found = ((part.name, _CHECKS.get(part.type)) for part in fields(kind))
    return [(name, check) for name, check in found if check is not None]


_FEED_CHECKS, _PAGE_CHECKS = _checks_of(FeedRecord), _checks_of(PageRecord)


def _known_values(checks: _Checks, row: Row) -> dict[str, Any]:
    """The values of a row that have the types of the record; others are left out, so that they
    have their defaults.  SQLite stores values of any type in any column."""
    named = ((name, row[name], check) for name, check in checks)
    return {name: value for name, value, check in named if check(value)}


def write_page(page: PageRecord) -> dict[str, Any]:
    """The values of a page's columns, in which digests are packed."""
    text = page.text
    packed = text.digest + text.simhash.to_bytes(8, "big") + text.sketch
    return {
        **vars(page),
        "key": bytes.fromhex(page.key),
        "fingerprint": bytes.fromhex(page.fingerprint),
        "entry_id": "" if page.entry_id == page.url else page.entry_id,
        "text": packed if text.digest else b"",
    }


def read_page(row: Row) -> PageRecord:
    """Raises ``TypeError`` for a row without a key or a URL."""
    packed, fingerprint = (
        one if isinstance(one, bytes) else b"" for one in (row["text"], row["fingerprint"])
    )
    values = {"first_seen": 0, "last_seen": 0, **_known_values(_PAGE_CHECKS, row)}
    named = {"host": row["host_name"], "feed": row["feed_url"], "key": row["key"].hex()}
    return PageRecord(
        **{
            **values,
            **{name: value if isinstance(value, str) else "" for name, value in named.items()},
            "fingerprint": fingerprint.hex(),
            "entry_id": values.get("entry_id") or values.get("url", ""),
            "text": TextSummary(packed[:8], int.from_bytes(packed[8:16], "big"), packed[16:]),
        }
    )
