"""The listing: what is extracted from a page that lists articles, products or threads."""

from collections import Counter
from typing import Any

from forest_scrapy.core.fields.titles import read_title
from forest_scrapy.core.items import Listing
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.records.next_page import find_next_page
from forest_scrapy.core.records.record import Record
from forest_scrapy.core.records.record_wrapper import RecordWrapper
from forest_scrapy.core.records.regions.items import ListItem, find_menus, read_item
from forest_scrapy.core.records.regions.prose import show_content

#: The share of the items of a list that are alike, from which others may be adverts; the least
#: number of items of such a list.  Not tuned.
_MOST, _FEWEST = 0.8, 8


def read_listing(page: Page, wrapper: RecordWrapper, fetched_at: str = "") -> Listing:
    """The listing of a page; without items if the wrapper finds none with a title and a link.

    Items in menus, headers and footers are left out if there are others, and adverts among products
    with prices.
    """
    shown = show_content(page) if wrapper.hidden else page
    in_menu = find_menus(shown.outline)
    found = [one for rules in wrapper.rules for one in rules.find(shown, fetched_at)]
    found = [one for one in found if not in_menu[one[0]]] or found
    items: dict[str, tuple[ListItem, Record]] = {}
    for node, record in sorted(found, key=lambda one: one[0]):
        if item := read_item(shown, node):
            items.setdefault(item.url, (item, record))
    kept = _without_adverts(list(items.values()))
    return Listing(
        url=page.url,
        title=read_title(page),
        items=[_write_item(i, *one) for i, one in enumerate(kept, 1)],
        next_page=find_next_page(page),
        language=page.language,
        fetched_at=fetched_at,
        is_cut=page.outline.is_cut,
    )


def _without_adverts(found: list[tuple[ListItem, Record]]) -> list[tuple[ListItem, Record]]:
    """The items without those that have no price and their title in another place, if most have a
    price, and their title in the same place."""
    most = _MOST * max(len(found), _FEWEST)
    places = Counter(item.place for item, _ in found if item.price)
    usual = {place for place, count in places.items() if count >= most}
    return [one for one in found if not usual or one[0].price or one[0].place in usual]


def _write_item(position: int, item: ListItem, record: Record) -> dict[str, Any]:
    fields = {
        "position": position,
        "title": item.title,
        "url": item.url,
        "image": item.image,
        "text": record.text,
        "date": record.get("date"),
        "price": item.price.amount if item.price else "",
        "currency": item.price.currency if item.price else "",
    }
    return {**fields, "attributes": record.describe_attributes(fields)}
