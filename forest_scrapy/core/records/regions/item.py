"""The item of a list in an element: the page it links to, its title, image and price."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from forest_scrapy.core.document.outline import Outline
from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.urls import absolute_url, image_url
from forest_scrapy.core.records.products.old_prices import is_called_old, is_struck, without_old
from forest_scrapy.core.records.products.prices import Price, has_price, price_text, read_price

__all__ = ["ListItem", "read_item"]

# These constants were set by hand while looking at wcxb-dev-listing and wcxb-dev-collection.
#: Pages that an item links to, at most; leaves and nodes of the largest item.
_MOST_LINKS, _MOST_LEAVES, _MOST_NODES = 6, 120, 400
#: Characters of a title beyond which a longer one is no better, and of the longest.
_FULL, _LONGEST = 60, 300
#: Leaves of the largest element that is a price.
_PRICE_LEAVES = 6
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


@dataclass(frozen=True)
class ListItem:
    """``title`` and ``url`` of the page that an item links to, and its ``image`` and ``price``, if
    it has these; ``""`` and None if it has none.  ``place``: the tags from the item's element down
    to the link with the title."""

    title: str
    url: str
    image: str = ""
    price: Price | None = None
    place: str = ""


class _Link(NamedTuple):
    node: int
    in_heading: bool
    text: str
    url: str


def read_item(page: Page, index: int) -> ListItem | None:
    """The item in an element; None if the element has no item: it links to no other page with a
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
    place = "/".join(outline.nodes[i].tag for i in outline.path(best.node) if i > index)
    image = next(filter(None, images), "")
    return ListItem(title, best.url, image, _price_of(outline, inner), place)


def _read_links(page: Page, outline: Outline, inner: range) -> Iterator[_Link]:
    own = page.url.partition("#")[0]
    headings = [i for i in inner if outline.nodes[i].tag in _HEADINGS]
    for i in inner:
        node = outline.nodes[i]
        href = node.element.get("href") if node.tag == "a" else None
        url = absolute_url(href, page.base_url).partition("#")[0] if href else ""
        if url and url != own and url.startswith("http"):
            at = bisect_left(headings, i)
            has_heading = at < len(headings) and headings[at] < outline.ends[i]
            text = outline.text(outline.nodes[headings[at]] if has_heading else node)
            is_headed = has_heading or outline.nodes[node.parent].tag in _HEADINGS
            yield _Link(i, is_headed, " ".join(text.split())[:_LONGEST], url)


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
    """The first price that is not struck out, and not called old if there is another one."""
    struck = [i for i in inner if is_struck(outline.nodes[i].element)]
    shown = _first_price(outline, inner, struck)
    if not shown:
        return None
    old = [i for i in inner if is_called_old(outline.nodes[i].element)]
    return _first_price(outline, inner, sorted({*struck, *old}), without_old) or shown


def _first_price(
    outline: Outline, inner: range, without: list[int], clean: Callable[[str], str] = str
) -> Price | None:
    """The first price that is not in one of the nodes ``without``."""
    end = 0
    for i in inner:
        node = outline.nodes[i]
        at = bisect_left(without, i)
        if at < len(without) and without[at] == i:
            end = max(end, outline.ends[i])
        if i < end or not 0 < node.last - node.first <= _PRICE_LEAVES:
            continue
        has_old = at < bisect_left(without, outline.ends[i])
        text = "" if has_old else clean(price_text(outline, node.first, node.last, clean))
        if has_price(text):
            return read_price(text)
    return None
