"""What the history keeps of a feed."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from forest_scrapy.stores.connection import Database, Row, StoreAway

__all__ = ["FEEDS_SCHEMA", "FeedRecord", "FeedTable"]

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
