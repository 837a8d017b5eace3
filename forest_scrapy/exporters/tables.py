"""Items as rows of tables: Parquet files and SQLite databases."""

import json
import logging
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exporters import BaseItemExporter

from forest_scrapy.core.table_columns import Column, ColumnType, columns_of_all
from forest_scrapy.crawl.context import context_of
from forest_scrapy.exporters.columns import (
    DEFAULT_TABLE,
    as_row,
    classes_of_table,
    identity_of,
    table_of,
)

logger = logging.getLogger(__name__)


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
    """Writes columns of the types of the fields, see ``core.table_columns``: those of the first
    item, or of all ``kinds`` of items if it is of one of them.  Fields of other items have columns
    of text.

    Parquet files cannot be appended to: use ``-O``, not ``-o``.
    """

    def __init__(
        self,
        file: Any,
        *,
        kinds: Sequence[str] = (),
        **options: Any,
    ) -> None:
        super().__init__(dont_fail=True, **options)
        if file.seekable() and file.seek(0, 2) > 0:
            raise ValueError("a Parquet file cannot be appended to; overwrite it with -O")
        self._file = file
        self._kinds = kinds
        self._writer: Any = None
        self._rows: list[dict[str, Any]] = []
        #: The dataclasses of the items.
        self._classes: list[type] = []
        self._columns: list[Column] = []
        self._has_warned = False

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        file: Any,
        **options: Any,
    ) -> Self:
        options.setdefault("kinds", context_of(crawler).settings.kinds)
        return cls(file, **options)

    def export_item(self, item: Any) -> None:
        if not self._classes:
            self._classes = classes_of_table(item, self._kinds)
        row = dict(_fields_to_export(self, as_row(item), default=None))
        self._rows.append(row)
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
            self._columns = self._choose_columns()
            types = [(column.name, _type_of(column)) for column in self._columns]
            self._writer = ParquetWriter(self._file, pyarrow.schema(types))
        self._warn_of_loss()
        arrays = []
        for column in self._columns:
            cells = [_cell(column, row) for row in self._rows]
            arrays.append(pyarrow.array(cells, _type_of(column)))
        table = pyarrow.table(arrays, schema=self._writer.schema)
        self._writer.write_table(table)
        self._rows.clear()

    def _choose_columns(self) -> list[Column]:
        """The columns of the fields that are exported, in the order and by the names that
        ``FEED_EXPORT_FIELDS`` gives, and those of text for what else the first rows have, such as
        the attributes of records."""
        columns_of_field: dict[str, list[Column]] = {}
        for column in columns_of_all(self._classes):
            columns_of_field.setdefault(column.field, []).append(column)
        names = self.fields_to_export or columns_of_field.keys()
        if not isinstance(names, Mapping):
            names = {field: field for field in names}
        columns = []
        for field, name in names.items():
            unknown = Column(field, field, ColumnType.TEXT)
            for column in columns_of_field.get(field, [unknown]):
                ending = column.name.removeprefix(field)
                columns.append(Column(f"{name}{ending}", name, column.type))
        known_fields = set(names.values())
        others: dict[str, None] = {}
        for row in self._rows:
            others.update(dict.fromkeys(row))
        for name in others:
            if name not in known_fields:
                columns.append(Column(name, name, ColumnType.TEXT))
        return columns

    def _warn_of_loss(self) -> None:
        """Tell the fields without a column, once."""
        if self._has_warned:
            return
        written = {column.field for column in self._columns}
        lost: set[str] = set()
        for row in self._rows:
            lost.update(row.keys() - written)
        if lost:
            self._has_warned = True
            logger.warning(
                "Parquet: no item among the first %s has the fields %s: they are left out; name all"
                " fields in FEED_EXPORT_FIELDS",
                f"{_ROWS_OF_GROUP:,}",
                ", ".join(sorted(lost)),
            )


def _cell(column: Column, row: Mapping[str, Any]) -> Any:
    """The cell of a row.  Objects within items are JSON by their fields."""
    value = row.get(column.field)
    if column.type is ColumnType.TEXT and value is not None:
        text = table_value(value)
        value = str(text)
    return column.cell({column.field: value})


def _type_of(column: Column) -> Any:
    import pyarrow

    types = {
        ColumnType.TEXT: pyarrow.string(),
        ColumnType.TEXTS: pyarrow.list_(pyarrow.string()),
        ColumnType.INTEGER: pyarrow.int64(),
        ColumnType.NUMBER: pyarrow.float64(),
        ColumnType.BOOLEAN: pyarrow.bool_(),
        ColumnType.MOMENT: pyarrow.timestamp("us", tz="UTC"),
    }
    return types[column.type]


#: Items that are written in one transaction.
_ROWS_OF_TRANSACTION = 100


class SqliteItemExporter(BaseItemExporter):
    """Writes a table with a column for each field; lists and objects are JSON.

    An item whose URL is in the table replaces that row, so that ``-o`` brings the file up to date;
    records of forms, which may have one URL, are told apart by their ``identity``.  Columns that
    are missing in the table are added.  ``table``: its name; by default ``records`` for records of
    forms, else ``articles``.  A file of an earlier version, which has records in ``articles``, gets
    further ones there.
    """

    def __init__(
        self,
        file: Any,
        table: str = "",
        **options: Any,
    ) -> None:
        super().__init__(dont_fail=True, **options)
        self._path = getattr(file, "name", "")
        if not isinstance(self._path, str) or not Path(self._path).is_file():
            raise ValueError("SQLite needs a file: -O articles.sqlite")
        self._table = _quote(table) if table else ""
        #: The columns that the table is known to have.
        self._columns: set[str] = set()
        #: The columns that tell rows apart.
        self._identity: tuple[str, ...] = ()
        self._rows: list[dict[str, Any]] = []

    def export_item(self, item: Any) -> None:
        if not self._table:
            self._table = _quote(self._choose_table(item))
        self._identity = self._identity or identity_of(item)
        fields = _fields_to_export(self, as_row(item), default="")
        row = {name: table_value(value) for name, value in fields}
        self._rows.append(row)
        if len(self._rows) >= _ROWS_OF_TRANSACTION:
            self._write()

    def finish_exporting(self) -> None:
        self._write()

    def _choose_table(self, item: Any) -> str:
        """The table of items like this one in the file."""
        table = table_of(item)
        with closing(sqlite3.connect(self._path)) as database:
            has_table = bool(list(database.execute(f"PRAGMA table_info({_quote(table)})")))
            columns = list(database.execute(f"PRAGMA table_info({_quote(DEFAULT_TABLE)})"))
        names = {name for _, name, *_ in columns}
        if not has_table and names.issuperset(identity_of(item)):
            return DEFAULT_TABLE
        return table

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
        names_of_columns = [_quote(name) for name in row]
        if row.keys() >= set(self._identity):
            identity = ", ".join(_quote(name) for name in self._identity)
            names_of_columns.append(f"UNIQUE ({identity})")
        definitions = ", ".join(names_of_columns)
        database.execute(f"CREATE TABLE IF NOT EXISTS {self._table} ({definitions})")
        columns = database.execute(f"PRAGMA table_info({self._table})")
        # SQLite ignores upper and lower case of ASCII in names.
        names = {name.lower() for _, name, *_ in columns}
        for name in row:
            if name.lower() not in names:
                column = _quote(name)
                database.execute(f"ALTER TABLE {self._table} ADD COLUMN {column}")
                names.add(name.lower())
        self._columns.update(row)


def _quote(name: str) -> str:
    """A name as an SQL identifier.

    >>> _quote('a"b')
    '"a""b"'
    """
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
