"""The history: every URL that was requested as an article, and every feed, from crawl to crawl.

One row for each URL, some 400 bytes.  Texts are kept of the latest articles only, to show what
was changed in them; of the others there are digests.
"""

from __future__ import annotations

import json
import logging
import zlib
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any

from forest_scrapy.core.changes import TextSummary
from forest_scrapy.stores.database import Database, Row, StoreAway, StoreFailed
from forest_scrapy.stores.opening import open_store

__all__ = ["MOST_FAILURES", "FeedRecord", "HistoryStore", "PageRecord"]

FEEDS_SCHEMA = """
CREATE TABLE IF NOT EXISTS feeds (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, etag TEXT NOT NULL DEFAULT '',
    last_modified TEXT NOT NULL DEFAULT '', status INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0, polled INTEGER, read INTEGER, due INTEGER,
    hints TEXT NOT NULL DEFAULT '{}', dates BLOB NOT NULL DEFAULT x''
);
"""

#: Dates of entries that are kept of a feed, the newest.
_MOST_DATES = 200


@dataclass(frozen=True)
class FeedRecord:
    """A feed.  Times are seconds since 1970, UTC.

    - ``etag``, ``last_modified``: as the server gave them with the body that was read last.
    - ``status``: of the last poll; ``failures``: failed polls since the last success.
    - ``polled``: the last poll; ``read``: the last poll with a body (not status 304); ``due``:
      when to poll again; None: unknown.
    - ``hints``: what the feed and the server say about polling (``read_hints``).
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


class FeedTable:
    """The feeds of the history, by URL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, url: str) -> FeedRecord | None:
        """The feed with this URL; None if it was never polled, or while a shared store is away."""
        try:
            rows = self._database.rows("SELECT * FROM feeds WHERE url = ?", (url,))
        except StoreAway:
            return None
        return _read(rows[0]) if rows else None

    def all(self) -> Iterator[FeedRecord]:
        """All feeds, by URL."""
        return map(_read, self._database.rows("SELECT * FROM feeds ORDER BY url"))

    def save(self, feed: FeedRecord) -> None:
        """Write a feed in place of the previous record."""
        dates = array("q", sorted(set(feed.dates))[-_MOST_DATES:]).tobytes()
        row = {**vars(feed), "hints": json.dumps(feed.hints), "dates": dates}
        names = list(row)
        self._database.execute(
            f"INSERT INTO feeds ({', '.join(names)}) VALUES (:{', :'.join(names)})"
            f" ON CONFLICT (url) DO UPDATE SET {', '.join(f'{n} = :{n}' for n in names[1:])}",
            row,
        )

    def id_of(self, url: str) -> int | None:
        """The number of a feed, which is added if it is new; None for ``""``."""
        if not url:
            return None
        self._database.execute("INSERT INTO feeds (url) VALUES (?) ON CONFLICT DO NOTHING", (url,))
        rows = self._database.rows("SELECT id FROM feeds WHERE url = ?", (url,))
        return int(rows[0]["id"])


def _read(row: Row) -> FeedRecord:
    dates = array("q")
    dates.frombytes(row["dates"])
    values = {name: row[name] for name in FeedRecord.__dataclass_fields__}
    return FeedRecord(**{**values, "hints": json.loads(row["hints"]), "dates": tuple(dates)})


