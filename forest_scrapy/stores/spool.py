"""The spool: every page that was fetched as a possible article, and its outcome.

A page is written here before anything else is done with it, as it was received.  Its row stays,
so that a resumed crawl knows which pages it has seen.  Its content is deleted when the page is
done, except for the few pages of each template that wrappers are learned from.

A page is *fetched*, then *placed* once it was read and its template is looked for, *ready* to be
released once it has one, and *done* once it has an outcome (``PageState``).  A page of a thread is
*held* until the other pages of the thread are there.  Pages that are not done are *pending*.

``pages`` has a small row for every page, for as long as the crawl lasts.  ``contents`` has what
was received; a row is deleted when its page is done and nothing is learned from it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from forest_scrapy.core import Entry, Fingerprint
from forest_scrapy.core.templates.signals import Signals
from forest_scrapy.stores.articles import ARTICLES_SCHEMA, ArticleTable
from forest_scrapy.stores.database import (
    StoreFailed,
    StoreKind,
    open_database,
    read_rows,
    store_exists,
)
from forest_scrapy.stores.fingerprints import FINGERPRINTS_SCHEMA, FingerprintTable
from forest_scrapy.stores.run_state import STATE_SCHEMA, Export, RunState
from forest_scrapy.stores.spooled_page import SpooledPage, compress
from forest_scrapy.stores.threads import RESTART, THREADS_SCHEMA, SpooledThreads

__all__ = ["Spool", "UnclassifiedPage"]

VERSION = 2

SCHEMA = f"""
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
{THREADS_SCHEMA}
{STATE_SCHEMA}
"""

FORGET_PAGE = "DELETE FROM pages WHERE key = ? AND state = 'done'"
ADD_PAGE = """
INSERT OR IGNORE INTO pages (key, state, host, is_article, fingerprint, template_key, sample_key,
    has_content)
VALUES (:key, 'fetched', :host, :is_article, '', '', :sample_key, 1)
"""

ADD_CONTENT = """
INSERT OR REPLACE INTO contents
VALUES (:key, :url, :entry, :fetched_at, :meta, :status, :headers, :encoding, 0, :body)
"""

FINISH_PAGE = (
    """
INSERT INTO pages (key, state, host, is_article, fingerprint, template_key, sample_key,
    has_content, outcome, outcome_detail)
VALUES (:key, 'done', '', 1, '', '', '', 0, :kind, :detail)
ON CONFLICT (key) DO UPDATE SET state = 'done', outcome = :kind, outcome_detail = :detail,
    signals = NULL
""",
    "DELETE FROM thread_pages WHERE key = :key",
)

DELETE_CONTENT = (
    "DELETE FROM contents WHERE key = ?",
    "UPDATE pages SET has_content = 0 WHERE key = ?",
)

READ = "SELECT * FROM pages JOIN contents USING (key)"

#: The pages of a template that are done and are not among the first ``keep`` to learn from.
OUT_OF_SAMPLE = """
SELECT key FROM pages WHERE template_key = ?1 AND has_content AND state = 'done'
    AND (sample_key, key) >= (
        SELECT sample_key, key FROM pages WHERE template_key = ?1 AND has_content
        ORDER BY sample_key, key LIMIT 1 OFFSET ?2
    )
"""

#: Deletes the body of a page that is made ready without a template: it must not be parsed.
EMPTY_BODY = "UPDATE contents SET body = x'', is_compressed = 0 WHERE key = ? AND ? = ''"

#: Give a page that waits for its template, and has no feed entry, one.
DESCRIBE_CONTENT = """
UPDATE contents SET entry = :entry WHERE key = :key AND entry IS NULL
    AND key IN (SELECT key FROM pages WHERE key = :key AND state IN ('fetched', 'placed'))
