"""Whether the last run that used a spool was killed."""

from __future__ import annotations

import sqlite3

__all__ = ["STATE_SCHEMA", "mark_closed", "mark_open"]

STATE_SCHEMA = "CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"


def mark_open(database: sqlite3.Connection) -> bool:
    """Write that a run has begun; True if the run before did not call ``mark_closed``."""
    row = database.execute("SELECT value FROM state WHERE name = 'open'").fetchone()
    _write_state(database, "yes")
    return row is not None and row["value"] == "yes"


def mark_closed(database: sqlite3.Connection) -> None:
    """Write that the run has ended without being killed."""
    _write_state(database, "no")


def _write_state(database: sqlite3.Connection, is_open: str) -> None:
    database.execute("INSERT OR REPLACE INTO state VALUES ('open', ?)", (is_open,))
