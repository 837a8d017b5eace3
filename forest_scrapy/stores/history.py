"""The history: every URL that was requested as an article, and every feed, from crawl to crawl.

One row for each URL, some 400 bytes.  Texts are kept of the latest articles only, to show what
was changed in them; of the others there are digests.
"""

import json
import logging
import zlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from forest_scrapy.core.changes import TextSummary
from forest_scrapy.stores.database import Database, Row, StoreAway, StoreFailed, Values
from forest_scrapy.stores.opening import open_store

logger = logging.getLogger(__name__)

#: After so many failed requests in a row, a feed is not read again only to request the page.
MOST_FAILURES = 5
#: Texts that are kept, the latest; some 2 KB each.
MOST_TEXTS = 4000
#: Dates of entries that are kept of a feed, the newest.
_MOST_DATES = 200


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
CREATE TABLE IF NOT EXISTS feeds (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, etag TEXT NOT NULL DEFAULT '',
    last_modified TEXT NOT NULL DEFAULT '', status INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0, polled INTEGER, read INTEGER, due INTEGER,
    hints TEXT NOT NULL DEFAULT '{{}}', dates BLOB NOT NULL DEFAULT x''
);
"""
_SELECT = """
SELECT pages.*, hosts.name AS host_name, COALESCE(feeds.url, '') AS feed_url
FROM pages JOIN hosts ON hosts.id = pages.host LEFT JOIN feeds ON feeds.id = pages.feed
"""
#: A feed that answers 304 still lists the pages that it listed when it was read last.
_PRUNE_PAGES = """
DELETE FROM pages WHERE last_seen < :before AND NOT EXISTS (
    SELECT 1 FROM feeds
    WHERE feeds.id = pages.feed AND feeds.polled >= :before AND feeds.read <= pages.last_seen
)
"""
_PRUNE_FEEDS = """
DELETE FROM feeds WHERE COALESCE(polled, 0) < :before
    AND id NOT IN (SELECT feed FROM pages WHERE feed IS NOT NULL)
