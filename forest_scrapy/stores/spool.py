"""The spool: every page that was fetched as a possible article, and its outcome.

A page is written here before anything else is done with it, as it was received.  Its row stays,
so that a resumed crawl knows which pages it has seen.  Its content is deleted when the page is
done, except for the few pages of each template that wrappers are learned from.

A page is *fetched*, then *placed* once it was read and its template is looked for, *ready* to be
released once it has one, and *done* once it has an outcome (``PageState``).  A page of a thread is
*held* until the other pages of the thread are there.  Pages that are not done are *pending*.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path

from forest_scrapy.core import Entry, Fingerprint
from forest_scrapy.core.clustering.page_types import Signals
from forest_scrapy.stores.article_table import ArticleTable
from forest_scrapy.stores.database import StoreFailed, StoreKind, open_database, store_exists
from forest_scrapy.stores.fingerprints import FingerprintTable
from forest_scrapy.stores.page_queries import PageQueries
from forest_scrapy.stores.run_state import Export, RunState
from forest_scrapy.stores.spool_schema import (
    ADD_CONTENT,
    ADD_PAGE,
    DELETE_CONTENT,
    DESCRIBE_CONTENT,
    DESCRIBE_PAGE,
    EMPTY_BODY,
    FINISH_PAGE,
    FORGET_PAGE,
    SCHEMA,
    VERSION,
)
from forest_scrapy.stores.spooled_page import SpooledPage, compress
from forest_scrapy.stores.thread_pages import RESTART, SpooledThreads

__all__ = ["Spool"]

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
