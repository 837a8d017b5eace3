"""The listing: what is extracted from a page that lists articles, products or threads."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from forest_scrapy.core.fields.site_names import find_site_names, find_upper_links
from forest_scrapy.core.fields.titles import read_title, title_parts
from forest_scrapy.core.fields.words import fold_words
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
#: Elements that may be the title of a list.
_LIST_HEADINGS = frozenset(("h1", "h2", "h3"))


class _Row(NamedTuple):
    """An item, the record of its element, and the index of that."""

    item: ListItem
    record: Record
    node: int


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
    first_node = min((row.node for row in rows), default=0)
    return Listing(
        url=page.url,
        title=read_list_title(visible_page, first_node),
        items=[_write_item(position, row) for position, row in enumerate(rows, 1)],
        next_page=find_next_page(page),
        language=page.language,
        fetched_at=fetched_at,
        is_cut=page.outline.is_cut,
    )


def read_list_title(page: Page, first_node: int) -> str:
    """The title of a list whose first item is an element of the page: that of the page, unless that
    is the name of the site: then the heading nearest above the list, or what the title of the
    window has besides.

    >>> html = "<title>Tools - Harbour board</title><h1>Harbour board</h1><h2>Tools</h2><p>a</p>"
    >>> read_list_title(Page.from_html(html), 99)
    'Tools'
    """
    title = read_title(page)
    site_names = {link.name for link in find_upper_links(page) if not link.path}
    site_names.update(map(fold_words, find_site_names(page.declared)))
    window_title = next(iter(page.declared.titles), "")
    parts = title_parts(window_title) or [window_title]
    own_parts = {}
    for part in parts:
        if fold_words(part) not in site_names:
            own_parts[fold_words(part)] = part
    headings = _headings_before(page, first_node)

    for heading in headings:
        heading_part = own_parts.get(fold_words(heading))
        if heading_part:
            return heading_part
    is_last = len(parts) > 1 and fold_words(title) == fold_words(parts[-1])
    if own_parts and is_last:
        return next(iter(own_parts.values()))
    other_headings = [heading for heading in headings if fold_words(heading) not in site_names]
    is_of_site = fold_words(title) in site_names
    if is_of_site and len(other_headings) == 1:
        return other_headings[0]
    return _cut_to_first_part(title, parts)


def _cut_to_first_part(title: str, parts: Sequence[str]) -> str:
    """The title without what stands behind the first part of the title of the window, if the
    other parts have all its words: the name of the site, in another element of the heading.

    >>> _cut_to_first_part("March 2024 tools@a.example", ["March 2024", "tools", "a.example"])
    'March 2024'
    """
    if len(parts) < 2 or not title.startswith(f"{parts[0]} "):
        return title
    rest = title[len(parts[0]) :]
    words = set(fold_words(rest).split())
    other_words = set(fold_words(" ".join(parts[1:])).split())
    return parts[0] if words <= other_words else title


def _headings_before(page: Page, first_node: int) -> list[str]:
    """The headings above an element, the nearest first."""
    outline = page.outline
    headings = []
    for index in reversed(range(min(first_node, len(outline.nodes)))):
        if outline.nodes[index].tag in _LIST_HEADINGS:
            headings.append(outline.line(index))
    return [heading for heading in headings if heading]


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
            rows.setdefault(item.url, _Row(item, record, node))
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
    item, record, _ = row
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


#: Lines in which the title of the next item is searched.
_MAX_LINES_AHEAD = 50
_NO_DIGIT = re.compile(r"[^0-9]+")


def space_prices(text: str, items: Sequence[Mapping[str, Any]]) -> str:
    """The text of a list, with a space between the titles of its items, in their order, and a price
    that stands directly behind one in the markup.

    >>> items = [{"title": "Rope 1", "price": "517.31"}, {"title": "Rope 15", "price": ""}]
    >>> space_prices("Ropes\\nRope 1517,31 €\\nRope 15", items)
    'Ropes\\nRope 1 517,31 €\\nRope 15'
    """
    lines = text.split("\n")
    at = 0
    for item in items:
        title = item["title"]
        if not title or not item["price"]:
            continue
        for number in range(at, min(at + _MAX_LINES_AHEAD, len(lines))):
            line = lines[number]
            if not line.startswith(title):
                continue
            at = number + 1
            rest = line[len(title) :]
            whole_amount, _, _ = item["price"].partition(".")
            is_price = _NO_DIGIT.sub("", rest).startswith(whole_amount)
            if rest and not rest[0].isspace() and is_price:
                lines[number] = f"{title} {rest}"
            break
    return "\n".join(lines)
