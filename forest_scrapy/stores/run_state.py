"""What a spool knows of the runs that used it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["STATE_SCHEMA", "Export", "RunState"]

STATE_SCHEMA = """
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS exports (
    path TEXT PRIMARY KEY, format TEXT NOT NULL, size INTEGER NOT NULL
) WITHOUT ROWID;
"""


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
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._has_begun = False
        self.is_new = self._read("run") is None
        self.was_killed = self._read("run") == "begun"
        self.was_recovered = self._read("recovered") == "yes"
        if self.is_new:
            self._write("run", "new")

    def begin(self) -> None:
        """Write that a run has begun.  A start that fails before that changes nothing."""
        self._has_begun = True
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
        row = self._database.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        return row["value"] if row else None

    def _write(self, name: str, value: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))
