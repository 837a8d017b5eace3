"""The pages of threads that wait for the other pages of their thread."""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from forest_scrapy.stores.database import read_rows

THREADS_SCHEMA = """
CREATE TABLE IF NOT EXISTS thread_pages (
    key TEXT PRIMARY KEY, asked_key TEXT NOT NULL, next_key TEXT NOT NULL,
    is_first INTEGER NOT NULL, is_last INTEGER NOT NULL, carrier TEXT NOT NULL, thread BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS thread_pages_by_asked ON thread_pages (asked_key);
CREATE INDEX IF NOT EXISTS thread_pages_by_next ON thread_pages (next_key);
CREATE INDEX IF NOT EXISTS thread_pages_by_carrier ON thread_pages (carrier);
"""
_ADD = """
INSERT OR REPLACE INTO thread_pages
VALUES (:key, :asked_key, :next_key, :is_first, :is_last, '', :thread)
"""
_COLUMNS = "SELECT key, asked_key, next_key, is_first, is_last FROM thread_pages"
#: Ties: first pages come first, then the smallest key.  "+": not by these indices, which would
#: look at all pages.
_BEFORE = f"""
{_COLUMNS} WHERE next_key IN (?, ?) AND +carrier = '' ORDER BY is_first DESC, +key LIMIT 1
"""
_AFTER = f"""
{_COLUMNS} WHERE +carrier = '' AND (key = ?1 OR asked_key = ?1) ORDER BY +key LIMIT 1
"""
#: The pages that no other page follows; in a circle there are none.
_ENDS = """
SELECT key FROM thread_pages AS page WHERE carrier = '' AND NOT EXISTS (
    SELECT 1 FROM thread_pages WHERE +carrier = '' AND key = page.next_key
) AND NOT EXISTS (
    SELECT 1 FROM thread_pages WHERE +carrier = '' AND asked_key = page.next_key
) ORDER BY key
"""
_ANY = "SELECT min(key) AS key FROM thread_pages WHERE carrier = ''"


@dataclass(frozen=True)
class ThreadPage:
    """A page of a thread.

    ``asked_key``: the key of the URL that was requested; ``next_key``: that of the next page,
    ``""`` if there is none.  ``is_first``, ``is_last``: whether no page comes before or after it.
    ``thread``: the thread as far as this page has it, as JSON values; not read with the chain.
    """

    key: str
    asked_key: str
    next_key: str
    is_first: bool
    is_last: bool
    thread: dict[str, Any] | None = None


class ThreadTable:
    """Pages of threads in a database; ``writing``: the context to write in.

    Each page names the next one, so that pages form chains.  The page with which a chain is
    emitted is the *carrier* of all of its pages, until that has an outcome.
    """

    def __init__(
        self, database: sqlite3.Connection, writing: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._database, self._writing = database, writing

    @classmethod
    def in_memory(cls) -> "ThreadTable":
        """A table of its own; ``close`` it."""
        database = sqlite3.connect(":memory:", isolation_level=None)
        database.row_factory = sqlite3.Row
        database.executescript(THREADS_SCHEMA)
        return cls(database, nullcontext)

    def close(self) -> None:
        """Close a table ``in_memory``."""
        self._database.close()

    def add(self, page: ThreadPage) -> None:
        """Write a page, which is held from now on."""
        packed = zlib.compress(json.dumps(page.thread).encode(), 1)
        with self._writing():
            self._database.execute(_ADD, {**vars(page), "thread": packed})

    def has(self, key: str) -> bool:
        """Whether the page is held."""
        return bool(self._rows("SELECT 1 FROM thread_pages WHERE key = ?", key))

    def count(self) -> int:
        """The number of pages that are held."""
        return int(self._rows("SELECT count(*) AS n FROM thread_pages")[0]["n"])

    def chain(self, key: str, most: int) -> list[ThreadPage]:
        """The pages before and after a page that has no carrier, with it, in the order of the
        thread; at most ``most`` in each direction."""
        start = self._find(f"{_COLUMNS} WHERE key = ?", key)
        if start is None:
            return []
        before = list(self._walk(start, most, back=True))
        seen = {page.key for page in before}
        after = [page for page in self._walk(start, most) if page.key not in seen]
        return [*reversed(before), start, *after]

    def _walk(self, start: ThreadPage, most: int, back: bool = False) -> Iterator[ThreadPage]:
        page, seen = start, {start.key}
        while len(seen) < most and not (page.is_first if back else page.is_last):
            if back:
                neighbour = self._find(_BEFORE, page.key, page.asked_key)
            else:
                neighbour = self._find(_AFTER, page.next_key) if page.next_key else None
            if neighbour is None or neighbour.key in seen:
                return
            yield neighbour
            seen.add(neighbour.key)
            page = neighbour

    def claim(self, carrier: str, pages: Sequence[ThreadPage]) -> list[dict[str, Any]]:
        """The threads of pages, which have this carrier from now on."""
        with self._writing():
            for page in pages:
                self._database.execute(
                    "UPDATE thread_pages SET carrier = ? WHERE key = ?", (carrier, page.key)
                )
        return [self.read(page.key) for page in pages]

    def read(self, key: str) -> dict[str, Any]:
        """The thread as far as a page that is held has it."""
        packed = self._rows("SELECT thread FROM thread_pages WHERE key = ?", key)[0]["thread"]
        thread: dict[str, Any] = json.loads(zlib.decompress(packed))
        return thread

    def carried_by(self, carrier: str) -> list[str]:
        """The keys of the other pages with this carrier, sorted."""
        query = "SELECT key FROM thread_pages WHERE carrier = ? AND key <> ? ORDER BY key"
        return [row["key"] for row in self._rows(query, carrier, carrier)]

    def ends(self) -> list[str]:
        """The keys of the last pages of the chains that have no carrier; of one page if they are
        circles; none if no page is left."""
        rows = self._rows(_ENDS) or self._rows(_ANY)
        return [row["key"] for row in rows if row["key"]]

    def _find(self, query: str, *values: str) -> ThreadPage | None:
        row = next(iter(self._rows(query, *values)), None)
        if row is None:
            return None
        ends = bool(row["is_first"]), bool(row["is_last"])
        return ThreadPage(row["key"], row["asked_key"], row["next_key"], *ends)

    def _rows(self, query: str, *values: str) -> list[Any]:
        return read_rows(self._database, query, values)
