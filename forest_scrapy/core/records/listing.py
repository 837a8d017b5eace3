"""The listing: what is extracted from a page that lists articles, products or threads."""

from collections import Counter
from typing import Any, NamedTuple

from forest_scrapy.core.fields.titles import read_title
from forest_scrapy.core.items import Listing
from forest_scrapy.core.page.noscript import show_content
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.records.next_page import find_next_page
from forest_scrapy.core.records.record import Record
from forest_scrapy.core.records.record_wrapper import RecordWrapper
from forest_scrapy.core.records.regions.items import ListItem, find_menus, read_item

#: The share of the items of a list that are alike, from which others may be adverts; the least
#: number of items of such a list.  Not tuned.
MIN_ALIKE_SHARE = 0.8
MIN_ITEMS = 8


class _Row(NamedTuple):
    """An item, and the record of its element."""

    item: ListItem
    record: Record


def read_listing(
    page: Page,
    wrapper: RecordWrapper,
    fetched_at: str = "",
) -> Listing:
    """The listing of a page; without items if the wrapper finds none with a title and a link.

    Items in menus, headers and footers are left out if there are others, and adverts among products
    with prices.
    """
    visible_page = show_content(page) if wrapper.hidden else page
    all_rows = _read_rows(visible_page, wrapper, fetched_at)
    rows = _without_adverts(all_rows)
    return Listing(
        url=page.url,
        title=read_title(page),
        items=[_write_item(position, row) for position, row in enumerate(rows, 1)],
        next_page=find_next_page(page),
        language=page.language,
        fetched_at=fetched_at,
        is_cut=page.outline.is_cut,
    )


def _read_rows(
    page: Page,
    wrapper: RecordWrapper,
    fetched_at: str,
) -> list[_Row]:
    """The items that the wrapper finds, the first of those with the same URL."""
    records = []
    for rules in wrapper.rules:
        records += rules.find(page, fetched_at)
    in_menu = find_menus(page.outline)
    outside_menus = [placed for placed in records if not in_menu[placed.node]]
    rows: dict[str, _Row] = {}
    in_order = sorted(outside_menus or records, key=lambda placed: placed.node)
    for node, record in in_order:
        item = read_item(page, node)
        if item is not None:
            rows.setdefault(item.url, _Row(item, record))
    return list(rows.values())


def _without_adverts(rows: list[_Row]) -> list[_Row]:
    """The items without those that have no price and their title in another place, if most have a
    price, and their title in the same place."""
    min_count = MIN_ALIKE_SHARE * max(len(rows), MIN_ITEMS)
    places = Counter(row.item.place for row in rows if row.item.price)
    usual_places = set()
    for place, count in places.items():
        if count >= min_count:
            usual_places.add(place)
    if not usual_places:
        return rows
    usual_rows = []
    for row in rows:
        if row.item.price or row.item.place in usual_places:
            usual_rows.append(row)
    return usual_rows


def _write_item(position: int, row: _Row) -> dict[str, Any]:
    item, record = row
    price = item.price
    fields = {
        "position": position,
        "title": item.title,
        "url": item.url,
        "image": item.image,
        "text": record.text,
        "date": record.get("date"),
        "price": price.amount if price else "",
        "currency": price.currency if price else "",
    }
    return {**fields, "attributes": record.describe_attributes(fields)}
