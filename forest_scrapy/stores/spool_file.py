"""The file of a spool: its transactions, and what it knows of the runs that used it."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from forest_scrapy.stores.database import (
    StoreFailed,
    StoreKind,
    open_database,
    store_errors,
    store_exists,
)

RUNS_SCHEMA = """
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS exports (
    path TEXT PRIMARY KEY, format TEXT NOT NULL, size INTEGER NOT NULL
) WITHOUT ROWID;
"""
#: Free pages of the file (4 KB) from which on some are given back at each commit.
_MANY_FREE = 512
_GIVEN_BACK = 256


class Export(NamedTuple):
    """A local file that a crawl appends to, with its size in bytes."""

    path: str
    format: str
    size: int


class RunState:
    """Whether the runs of a crawl ended well, and the sizes of their exports.

    - ``is_new``: no run has used this file.
    - ``was_killed``: the last run began and did not end.
    - ``was_recovered``: an earlier start found that; its requests were forgotten, so pages in
      the spool may be linked again.
    - ``began_at``: when the last run began, in seconds since 1970; 0 if no run has.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._has_begun = False
        state = self._read("run")
        self.is_new = state is None
        self.was_killed = state == "begun"
        self.was_recovered = self._read("recovered") == "yes"
        self.began_at = int(self._read("began_at") or 0)
        if self.is_new:
            self._write("run", "new")

    def begin(self) -> None:
        """Write that a run has begun.  A start that fails before that changes nothing."""
        self._has_begun = True
        self._write("began_at", str(int(time.time())))
        self._write("run", "begun")

    def end(self) -> None:
        """Write that the run has ended without being killed, if it has begun."""
        if self._has_begun:
            self._write("run", "ended")

    def recover(self) -> None:
        """Write that the crawl was recovered after a kill."""
        self.was_recovered = True
        self._write("recovered", "yes")

    def exports(self) -> list[Export]:
        """The files that the last run appended to, with their sizes when outcomes were last
        committed: what follows was exported, but not recorded."""
        rows = self._database.execute("SELECT path, format, size FROM exports ORDER BY path")
        return [Export(*row) for row in rows]

    def write_exports(self, exports: Iterable[Export]) -> None:
        """Write the sizes of the exports, in the transaction of the outcomes."""
        self._database.executemany("INSERT OR REPLACE INTO exports VALUES (?, ?, ?)", exports)

    def _read(self, name: str) -> str | None:
        query = "SELECT value FROM state WHERE name = ?"
        row = self._database.execute(query, (name,)).fetchone()
        return row["value"] if row else None

    def _write(self, name: str, value: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))


class SpoolFile:
    """An SQLite file whose writes are committed together.  Its methods raise ``StoreFailed``.

    ``on_begin``: called when a transaction begins; who sets it calls ``commit`` soon.  If it is
    not set, ``writing`` commits at its end.  ``was_lost``: whether there was a file that could not
    be used, so that its pages are not known.
    """

    def __init__(self, location: str, kind: StoreKind) -> None:
        """Open or create the file; one that ``is_scratch`` leaves nothing behind.  Raises
        ``BadStore``."""
        existed = store_exists(location)
        self.database = open_database(location, kind)
        self._name = self.database.execute("PRAGMA database_list").fetchone()["file"]
        self._is_open = True
        self._is_scratch = kind.is_scratch
        if kind.is_scratch:
            _delete_file(self._name)
        self.on_begin: Callable[[], None] | None = None
        self.run = RunState(self.database)
        self.was_lost = existed and self.run.is_new

    @property
    def is_writing(self) -> bool:
        """Whether something was written that is not committed."""
        return self._is_open and self.database.in_transaction

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What is written in here is part of the transaction, which begins if there is none."""
        with store_errors(self._name):
            if not self.database.in_transaction:
                self.database.execute("BEGIN")
                if self.on_begin:
                    self.on_begin()
            yield
        if self.on_begin is None:
            self.commit()

    def commit(self, exports: Iterable[Export] = ()) -> None:
        """Commit what was written, and the sizes of the exports.  Pages of the file that became
        free are given back, some at a time, so that the file shrinks."""
        with store_errors(self._name):
            self.run.write_exports(exports)  # commits itself if nothing else was written
            if not self.database.in_transaction:
                return
            self.database.execute("COMMIT")
            (free_pages,) = self.database.execute("PRAGMA freelist_count").fetchone()
            if free_pages > _MANY_FREE:
                self._give_back(f"({_GIVEN_BACK})")

    def begin_run(self) -> None:
        """Write that a run has begun; a start that fails before leaves the file unchanged."""
        try:
            with store_errors(self._name):
                self.run.begin()
        except StoreFailed as error:
            raise StoreFailed(f"{error}; free some space") from error

    def close(self, ended: bool = True) -> None:
        """Commit, and close the file; ``ended``: write that the run was not killed, so that the
        next one needs no recovery."""
        try:
            self.commit()
            if ended:
                with store_errors(self._name):
                    self.run.end()
                    self._give_back()
        finally:
            self._is_open = False
            self.database.close()
            if self._is_scratch:
                _delete_file(self._name)

    def _give_back(self, pages: str = "") -> None:
        # execute() would stop after the first page.
        self.database.executescript(f"PRAGMA incremental_vacuum{pages}")


def _delete_file(file: str) -> None:
    """Delete a file, which stays usable until it is closed (but not on Windows)."""
    with suppress(OSError):
        Path(file).unlink(missing_ok=True)
