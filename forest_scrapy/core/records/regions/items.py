"""The items of lists: elements that each link to one other page, with a title; and the list of a
page, among its menus."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from forest_scrapy.core.page.outline import Node, Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.pictures import image_url
from forest_scrapy.core.page.tree import HEADINGS, class_and_id
from forest_scrapy.core.page.urls import absolute_url
from forest_scrapy.core.records.products.prices import (
    Price,
    has_price,
    is_called_old,
    is_struck,
    price_text,
    read_price,
    without_old,
)
from forest_scrapy.core.records.regions.groups import Group
from forest_scrapy.core.records.regions.prose import ProsePage

# These constants were set by hand while looking at wcxb-dev-listing and wcxb-dev-collection.
#: Pages that an item links to, at most; leaves and nodes of the largest item.
_MOST_LINKS, _MOST_LEAVES, _MOST_NODES = 6, 120, 400
#: Characters of a title beyond which a longer one is no better, and of the longest.
_FULL_TITLE, _LONGEST = 60, 300
#: Class names and ids of titles; the end of a label.
_TITLE = re.compile(r"(?<![a-z])(?:title|headline)(?![a-z])", re.IGNORECASE)
_COLON = re.compile(r"[:\uff1a]$")
#: Leaves of the largest element that is a price.
_PRICE_LEAVES = 6


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
    """The item in an element, or in a term (``dt``) with its descriptions; None if it has no item:
    it links to no other page with a text, or to many."""
    outline = page.outline
    node = outline.nodes[index]
    if node.last - node.first > _MOST_LEAVES or outline.ends[index] - index > _MOST_NODES:
        return None
    inner = range(index, outline.ends[index])
    links = list(_read_links(page, outline, inner))
    if not links or len({link.url for link in links}) > _MOST_LINKS:
        return None
    best = max(links, key=lambda link: (link.in_heading, min(len(link.text), _FULL_TITLE)))
    inner = range(index, _end_of(outline, index))
    shown = "" if best.in_heading else _shown_title(outline, inner)
    title = max(best.text, shown, key=len) or _heading_of(outline, inner)
    if not title:
        return None
    elements = (outline.nodes[i].element for i in inner if _is_image(outline, i))
    images = (image_url(element, page.base_url) for element in elements)
    place = "/".join(outline.nodes[i].tag for i in outline.path(best.node) if i > index)
    image = next(filter(None, images), "")
    return ListItem(title, best.url, image, _price_of(outline, inner), place)


def _end_of(outline: Outline, index: int) -> int:
    """The end of an element's nodes; that of a term is the end of its descriptions."""
    end, node = outline.ends[index], outline.nodes[index]
    while node.tag == "dt" and end < len(outline.nodes):
        if outline.nodes[end].tag != "dd" or outline.nodes[end].parent != node.parent:
            break
        end = outline.ends[end]
    return end


def _shown_title(outline: Outline, inner: range) -> str:
    """The text of the first element that is named as a title, without a label such as "Title:";
    ``""`` if there is none.  It is no link: it may be a teaser whose link says "Read more"."""
    for i in inner:
        if _TITLE.search(class_and_id(outline.nodes[i].element, _LONGEST)):
            child = i + 1 if i + 1 < outline.ends[i] else i
            label, text = outline.line(child), outline.line(i)
            text = text[len(label) :] if _COLON.search(label) else text
            return text.strip()[:_LONGEST]
    return ""


def _read_links(
    page: Page,
    outline: Outline,
    inner: range,
) -> Iterator[_Link]:
    own = page.url.partition("#")[0]
    headings = [i for i in inner if outline.nodes[i].tag in HEADINGS]
    for i in inner:
        node = outline.nodes[i]
        href = node.element.get("href") if node.tag == "a" else None
        url = absolute_url(href, page.base_url).partition("#")[0] if href else ""
        if url and url != own and url.startswith("http"):
            at = bisect_left(headings, i)
            has_heading = at < len(headings) and headings[at] < outline.ends[i]
            text = outline.line(headings[at] if has_heading else i)
            is_headed = has_heading or outline.nodes[node.parent].tag in HEADINGS
            yield _Link(i, is_headed, text[:_LONGEST], url)


def _heading_of(outline: Outline, inner: range) -> str:
    """The first heading, else the text of the first image."""
    for i in inner:
        if outline.nodes[i].tag in HEADINGS:
            return outline.line(i)[:_LONGEST]
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
    outline: Outline,
    inner: range,
    without: list[int],
    clean: Callable[[str], str] = str,
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


#: Items of the shortest list.
_FEWEST = 3
#: Characters of a title beyond which it does not add to the value of an item, and words from which
#: it counts in full.
_FULL, _TITLE_WORDS = 60, 3
#: What an image, a price and a date add, in characters of a title; the value of items without any
#: of these, and of those in menus, as a share.  Set by hand, looking at 14 pages of the listing and
#: collection sets of WCXB.
_IMAGE, _PRICE, _DATE, _PLAIN, _IN_MENU = 20, 30, 15, 0.4, 0.1
#: The share of items with a price from which, and up to which, a candidate has prices or none; also
#: of the elements that are inside those of another candidate.  The least value of that one, as a
#: share.  Set by hand for lists of products with variants, on five pages of one site.
_MOSTLY, _FEW_PRICED, _LEAST_AROUND = 0.5, 0.2, 0.15
_MENU_TAGS = frozenset(("nav", "header", "footer"))
_MENU = re.compile(r"(?:^|[\s_-])(?:nav|menu|footer|header|breadcrumb)", re.IGNORECASE)


