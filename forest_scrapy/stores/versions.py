"""The versions of stored wrappers."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from forest_scrapy.core import BadWrapper, Wrapper
from forest_scrapy.stores.connection import Database, Row

__all__ = ["VERSIONS_SCHEMA", "VersionTable", "WrapperVersion"]

VERSIONS_SCHEMA = """
CREATE TABLE IF NOT EXISTS wrapper_versions (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL,
    version INTEGER NOT NULL, wrapper TEXT NOT NULL, saved_at TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (host, template, distance, version)
) WITHOUT ROWID;
"""
_KEY = "host = ? AND template = ? AND distance = ?"

#: Host, id of the template, distance.
_Key = tuple[str, str, str]


@dataclass(frozen=True)
class WrapperVersion:
    """A wrapper as it was stored, from version 1 on.  ``saved_at``: ISO 8601, UTC; ``reason``: why
    it was learned."""

    version: int
    wrapper: Wrapper
    saved_at: str
    reason: str


class VersionTable:
    """The versions of each template's wrapper."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, key: _Key, wrapper: Wrapper, reason: str) -> int:
        """Add a version, or update the newest if that has the same rules; its number."""
        newest = self._newest(key)
        number = int(newest["version"]) if newest else 0
        if newest is not None and _same_rules(newest["wrapper"], wrapper):
            self._database.execute(
                f"UPDATE wrapper_versions SET wrapper = ? WHERE {_KEY} AND version = ?",
                (wrapper.dumps(), *key, number),
            )
            return number
        saved_at = datetime.now(UTC).isoformat(timespec="seconds")
        self._database.execute(
            "INSERT INTO wrapper_versions VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*key, number + 1, wrapper.dumps(), saved_at, reason),
        )
        return number + 1

    def all(self, key: _Key) -> list[WrapperVersion]:
        """The versions that can be read, the oldest first."""
        rows = self._database.rows(
            f"SELECT * FROM wrapper_versions WHERE {_KEY} ORDER BY version", key
        )
        found = []
        for row in rows:
            with suppress(BadWrapper):  # of another format
                wrapper = Wrapper.loads(row["wrapper"])
                found.append(
                    WrapperVersion(row["version"], wrapper, row["saved_at"], row["reason"])
                )
        return found

    def newest_text(self, key: _Key) -> str | None:
        """The newest version as a crawl has stored it; None if there is none."""
        newest = self._newest(key)
        return None if newest is None else str(newest["wrapper"])

    def _newest(self, key: _Key) -> Row | None:
        rows = self._database.rows(
            f"SELECT * FROM wrapper_versions WHERE {_KEY} ORDER BY version DESC LIMIT 1", key
        )
        return rows[0] if rows else None


def _same_rules(stored: str, wrapper: Wrapper) -> bool:
    try:
        return Wrapper.loads(stored).id == wrapper.id
    except BadWrapper:
        return False
