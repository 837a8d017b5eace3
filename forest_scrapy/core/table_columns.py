"""Items as rows of typed tables, such as Parquet files: which columns they have, of which types.

A column has the name and the value of a field.  Dates are moments in UTC: one without an offset is
read as UTC, a day as its first moment.  Since that is not what the page says, ``published`` and
``modified`` are also columns of text, in ISO 8601, as in the item.  What is missing is None.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Any, get_type_hints

from forest_scrapy.core.moments import read_moment


class ColumnType(Enum):
    """The type of a column; ``TEXT`` is also that of objects and lists of objects, as JSON."""

    TEXT = "text"
    TEXTS = "texts"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    MOMENT = "moment"


#: Types by those of Python; of the others the column is of text.
_TYPES: dict[Any, ColumnType] = {
    int: ColumnType.INTEGER,
    int | None: ColumnType.INTEGER,
    bool: ColumnType.BOOLEAN,
    bool | None: ColumnType.BOOLEAN,
    float: ColumnType.NUMBER,
    list[str]: ColumnType.TEXTS,
}
#: Fields of dates as texts in ISO 8601, and whether the text is a column, too: dates of pages are
#: often without a time or an offset.
_MOMENTS = {
    "published": True,
    "modified": True,
    "fetched_at": False,
}
#: What the name of the column with the text of a date ends in.
_TEXT_OF_MOMENT = "_iso"


@dataclass(frozen=True)
class Column:
    """A column; ``field``: the field of the item that its values are from."""

    name: str
    field: str
    type: ColumnType

    def cell(self, values: Mapping[str, Any]) -> Any:
        """The cell of an item with these values."""
        value = values.get(self.field)
        if value is None or value == "":
            return None
        if self.type is ColumnType.MOMENT:
            return _read_utc(value)
        if self.type is ColumnType.TEXT:
            return _write_text(value)
        return value


@cache
def columns_of(item_class: type) -> tuple[Column, ...]:
    """The columns of items of a class, a dataclass, in the order of its fields.

    >>> from forest_scrapy.core.items import Article
    >>> [column.name for column in columns_of(Article)[5:9]]
    ['published', 'published_iso', 'published_raw', 'modified']
    """
    types = get_type_hints(item_class)
    columns = []
    for field in fields(item_class):
        name = field.name
        if name not in _MOMENTS:
            type_ = _TYPES.get(types[name], ColumnType.TEXT)
            columns.append(Column(name, name, type_))
            continue
        columns.append(Column(name, name, ColumnType.MOMENT))
        if _MOMENTS[name]:
            columns.append(Column(f"{name}{_TEXT_OF_MOMENT}", name, ColumnType.TEXT))
    return tuple(columns)


def columns_of_all(item_classes: Iterable[type]) -> tuple[Column, ...]:
    """The columns of items of several classes, each once, where it comes first.  Of fields that
    have the same name and other types, such as images, the column is of text."""
    columns: dict[str, Column] = {}
    for item_class in item_classes:
        for column in columns_of(item_class):
            known = columns.setdefault(column.name, column)
            if known.type is not column.type:
                columns[column.name] = replace(column, type=ColumnType.TEXT)
    return tuple(columns.values())


def _read_utc(text: str) -> datetime | None:
    moment = read_moment(text)
    try:
        return moment and moment.astimezone(UTC)
    except OverflowError:  # a date in the year 1 or 9999
        return None


def _write_text(value: Any) -> str:
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
