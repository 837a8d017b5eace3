"""The history: every URL that was requested as an article, and every feed, from crawl to crawl.

One row for each URL, some 400 bytes.  Texts are kept of the latest articles only, to show what
was changed in them; of the others there are digests.
"""

from __future__ import annotations

import logging
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import suppress

from forest_scrapy.stores.database import (
    BadStore,
    StoreFailed,
    StoreKind,
    open_database,
    read_rows,
    store_exists,
)
from forest_scrapy.stores.history_feeds import FEEDS_SCHEMA, FeedRecord, FeedTable
from forest_scrapy.stores.history_pages import MOST_FAILURES, PageRecord, page_columns

__all__ = ["FeedRecord", "HistoryStore", "PageRecord"]

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
    """The history of all hosts, in the file ``location``.  What cannot be read raises
    ``StoreFailed``."""

    def __init__(self, location: str, must_exist: bool = False) -> None:
        """Open or create the store.  Raises ``BadStore``, also if it ``must_exist`` and does
        not."""
        if must_exist and not store_exists(location):
            raise BadStore(f"{location}: there is no history here yet; a crawl writes it")
        self._database = open_database(location, StoreKind(_SCHEMA), may_rename=not must_exist)
        self.feeds = FeedTable(self._database)
        self._has_warned = False

    def find(self, key: str) -> PageRecord | None:
        """The page with this key; None if it was never requested.  Takes some 20 microseconds."""
        return next(self._pages("WHERE pages.key = ?", bytes.fromhex(key)), None)

    def host_pages(self, host: str) -> Iterator[PageRecord]:
        """The pages of a host, those first seen last first, then by URL."""
        return self._pages("WHERE hosts.name = ? ORDER BY first_seen DESC, pages.url", host)

    def feed_pages(self, feed: str, published_since: int) -> Iterator[PageRecord]:
        """The articles that this feed has listed, published since then, by URL."""
        return self._pages(
            "WHERE feeds.url = ? AND published >= ? AND outcome = 'article' ORDER BY pages.url",
            feed,
            published_since,
        )

    def hosts(self) -> dict[str, int]:
        """The hosts, sorted, with the number of their pages."""
        rows = self._database.execute(
            "SELECT name, COUNT(*) AS n FROM hosts JOIN pages ON pages.host = hosts.id"
            " GROUP BY name ORDER BY name"
        )
        return {str(row["name"]): int(row["n"]) for row in rows}

    def save(self, *pages: PageRecord, feed: FeedRecord | None = None) -> None:
        """Write pages, and a feed, in place of their previous records, in one transaction.  If
        the store cannot be written, there is a warning: a crawl does not need it."""
        try:
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                for page in pages:
                    self._save_page(page)
                if feed:
                    self.feeds.save(feed)
        except sqlite3.Error as error:
            self._warn(error)

    def has_failing_pages(self, feed: str) -> bool:
        """Whether the feed has listed pages that are still to be fetched."""
        query = "SELECT 1 FROM pages WHERE feed = (SELECT id FROM feeds WHERE url = ?)"
        return bool(read_rows(self._database, f"{query} AND {_IS_FAILING}", (feed,)))

    def save_text(self, key: str, text: str) -> None:
        """Keep a text, in place of the previous one of this key."""
        packed = zlib.compress(text.encode("utf-8", "replace"))
        try:
            self._database.execute(
                "INSERT OR REPLACE INTO texts (key, text) VALUES (?, ?)",
                (bytes.fromhex(key), packed),
            )
        except sqlite3.Error as error:
            self._warn(error)

    def text(self, key: str) -> str | None:
        """The text of an article; None if it is not kept any more."""
        query = "SELECT text FROM texts WHERE key = ?"
        rows = read_rows(self._database, query, (bytes.fromhex(key),))
        return zlib.decompress(rows[0]["text"]).decode() if rows else None

    def prune(self, before: int) -> int:
        """Delete the pages last seen before a time, except for those still in a feed, and the
        feeds last polled before it; the number of pages."""
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            done = self._database.execute(_PRUNE, {"before": before})
            self._database.execute(
                "DELETE FROM feeds WHERE COALESCE(polled, 0) < ? AND id NOT IN"
                " (SELECT feed FROM pages WHERE feed IS NOT NULL)",
                (before,),
            )
            self._database.execute("DELETE FROM texts WHERE key NOT IN (SELECT key FROM pages)")
        return done.rowcount

    def compact(self) -> None:
        """Give the space of deleted rows back to the file system."""
        self._database.execute("VACUUM")

    def close(self) -> None:
        """Close the file; keeps the latest ``MOST_TEXTS`` texts."""
        with suppress(sqlite3.Error):  # a store that cannot be written had a warning
            self._database.execute(
                "DELETE FROM texts WHERE id <= (SELECT MAX(id) FROM texts) - ?", (MOST_TEXTS,)
            )
        self._database.close()

    def _save_page(self, page: PageRecord) -> None:
        host, feed = self._host_id(page.host), self.feeds.id_of(page.feed)
        self._database.execute(_SAVE, {**page.to_row(), "host": host, "feed": feed})

    def _warn(self, error: sqlite3.Error) -> None:
        if not self._has_warned:
            self._has_warned = True
            logger.warning(
                "The history cannot be written: %s; the next crawl will not know this one", error
            )

    def _pages(self, condition: str, *values: object) -> Iterator[PageRecord]:
        try:
            for row in self._database.execute(_SELECT + condition, values):
                values_of_row = {**dict(row), "host": row["host_name"], "feed": row["feed_url"]}
                yield PageRecord.from_row(values_of_row)
        except sqlite3.Error as error:
            raise StoreFailed(f"cannot read the history: {error}") from error

    def _host_id(self, name: str) -> int:
        self._database.execute("INSERT OR IGNORE INTO hosts (name) VALUES (?)", (name,))
        row = self._database.execute("SELECT id FROM hosts WHERE name = ?", (name,)).fetchone()
        return int(row["id"])
