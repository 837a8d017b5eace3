"""SQLite: ``-O articles.sqlite``, or ``-o`` to add to the file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from scrapy.exporters import BaseItemExporter

from forest_scrapy.exporters.values import table_value

__all__ = ["SqliteItemExporter"]

#: Items that are written in one transaction.
_BATCH = 100


class SqliteItemExporter(BaseItemExporter):
    """Writes a table with a column for each field; lists and objects are JSON.

    An item whose URL is in the table replaces that row, so that ``-o`` brings the file up to date.
    Columns that are missing in the table are added.  ``table``: its name.
    """

    def __init__(self, file: Any, table: str = "articles", **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._path = getattr(file, "name", "")
        if not isinstance(self._path, str) or not Path(self._path).is_file():
            raise ValueError("SQLite needs a file: -O articles.sqlite")
        self._table, self._columns = _quote(table), set[str]()
        self._rows: list[dict[str, Any]] = []

    def export_item(self, item: Any) -> None:
        fields = self.get_serialized_fields(item, default_value="", include_empty=True)
        self._rows.append({name: table_value(value) for name, value in fields})
        if len(self._rows) >= _BATCH:
            self._write()

    def finish_exporting(self) -> None:
        self._write()

    def _write(self) -> None:
        with closing(sqlite3.connect(self._path)) as database, database:
            for row in self._rows:
                self._add_columns(database, row)
                names = ", ".join(map(_quote, row))
                marks = ", ".join("?" * len(row))
                database.execute(
                    f"INSERT OR REPLACE INTO {self._table} ({names}) VALUES ({marks})",
                    list(row.values()),
                )
        self._rows.clear()

    def _add_columns(self, database: sqlite3.Connection, row: dict[str, Any]) -> None:
        if self._columns.issuperset(row):
            return
        definitions = [f"{_quote(name)}{' UNIQUE' * (name == 'url')}" for name in row]
        database.execute(f"CREATE TABLE IF NOT EXISTS {self._table} ({', '.join(definitions)})")
        known = {column[1] for column in database.execute(f"PRAGMA table_info({self._table})")}
        for name in row:
            if name not in known:
                database.execute(f"ALTER TABLE {self._table} ADD COLUMN {_quote(name)}")
        self._columns = known | set(row)


def _quote(name: str) -> str:
    """A name as an SQL identifier.

    >>> _quote('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'
