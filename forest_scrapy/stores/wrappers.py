"""Learned wrappers by host, with the fingerprints of the pages they were learned from."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from forest_scrapy.core import BadWrapper, Fingerprint, Wrapper
from forest_scrapy.stores.database import BadStore, open_database, store_exists

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
    """A wrapper, the id of its template, and fingerprints that its pages are known by."""

    template: str
    wrapper: Wrapper
    fingerprints: tuple[Fingerprint, ...]


class WrapperStore:
    """Wrappers of all hosts.  ``distance`` names the kind of fingerprints; those of another
    kind are not seen, so that a changed setting never compares what cannot be compared."""

    def __init__(self, place: str, distance: str, must_exist: bool = False) -> None:
        """Open the store, or make it.  Raises ``BadStore``, also where it must be there and is
        not."""
        if must_exist and not store_exists(place):
            raise BadStore(f"{place}: no wrappers are stored here yet; a crawl stores them")
        self._database = open_database(place, _SCHEMA)
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
        """The wrappers of a host, by template id.  One that cannot be read (edited by hand,
        written by another version) is left out with a warning that names it."""
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
        self, host: str, template: str, wrapper: Wrapper, fingerprints: Iterable[Fingerprint]
    ) -> None:
        """Put a wrapper in the place of the template's former one."""
        key = (host, template, self._distance)
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

    def close(self) -> None:
        self._database.close()

    def _fingerprints(self, host: str, template: str) -> Iterator[Fingerprint]:
        rows = self._database.execute(
            "SELECT features FROM wrapper_fingerprints"
            " WHERE host = ? AND template = ? AND distance = ? ORDER BY features",
            (host, template, self._distance),
        )
        return (Fingerprint.from_bytes(row["features"]) for row in rows)
