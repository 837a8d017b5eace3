"""The listing: what is extracted from a page that lists articles, products or threads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.records.next_page import find_next_page
from forest_scrapy.core.records.record import Record
from forest_scrapy.core.records.regions.hidden import show_content
from forest_scrapy.core.records.regions.item import ListItem, read_item
from forest_scrapy.core.records.regions.list_items import find_menus
from forest_scrapy.core.records.wrapper import RecordWrapper

__all__ = ["Listing", "read_listing"]


@dataclass
class Listing:
    """A page of a list.

    ``items``: objects with ``position`` (from 1), ``title``, ``url`` and ``image`` (absolute URLs),
    ``text``, ``date`` (ISO 8601), ``price`` (a decimal number) and ``currency``; texts are ``""``
    if unknown.  ``next_page``: the URL of the next page of the list, ``""`` if there is none.
    """

    url: str
    title: str = ""
    items: list[dict[str, Any]] = field(default_factory=list)
    next_page: str = ""
    language: str = ""
    fetched_at: str = ""
    template_id: str = ""


def read_listing(page: Page, wrapper: RecordWrapper, fetched_at: str = "") -> Listing:
    """The listing of a page; without items if the wrapper finds none with a title and a link.

    Items in menus, headers and footers are left out if there are others.
    """
    shown = show_content(page) if wrapper.hidden else page
    in_menu = find_menus(shown.outline)
    found = [one for rules in wrapper.rules for one in rules.find(shown, fetched_at)]
    found = [one for one in found if not in_menu[one[0]]] or found
    items: dict[str, dict[str, Any]] = {}
    for node, record in sorted(found, key=lambda one: one[0]):
        if (item := read_item(shown, node)) and item.url not in items:
            items[item.url] = _write_item(len(items) + 1, item, record)
    return Listing(
        url=page.url,
        title=page.declared.title,
        items=list(items.values()),
        next_page=find_next_page(page),
        language=page.language,
        fetched_at=fetched_at,
    )


def _write_item(position: int, item: ListItem, record: Record) -> dict[str, Any]:
    return {
        "position": position,
        "title": item.title,
        "url": item.url,
        "image": item.image,
        "text": record.text,
        "date": record.get("date"),
        "price": item.price.amount if item.price else "",
        "currency": item.price.currency if item.price else "",
    }
