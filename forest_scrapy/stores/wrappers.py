"""Learned wrappers by host, with the fingerprints that recognise the pages of their templates."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from forest_scrapy.core import BadWrapper, Fingerprint, Wrapper
from forest_scrapy.core.changes.redesign import TemplateFit
from forest_scrapy.stores.database import BadStore, open_database, store_exists

__all__ = ["StoredWrapper", "WrapperStore", "WrapperVersion"]

logger = logging.getLogger(__name__)

#: Host, id of the template, distance.
_Key = tuple[str, str, str]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS wrappers (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, wrapper TEXT NOT NULL,
    PRIMARY KEY (host, template, distance)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wrapper_fingerprints (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, features BLOB NOT NULL,
    PRIMARY KEY (host, template, distance, features)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wrapper_versions (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL,
    version INTEGER NOT NULL, wrapper TEXT NOT NULL, saved_at TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (host, template, distance, version)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wrapper_fits (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, fit TEXT NOT NULL,
    PRIMARY KEY (host, template, distance)
) WITHOUT ROWID;
"""
#: The tables that have rows of a template.
_TABLES = ("wrappers", "wrapper_fingerprints", "wrapper_fits")
_KEY = "host = ? AND template = ? AND distance = ?"


@dataclass(frozen=True)
class StoredWrapper:
    """A wrapper, the id of its template, and fingerprints of pages of that template.

    ``fit``: how it has fitted so far; ``is_edited``: whether a person has changed it since a crawl
    has stored it.
    """

    template_id: str
    wrapper: Wrapper
    fingerprints: tuple[Fingerprint, ...]
    fit: TemplateFit = field(default_factory=TemplateFit)
    is_edited: bool = False


@dataclass(frozen=True)
class WrapperVersion:
    """A wrapper as it was stored, from version 1 on.  ``saved_at``: ISO 8601, UTC; ``reason``: why
    it was learned."""

    version: int
    wrapper: Wrapper
    saved_at: str
    reason: str


