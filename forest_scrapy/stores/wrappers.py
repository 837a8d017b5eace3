"""Learned wrappers by host, with the fingerprints that recognise the pages of their templates."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from forest_scrapy.core import BadWrapper, Fingerprint, Wrapper
from forest_scrapy.stores.database import BadStore, StoreKind, open_database, store_exists

__all__ = ["StoredWrapper", "WrapperStore"]

logger = logging.getLogger(__name__)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS wrappers (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, wrapper TEXT NOT NULL,
    PRIMARY KEY (host, template, distance)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wrapper_fingerprints (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, features BLOB NOT NULL,
    PRIMARY KEY (host, template, distance, features)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class StoredWrapper:
    """A wrapper, the id of its template, and fingerprints of pages of that template."""

    template_id: str
    wrapper: Wrapper
    fingerprints: tuple[Fingerprint, ...]


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
            try:
                wrapper = Wrapper.loads(row["wrapper"])
            except BadWrapper as error:
                logger.warning("Stored wrapper %s of %s: %s", row["template"], host, error)
                continue
            fingerprints = tuple(self._fingerprints(host, row["template"]))
            found.append(StoredWrapper(row["template"], wrapper, fingerprints))
        return found

    def save(
        self, host: str, template_id: str, wrapper: Wrapper, fingerprints: Iterable[Fingerprint]
    ) -> None:
        """Store a template's wrapper in place of the previous one.  If the store cannot be
        written, there is a warning; the crawl goes on with the wrapper."""
        try:
            self._save(host, template_id, wrapper, fingerprints)
        except sqlite3.Error as error:
            logger.warning("Wrapper %s of %s cannot be stored: %s", template_id, host, error)

    def close(self) -> None:
        self._database.close()

    def _save(
        self, host: str, template_id: str, wrapper: Wrapper, fingerprints: Iterable[Fingerprint]
    ) -> None:
        key = (host, template_id, self._distance)
        with self._database:
            self._database.execute("BEGIN")
            self._database.execute(
                "INSERT OR REPLACE INTO wrappers VALUES (?, ?, ?, ?)", (*key, wrapper.dumps())
            )
            self._database.execute(
                "DELETE FROM wrapper_fingerprints WHERE host = ? AND template = ? AND distance = ?",
                key,
            )
            self._database.executemany(
                "INSERT OR IGNORE INTO wrapper_fingerprints VALUES (?, ?, ?, ?)",
                [(*key, fingerprint.to_bytes()) for fingerprint in fingerprints],
            )

    def _fingerprints(self, host: str, template_id: str) -> Iterator[Fingerprint]:
        rows = self._database.execute(
            "SELECT features FROM wrapper_fingerprints"
            " WHERE host = ? AND template = ? AND distance = ? ORDER BY features",
            (host, template_id, self._distance),
        )
        return (Fingerprint.from_bytes(row["features"]) for row in rows)