class _Valued(NamedTuple):
    """A candidate, the value of its items on a page, in the mean, and the share of the items with
    a price."""

    group: Group
    value: float
    priced: float


class _Item(NamedTuple):
    """What counts of an item; an element without one has the value 0."""

    url: str
    value: float
    is_priced: bool


class _ListPage:
    """A page, with the items of its elements, each read once."""

    def __init__(self, page: ProsePage) -> None:
        self._page, self.outline = page, page.outline
        self._in_menu = find_menus(page.outline)
        self._read: dict[int, _Item] = {}

    def item_at(self, node: int) -> _Item:
        """The item in the element of a node."""
        if node not in self._read:
            item = read_item(self._page.page, node)
            self._read[node] = self._weigh(node, item) if item else _Item("", 0.0, False)
        return self._read[node]

    def _weigh(self, node: int, item: ListItem) -> _Item:
        words = max(len(item.title.split()), len(item.title) / 12)
        extras = _IMAGE * bool(item.image) + _PRICE * bool(item.price)
        extras += _DATE * (self._page.dates_below(node) > 0)
        share = 1.0 if extras else _PLAIN * min(1.0, words / _TITLE_WORDS) ** 2
        value = min(len(item.title), _FULL) * share + extras
        return _Item(item.url, value * (_IN_MENU if self._in_menu[node] else 1.0), bool(item.price))


def find_list(pages: Sequence[ProsePage], groups: Sequence[Group]) -> Group | None:
    """The candidate whose elements are the items of a list: the one with the most titles, images,
    prices and dates; None if there is none with three items on a page.

    If these have no prices, but are inside the items of another candidate, which have (variants of
    products, say), it is that one.  Ties: the one with more elements, then the outer ones, then
    the key's text.  Cost: linear in the number of elements, times the tokens of their attributes.
    """
    read = [_ListPage(page) for page in pages]
    values = (_value(read, group) for group in groups)
    ranked = sorted((one for one in values if one.value > 0), key=_order)
    if not ranked:
        return None
    best = ranked[0]
    if best.priced < _FEW_PRICED:
        enough = (one for one in ranked if one.value >= _LEAST_AROUND * best.value)
        around = (one for one in enough if one.priced >= _MOSTLY)
        best = next((one for one in around if _is_inside(read, best.group, one.group)), best)
    return best.group


def _order(one: _Valued) -> tuple[float, int, int, str]:
    nodes = one.group.nodes
    first = next(own[0] for own in nodes if own)
    return (-round(one.value, 2), -sum(map(len, nodes)), first, str(one.group.key))


def _is_inside(
    pages: Sequence[_ListPage],
    inner: Group,
    outer: Group,
) -> bool:
    """Whether most elements of a candidate are inside those of another one."""
    inside = 0
    for page, own, around in zip(pages, inner.nodes, outer.nodes, strict=True):
        before = [bisect_right(around, node) - 1 for node in own]
        inside += sum(
            i >= 0 and around[i] < node < page.outline.ends[around[i]]
            for node, i in zip(own, before, strict=True)
        )
    return inside >= _MOSTLY * sum(map(len, inner.nodes))


def _value(pages: Sequence[_ListPage], group: Group) -> _Valued:
    if max(map(len, group.nodes)) < _FEWEST:
        return _Valued(group, 0.0, 0.0)
    total, items, priced = 0.0, 0, 0
    for page, nodes in zip(pages, group.nodes, strict=True):
        if page.outline.outermost(nodes) != list(nodes):
            return _Valued(group, 0.0, 0.0)  # items are not inside each other
        urls: set[str] = set()
        values = []
        for node in nodes:
            item = page.item_at(node)
            values.append(0.0 if item.url in urls else item.value)
            urls.add(item.url)
            items += bool(item.url)
            priced += item.is_priced
        total += sum(values) * _evenness(values)
    return _Valued(group, total / len(pages), priced / (items or 1))


def _evenness(values: Sequence[float]) -> float:
    """How many of the values the sum is divided among, as a share of them: a candidate with other
    links besides the items has less than one with the items only."""
    squares = sum(value * value for value in values) * len(values)
    return sum(values) ** 2 / squares if squares else 0.0


def find_menus(outline: Outline) -> list[bool]:
    """For each node whether it is in a menu, a header or a footer."""

    def extend(above: bool, node: Node) -> bool:
        names = class_and_id(node.element, 200)
        is_menu = node.tag in _MENU_TAGS or _MENU.search(names) is not None
        return above or (is_menu and node.tag != "body")

    return outline.inherit(False, extend)


#: Characters of a URL that are read.
_LONGEST_URL = 300
_PERSON = re.compile(
    r"(?:^|/)(?:u|users?|members?|memberlist|profiles?|people|person|authors?|personal_pages)"
    r"(?:[/.?=-]|$)|[?&;](?:u|uid|user|userid|member)=|/[@~]",
    re.IGNORECASE,
)


def is_person_url(href: str) -> bool:
    """Whether a link leads to the page of a user.

    >>> is_person_url("/user/42-ana"), is_person_url("member.php?u=7"), is_person_url("/news/7")
    (True, True, False)
    """
    try:
        parts = urlsplit(href[:_LONGEST_URL])
    except ValueError:
        return False
    return _PERSON.search(f"{parts.path}?{parts.query}") is not None
