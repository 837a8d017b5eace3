"""The rules for the records of templates, in the store of their wrappers."""

from __future__ import annotations

from contextlib import suppress

from forest_scrapy.core import RecordWrapper
from forest_scrapy.stores.connection import Database
from forest_scrapy.stores.database import StoreFailed

__all__ = ["RECORDS_SCHEMA", "RECORD_TABLES", "RecordTable"]

#: The tables: the wrappers for threads, and the rules for the comments on articles.
RECORD_TABLES = ("record_wrappers", "comment_rules")
RECORDS_SCHEMA = "".join(
    f"""CREATE TABLE IF NOT EXISTS {table} (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, wrapper TEXT NOT NULL,
    PRIMARY KEY (host, template, distance)
) WITHOUT ROWID;
"""
    for table in RECORD_TABLES
)
_KEY = "host = ? AND template = ? AND distance = ?"


class RecordTable:
    """One of ``RECORD_TABLES``; ``distance``: that of the store."""

    def __init__(self, database: Database, table: str, distance: str) -> None:
        self._database, self._table, self._distance = database, table, distance

    def save(self, host: str, template_id: str, wrapper: RecordWrapper | None) -> None:
        """Store the rules for a template, or delete them (None), if the store can be written."""
        key = (host, template_id, self._distance)

        def save() -> None:
            if wrapper is None:
                self._database.execute(f"DELETE FROM {self._table} WHERE {_KEY}", key)
                return
            self._database.execute(
                f"INSERT INTO {self._table} VALUES (?, ?, ?, ?) ON CONFLICT"
                " (host, template, distance) DO UPDATE SET wrapper = excluded.wrapper",
                (*key, wrapper.dumps()),
            )

        with suppress(StoreFailed):  # the wrapper of the template had a warning
            self._database.write(save)

    def load(self, host: str, template_id: str) -> RecordWrapper | None:
        """The rules for a template; None if there are none.  Raises ``BadWrapper``."""
        rows = self._database.rows(
            f"SELECT wrapper FROM {self._table} WHERE {_KEY}", (host, template_id, self._distance)
        )
        return RecordWrapper.loads(rows[0]["wrapper"]) if rows else None
