"""The pages of threads and articles that wait for the other pages of these.

The tables are named after threads, which were there first: files of unfinished crawls have them.
"""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from forest_scrapy.stores.database import read_rows

HELD_PAGES_SCHEMA = """
CREATE TABLE IF NOT EXISTS thread_pages (
    key TEXT PRIMARY KEY, asked_key TEXT NOT NULL, next_key TEXT NOT NULL,
    is_first INTEGER NOT NULL, is_last INTEGER NOT NULL, carrier TEXT NOT NULL, thread BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS thread_pages_by_asked ON thread_pages (asked_key);
CREATE INDEX IF NOT EXISTS thread_pages_by_next ON thread_pages (next_key);
CREATE INDEX IF NOT EXISTS thread_pages_by_carrier ON thread_pages (carrier);
CREATE TABLE IF NOT EXISTS thread_posts (
    key TEXT PRIMARY KEY, url TEXT NOT NULL, first TEXT NOT NULL, posts TEXT NOT NULL,
    dates TEXT NOT NULL, is_first INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS thread_posts_by_first ON thread_posts (first);
CREATE TABLE IF NOT EXISTS thread_aliases (alias TEXT PRIMARY KEY, key TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS thread_aliases_by_key ON thread_aliases (key);
"""
_ADD = """
INSERT OR REPLACE INTO thread_pages
VALUES (:key, :asked_key, :next_key, :is_first, :is_last, '', :thread)
"""
_ADD_TEXTS = """
INSERT OR REPLACE INTO thread_posts VALUES (:key, :url, :first, :posts, :dates, :is_first)
"""
_COLUMNS = "SELECT key, asked_key, next_key, is_first, is_last FROM thread_pages"
#: Ties: first pages come first, then the smallest key.  "+": not by these indices, which would
#: look at all pages.
_BEFORE = f"""
{_COLUMNS} WHERE next_key IN (SELECT ?1 UNION SELECT ?2 UNION
    SELECT alias FROM thread_aliases WHERE key = ?1
) AND +carrier = '' ORDER BY is_first DESC, +key LIMIT 1
"""
_AFTER = f"""
{_COLUMNS} WHERE +carrier = '' AND (key = ?1 OR asked_key = ?1 OR key IN (
    SELECT key FROM thread_aliases WHERE alias = ?1
)) ORDER BY +key LIMIT 1
"""
#: The pages that no other page follows; in a circle there are none.
_ENDS = """
SELECT key FROM thread_pages AS page WHERE carrier = '' AND NOT EXISTS (
    SELECT 1 FROM thread_pages WHERE +carrier = '' AND key = page.next_key
) AND NOT EXISTS (
    SELECT 1 FROM thread_pages WHERE +carrier = '' AND asked_key = page.next_key
) AND NOT EXISTS (
    SELECT 1 FROM thread_aliases AS known JOIN thread_pages AS other ON other.key = known.key
    WHERE known.alias = page.next_key AND other.carrier = '' AND other.key <> page.key
) ORDER BY key
"""
#: Pages of a chain whose first page is looked for, at most.
_MAX_CHAIN = 10_000
_ANY = "SELECT min(key) AS key FROM thread_pages WHERE carrier = ''"


@dataclass(frozen=True)
class HeldPage:
    """A page of a thread or an article.

    ``asked_key``: the key of the URL that was requested; ``next_key``: that of the next page,
    ``""`` if there is none.  ``is_first``, ``is_last``: whether no page comes before or after it.
    ``item``: the item as far as this page has it, as JSON values; not read with the chain.
    """

    key: str
    asked_key: str
    next_key: str
    is_first: bool
    is_last: bool
    item: dict[str, Any] | None = None


@dataclass(frozen=True)
class PageTexts:
    """What the same page under another URL is recognised by: digests of its posts, in their order,
    with ``first`` that of the first one, and of the dates of all.  An article is as one post."""

    key: str
    url: str
    first: str
    posts: str
    dates: str
    is_first: bool


