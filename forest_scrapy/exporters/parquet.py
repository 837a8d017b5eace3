"""Parquet: ``-O articles.parquet``.  Needs pyarrow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_type_hints

from scrapy.exporters import BaseItemExporter

from forest_scrapy.exporters.values import table_value
from forest_scrapy.items import Article

__all__ = ["ParquetItemExporter"]

#: Items of a row group.
_BATCH = 1000


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

    def export_item(self, item: Any) -> None:
        fields = self.get_serialized_fields(item, default_value=None, include_empty=True)
        self._rows.append(dict(fields))
        if len(self._rows) >= _BATCH:
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
            schema = pyarrow.schema([(name, _type_of(name)) for name in self._rows[0]])
            self._writer = ParquetWriter(self._file, schema)
        schema = self._writer.schema
        columns = [
            pyarrow.array([_cell(row.get(one.name), one.type) for row in self._rows], one.type)
            for one in schema
        ]
        self._writer.write_table(pyarrow.table(columns, schema=schema))
        self._rows.clear()


def _type_of(name: str) -> Any:
    """The column type of a field of ``Article``; text for any other field."""
    import pyarrow

    types: dict[Any, Any] = {
        int | None: pyarrow.int64(),
        float: pyarrow.float64(),
        list[str]: pyarrow.list_(pyarrow.string()),
    }
    return types.get(get_type_hints(Article).get(name), pyarrow.string())


def _cell(value: Any, kind: Any) -> Any:
    """The value for a column of this type; None for an empty string or object in one of text."""
    import pyarrow

    if kind != pyarrow.string():
        return value
    if isinstance(value, Mapping | list | tuple):
        return table_value(value)
    return None if value is None else str(value)
