"""Opening a store: an SQLite file by path or URI, with settings that survive a killed process."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import unquote, urlsplit

from forest_scrapy.core.errors import ForestError

__all__ = ["BadStore", "open_database", "store_exists"]


class BadStore(ForestError):
    """A store cannot be opened; the message names the file and the remedy."""


#: ``PRAGMA application_id`` of the files: "frst".
_APPLICATION_ID = 0x66727374


def open_database(location: str, schema: str) -> sqlite3.Connection:
    """Open the file ``location``, a path or ``sqlite:///path``; creates its folders and tables.

    The write-ahead log is not synced at each commit: a commit survives the death of the
    process, but not of the machine.  Raises ``BadStore``.
    """
    path = _read_location(location)
    database = None
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(path, isolation_level=None, timeout=30)
        _check_owner(database)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.executescript(schema)
    except (OSError, ValueError, sqlite3.Error, BadStore) as error:
        if database is not None:
            database.close()
        raise BadStore(
            f"{path}: {error}; is the folder writable, is it a file of another program or "
            "version? Move it away, or name another file"
        ) from error
    database.row_factory = sqlite3.Row
    return database


def store_exists(location: str) -> bool:
    """Whether the file that ``open_database`` would open exists.  Raises ``BadStore``."""
    return Path(_read_location(location)).exists()


def _read_location(location: str) -> str:
    """The path of a location."""
    if "://" not in location:
        path = location
    elif urlsplit(location).scheme != "sqlite":
        scheme = urlsplit(location).scheme
        raise BadStore(f"{location!r}: there is no store for {scheme!r}; use sqlite:///PATH")
    else:
        head, _, path = location.partition(":///")
        path = unquote(path) if head == "sqlite" else ""
    if not path:
        raise BadStore(f"{location!r} does not name a file; use sqlite:///PATH, with three slashes")
    return path


def _check_owner(database: sqlite3.Connection) -> None:
    """Mark a new file as ours; raises ``BadStore`` if it has tables of another program."""
    owner = database.execute("PRAGMA application_id").fetchone()[0]
    if owner != _APPLICATION_ID:
        if database.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise BadStore("it has tables of another program")
        database.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
