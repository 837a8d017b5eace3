"""The items of lists: elements that each link to one other page, with a title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from forest_scrapy.core.document.outline import Node, Outline
from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.urls import absolute_url, image_url
from forest_scrapy.core.records.products.prices import Price, has_price, read_price
from forest_scrapy.core.records.regions.groups import Group
from forest_scrapy.core.records.regions.prose import ProsePage

__all__ = ["ListItem", "find_list", "read_item"]

#: Items of the shortest list; pages that an item links to, at most.
_FEWEST, _MOST_LINKS = 3, 6
#: Leaves and nodes of the largest item.
_MOST_LEAVES, _MOST_NODES = 120, 400
#: Characters of a title beyond which it does not add to the value of an item, words from which it
#: counts in full, and characters of the longest.
_FULL, _TITLE_WORDS, _LONGEST = 60, 3, 300
#: What an image, a price and a date add, in characters of a title; the value of items without any
#: of these, and of those in menus, as a share.  Set by hand, looking at 14 pages of the listing and
#: collection sets of WCXB.
_IMAGE, _PRICE, _DATE, _PLAIN, _IN_MENU = 20, 30, 15, 0.4, 0.1
_MENU_TAGS = frozenset(("nav", "header", "footer"))
_MENU = re.compile(r"(?:^|[\s_-])(?:nav|menu|footer|header|breadcrumb)", re.IGNORECASE)
_STRUCK = frozenset(("del", "s", "strike"))
#: Leaves of the largest element that is a price.
_PRICE_LEAVES = 6
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


@dataclass(frozen=True)
class ListItem:
    """``title`` and ``url`` of the page that an item links to, and its ``image`` and ``price``, if
    it has these; ``""`` and None if it has not."""

    title: str
    url: str
    image: str = ""
    price: Price | None = None


class _Link(NamedTuple):
    in_heading: bool
    text: str
    url: str


def find_list(pages: Sequence[ProsePage], groups: Sequence[Group]) -> Group | None:
    """The candidate whose elements are the items of a list: the one with the most titles, images,
    prices and dates; None if there is none with three items on a page.

    Ties: the one with more elements, then the outer ones, then the key's text.  Cost: linear in
    the number of elements, times the tokens of their attributes.
    """
    in_menus = [_find_menus(page) for page in pages]
    values = [(_value_of(pages, in_menus, group), group) for group in groups]
    ranked = sorted(
        (one for one in values if one[0] > 0),
        key=lambda one: (
            -round(one[0], 2),
            -sum(map(len, one[1].nodes)),
            next(nodes[0] for nodes in one[1].nodes if nodes),
            str(one[1].key),
        ),
    )
    return ranked[0][1] if ranked else None


def _find_menus(page: ProsePage) -> list[bool]:
    """For each node whether it is in a menu, a header or a footer."""

    def extend(above: bool, node: Node) -> bool:
        names = f"{node.element.get('class') or ''} {node.element.get('id') or ''}"[:200]
        is_menu = node.tag in _MENU_TAGS or _MENU.search(names) is not None
        return above or (is_menu and node.tag != "body")

    return page.outline.inherit(False, extend)


def _value_of(
    pages: Sequence[ProsePage], in_menus: Sequence[Sequence[bool]], group: Group
) -> float:
    """The value of the items on a page, in the mean."""
    if max(map(len, group.nodes)) < _FEWEST:
        return 0.0
    total = 0.0
    for page, nodes, menus in zip(pages, group.nodes, in_menus, strict=True):
        if page.outline.outermost(nodes) != list(nodes):
            return 0.0  # items are not inside each other
        urls = set()
        for node in nodes:
            item = read_item(page.page, node)
            if item and item.url not in urls:
                urls.add(item.url)
                total += _item_value(page, node, item) * (_IN_MENU if menus[node] else 1.0)
    return total / len(pages)


def _item_value(page: ProsePage, node: int, item: ListItem) -> float:
    words = max(len(item.title.split()), len(item.title) / 12)
    extras = _IMAGE * bool(item.image) + _PRICE * bool(item.price)
    extras += _DATE * (page.dates_below(node) > 0)
    share = 1.0 if extras else _PLAIN * min(1.0, words / _TITLE_WORDS) ** 2
    return min(len(item.title), _FULL) * share + extras


def read_item(page: Page, index: int) -> ListItem | None:
    """What is in the element of an item; None if it is none: it links to no other page with a
    text, or to many."""
    outline = page.outline
    node = outline.nodes[index]
    if node.last - node.first > _MOST_LEAVES or outline.ends[index] - index > _MOST_NODES:
        return None
    inner = range(index, outline.ends[index])
    links = list(_read_links(page, outline, inner))
    if not links or len({link.url for link in links}) > _MOST_LINKS:
        return None
    best = max(links, key=lambda link: (link.in_heading, min(len(link.text), _FULL)))
    title = best.text or _heading_of(outline, inner)
    if not title:
        return None
    elements = (outline.nodes[i].element for i in inner if _is_image(outline, i))
    images = (image_url(element, page.base_url) for element in elements)
    return ListItem(title, best.url, next(filter(None, images), ""), _price_of(outline, inner))


def _read_links(page: Page, outline: Outline, inner: range) -> Iterator[_Link]:
    own = page.url.partition("#")[0]
    for i in inner:
        node = outline.nodes[i]
        href = node.element.get("href") if node.tag == "a" else None
        url = absolute_url(href, page.base_url).partition("#")[0] if href else ""
        if url and url != own and url.startswith("http"):
            headed = [j for j in range(i, outline.ends[i]) if outline.nodes[j].tag in _HEADINGS]
            text = outline.text(outline.nodes[headed[0]] if headed else node)
            is_headed = bool(headed) or outline.nodes[node.parent].tag in _HEADINGS
            yield _Link(is_headed, " ".join(text.split())[:_LONGEST], url)


def _heading_of(outline: Outline, inner: range) -> str:
    """The first heading, else the text of the first image."""
    for i in inner:
        if outline.nodes[i].tag in _HEADINGS:
            return " ".join(outline.text(outline.nodes[i]).split())[:_LONGEST]
    alts = (outline.nodes[i].element.get("alt") or "" for i in inner if _is_image(outline, i))
    return " ".join(next(filter(None, alts), "").split())[:_LONGEST]


def _is_image(outline: Outline, index: int) -> bool:
    return outline.nodes[index].tag == "img"


def _price_of(outline: Outline, inner: range) -> Price | None:
    """The first price that is not struck out."""
    struck = 0
    for i in inner:
        node = outline.nodes[i]
        if node.tag in _STRUCK:
            struck = outline.ends[i]
        if i < struck or not 0 < node.last - node.first <= _PRICE_LEAVES:
            continue
        text = "".join(leaf.text for leaf in outline.leaves[node.first : node.last])
        has_struck = any(outline.nodes[j].tag in _STRUCK for j in range(i, outline.ends[i]))
        if not has_struck and has_price(text):
            return read_price(text)
    return None
