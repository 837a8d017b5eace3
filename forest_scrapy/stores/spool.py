"""The spool: every page that was fetched as a possible article, and its outcome.

A page is written here before anything else is done with it, as it was received.  Its row stays,
so that a resumed crawl knows which pages it has seen.  Its content is deleted when the page is
done, except for the few pages of each template that wrappers are learned from.

The states of a page; docs/reliability.md says what moves it from one to the next:

- ``fetched``: it was written, and not read yet.
- ``placed``: it was read, and waits for its template.
- ``ready``: it has a template (or is known to have none), and can be released.  A ready page that
  is on its way through the pipelines is *in flight*: that is known in memory only, because a
  process that has ended has no pages in flight.
- ``held``: it is a page of a thread or an article, and waits for the other pages of it.
- ``done``: it has an outcome.  Pages that are not done are *pending*.

``pages`` has a small row for every page, for as long as the crawl lasts.  ``contents`` has what
was received; a row is deleted when its page is done and nothing is learned from it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from forest_scrapy import core
from forest_scrapy.core import Entry
from forest_scrapy.stores.database import StoreKind, read_rows
from forest_scrapy.stores.held_pages import HELD_PAGES_SCHEMA, HeldPageTable
from forest_scrapy.stores.page_tables import (
    ARTICLES_SCHEMA,
    FINGERPRINTS_SCHEMA,
    ArticleTable,
    FingerprintTable,
)
from forest_scrapy.stores.spool_file import RUNS_SCHEMA, SpoolFile

#: Compression level of bodies: level 1 takes 0.3 ms for a page of 48 KB and leaves a quarter of it.
_LEVEL = 1
_VERSION = 2
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS pages (
    key TEXT PRIMARY KEY, state TEXT NOT NULL, host TEXT NOT NULL, is_article INTEGER NOT NULL,
    fingerprint TEXT NOT NULL, template_key TEXT NOT NULL, sample_key TEXT NOT NULL,
    has_content INTEGER NOT NULL, signals TEXT, outcome TEXT, outcome_detail TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS contents (
    key TEXT UNIQUE NOT NULL, url TEXT NOT NULL, entry TEXT, fetched_at TEXT NOT NULL,
    meta TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL, encoding TEXT,
    is_compressed INTEGER NOT NULL, body BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS pages_pending ON pages (state, key) WHERE state <> 'done';
CREATE INDEX IF NOT EXISTS pages_waiting ON pages (host, fingerprint) WHERE state = 'placed';
CREATE INDEX IF NOT EXISTS pages_to_learn_from ON pages (template_key, sample_key, key)
    WHERE has_content;
{FINGERPRINTS_SCHEMA}
{ARTICLES_SCHEMA}
{HELD_PAGES_SCHEMA}
CREATE TRIGGER IF NOT EXISTS hold_page AFTER INSERT ON thread_pages
    BEGIN UPDATE pages SET state = 'held' WHERE key = NEW.key; END;
{RUNS_SCHEMA}
"""
#: After a restart no template is ready, and no joined item on its way.  A page that needs no
#: template, such as one whose feed entry is complete, stays ready: it has no fingerprint to decide
#: by.
_RESTART = """
UPDATE thread_pages SET carrier = '' WHERE carrier <> '';
UPDATE pages SET state = 'held' WHERE state = 'ready' AND key IN (SELECT key FROM thread_pages);
UPDATE pages SET state = 'placed' WHERE state = 'ready' AND template_key <> '';
UPDATE pages SET state = 'ready' WHERE state = 'placed' AND fingerprint = '';
"""
#: Deletes the body of a page that is made ready without a template: it must not be parsed.
_EMPTY_BODY = "UPDATE contents SET body = x'', is_compressed = 0 WHERE key = ? AND ? = ''"
_READ = "SELECT * FROM pages JOIN contents USING (key)"
#: The pages of a template that are done and are not among the first to learn from.
_OUT_OF_SAMPLE = """
SELECT key FROM pages WHERE template_key = ?1 AND has_content AND state = 'done'
    AND (sample_key, key) >= (
        SELECT sample_key, key FROM pages WHERE template_key = ?1 AND has_content
        ORDER BY sample_key, key LIMIT 1 OFFSET ?2
    )
"""
_ADD_PAGE = """
INSERT OR IGNORE INTO pages (key, state, host, is_article, fingerprint, template_key, sample_key,
    has_content)
VALUES (:key, 'fetched', :host, :is_article, '', '', :sample_key, 1)
"""
_ADD_CONTENT = """
INSERT OR REPLACE INTO contents
VALUES (:key, :url, :entry, :fetched_at, :meta, :status, :headers, :encoding, 0, :body)
"""
_DESCRIBE_PAGE = """
UPDATE pages SET is_article = 1 WHERE key = :key AND state IN ('fetched', 'placed')
"""
_DESCRIBE_CONTENT = """
UPDATE contents SET entry = :entry WHERE key = :key AND entry IS NULL
    AND key IN (SELECT key FROM pages WHERE key = :key AND state IN ('fetched', 'placed'))
"""
_FINISH_PAGE = """
INSERT INTO pages (key, state, host, is_article, fingerprint, template_key, sample_key,
    has_content, outcome, outcome_detail)
VALUES (:key, 'done', '', 1, '', '', '', 0, :kind, :detail)
ON CONFLICT (key) DO UPDATE SET state = 'done', outcome = :kind, outcome_detail = :detail,
    signals = NULL
"""