"""
DESCRIBE_PAGE = """
UPDATE pages SET is_article = 1 WHERE key = :key AND state IN ('fetched', 'placed')
"""


class UnclassifiedPage(NamedTuple):
    """A waiting page that is not known to be an article; ``fingerprint`` is a digest."""

    key: str
    url: str
    fingerprint: str
    signals: Signals


class PageQueries:
    """The pages in a spool's database, by their state.  What cannot be read raises
    ``StoreFailed``."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def knows(self, key: str) -> bool:
        """Whether the page was fetched, in this run or in an earlier one of the same crawl."""
        return self.one("SELECT 1 FROM pages WHERE key = ?", key) is not None

    def is_pending(self, key: str) -> bool:
        """Whether the page was fetched and has no outcome."""
        return self.one("SELECT 1 FROM pages WHERE key = ? AND state <> 'done'", key) is not None

    def url(self, key: str) -> str:
        """The URL of a page; ``""`` if its content was deleted."""
        row = self.one("SELECT url FROM contents WHERE key = ?", key)
        return row["url"] if row else ""

    def read(self, key: str) -> SpooledPage:
        """The pending page with this key; raises ``KeyError`` if there is none."""
        row = self.one(f"{READ} WHERE key = ? AND state <> 'done'", key)
        if row is None:
            raise KeyError(key)
        return SpooledPage.from_row(row)

    def fetched_keys(self, without: Container[str] = ()) -> list[str]:
        """Keys of the pages that were not read, other than ``without``."""
        rows = self.rows("SELECT key FROM pages WHERE state = 'fetched' ORDER BY key")
        return [row["key"] for row in rows if row["key"] not in without]

    def ready_keys(self, limit: int, without: Collection[str] = ()) -> list[str]:
        """Keys of at most ``limit`` ready pages, other than ``without``."""
        rows = self.rows(
            "SELECT key FROM pages WHERE state = 'ready' ORDER BY key LIMIT ?",
            limit + len(without),
        )
        return [row["key"] for row in rows if row["key"] not in without][:limit]

    def ready_templates(self) -> dict[str, str]:
        """The template keys of all ready pages by their keys, which are sorted."""
        rows = self._database.execute(
            "SELECT key, template_key FROM pages WHERE state = 'ready' ORDER BY key"
        )
        return {row["key"]: row["template_key"] for row in rows}

    def waiting_hosts(self) -> list[str]:
        """Hosts that have waiting pages."""
        rows = self.rows("SELECT DISTINCT host FROM pages WHERE state = 'placed' ORDER BY host")
        return [row["host"] for row in rows]

    def waiting_pages(self, host: str) -> list[tuple[str, str, bool]]:
        """Key, fingerprint digest and ``is_article`` of the host's waiting pages."""
        rows = self.rows(
            "SELECT key, fingerprint, is_article FROM pages"
            " WHERE state = 'placed' AND host = ? ORDER BY key",
            host,
        )
        return [(row["key"], row["fingerprint"], bool(row["is_article"])) for row in rows]

    def is_waiting(self, key: str) -> bool:
        """Whether the page was placed and is not ready."""
        return self.one("SELECT 1 FROM pages WHERE key = ? AND state = 'placed'", key) is not None

    def unclassified_pages(self, host: str) -> Iterator[UnclassifiedPage]:
        """The host's waiting pages that are not known to be articles."""
        rows = self.rows(
            "SELECT key, url, fingerprint, signals FROM pages JOIN contents USING (key)"
            " WHERE state = 'placed' AND host = ? AND signals IS NOT NULL ORDER BY key",
            host,
        )
        for row in rows:
            signals = Signals.from_dict(json.loads(row["signals"]))
            yield UnclassifiedPage(row["key"], row["url"], row["fingerprint"], signals)

    def hosts_with_feeds(self) -> list[str]:
        """Hosts with a page that has a feed entry: these come first in a sample."""
        rows = self.rows("SELECT DISTINCT host FROM pages WHERE sample_key < '1' ORDER BY host")
        return [row["host"] for row in rows]

    def pending(self) -> int:
        """The number of pending pages."""
        return int(self.one("SELECT count(*) AS n FROM pages WHERE state <> 'done'")["n"])

    def sample(self, template_key: str, limit: int) -> list[SpooledPage]:
        """The pages that the template's wrapper is learned from: the first by sample key."""
        rows = self.rows(
            f"{READ} WHERE template_key = ? AND has_content ORDER BY sample_key, key LIMIT ?",
            template_key,
            limit,
        )
        return [SpooledPage.from_row(row) for row in rows]

    def out_of_sample(self, template_key: str, keep: int) -> list[str]:
        """Keys of the template's pages that are done and have content, other than the first
        ``keep`` to learn from."""
        rows = self.rows(OUT_OF_SAMPLE, template_key, keep)
        return [row["key"] for row in rows]

    def seen_pages(self) -> Iterator[tuple[str, str, bool]]:
        """Host, fingerprint digest and ``is_article`` of every page that was read."""
        rows = self.rows(
            "SELECT host, fingerprint, is_article FROM pages WHERE fingerprint <> '' ORDER BY key"
        )
        return ((row["host"], row["fingerprint"], bool(row["is_article"])) for row in rows)

    def rows(self, query: str, *values: str | int) -> list[Any]:
        """The rows of a query."""
        return read_rows(self._database, query, values)

    def one(self, query: str, *values: str | int) -> Any:
        """The first row of a query; None if there is none."""
        return next(iter(self.rows(query, *values)), None)


