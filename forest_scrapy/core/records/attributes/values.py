"""The values of a record, read by its attributes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.records.attributes.attribute import Attribute
from forest_scrapy.core.records.attributes.cells import ValueCell, read_cells
from forest_scrapy.core.records.attributes.labels import strip_label
from forest_scrapy.core.records.inside import Inner
from forest_scrapy.core.records.products.prices import read_price
from forest_scrapy.core.records.products.value_types import split_unit
from forest_scrapy.core.records.record import Value

__all__ = ["read_values"]


def read_values(
    page: Page, inner: Sequence[Inner], attributes: Sequence[Attribute], fetched_at: str = ""
) -> tuple[Value, ...]:
    """The values of a record, in the order of the attributes."""
    cells: dict[str, list[ValueCell]] = defaultdict(list)
    for cell in read_cells(page, inner) if attributes else ():
        cells[cell.key].append(cell)
    found = []
    for one in attributes:
        own = [c for c in cells.get(one.path, ()) if not one.by_label or c.label == one.label]
        for text in dict.fromkeys(strip_label(cell.text, one.label) for cell in own):
            value = _read_value(one, text, page.language, fetched_at)
            if value.text:
                found.append(value)
    return tuple(found)


def _read_value(one: Attribute, text: str, language: str, fetched_at: str) -> Value:
    unit = ""
    if one.type == "date":
        text = read_date(text, language, fetched_at)
    elif one.type == "price" and (price := read_price(text)):
        text, unit = price.amount, price.currency
    elif one.type == "number" and (number := split_unit(text)):
        text, unit = number
    return Value(one.name, one.type, text, unit)
