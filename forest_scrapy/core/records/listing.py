"""The listing: what is extracted from a page that lists articles, products or threads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.records.next_page import find_next_page
from forest_scrapy.core.records.products.prices import read_price
from forest_scrapy.core.records.record import Record
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
    """The listing of a page; without items if the wrapper finds no record with a title."""
    items = [_make_item(record) for record in wrapper.apply(page, fetched_at)]
    return Listing(
        url=page.url,
        title=page.declared.title,
        items=list(_number(item for item in items if item["title"])),
        next_page=find_next_page(page),
        language=page.language,
        fetched_at=fetched_at,
    )


def _make_item(record: Record) -> dict[str, Any]:
    price = read_price(record.get("price"))
    links = [value.text for value in record.values if value.type == "url"]
    images = [value.text for value in record.values if value.type == "image"]
    return {
        "title": record.get("title"),
        "url": record.get("url") or next(iter(links), ""),
        "image": next(iter(images), ""),
        "text": record.text,
        "date": record.get("date"),
        "price": price.amount if price else "",
        "currency": price.currency if price else "",
    }


def _number(items: Iterable[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    return ({"position": number, **item} for number, item in enumerate(items, 1))