"""


class FeedTable:
    """The feeds of the history, by URL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, url: str) -> FeedRecord | None:
        """The feed with this URL; None if it was never polled, or while a shared store is away."""
        rows = _rows_if_there(self._database, "SELECT * FROM feeds WHERE url = ?", (url,))
        return _read_feed(rows[0]) if rows else None

    def all(self) -> Iterator[FeedRecord]:
        """All feeds, by URL."""
        return map(_read_feed, self._database.rows("SELECT * FROM feeds ORDER BY url"))

    def save(self, feed: FeedRecord) -> None:
        """Write a feed in place of the previous record."""
        dates = array("q", sorted(set(feed.dates))[-_MOST_DATES:]).tobytes()
        row = {**vars(feed), "hints": json.dumps(feed.hints), "dates": dates}
        _replace_row(self._database, "feeds", "url", row)


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
        rows = _rows_if_there(
            self.database, f"{_SELECT} WHERE pages.key = ?", (bytes.fromhex(key),)
        )
        return _read_page(rows[0]) if rows else None

    def host_pages(self, host: str) -> Iterator[PageRecord]:
        """The pages of a host, those first seen last first, then by URL; one in memory at a time.
        The store must not be used for anything else meanwhile."""
        query = f"{_SELECT} WHERE hosts.name = ? ORDER BY first_seen DESC, pages.url"
        for row in self.database.stream(query, (host,)):
            yield _read_page(row)

    def count_pages(self, host: str) -> int:
        """The number of the host's pages."""
        query = "SELECT COUNT(*) AS n FROM pages JOIN hosts ON hosts.id = host WHERE name = ?"
        return int(self.database.rows(query, (host,))[0]["n"])

    def feed_pages(self, feed: str, published_since: int) -> Iterator[PageRecord]:
        """The articles that this feed has listed, published since then, by URL."""
        query = (
            f"{_SELECT} WHERE feeds.url = ? AND published >= ? AND outcome = 'article'"
            " ORDER BY pages.url"
        )
        return map(_read_page, _rows_if_there(self.database, query, (feed, published_since)))

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
        warning, the first time: a crawl does not need it."""

        def save() -> None:
            for page in pages:
                self._save_page(page)
            if feed:
                self.feeds.save(feed)
            if text:
                self._save_text(pages[-1].key, text)

        try:
            self.database.write(save)
        except StoreFailed as error:
            if not self._has_warned:
                self._has_warned = True
                logger.warning(
                    "The history cannot be written: %s; the next crawl will not know this one",
                    error,
                )

    def has_failing_pages(self, feed: str) -> bool:
        """Whether the feed has listed pages that are still to be fetched."""
        query = "SELECT 1 FROM pages WHERE feed = (SELECT id FROM feeds WHERE url = ?)"
        return bool(_rows_if_there(self.database, f"{query} AND {_IS_FAILING} LIMIT 1", (feed,)))

    def text(self, key: str) -> str | None:
        """The text of an article; None if it is not kept any more."""
        query = "SELECT text FROM texts WHERE key = ?"
        rows = _rows_if_there(self.database, query, (bytes.fromhex(key),))
        return zlib.decompress(rows[0]["text"]).decode() if rows else None

    def prune(self, before: int) -> int:
        """Delete the pages last seen before a time, except for those still in a feed, and the
        feeds last polled before it; the number of pages."""

        def prune() -> int:
            number = self.database.execute(_PRUNE_PAGES, {"before": before})
            self.database.execute(_PRUNE_FEEDS, {"before": before})
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
        host = _id_of(self.database, "hosts", "name", page.host)
        feed = _id_of(self.database, "feeds", "url", page.feed) if page.feed else None
        row = {**_write_page(page), "host": host, "feed": feed}
        _replace_row(self.database, "pages", "key", row)

    def _save_text(self, key: str, text: str) -> None:
        row = (bytes.fromhex(key), zlib.compress(text.encode("utf-8", "replace")))
        self.database.execute("DELETE FROM texts WHERE key = ?", row[:1])  # for a new id
        self.database.execute("INSERT INTO texts (key, text) VALUES (?, ?)", row)


def _rows_if_there(database: Database, query: str, values: Values) -> Sequence[Row]:
    """The rows of a query; none while a shared store is away."""
    with suppress(StoreAway):
        return database.rows(query, values)
    return ()


def _replace_row(database: Database, table: str, key: str, row: Mapping[str, Any]) -> None:
    """Write a row in place of the one with the same value of the column ``key``."""
    changes = ", ".join(f"{name} = :{name}" for name in row if name != key)
    database.execute(
        f"INSERT INTO {table} ({', '.join(row)}) VALUES (:{', :'.join(row)})"
        f" ON CONFLICT ({key}) DO UPDATE SET {changes}",
        row,
    )


def _id_of(database: Database, table: str, column: str, value: str) -> int:
    """The id of the row with this value, which is added if it is new."""
    query = f"INSERT INTO {table} ({column}) VALUES (?) ON CONFLICT DO NOTHING"
    database.execute(query, (value,))
    return int(database.rows(f"SELECT id FROM {table} WHERE {column} = ?", (value,))[0]["id"])


def _read_feed(row: Row) -> FeedRecord:
    values = {name: row[name] for name in FeedRecord.__dataclass_fields__}
    dates = array("q", row["dates"])
    return FeedRecord(**{**values, "hints": json.loads(row["hints"]), "dates": tuple(dates)})


def _write_page(page: PageRecord) -> dict[str, Any]:
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


def _read_page(row: Row) -> PageRecord:
    packed = row["text"]
    text = TextSummary(packed[:8], int.from_bytes(packed[8:16], "big"), packed[16:])
    return PageRecord(
        **{
            **{name: row[name] for name in PageRecord.__dataclass_fields__},
            "host": row["host_name"],
            "feed": row["feed_url"],
            "key": row["key"].hex(),
            "fingerprint": row["fingerprint"].hex(),
            "entry_id": row["entry_id"] or row["url"],
            "text": text,
        }
    )
