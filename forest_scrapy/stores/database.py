"""Opening a store: SQLite by URI, with settings that survive the kill of the process."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import unquote, urlsplit

from forest_scrapy.core.errors import ForestError

__all__ = ["BadStore", "open_database", "store_exists"]


class BadStore(ForestError):
    """A store cannot be opened; the message names the place and the remedy."""


#: Stands in the files' headers (``PRAGMA application_id``): "frst".
_OURS = 0x66727374


def open_database(place: str, schema: str) -> sqlite3.Connection:
    """Open ``place`` (a path, or ``sqlite:///path``), with its folders and tables.

    Write-ahead logging without a sync per commit: a commit survives the death of the process,
    not that of the machine.  Raises ``BadStore``.
    """
    path = _read_place(place)
    database = None
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(path, isolation_level=None, timeout=30)
        _claim(database, path)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.executescript(schema)
    except (OSError, ValueError, sqlite3.Error, BadStore) as error:
        if database is not None:
            database.close()
        raise BadStore(
            f"{path}: {error}; is the folder writable, is it a file of another program? "
            "Move it away, or name another place"
        ) from error
    database.row_factory = sqlite3.Row
    return database


def store_exists(place: str) -> bool:
    """Whether there is a file where ``open_database`` would open it.  Raises ``BadStore``."""
    return Path(_read_place(place)).exists()


def _read_place(place: str) -> str:
    """The path that a place names."""
    if "://" not in place:
        path = place
    elif urlsplit(place).scheme != "sqlite":
        scheme = urlsplit(place).scheme
        raise BadStore(f"{place!r}: there is no store for {scheme!r}; use sqlite:///PATH")
    else:
        head, _, path = place.partition(":///")
        path = unquote(path) if head == "sqlite" else ""
    if not path:
        raise BadStore(f"{place!r} names no file; use sqlite:///PATH, with three slashes")
    return path


def _claim(database: sqlite3.Connection, path: str) -> None:
    """Mark a new file as ours; refuse one that has tables and is not."""
    owner = database.execute("PRAGMA application_id").fetchone()[0]
    if owner != _OURS:
        if database.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise BadStore("it has tables of another program")
        database.execute(f"PRAGMA application_id = {_OURS}")