#: Free pages of the file (4 KB) from which on some are given back at each commit.
_MANY_FREE, _GIVE_BACK = 512, 256


class Spool(PageQueries):
    """The pages of one crawl, in the file ``location``, which no other process can open
    meanwhile; a ``temporary`` file leaves nothing behind.

    ``on_begin``: called when a transaction begins; who sets it calls ``commit`` soon.  If it is
    not set, every method commits before it returns.  Methods that write raise ``StoreFailed``.
    """

    def __init__(self, location: str, temporary: bool = False) -> None:
        kind = StoreKind(SCHEMA, VERSION, is_exclusive=True, is_scratch=temporary)
        existed = store_exists(location)
        super().__init__(open_database(location, kind))
        self._file = self.one("PRAGMA database_list")["file"]
        self._is_open, self._temporary = True, temporary
        if temporary:
            _delete_file(self._file)
        self.on_begin: Callable[[], None] | None = None
        self.fingerprints = FingerprintTable(self._database)
        self.articles = ArticleTable(self._database, self._writing)
        self.threads = SpooledThreads(self._database, self._writing)
        self.run = RunState(self._database)
        #: Whether there was a file that could not be used, so that its pages are not known.
        self.was_lost = existed and self.run.is_new
        self._database.executescript(RESTART)

    def add(self, page: SpooledPage) -> bool:
        """Write a fetched page; False, and nothing is written, if there is one with its key."""
        row = page.to_row()
        with self._writing():
            is_new = self._database.execute(ADD_PAGE, row).rowcount == 1
            if is_new:
                self._database.execute(ADD_CONTENT, row)
        return is_new

    def place(self, key: str, fingerprint: Fingerprint, signals: Signals | None = None) -> None:
        """Write what was read from a fetched page, which then waits for its template."""
        found = json.dumps(signals.to_dict()) if signals else None
        with self._writing():
            page = self.one("SELECT host FROM pages WHERE key = ?", key)
            self.fingerprints.add(page["host"], fingerprint)
            self._database.execute(
                "UPDATE pages SET state = 'placed', fingerprint = ?, signals = ?"
                " WHERE key = ? AND state = 'fetched'",
                (fingerprint.digest, found, key),
            )

    def compress(self, key: str) -> None:
        """Compress the body of a page, which may wait for long."""
        row = self.one("SELECT body FROM contents WHERE key = ? AND NOT is_compressed", key)
        if row:
            with self._writing():
                self._database.execute(
                    "UPDATE contents SET body = ?, is_compressed = 1 WHERE key = ?",
                    (compress(row["body"]), key),
                )

    def make_ready(self, key: str, template_key: str) -> None:
        """Make a pending page ready, for a template; for none (``""``), its body is deleted."""
        with self._writing():
            self._database.execute(EMPTY_BODY, (key, template_key))
            self._database.execute(
                "UPDATE pages SET state = 'ready', template_key = ?"
                " WHERE key = ? AND state <> 'done'",
                (template_key, key),
            )

    def make_all_ready(self, host: str, digests: Sequence[str], template_key: str) -> int:
        """Make all waiting pages with these fingerprints ready; the number of pages."""
        marks = ", ".join("?" * len(digests))
        with self._writing():
            done = self._database.execute(
                "UPDATE pages SET state = 'ready', template_key = ?"
                f" WHERE host = ? AND fingerprint IN ({marks}) AND state = 'placed'",
                (template_key, host, *digests),
            )
        return done.rowcount

    def finish(self, key: str, kind: str, detail: str, keep: int = 0) -> None:
        """Write a page's outcome; an unknown page is added as done.  Of the template's contents
        the ``keep`` first ones by sample key stay; with 0, the page's own is deleted."""
        with self._writing():
            for query in FINISH_PAGE:
                self._database.execute(query, {"key": key, "kind": kind, "detail": detail})
            row = self.one("SELECT template_key FROM pages WHERE key = ?", key)
            may_keep = row["template_key"] and keep
            out = self.out_of_sample(row["template_key"], keep) if may_keep else [key]
            for query, one in product(DELETE_CONTENT, out):
                self._database.execute(query, (one,))

    @property
    def is_writing(self) -> bool:
        """Whether something was written that is not committed."""
        return self._is_open and self._database.in_transaction

    def commit(self, exports: Iterable[Export] = ()) -> None:
        """Commit what was written, and the sizes of the exports.  Pages of the file that became
        free are given back, some at a time, so that the file shrinks."""
        try:
            self.run.write_exports(exports)  # commits itself if nothing else was written
            if self._database.in_transaction:
                self._database.execute("COMMIT")
                if self.one("PRAGMA freelist_count")[0] > _MANY_FREE:
                    self._give_back(f"({_GIVE_BACK})")
        except sqlite3.Error as error:
            raise StoreFailed(f"{self._file}: {error}") from error

    def begin_run(self) -> None:
        """Write that a run has begun; a start that fails before leaves the spool unchanged."""
        try:
            self.run.begin()
        except sqlite3.Error as error:
            raise StoreFailed(f"{self._file}: {error}; free some space") from error

    def forget(self, key: str) -> None:
        """Delete a page that is done, so that it can be fetched again."""
        with self._writing():
            self._database.execute(FORGET_PAGE, (key,))

    def close(self, ended: bool = True) -> None:
        """Commit, and close the file; ``ended``: write that the run was not killed, so that the
        next one needs no recovery."""
        try:
            self.commit()
            if ended:
                self.run.end()
                self._give_back()
        except sqlite3.Error as error:
            raise StoreFailed(f"{self._file}: {error}") from error
        finally:
            self._is_open = False
            self._database.close()
            if self._temporary:
                _delete_file(self._file)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            if not self._database.in_transaction:
                self._database.execute("BEGIN")
                if self.on_begin:
                    self.on_begin()
            yield
        except sqlite3.Error as error:
            raise StoreFailed(f"{self._file}: {error}") from error
        if self.on_begin is None:
            self.commit()

    def _give_back(self, pages: str = "") -> None:
        # execute() would stop after the first page.
        self._database.executescript(f"PRAGMA incremental_vacuum{pages}")


def _delete_file(file: str) -> None:
    """Delete a file, which stays usable until it is closed (but not on Windows)."""
    with suppress(OSError):
        Path(file).unlink(missing_ok=True)


def describe_page(spool: Spool, key: str, entry: Entry) -> bool:
    """Give a page that waits in the spool a feed entry, so that it is known to be an article.
    False if the page is not in the spool."""
    row = {"key": key, "entry": json.dumps(entry.to_dict())}
    with spool._writing():
        spool._database.execute(DESCRIBE_PAGE, row)
        spool._database.execute(DESCRIBE_CONTENT, row)
    return spool.knows(key)
