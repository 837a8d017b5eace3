"""The exporter of CSV."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exporters import CsvItemExporter

from forest_scrapy.core.spreadsheet_texts import without_formula
from forest_scrapy.crawl.context import context_of
from forest_scrapy.exporters.columns import as_row, field_names, is_of_kinds
from forest_scrapy.exporters.tables import table_value
from forest_scrapy.exporters.text_formats import Flushed
from forest_scrapy.input_files import open_file

#: Bytes in which the header of a CSV file that is appended to is read.
_MAX_HEADER_BYTES = 100_000


class FlushedCsvItemExporter(Flushed, CsvItemExporter):
    """Scrapy's exporter of CSV, flushed after every item.  Lists of texts are joined by commas, as
    Scrapy does; objects and lists of objects are JSON.

    ``is_safe``: texts that programs for spreadsheets take for formulas have an apostrophe before,
    names of columns, too, which records of forms have from the pages; by default as the setting
    ``FOREST_CSV_SAFE`` says.  ``kinds``, ``item_class``: the items that
    are expected, as ``FOREST_KINDS`` and ``FOREST_ITEM`` name them: if the first one is of these
    kinds, there are columns for the fields of all.
    """

    def __init__(
        self,
        file: Any,
        *,
        is_safe: bool = False,
        kinds: Sequence[str] = (),
        item_class: str = "article",
        **options: Any,
    ) -> None:
        super().__init__(file, **options)
        self._file = file
        self._is_safe = is_safe
        self._kinds = kinds
        self._item_class = item_class
        self._has_begun = False

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        file: Any,
        **options: Any,
    ) -> Self:
        settings = context_of(crawler).settings
        options.setdefault("is_safe", settings.csv_safe)
        options.setdefault("kinds", settings.kinds)
        options.setdefault("item_class", settings.item)
        return super().from_crawler(crawler, file, **options)

    def serialize_field(
        self,
        field: Any,
        name: str,
        value: Any,
    ) -> Any:
        cell = table_value(super().serialize_field(field, name, value))
        if self._is_safe and isinstance(cell, str):
            return without_formula(cell)
        return cell

    def write_item(self, item: Any) -> None:
        if not self._has_begun:
            self._has_begun = True
            self._choose_columns(item)
            self._continue_file(item)
        CsvItemExporter.export_item(self, self._row_of(item))
        self.stream.flush()

    def _row_of(self, item: Any) -> Any:
        """The item, or its row, with safe names of columns."""
        row = as_row(item)
        if not self._is_safe or not isinstance(row, dict):
            return row
        safe_row: dict[str, Any] = {}
        for name, value in row.items():
            safe_name = without_formula(name)
            safe_row[name if safe_name in row else safe_name] = value
        return safe_row

    def _choose_columns(self, item: Any) -> None:
        """The columns of all kinds, if there are several and the first item is of one of them."""
        has_several_kinds = len(self._kinds) > 1
        if self.fields_to_export or not has_several_kinds:
            return
        if is_of_kinds(item, self._kinds, self._item_class):
            self.fields_to_export = field_names(self._kinds, self._item_class)
            self._autodetected_fields = True  # so that fields which are left out are told

    def _continue_file(self, item: Any) -> None:
        """Write no second header if a file with the same columns is appended to.  Of records with
        an own set of attributes the columns of the file stay."""
        header = _first_row(self._file, self.encoding or "utf-8")
        if not self.include_headers_line or not header:
            return
        has_attributes = as_row(item) is not item
        needed = ItemAdapter(item).field_names()
        if header == self._columns_of(item) or (has_attributes and set(needed) <= set(header)):
            self.include_headers_line = False
            if not self.fields_to_export:
                self.fields_to_export = header
                self._autodetected_fields = True  # so that fields which are left out are told

    def _columns_of(self, item: Any) -> list[str]:
        """The columns of the header that Scrapy would write before an item."""
        fields = self.fields_to_export
        if isinstance(fields, Mapping):
            return list(fields.values())
        return list(fields or ItemAdapter(self._row_of(item)).field_names())


def _first_row(file: Any, encoding: str) -> list[str]:
    """The first row of a CSV file that is open to be appended to; empty if there is none."""
    name = getattr(file, "name", None)
    if not isinstance(name, str) or not Path(name).is_file():
        return []
    with open_file(name) as stream:
        start = stream.read(_MAX_HEADER_BYTES)
    lines = start.decode(encoding, "replace").splitlines()
    return next(csv.reader(lines[:1]), [])
