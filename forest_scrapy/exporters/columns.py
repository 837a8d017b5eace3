"""The columns of items in one table: several kinds of items have different fields."""

from collections.abc import Mapping, Sequence
from typing import Any

from itemadapter import ItemAdapter

from forest_scrapy.core.items import ITEM_KINDS, item_kind
from forest_scrapy.zyte_items import convert_item

#: The fields by which an item replaces one that is in a table already.
_IDENTITY = ("url",)
#: The table of items that name no other one.
DEFAULT_TABLE = "articles"


def field_names(kinds: Sequence[str], item_class: str) -> list[str]:
    """The fields of items of these kinds, each once, in the order of the kinds.  ``item_class``:
    as ``FOREST_ITEM`` names it.

    >>> field_names(["thread", "page"], "article")[:5]
    ['url', 'title', 'text', 'posts', 'pages']
    """
    names: dict[str, None] = {}
    for kind in kinds:
        empty_item = convert_item(ITEM_KINDS[kind](url=""), item_class)
        names.update(dict.fromkeys(ItemAdapter(empty_item).field_names()))
    return list(names)


def is_of_kinds(item: Any, kinds: Sequence[str], item_class: str) -> bool:
    """Whether an item is one of these kinds."""
    if item_kind(item) in kinds:
        return True
    classes = {type(convert_item(ITEM_KINDS[kind](url=""), item_class)) for kind in kinds}
    return type(item) in classes


def classes_of_table(item: Any, kinds: Sequence[str]) -> list[type]:
    """The dataclasses of the items of a table whose first item is this one; none if it is no
    dataclass."""
    if item_kind(item) in kinds:
        return [ITEM_KINDS[kind] for kind in kinds]
    if hasattr(item, "__dataclass_fields__"):
        return [type(item)]
    return []


def as_row(item: Any) -> Any:
    """The item, or its row if it has more columns than fields, as records of forms do: what their
    method ``to_row`` gives."""
    to_row = getattr(item, "to_row", None)
    if to_row is None:
        return item
    row: Mapping[str, Any] = to_row()
    return dict(row)


def identity_of(item: Any) -> tuple[str, ...]:
    """The columns that tell the items of a table apart."""
    return getattr(item, "identity", _IDENTITY)


def table_of(item: Any) -> str:
    """The name of the table that items like this one are in."""
    return getattr(type(item), "export_table", DEFAULT_TABLE)
