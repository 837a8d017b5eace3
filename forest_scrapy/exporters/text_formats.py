"""Exporters of text files: JSON lines and CSV, XML, plain text and Markdown.

JSON lines and CSV are flushed after every item, so that a killed crawl has written every article
that it recorded.
"""

import csv
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exporters import (
    BaseItemExporter,
    CsvItemExporter,
    JsonLinesItemExporter,
    XmlItemExporter,
)

from forest_scrapy.core.lazy import LazyPattern
from forest_scrapy.crawl.context import context_of
from forest_scrapy.crawl.failure import DiskFailure
from forest_scrapy.exporters.columns import as_row, field_names, is_of_kinds
from forest_scrapy.input_files import open_file
from forest_scrapy.zyte_items import as_ours

#: Bytes in which the header of a CSV file that is appended to is read.
_MAX_HEADER_BYTES = 100_000


class Flushed(BaseItemExporter):
    """Writes each item at once, completely or not at all.

    If that fails, the crawl ends, and nothing more is written to the file.
    """

    is_flushed = True
    _failure: DiskFailure | None = None
    _output: Any = None

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        file: Any,
        **options: Any,
    ) -> Self:
        exporter = cls(file, **options)  # type: ignore[call-arg]
        exporter._failure = context_of(crawler).failure
        exporter._output = file
        return exporter

    def export_item(self, item: Any) -> None:
        if self._failure and self._failure.in_export:
            return
        size = self._size()
        try:
            self.write_item(item)
        except OSError as error:
            if self._failure is None:
                raise
            self._failure.report(error, in_export=True)
            self._abandon(size)

    def write_item(self, item: Any) -> None:
        """Write an item and what is in the buffers."""
        raise NotImplementedError

    def _size(self) -> int:
        with suppress(OSError, AttributeError):
            return os.fstat(self._output.fileno()).st_size
        return 0

    def _abandon(self, size: int) -> None:
        """Remove a part of an item.  What is left in the buffers goes to the null device, since
        Scrapy closes the file, which would write it."""
        with suppress(OSError, AttributeError):
            number = self._output.fileno()
            os.ftruncate(number, size)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, number)
            os.close(null)


class FlushedJsonLinesItemExporter(Flushed, JsonLinesItemExporter):
    """Scrapy's exporter of JSON lines, flushed after every item."""

    def write_item(self, item: Any) -> None:
        JsonLinesItemExporter.export_item(self, item)
        self.file.flush()


class FlushedCsvItemExporter(Flushed, CsvItemExporter):
    """Scrapy's exporter of CSV, flushed after every item.  Lists of texts are joined by commas, as
    Scrapy does; objects and lists of objects are JSON.

    ``is_safe``: texts that programs for spreadsheets take for formulas have an apostrophe before;
    by default as the setting ``FOREST_CSV_SAFE`` says.  ``kinds``, ``item_class``: the items that
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
        from forest_scrapy.exporters.tables import table_value

        cell = table_value(super().serialize_field(field, name, value))
        if self._is_safe and isinstance(cell, str):
            return without_formula(cell)
        return cell

    def write_item(self, item: Any) -> None:
        if not self._has_begun:
            self._has_begun = True
            self._choose_columns(item)
            self._continue_file(item)
        CsvItemExporter.export_item(self, as_row(item))
        self.stream.flush()

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
        return list(fields or ItemAdapter(as_row(item)).field_names())


def _first_row(file: Any, encoding: str) -> list[str]:
    """The first row of a CSV file that is open to be appended to; empty if there is none."""
    name = getattr(file, "name", None)
    if not isinstance(name, str) or not Path(name).is_file():
        return []
    with open_file(name) as stream:
        start = stream.read(_MAX_HEADER_BYTES)
    lines = start.decode(encoding, "replace").splitlines()
    return next(csv.reader(lines[:1]), [])


#: What programs for spreadsheets take for the start of a formula, also in full width, and what they
#: leave out before it.
_FORMULA = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
#: What is no formula.
_NUMBER = re.compile(r"[-+]?[0-9]+(?:[.,][0-9]+)*")


def without_formula(text: str) -> str:
    """The text, with an apostrophe before if it may be taken for a formula.

    >>> without_formula("=HYPERLINK(A1)"), without_formula("-5.20"), without_formula("a=b")
    ("'=HYPERLINK(A1)", '-5.20', 'a=b')
    """
    is_formula = _FORMULA.match(text) and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text


#: Characters that XML 1.0 does not allow, also not as a reference.
_NOT_XML = LazyPattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class PlainXmlItemExporter(XmlItemExporter):
    """Scrapy's exporter; values that are missing are empty elements."""

    def serialize_field(
        self,
        field: Any,
        name: str,
        value: Any,
    ) -> Any:
        return _plain_value(super().serialize_field(field, name, value))


def _plain_value(value: Any) -> Any:
    """A value for XML: an empty string for None, also inside lists and objects, ``true`` and
    ``false`` for booleans, and no characters that XML does not allow.

    >>> _plain_value({"a": None, "b": ["x\\x00", True]})
    {'a': '', 'b': ['x', 'true']}
    """
    if isinstance(value, Mapping):
        return {name: _plain_value(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_value(member) for member in value]
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return xml_text(value)
    return "" if value is None else value


def xml_text(text: str) -> str:
    """The text without characters that XML does not allow."""
    return _NOT_XML.compiled.sub("", text)


def _title_of(item: ItemAdapter) -> Any:
    """The title of an item, the name of a product."""
    return item.get("title") or item.get("name")


class TextItemExporter(BaseItemExporter):
    """Writes title, URL and text of each item, and two empty lines after it."""

    def __init__(self, file: Any, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._text = TextIOWrapper(
            file,
            encoding="utf-8",
            errors="replace",
            newline="\n",
            write_through=True,
        )

    def export_item(self, item: Any) -> None:
        article = ItemAdapter(as_ours(item))
        head = (_title_of(article), article.get("url"), article.get("published"))
        lines = "\n".join(str(line) for line in head if line)
        text = article.get("text") or ""
        self._text.write(f"{lines}\n\n{text}\n\n\n")

    def finish_exporting(self) -> None:
        self._text.detach()  # Scrapy closes the file


class MarkdownItemExporter(TextItemExporter):
    """Writes each item under a heading with its title, and a rule after it.

    What is not Markdown yet is text: all of the item but its field ``markdown``.
    """

    def export_item(self, item: Any) -> None:
        from forest_scrapy.core.markdown.inline import write_address, write_text

        article = ItemAdapter(as_ours(item))
        url = str(article.get("url") or "")
        published = article.get("published")
        title = write_text(str(_title_of(article) or url), is_line=True)
        line = write_address(url)
        if published:
            line += f" {write_text(str(published), is_line=True)}"
        text = _markdown_of(article)
        self._text.write(f"# {title}\n\n{line}\n\n{text}\n\n---\n\n")


def _markdown_of(article: ItemAdapter) -> str:
    """The Markdown of an item, else that of its HTML, else of its text."""
    from forest_scrapy.core.markdown.blocks import text_to_markdown, to_markdown

    markdown = article.get("markdown") or to_markdown(article.get("html") or "")
    return markdown or text_to_markdown(str(article.get("text") or ""))