class WrapperStore:
    """The wrappers of all hosts.

    ``distance`` names the kind of the fingerprints.  Wrappers stored with another kind are not
    loaded, because fingerprints of different kinds cannot be compared.
    """

    def __init__(self, location: str, distance: str, must_exist: bool = False) -> None:
        """Open or create the store.  Raises ``BadStore``, also if it ``must_exist`` and does
        not."""
        if must_exist and not store_exists(location):
            raise BadStore(f"{location}: no wrappers are stored here yet; a crawl stores them")
        self._database = open_database(location, _SCHEMA)
        self._distance = distance

    def hosts(self) -> dict[str, int]:
        """The hosts, sorted, with the number of their wrappers."""
        rows = self._database.execute(
            "SELECT host, COUNT(*) AS wrappers FROM wrappers WHERE distance = ? "
            "GROUP BY host ORDER BY host",
            (self._distance,),
        )
        return {str(row["host"]): int(row["wrappers"]) for row in rows}

    def load(self, host: str) -> list[StoredWrapper]:
        """The wrappers of a host, by template id.  A wrapper that cannot be read (edited by
        hand, written by another version) is skipped with a warning that names it."""
        rows = self._database.execute(
            "SELECT template, wrapper FROM wrappers WHERE host = ? AND distance = ? "
            "ORDER BY template",
            (host, self._distance),
        ).fetchall()
        found = []
        for row in rows:
            key = (host, row["template"], self._distance)
            try:
                wrapper = Wrapper.loads(row["wrapper"])
            except BadWrapper as error:
                logger.warning("Stored wrapper %s of %s: %s", row["template"], host, error)
                continue
            newest = self._newest(key)
            is_edited = newest is not None and newest["wrapper"] != row["wrapper"]
            fingerprints, fit = tuple(self._fingerprints(key)), self._fit(key)
            found.append(StoredWrapper(row["template"], wrapper, fingerprints, fit, is_edited))
        return found

    def save(
        self,
        host: str,
        template_id: str,
        wrapper: Wrapper,
        fingerprints: Iterable[Fingerprint],
        reason: str = "new template",
    ) -> int:
        """Store a template's wrapper in place of the previous one, which stays as an older
        version if its rules are others; the number of the version."""
        key, text = (host, template_id, self._distance), wrapper.dumps()
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute(
                "INSERT OR REPLACE INTO wrappers VALUES (?, ?, ?, ?)", (*key, text)
            )
            self._database.execute(f"DELETE FROM wrapper_fingerprints WHERE {_KEY}", key)
            self._database.executemany(
                "INSERT OR IGNORE INTO wrapper_fingerprints VALUES (?, ?, ?, ?)",
                [(*key, fingerprint.to_bytes()) for fingerprint in fingerprints],
            )
            return self._save_version(key, wrapper, reason)

    def save_fit(self, host: str, template_id: str, fit: TemplateFit) -> None:
        """Store how a template's wrapper has fitted so far."""
        key, text = (host, template_id, self._distance), json.dumps(fit.to_dict())
        self._database.execute(
            "INSERT OR REPLACE INTO wrapper_fits VALUES (?, ?, ?, ?)", (*key, text)
        )

    def versions(self, host: str, template_id: str) -> list[WrapperVersion]:
        """The versions of a template's wrapper, the oldest first; those that cannot be read are
        left out."""
        rows = self._database.execute(
            f"SELECT * FROM wrapper_versions WHERE {_KEY} ORDER BY version",
            (host, template_id, self._distance),
        )
        found = []
        for row in rows:
            with suppress(BadWrapper):
                wrapper = Wrapper.loads(row["wrapper"])
                found.append(
                    WrapperVersion(row["version"], wrapper, row["saved_at"], row["reason"])
                )
        return found

    def delete(self, host: str, template_id: str) -> None:
        """Delete a template's wrapper; its versions stay."""
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            for table in _TABLES:
                self._database.execute(
                    f"DELETE FROM {table} WHERE {_KEY}", (host, template_id, self._distance)
                )

    def close(self) -> None:
        self._database.close()

    def _save_version(self, key: _Key, wrapper: Wrapper, reason: str) -> int:
        """Add a version, or update the newest if that has the same rules."""
        newest = self._newest(key)
        number = newest["version"] if newest else 0
        is_same = newest is not None and _same_rules(newest["wrapper"], wrapper)
        if is_same:
            self._database.execute(
                f"UPDATE wrapper_versions SET wrapper = ? WHERE {_KEY} AND version = ?",
                (wrapper.dumps(), *key, number),
            )
            return int(number)
        saved_at = datetime.now(UTC).isoformat(timespec="seconds")
        self._database.execute(
            "INSERT INTO wrapper_versions VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*key, number + 1, wrapper.dumps(), saved_at, reason),
        )
        return int(number) + 1

    def _newest(self, key: _Key) -> sqlite3.Row | None:
        row: sqlite3.Row | None = self._database.execute(
            f"SELECT * FROM wrapper_versions WHERE {_KEY} ORDER BY version DESC", key
        ).fetchone()
        return row

    def _fit(self, key: _Key) -> TemplateFit:
        row = self._database.execute(f"SELECT fit FROM wrapper_fits WHERE {_KEY}", key).fetchone()
        return TemplateFit.from_dict(json.loads(row["fit"])) if row else TemplateFit()

    def _fingerprints(self, key: _Key) -> Iterator[Fingerprint]:
        rows = self._database.execute(
            f"SELECT features FROM wrapper_fingerprints WHERE {_KEY} ORDER BY features", key
        )
        return (Fingerprint.from_bytes(row["features"]) for row in rows)


def _same_rules(stored: str, wrapper: Wrapper) -> bool:
    try:
        return Wrapper.loads(stored).id == wrapper.id
    except BadWrapper:
        return False