#: After so many failed requests in a row, a feed is not read again only to request the page.
MOST_FAILURES = 5
_SIMHASH_BYTES = 8


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

    def to_row(self) -> dict[str, Any]:
        """The values of the page's columns; digests are packed."""
        text = self.text
        return {
            **vars(self),
            "key": bytes.fromhex(self.key),
            "fingerprint": bytes.fromhex(self.fingerprint),
            "entry_id": "" if self.entry_id == self.url else self.entry_id,
            "text": text.digest + text.simhash.to_bytes(_SIMHASH_BYTES, "big") + text.sketch
            if text.digest
            else b"",
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> PageRecord:
        """The page that ``to_row`` was called on."""
        values = {name: row[name] for name in page_columns()}
        return cls(
            **{
                **values,
                "key": row["key"].hex(),
                "fingerprint": row["fingerprint"].hex(),
                "entry_id": row["entry_id"] or row["url"],
                "text": _unpack(row["text"]),
            }
        )


def page_columns() -> tuple[str, ...]:
    """The names of the columns, those of the fields."""
    return tuple(one.name for one in fields(PageRecord))


def _unpack(packed: bytes) -> TextSummary:
    digest, number, sketch = packed[:8], packed[8:16], packed[16:]
    return TextSummary(digest, int.from_bytes(number, "big"), sketch) if packed else TextSummary()


logger = logging.getLogger(__name__)

#: ``PageRecord.is_failing``, for the index of these pages.
_IS_FAILING = f"(outcome = '' OR pages.failures > 0) AND pages.failures < {MOST_FAILURES}"
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS hosts (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS pages (
    key BLOB NOT NULL UNIQUE, host INTEGER NOT NULL, url TEXT NOT NULL,
    first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, fetched INTEGER,
    status INTEGER NOT NULL, failures INTEGER NOT NULL, outcome TEXT NOT NULL,
    etag TEXT NOT NULL, last_modified TEXT NOT NULL, page_digest BLOB NOT NULL,
    entry_digest BLOB NOT NULL, text BLOB NOT NULL, published INTEGER,
    published_source TEXT NOT NULL, modified INTEGER, modified_source TEXT NOT NULL,
    feed INTEGER, entry_id TEXT NOT NULL, template TEXT NOT NULL, wrapper TEXT NOT NULL,
    method TEXT NOT NULL, fingerprint BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS pages_by_host ON pages (host);
CREATE INDEX IF NOT EXISTS pages_by_feed ON pages (feed, published);
CREATE INDEX IF NOT EXISTS pages_to_fetch ON pages (feed)
    WHERE {_IS_FAILING.replace("pages.", "")};
CREATE TABLE IF NOT EXISTS texts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE, text BLOB NOT NULL
);
{FEEDS_SCHEMA}
"""

_SELECT = """
SELECT pages.*, hosts.name AS host_name, COALESCE(feeds.url, '') AS feed_url
FROM pages JOIN hosts ON hosts.id = pages.host LEFT JOIN feeds ON feeds.id = pages.feed
"""
_SAVE = (
    f"INSERT INTO pages ({', '.join(page_columns())}) VALUES (:{', :'.join(page_columns())})"
    " ON CONFLICT (key) DO UPDATE SET "
    + ", ".join(f"{name} = :{name}" for name in page_columns() if name != "key")
)

#: A feed that answers 304 still lists the pages that it listed when it was read last.
_PRUNE = """
DELETE FROM pages WHERE last_seen < :before AND NOT EXISTS (
    SELECT 1 FROM feeds
    WHERE feeds.id = pages.feed AND feeds.polled >= :before AND feeds.read <= pages.last_seen
)
"""
#: Texts that are kept, the latest; some 2 KB each.
MOST_TEXTS = 4000


class HistoryStore:
    """The history of all hosts.  What cannot be read raises ``StoreFailed``; while a shared store
    is away, ``find``, ``feed_pages``, ``has_failing_pages`` and ``text`` know nothing."""

    def __init__(self, location: str, must_exist: bool = False) -> None:
        """Open or create the store.  Raises ``BadStore``, also if it ``must_exist`` and does
        not."""
        missing = "there is no history here yet; a crawl writes it"
        self.database = open_store(location, _SCHEMA, missing if must_exist else "")
        self.feeds = FeedTable(self.database)
        self._has_warned = False

    def find(self, key: str) -> PageRecord | None:
        """The page with this key; None if it was never requested.  Takes some 20 microseconds."""
        with suppress(StoreAway):
            return next(self._pages("WHERE pages.key = ?", bytes.fromhex(key)), None)
        return None

    def host_pages(self, host: str) -> Iterator[PageRecord]:
        """The pages of a host, those first seen last first, then by URL; one in memory at a time.
        The store must not be used for anything else meanwhile."""
        query = f"{_SELECT} WHERE hosts.name = ? ORDER BY first_seen DESC, pages.url"
        for row in self.database.stream(query, (host,)):
            yield _page_of(row)

    def count_pages(self, host: str) -> int:
        """The number of the host's pages."""
        query = "SELECT COUNT(*) AS n FROM pages JOIN hosts ON hosts.id = host WHERE name = ?"
        return int(self.database.rows(query, (host,))[0]["n"])

    def feed_pages(self, feed: str, published_since: int) -> Iterator[PageRecord]:
        """The articles that this feed has listed, published since then, by URL."""
        with suppress(StoreAway):
            yield from self._pages(
                "WHERE feeds.url = ? AND published >= ? AND outcome = 'article' ORDER BY pages.url",
                feed,
                published_since,
            )

    def hosts(self) -> dict[str, int]:
        """The hosts, sorted, with the number of their pages."""
        rows = self.database.rows(
            "SELECT name, COUNT(*) AS n FROM hosts JOIN pages ON pages.host = hosts.id"
            " GROUP BY name ORDER BY name"
        )
        return {str(row["name"]): int(row["n"]) for row in rows}

    def save(self, *pages: PageRecord, feed: FeedRecord | None = None, text: str = "") -> None:
        """Write pages, and a feed, in place of their previous records, and the text of the last
        page if it has one, in one transaction.  If the store cannot be written, there is a
        warning: a crawl does not need it."""

        def save() -> None:
            for page in pages:
                self._save_page(page)
            if feed:
                self.feeds.save(feed)
            if text:
                self._save_text(pages[-1].key, text)

        self._write(save)

    def has_failing_pages(self, feed: str) -> bool:
        """Whether the feed has listed pages that are still to be fetched."""
        query = "SELECT 1 FROM pages WHERE feed = (SELECT id FROM feeds WHERE url = ?)"
        with suppress(StoreAway):
            return bool(self.database.rows(f"{query} AND {_IS_FAILING} LIMIT 1", (feed,)))
        return False

    def text(self, key: str) -> str | None:
        """The text of an article; None if it is not kept any more."""
        query = "SELECT text FROM texts WHERE key = ?"
        with suppress(StoreAway):
            rows = self.database.rows(query, (bytes.fromhex(key),))
            return zlib.decompress(rows[0]["text"]).decode() if rows else None
        return None

    def prune(self, before: int) -> int:
        """Delete the pages last seen before a time, except for those still in a feed, and the
        feeds last polled before it; the number of pages."""

        def prune() -> int:
            number = self.database.execute(_PRUNE, {"before": before})
            self.database.execute(
                "DELETE FROM feeds WHERE COALESCE(polled, 0) < ? AND id NOT IN"
                " (SELECT feed FROM pages WHERE feed IS NOT NULL)",
                (before,),
            )
            self.database.execute("DELETE FROM texts WHERE key NOT IN (SELECT key FROM pages)")
            return number

        return self.database.write(prune) or 0

    def compact(self) -> None:
        """Give the space of deleted rows back to the file system."""
        self.database.compact()

    def close(self) -> None:
        """Close the store; keeps the latest ``MOST_TEXTS`` texts."""
        with suppress(StoreFailed):  # a store that cannot be written had a warning
            self.database.execute(
                "DELETE FROM texts WHERE id <= (SELECT MAX(id) FROM texts) - ?", (MOST_TEXTS,)
            )
        self.database.close()

    def _save_page(self, page: PageRecord) -> None:
        host, feed = self._host_id(page.host), self.feeds.id_of(page.feed)
        self.database.execute(_SAVE, {**page.to_row(), "host": host, "feed": feed})

    def _save_text(self, key: str, text: str) -> None:
        row = (bytes.fromhex(key), zlib.compress(text.encode("utf-8", "replace")))
        self.database.execute("DELETE FROM texts WHERE key = ?", row[:1])  # for a new id
        self.database.execute("INSERT INTO texts (key, text) VALUES (?, ?)", row)

    def _write(self, function: Callable[[], None]) -> None:
        try:
            self.database.write(function)
        except StoreFailed as error:
            if not self._has_warned:
                self._has_warned = True
                logger.warning(
                    "The history cannot be written: %s; the next crawl will not know this one",
                    error,
                )

    def _pages(self, condition: str, *values: object) -> Iterator[PageRecord]:
        yield from map(_page_of, self.database.rows(_SELECT + condition, values))

    def _host_id(self, name: str) -> int:
        self.database.execute("INSERT INTO hosts (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
        rows = self.database.rows("SELECT id FROM hosts WHERE name = ?", (name,))
        return int(rows[0]["id"])


def _page_of(row: Row) -> PageRecord:
    return PageRecord.from_row({**dict(row), "host": row["host_name"], "feed": row["feed_url"]})
