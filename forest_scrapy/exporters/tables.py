"""Items as rows of tables: Parquet files and SQLite databases."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, get_type_hints

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter


def table_value(value: Any) -> Any:
    """A value for a cell: lists and objects as JSON, an empty string for None.

    >>> table_value({"a": None}), table_value([{"url": "é"}]), table_value(None), table_value(2)
    ('{"a": null}', '[{"url": "é"}]', '', 2)
    """
    if isinstance(value, Mapping | list | tuple) or ItemAdapter.is_item(value):
        return json.dumps(value, ensure_ascii=False, default=_fields_of)
    if value is None:
        return ""
    return value


def _fields_of(item: Any) -> dict[str, Any]:
    """The fields of an item within an item, such as an author of ``zyte_common_items``."""
    return ItemAdapter(item).asdict()


def _fields_to_export(
    exporter: BaseItemExporter,
    item: Any,
    default: Any,
) -> Iterable[tuple[str, Any]]:
    """Names and values of all fields; the oldest Scrapy has no public name for the method."""
    name = "get_serialized_fields"
    if not hasattr(exporter, name):
        name = f"_{name}"
    serialize = getattr(exporter, name)
    fields: Iterable[tuple[str, Any]] = serialize(
        item,
        default_value=default,
        include_empty=True,
    )
    return fields


#: Items of a row group.
_ROWS_OF_GROUP = 1000


class ParquetItemExporter(BaseItemExporter):
    """Writes a column for each field of the first item: numbers, text and lists of texts as such,
    other values as JSON.

    Parquet files cannot be appended to: use ``-O``, not ``-o``.
    """

    def __init__(self, file: Any, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        if file.seekable() and file.seek(0, 2) > 0:
            raise ValueError("a Parquet file cannot be appended to; overwrite it with -O")
        self._file = file
        self._writer: Any = None
        self._rows: list[dict[str, Any]] = []
        self._types: dict[str, Any] = {}

    def export_item(self, item: Any) -> None:
        row = dict(_fields_to_export(self, item, default=None))
        self._rows.append(row)
        self._types = self._types or get_type_hints(type(item))
        if len(self._rows) >= _ROWS_OF_GROUP:
            self._write()

    def finish_exporting(self) -> None:
        self._write()
        if self._writer is not None:
            self._writer.close()

    def _write(self) -> None:
        import pyarrow
        from pyarrow.parquet import ParquetWriter

        if not self._rows:
            return
        if self._writer is None:
            schema = self._make_schema(self._rows[0])
            self._writer = ParquetWriter(self._file, schema)
        schema = self._writer.schema
        columns = []
        for column in schema:
            cells = []
            for row in self._rows:
                value = row.get(column.name)
                cells.append(_cell(value, column.type))
            columns.append(pyarrow.array(cells, column.type))
        table = pyarrow.table(columns, schema=schema)
        self._writer.write_table(table)
        self._rows.clear()

    def _make_schema(self, row: Mapping[str, Any]) -> Any:
        import pyarrow

        types = {}
        for name in row:
            kind = self._types.get(name)
            types[name] = _type_of(kind)
        return pyarrow.schema(types.items())


def _type_of(kind: Any) -> Any:
    """The column type for a field of this type of Python; text for other ones."""
    import pyarrow

    types: dict[Any, Any] = {
        int | None: pyarrow.int64(),
        bool | None: pyarrow.bool_(),
        float: pyarrow.float64(),
        list[str]: pyarrow.list_(pyarrow.string()),
    }
    return types.get(kind, pyarrow.string())


def _cell(value: Any, kind: Any) -> Any:
    """The value for a column of this type; lists and objects in one of text as JSON."""
    import pyarrow

    if value is None or kind != pyarrow.string():
        return value
    text = table_value(value)
    return str(text)


#: Items that are written in one transaction.
_ROWS_OF_TRANSACTION = 100


class SqliteItemExporter(BaseItemExporter):
    """Writes a table with a column for each field; lists and objects are JSON.

    An item whose URL is in the table replaces that row, so that ``-o`` brings the file up to date.
    Columns that are missing in the table are added.  ``table``: its name.
    """

    def __init__(
        self,
        file: Any,
        table: str = "articles",
        **options: Any,
    ) -> None:
        super().__init__(dont_fail=True, **options)
        self._path = getattr(file, "name", "")
        if not isinstance(self._path, str) or not Path(self._path).is_file():
            raise ValueError("SQLite needs a file: -O articles.sqlite")
        self._table = _quote(table)
        #: The columns that the table is known to have.
        self._columns: set[str] = set()
        self._rows: list[dict[str, Any]] = []

    def export_item(self, item: Any) -> None:
        fields = _fields_to_export(self, item, default="")
        row = {name: table_value(value) for name, value in fields}
        self._rows.append(row)
        if len(self._rows) >= _ROWS_OF_TRANSACTION:
            self._write()

    def finish_exporting(self) -> None:
        self._write()

    def _write(self) -> None:
        with closing(sqlite3.connect(self._path)) as database, database:
            for row in self._rows:
                self._add_columns(database, row)
                self._insert(database, row)
        self._rows.clear()

    def _insert(self, database: sqlite3.Connection, row: dict[str, Any]) -> None:
        names = ", ".join(map(_quote, row))
        marks = ", ".join("?" * len(row))
        values = list(row.values())
        query = f"INSERT OR REPLACE INTO {self._table} ({names}) VALUES ({marks})"
        database.execute(query, values)

    def _add_columns(self, database: sqlite3.Connection, row: dict[str, Any]) -> None:
        if self._columns.issuperset(row):
            return
        definitions = ", ".join(map(_define_column, row))
        database.execute(f"CREATE TABLE IF NOT EXISTS {self._table} ({definitions})")
        columns = database.execute(f"PRAGMA table_info({self._table})")
        names = {name for _, name, *_ in columns}
        for name in row:
            if name not in names:
                column = _quote(name)
                database.execute(f"ALTER TABLE {self._table} ADD COLUMN {column}")
        self._columns = names | set(row)


def _define_column(name: str) -> str:
    definition = _quote(name)
    if name == "url":
        return f"{definition} UNIQUE"
    return definition


def _quote(name: str) -> str:
    """A name as an SQL identifier.

    >>> _quote('a"b')
    '"a""b"'
    """
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
