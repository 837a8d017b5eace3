"""Opening a store: SQLite by URI, with settings that survive the kill of the process."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import unquote, urlsplit

from forest_scrapy.core.errors import ForestError

__all__ = ["BadStore", "open_database"]


class BadStore(ForestError):
    """A store cannot be opened; the message names the place and the remedy."""


def open_database(place: str, schema: str) -> sqlite3.Connection:
    """Open ``place`` (a path, or ``sqlite:///path``), with its folders and tables.

    Write-ahead logging without a sync per commit: a commit survives the death of the process,
    not that of the machine.  Raises ``BadStore``.
    """
    scheme, path = urlsplit(place).scheme, place
    if "://" in place:
        if scheme != "sqlite":
            raise BadStore(f"{place!r}: there is no store for {scheme!r}; use sqlite:///PATH")
        path = unquote(urlsplit(place).path[1:])
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(path, isolation_level=None, timeout=30)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.executescript(schema)
    except (OSError, sqlite3.Error) as error:
        raise BadStore(
            f"{path}: {error}; is the folder writable, is it a file of another program? "
            "Move it away, or name another place"
        ) from error
    database.row_factory = sqlite3.Row
    return database
