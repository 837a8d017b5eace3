"""Learned wrappers by host, with the fingerprints that recognise the pages of their templates."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from forest_scrapy.core import BadWrapper, Fingerprint, Wrapper
from forest_scrapy.core.changes.redesign import TemplateFit
from forest_scrapy.stores.database import BadStore, StoreKind, open_database, store_exists
from forest_scrapy.stores.versions import VERSIONS_SCHEMA, VersionTable, WrapperVersion

__all__ = ["StoredWrapper", "WrapperStore"]

logger = logging.getLogger(__name__)

#: Host, id of the template, distance.
_Key = tuple[str, str, str]

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS wrappers (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, wrapper TEXT NOT NULL,
    PRIMARY KEY (host, template, distance)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wrapper_fingerprints (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, features BLOB NOT NULL,
    PRIMARY KEY (host, template, distance, features)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wrapper_fits (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, fit TEXT NOT NULL,
    PRIMARY KEY (host, template, distance)
) WITHOUT ROWID;
{VERSIONS_SCHEMA}
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
        self._database = open_database(location, StoreKind(_SCHEMA), may_rename=not must_exist)
        self._versions = VersionTable(self._database)
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
            is_edited = self._versions.newest_text(key) not in (None, row["wrapper"])
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
        version if its rules are others; the number of the version.  If the store cannot be
        written, there is a warning, the number is 0, and the crawl goes on with the wrapper."""
        try:
            return self._save((host, template_id, self._distance), wrapper, fingerprints, reason)
        except sqlite3.Error as error:
            logger.warning("Wrapper %s of %s cannot be stored: %s", template_id, host, error)
            return 0

    def save_edited(self, host: str, template_id: str, wrapper: Wrapper) -> None:
        """Store a wrapper that a person has edited in place of a template's; its versions, those
        that crawls have learned, stay.  Raises ``BadStore`` if it cannot be written."""
        try:
            self._database.execute(
                f"UPDATE wrappers SET wrapper = ? WHERE {_KEY}",
                (wrapper.dumps(), host, template_id, self._distance),
            )
        except sqlite3.Error as error:
            raise BadStore(f"wrapper {template_id} of {host} cannot be stored: {error}") from error

    def save_fit(self, host: str, template_id: str, fit: TemplateFit) -> None:
        """Store how a template's wrapper has fitted so far, if the store can be written."""
        key, text = (host, template_id, self._distance), json.dumps(fit.to_dict())
        with suppress(sqlite3.Error):  # the wrapper had a warning
            self._database.execute(
                "INSERT OR REPLACE INTO wrapper_fits VALUES (?, ?, ?, ?)", (*key, text)
            )

    def versions(self, host: str, template_id: str) -> list[WrapperVersion]:
        """The versions of a template's wrapper, the oldest first; those that cannot be read are
        left out."""
        return self._versions.all((host, template_id, self._distance))

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

    def _save(
        self, key: _Key, wrapper: Wrapper, fingerprints: Iterable[Fingerprint], reason: str
    ) -> int:
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute(
                "INSERT OR REPLACE INTO wrappers VALUES (?, ?, ?, ?)", (*key, wrapper.dumps())
            )
            self._database.execute(f"DELETE FROM wrapper_fingerprints WHERE {_KEY}", key)
            self._database.executemany(
                "INSERT OR IGNORE INTO wrapper_fingerprints VALUES (?, ?, ?, ?)",
                [(*key, fingerprint.to_bytes()) for fingerprint in fingerprints],
            )
            return self._versions.add(key, wrapper, reason)

    def _fit(self, key: _Key) -> TemplateFit:
        row = self._database.execute(f"SELECT fit FROM wrapper_fits WHERE {_KEY}", key).fetchone()
        return TemplateFit.from_dict(json.loads(row["fit"])) if row else TemplateFit()

    def _fingerprints(self, key: _Key) -> Iterator[Fingerprint]:
        rows = self._database.execute(
            f"SELECT features FROM wrapper_fingerprints WHERE {_KEY} ORDER BY features", key
        )
        return (Fingerprint.from_bytes(row["features"]) for row in rows)
