"""The fingerprints of a spool's pages."""

import sqlite3

from forest_scrapy.core import Fingerprint
from forest_scrapy.stores.database import read_rows

FINGERPRINTS_SCHEMA = """
CREATE TABLE IF NOT EXISTS page_fingerprints (
    host TEXT NOT NULL, digest TEXT NOT NULL, features BLOB NOT NULL,
    PRIMARY KEY (host, digest)
) WITHOUT ROWID;
"""


class FingerprintTable:
    """Fingerprints by host and digest, each stored once."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def add(self, host: str, fingerprint: Fingerprint) -> None:
        """Store a fingerprint; one that is stored already stays as it is."""
        self._database.execute(
            "INSERT OR IGNORE INTO page_fingerprints VALUES (?, ?, ?)",
            (host, fingerprint.digest, fingerprint.to_bytes()),
        )

    def find(self, host: str, digest: str) -> Fingerprint | None:
        """The fingerprint with this digest; None if no page of the host has it."""
        query = "SELECT features FROM page_fingerprints WHERE host = ? AND digest = ?"
        rows = read_rows(self._database, query, (host, digest))
        return Fingerprint.from_bytes(rows[0]["features"]) if rows else None

    def get(self, host: str, digest: str) -> Fingerprint:
        """The fingerprint with this digest; raises ``KeyError`` if no page of the host has it."""
        fingerprint = self.find(host, digest)
        if fingerprint is None:
            raise KeyError(digest)
        return fingerprint