class HeldPageTable:
    """Pages of threads and articles in a database; ``writing``: the context to write in.

    Each page names the next one, so that pages form chains.  The page with which a chain is
    emitted, its first one, is the *carrier* of all of its pages, until that has an outcome.
    """

    def __init__(
        self,
        database: sqlite3.Connection,
        writing: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._database = database
        self._writing = writing

    @classmethod
    def in_memory(cls) -> "HeldPageTable":
        """A table of its own; ``close`` it."""
        database = sqlite3.connect(":memory:", isolation_level=None)
        database.row_factory = sqlite3.Row
        database.executescript(HELD_PAGES_SCHEMA)
        return cls(database, nullcontext)

    def close(self) -> None:
        """Close a table ``in_memory``."""
        self._database.close()

    def add(self, page: HeldPage) -> None:
        """Write a page, which is held from now on."""
        row = {**vars(page), "thread": _pack(page)}
        with self._writing():
            self._database.execute(_ADD, row)

    def replace(
        self,
        key: str,
        page: HeldPage,
        texts: PageTexts,
    ) -> None:
        """Let a page that is held have the URL, the posts and the place of one that repeats it."""
        query = "UPDATE thread_pages SET is_first = ?, thread = ? WHERE key = ?"
        with self._writing():
            self._database.execute(query, (page.is_first, _pack(page), key))
            self.add_texts(replace(texts, key=key))

    def add_texts(self, texts: PageTexts) -> None:
        """Write the posts of a page, to find the page under other URLs by; they stay."""
        with self._writing():
            self._database.execute(_ADD_TEXTS, vars(texts))

    def with_first_post(self, first: str) -> list[PageTexts]:
        """The pages with this first post, in a fixed order."""
        pages = []
        for row in self._rows("SELECT * FROM thread_posts WHERE first = ? ORDER BY key", first):
            values = dict(row)
            values["is_first"] = bool(row["is_first"])
            pages.append(PageTexts(**values))
        return pages

    def add_aliases(self, key: str, aliases: Iterable[str]) -> None:
        """Note further keys of a page."""
        query = "INSERT OR REPLACE INTO thread_aliases VALUES (?, ?)"
        rows = []
        for alias in aliases:
            if alias != key:
                rows.append((alias, key))
        with self._writing():
            self._database.executemany(query, rows)

    def has(self, key: str) -> bool:
        """Whether the page is held."""
        return bool(self._rows("SELECT 1 FROM thread_pages WHERE key = ?", key))

    def count(self) -> int:
        """The number of pages that are held."""
        (row,) = self._rows("SELECT count(*) AS n FROM thread_pages")
        return int(row["n"])

    def waits(self, key: str) -> bool:
        """Whether the page is held, and part of no item that is on its way."""
        return bool(self._rows("SELECT 1 FROM thread_pages WHERE key = ? AND carrier = ''", key))

    def chain(self, key: str, max_pages: int) -> list[HeldPage]:
        """The pages before and after a page that has no carrier, with it, in their order; at most
        ``max_pages`` in each direction."""
        start = self._find(f"{_COLUMNS} WHERE key = ?", key)
        if start is None:
            return []
        before = self._walk(start, max_pages, self._page_before)
        after = self._walk(start, max_pages, self._page_after)
        keys_before = {page.key for page in before}
        return [
            *reversed(before),
            start,
            *(page for page in after if page.key not in keys_before),
        ]

    def _walk(
        self,
        start: HeldPage,
        max_pages: int,
        step: Callable[[HeldPage], HeldPage | None],
    ) -> list[HeldPage]:
        """The pages that follow one by steps in one direction, each once; with it at most
        ``max_pages``."""
        pages: list[HeldPage] = []
        keys = {start.key}
        page = start
        while len(keys) < max_pages:
            neighbour = step(page)
            if neighbour is None or neighbour.key in keys:
                break
            pages.append(neighbour)
            keys.add(neighbour.key)
            page = neighbour
        return pages

    def _page_before(self, page: HeldPage) -> HeldPage | None:
        if page.is_first:
            return None
        return self._find(_BEFORE, page.key, page.asked_key)

    def _page_after(self, page: HeldPage) -> HeldPage | None:
        if page.is_last or not page.next_key:
            return None
        return self._find(_AFTER, page.next_key)

    def claim(self, carrier: str, pages: Sequence[HeldPage]) -> None:
        """Note that these pages have this carrier from now on."""
        query = "UPDATE thread_pages SET carrier = ? WHERE key = ?"
        rows = [(carrier, page.key) for page in pages]
        with self._writing():
            self._database.executemany(query, rows)

    def read(self, key: str) -> dict[str, Any]:
        """The item as far as a page that is held has it."""
        (row,) = self._rows("SELECT thread FROM thread_pages WHERE key = ?", key)
        item: dict[str, Any] = json.loads(zlib.decompress(row["thread"]))
        return item

    def carried_by(self, carrier: str) -> list[str]:
        """The keys of the other pages with this carrier, sorted."""
        query = "SELECT key FROM thread_pages WHERE carrier = ? AND key <> ? ORDER BY key"
        return [row["key"] for row in self._rows(query, carrier, carrier)]

    def follows(self, page: HeldPage, chain: Sequence[HeldPage]) -> bool:
        """Whether the page after this one is one of a chain, so that the pages form a circle."""
        if not page.next_key:
            return False
        following = self._find(_AFTER, page.next_key)
        return following is not None and following.key in {page.key for page in chain}

    def starts(self) -> list[str]:
        """The keys of the first pages of the chains that have no carrier, as ``ends``."""
        keys = []
        for end in self.ends():
            chain = self.chain(end, _MAX_CHAIN)
            keys.append(chain[0].key)
        return list(dict.fromkeys(keys))

    def ends(self) -> list[str]:
        """The keys of the last pages of the chains that have no carrier; of one page if they are
        circles; none if no page is left."""
        rows = self._rows(_ENDS) or self._rows(_ANY)
        return [row["key"] for row in rows if row["key"]]

    def _find(self, query: str, *values: str) -> HeldPage | None:
        rows = self._rows(query, *values)
        if not rows:
            return None
        row = rows[0]
        return HeldPage(
            key=row["key"],
            asked_key=row["asked_key"],
            next_key=row["next_key"],
            is_first=bool(row["is_first"]),
            is_last=bool(row["is_last"]),
        )

    def _rows(self, query: str, *values: str) -> list[Any]:
        return read_rows(self._database, query, values)


def _pack(page: HeldPage) -> bytes:
    """The item of a page, as it is stored."""
    return zlib.compress(json.dumps(page.item).encode(), 1)
