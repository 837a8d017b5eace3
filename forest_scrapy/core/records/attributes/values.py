"""The values of a record, read by its attributes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.urls import absolute_url, host_of
from forest_scrapy.core.records.attributes.attribute import Attribute
from forest_scrapy.core.records.attributes.cells import REPLY, ValueCell, read_cells, strip_label
from forest_scrapy.core.records.products.pairs import split_unit
from forest_scrapy.core.records.products.prices import read_price
from forest_scrapy.core.records.record import Inner, Value

__all__ = ["read_replies", "read_values", "read_values_of"]


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


def read_values_of(page: Page, records: Sequence[Sequence[Inner]]) -> list[list[ValueCell]]:
    """The values in each of the records of a page, with the positions (from 1) of the records that
    they link to, in their text or outside of it."""
    found = [list(read_cells(page, inner)) for inner in records]
    for cells, links in zip(found, _find_links(page, records), strict=True):
        for path, target in links:
            cells.append(ValueCell(REPLY, f"{path} {REPLY}".strip(), str(target + 1)))
    return found


def read_replies(
    page: Page, records: Sequence[Sequence[Inner]], attributes: Sequence[Attribute]
) -> list[int | None]:
    """For each of the records of a page the position (from 0) of the one that it replies to by a
    link at the path of an attribute; None if there is none."""
    paths = [one.path for one in attributes if one.type == "reply-to"]
    if not paths:
        return [None] * len(records)
    return [
        next((target for path, target in links if f"{path} {REPLY}".strip() in paths), None)
        for links in _find_links(page, records)
    ]


def _find_links(page: Page, records: Sequence[Sequence[Inner]]) -> list[list[tuple[str, int]]]:
    """For each record the links to earlier ones: their paths, and the positions of these, from
    0."""
    nodes = page.outline.nodes
    names: dict[str, int] = {}
    for position, inner in enumerate(records):
        for index, _ in inner:
            element = nodes[index].element
            for name in (element.get("id"), element.get("name")):
                if name:
                    names.setdefault(name, position)
    found: list[list[tuple[str, int]]] = [[] for _ in records]
    for position, inner in enumerate(records):
        for index, path in inner:
            href = nodes[index].element.get("href") if nodes[index].tag == "a" else None
            target = names.get(href.partition("#")[2]) if href else None
            if target is not None and target < position and _is_reply(page, nodes[index]):
                found[position].append((path, target))
    return found


def _is_reply(page: Page, link: Node) -> bool:
    """Whether a link to another record may be to the one replied to: one with a text, on this host.
    Links without a text are buttons, which lead from post to post."""
    url = absolute_url(link.element.get("href") or "", page.base_url)
    return link.first < link.last and host_of(url) == host_of(page.url)