@dataclass(frozen=True)
class SpooledPage:
    """A fetched page.

    - ``key`` identifies the page in the crawl, ``template_key`` its template (``""`` until one
      is assigned).
    - ``fingerprint``: the digest of the page's fingerprint; ``""`` until the page is placed.
    - ``is_article``: whether the page is known to be an article.
    - ``sample_key``: the pages of a template are learned from in the order of it.
    - ``meta``: the values of the request's meta that can be written as JSON.
    - ``encoding``: the encoding the response was decoded with.
    """

    key: str
    host: str
    url: str
    is_article: bool
    entry: Entry | None
    fetched_at: str
    sample_key: str
    meta: dict[str, Any]
    status: int
    headers: list[tuple[str, str]]
    encoding: str | None
    body: bytes
    fingerprint: str = ""
    template_key: str = ""

    def to_row(self) -> dict[str, Any]:
        """The values of the page's columns: JSON for entry, meta and headers; the body as it
        is."""
        return {
            **vars(self),
            "entry": json.dumps(self.entry.to_dict()) if self.entry else None,
            "meta": json.dumps(self.meta),
            "headers": json.dumps(self.headers),
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> SpooledPage:
        """The page that ``to_row`` was called on, from a row with ``is_compressed``, too."""
        values = {name: row[name] for name in cls.__dataclass_fields__}
        values["is_article"] = bool(row["is_article"])
        if row["entry"]:
            values["entry"] = Entry.from_dict(json.loads(row["entry"]))
        else:
            values["entry"] = None
        values["meta"] = json.loads(row["meta"])
        values["headers"] = [(name, value) for name, value in json.loads(row["headers"])]
        if row["is_compressed"]:
            values["body"] = zlib.decompress(row["body"])
        return cls(**values)


def compress(body: bytes) -> bytes:
    """The body as it is stored while its page waits."""
    return zlib.compress(body, _LEVEL)


class UnclassifiedPage(NamedTuple):
    """A waiting page that is not known to be an article; ``fingerprint`` is a digest."""

    key: str
    url: str
    fingerprint: str
    signals: core.Signals


class Spool:
    """The pages of one crawl, in the file ``location``, which no other process can open
    meanwhile; a ``temporary`` file leaves nothing behind.

    Every method commits before it returns, unless ``file.on_begin`` is set.  What cannot be read
    or written raises ``StoreFailed``.
    """

    def __init__(self, location: str, temporary: bool = False) -> None:
        kind = StoreKind(_SCHEMA, _VERSION, is_exclusive=True, is_scratch=temporary)
        self.file = SpoolFile(location, kind)
        self.run = self.file.run
        self.was_lost = self.file.was_lost
        self._database = self.file.database
        self._writing = self.file.writing
        self._database.executescript(_RESTART)
        self.fingerprints = FingerprintTable(self._database)
        self.articles = ArticleTable(self._database, self._writing)
        self.held_pages = HeldPageTable(self._database, self._writing)

    def close(self, ended: bool = True) -> None:
        """Commit, and close the file; ``ended``: write that the run was not killed."""
        self.file.close(ended)

    def knows(self, key: str) -> bool:
        """Whether the page was fetched, in this run or in an earlier one of the same crawl."""
        return bool(self._rows("SELECT 1 FROM pages WHERE key = ?", key))

    def is_pending(self, key: str) -> bool:
        """Whether the page was fetched and has no outcome."""
        return bool(self._rows("SELECT 1 FROM pages WHERE key = ? AND state <> 'done'", key))

    def is_waiting(self, key: str) -> bool:
        """Whether the page was placed and is not ready."""
        return bool(self._rows("SELECT 1 FROM pages WHERE key = ? AND state = 'placed'", key))

    def outcome(self, key: str) -> str:
        """Why a page was dropped, or the method that found its article; ``""`` for a page that is
        pending or not known."""
        rows = self._rows("SELECT outcome_detail FROM pages WHERE key = ?", key)
        if not rows:
            return ""
        return rows[0]["outcome_detail"] or ""

    def pending(self) -> int:
        """The number of pending pages."""
        (row,) = self._rows("SELECT count(*) AS n FROM pages WHERE state <> 'done'")
        return int(row["n"])

    def url(self, key: str) -> str:
        """The URL of a page; ``""`` if its content was deleted."""
        rows = self._rows("SELECT url FROM contents WHERE key = ?", key)
        if not rows:
            return ""
        return str(rows[0]["url"])

    def read(self, key: str) -> SpooledPage:
        """The pending page with this key; raises ``KeyError`` if there is none."""
        for row in self._rows(f"{_READ} WHERE key = ? AND state <> 'done'", key):
            return SpooledPage.from_row(row)
        raise KeyError(key)

    def fetched_keys(self, without: Container[str] = ()) -> list[str]:
        """Keys of the pages that were not read, other than ``without``."""
        rows = self._rows("SELECT key FROM pages WHERE state = 'fetched' ORDER BY key")
        keys = []
        for row in rows:
            if row["key"] not in without:
                keys.append(row["key"])
        return keys

    def ready_keys(self, limit: int, without: Collection[str] = ()) -> list[str]:
        """Keys of at most ``limit`` ready pages, other than ``without``."""
        query = "SELECT key FROM pages WHERE state = 'ready' ORDER BY key LIMIT ?"
        rows = self._rows(query, limit + len(without))
        return [row["key"] for row in rows if row["key"] not in without][:limit]

    def waiting_hosts(self) -> list[str]:
        """Hosts that have waiting pages."""
        rows = self._rows("SELECT DISTINCT host FROM pages WHERE state = 'placed' ORDER BY host")
        return [row["host"] for row in rows]

    def waiting_pages(self, host: str) -> list[tuple[str, str, bool]]:
        """Key, fingerprint digest and ``is_article`` of the host's waiting pages."""
        rows = self._rows(
            "SELECT key, fingerprint, is_article FROM pages"
            " WHERE state = 'placed' AND host = ? ORDER BY key",
            host,
        )
        pages = []
        for row in rows:
            is_article = bool(row["is_article"])
            pages.append((row["key"], row["fingerprint"], is_article))
        return pages

    def unclassified_pages(self, host: str) -> Iterator[UnclassifiedPage]:
        """The host's waiting pages that are not known to be articles."""
        rows = self._rows(
            "SELECT key, url, fingerprint, signals FROM pages JOIN contents USING (key)"
            " WHERE state = 'placed' AND host = ? AND signals IS NOT NULL AND NOT is_article"
            " ORDER BY key",
            host,
        )
        for row in rows:
            signals = core.Signals.from_dict(json.loads(row["signals"]))
            yield UnclassifiedPage(row["key"], row["url"], row["fingerprint"], signals)

    def seen_pages(self) -> Iterator[tuple[str, str, bool]]:
        """Host, fingerprint digest and ``is_article`` of every page that was read."""
        rows = self._rows(
            "SELECT host, fingerprint, is_article FROM pages WHERE fingerprint <> '' ORDER BY key"
        )
        for row in rows:
            is_article = bool(row["is_article"])
            yield row["host"], row["fingerprint"], is_article

    def hosts_with_feeds(self) -> list[str]:
        """Hosts with a page that has a feed entry: these come first in a sample."""
        rows = self._rows("SELECT DISTINCT host FROM pages WHERE sample_key < '1' ORDER BY host")
        return [row["host"] for row in rows]

    def sample(self, template_key: str, limit: int) -> list[SpooledPage]:
        """The pages that the template's wrapper is learned from: the first by sample key."""
        query = f"{_READ} WHERE template_key = ? AND has_content ORDER BY sample_key, key LIMIT ?"
        rows = self._rows(query, template_key, limit)
        return [SpooledPage.from_row(row) for row in rows]

    def has_released(self, template_key: str) -> bool:
        """Whether a page of the template was made ready, and may be learned from."""
        query = (
            "SELECT 1 FROM pages WHERE template_key = ? AND has_content"
            " AND state IN ('ready', 'held', 'done') LIMIT 1"
        )
        return bool(self._rows(query, template_key))

    def add(self, page: SpooledPage) -> bool:
        """Write a fetched page; False, and nothing is written, if there is one with its key."""
        row = page.to_row()
        with self._writing():
            result = self._database.execute(_ADD_PAGE, row)
            is_new = result.rowcount == 1
            if is_new:
                self._database.execute(_ADD_CONTENT, row)
        return is_new

    def place(
        self,
        key: str,
        fingerprint: core.Fingerprint,
        signals: core.Signals | None = None,
    ) -> None:
        """Write what was read from a fetched page, which then waits for its template."""
        text = json.dumps(signals.to_dict()) if signals else None
        with self._writing():
            (row,) = self._rows("SELECT host FROM pages WHERE key = ?", key)
            self.fingerprints.add(row["host"], fingerprint)
            self._database.execute(
                "UPDATE pages SET state = 'placed', fingerprint = ?, signals = ?"
                " WHERE key = ? AND state = 'fetched'",
                (fingerprint.digest, text, key),
            )

    def describe(self, key: str, entry: Entry) -> bool:
        """Give a waiting page that has no feed entry this one, so that it is known to be an
        article; False if the page is not in the spool."""
        row = {"key": key, "entry": json.dumps(entry.to_dict())}
        with self._writing():
            self._database.execute(_DESCRIBE_PAGE, row)
            self._database.execute(_DESCRIBE_CONTENT, row)
        return self.knows(key)

    def compress(self, key: str) -> None:
        """Compress the body of a page, which may wait for long."""
        query = "SELECT body FROM contents WHERE key = ? AND NOT is_compressed"
        update = "UPDATE contents SET body = ?, is_compressed = 1 WHERE key = ?"
        for row in self._rows(query, key):
            with self._writing():
                self._database.execute(update, (compress(row["body"]), key))

    def make_ready(self, key: str, template_key: str) -> None:
        """Make a pending page ready, for a template; for none (``""``), its body is deleted."""
        with self._writing():
            self._database.execute(_EMPTY_BODY, (key, template_key))
            self._database.execute(
                "UPDATE pages SET state = 'ready', template_key = ?"
                " WHERE key = ? AND state <> 'done'",
                (template_key, key),
            )

    def make_all_ready(
        self,
        host: str,
        digests: Sequence[str],
        template_key: str,
    ) -> int:
        """Make all waiting pages with these fingerprints ready; the number of pages."""
        marks = ", ".join("?" * len(digests))
        with self._writing():
            result = self._database.execute(
                "UPDATE pages SET state = 'ready', template_key = ?"
                f" WHERE host = ? AND fingerprint IN ({marks}) AND state = 'placed'",
                (template_key, host, *digests),
            )
        return int(result.rowcount)

    def finish(
        self,
        key: str,
        kind: str,
        detail: str,
        keep: int = 0,
    ) -> None:
        """Write a page's outcome; an unknown page is added as done.  Of the template's contents
        the ``keep`` first ones by sample key stay; with 0, the page's own is deleted."""
        with self._writing():
            self._database.execute(_FINISH_PAGE, {"key": key, "kind": kind, "detail": detail})
            self._database.execute("DELETE FROM thread_pages WHERE key = ?", (key,))
            (row,) = self._rows("SELECT template_key FROM pages WHERE key = ?", key)
            template_key = row["template_key"]
            deleted_keys = [(key,)]
            if template_key and keep:
                rows = self._rows(_OUT_OF_SAMPLE, template_key, keep)
                deleted_keys = [(row["key"],) for row in rows]
            self._database.executemany("DELETE FROM contents WHERE key = ?", deleted_keys)
            query = "UPDATE pages SET has_content = 0 WHERE key = ?"
            self._database.executemany(query, deleted_keys)

    def release_held(self) -> int:
        """Make the first page of each chain of held pages ready, so that the chain is emitted as
        it is; the number of these pages, 0 if no page is held."""
        keys = self.held_pages.starts()
        for key in keys:
            self.release_chain(key)
        return len(keys)

    def release_chain(self, key: str) -> None:
        """Make the first page of a chain of held pages ready."""
        with self._writing():
            query = "UPDATE pages SET state = 'ready' WHERE key = ? AND state = 'held'"
            self._database.execute(query, (key,))

    def forget(self, key: str) -> None:
        """Delete a page that is done, so that it can be fetched again."""
        with self._writing():
            self._database.execute("DELETE FROM pages WHERE key = ? AND state = 'done'", (key,))

    def _rows(self, query: str, *values: str | int) -> list[Any]:
        return read_rows(self._database, query, values)
