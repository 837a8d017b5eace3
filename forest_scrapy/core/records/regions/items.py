"""The items of lists: elements that each link to one other page, with a title; and the list of a
page, among its menus."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from forest_scrapy.core.page.outline import Node, Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.pictures import image_url
from forest_scrapy.core.page.tree import HEADINGS, class_and_id
from forest_scrapy.core.page.urls import absolute_url
from forest_scrapy.core.records.products.currencies import signs_of
from forest_scrapy.core.records.products.prices import (
    Price,
    has_price,
    is_called_old,
    is_part,
    is_struck,
    price_text,
    read_price,
    text_without,
    without_old,
)
from forest_scrapy.core.records.regions.groups import Group
from forest_scrapy.core.records.regions.prose import ProsePage

# These constants were set by hand while looking at wcxb-dev-listing and wcxb-dev-collection.
#: Pages that an item links to, at most; leaves and nodes of the largest item.
MAX_LINKED_PAGES = 6
MAX_LEAVES = 120
MAX_NODES = 400
#: Characters of a title beyond which a longer one is no better, and of the longest.
FULL_TITLE_LENGTH = 60
MAX_TITLE_LENGTH = 300
#: Class names and ids of titles; the end of a label.
_TITLE = re.compile(r"(?<![a-z])(?:title|headline)(?![a-z])", re.IGNORECASE)
_COLON = re.compile(r"[:\uff1a]$")
#: Leaves of the largest element that is a price.
MAX_PRICE_LEAVES = 6


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
    end = outline.ends[index]
    has_many_leaves = node.last - node.first > MAX_LEAVES
    if has_many_leaves or end - index > MAX_NODES:
        return None
    links = list(_read_links(page, outline, outline.below(index)))
    linked_urls = {link.url for link in links}
    if not links or len(linked_urls) > MAX_LINKED_PAGES:
        return None

    best = max(links, key=_link_worth)
    nodes = range(index, _end_of(outline, index))
    named_title = "" if best.in_heading else _named_title(outline, nodes)
    title = max(best.text, named_title, key=len)
    title = title or _heading_of(outline, nodes)
    if not title:
        return None
    tags = []
    for i in outline.path(best.node):
        if i > index:
            tags.append(outline.nodes[i].tag)
    return ListItem(
        title=title,
        url=best.url,
        image=_image_of(page, outline, nodes),
        price=_price_of(outline, nodes, signs_of(page)),
        place="/".join(tags),
    )


def _link_worth(link: _Link) -> tuple[bool, bool, int]:
    """Larger is better: a heading, not the page of a person, a long text."""
    leads_to_thing = not is_person_url(link.url)
    return link.in_heading, leads_to_thing, min(len(link.text), FULL_TITLE_LENGTH)


def _image_of(
    page: Page,
    outline: Outline,
    nodes: range,
) -> str:
    """The URL of the first image that has one."""
    for index in nodes:
        if _is_image(outline, index):
            url = image_url(outline.nodes[index].element, page.base_url)
            if url:
                return url
    return ""


def _end_of(outline: Outline, index: int) -> int:
    """The end of an element's nodes; that of a term is the end of its descriptions."""
    node = outline.nodes[index]
    end = outline.ends[index]
    if node.tag != "dt":
        return end
    while end < len(outline.nodes):
        following = outline.nodes[end]
        if following.tag != "dd" or following.parent != node.parent:
            break
        end = outline.ends[end]
    return end


def _named_title(outline: Outline, nodes: range) -> str:
    """The text of the first element that is named as a title, without a label such as "Title:";
    ``""`` if there is none.  It is no link: it may be a teaser whose link says "Read more"."""
    for index in nodes:
        names = class_and_id(outline.nodes[index].element, MAX_TITLE_LENGTH)
        if not _TITLE.search(names):
            continue
        has_child = index + 1 < outline.ends[index]
        label = outline.line(index + 1 if has_child else index)
        text = outline.line(index)
        if _COLON.search(label):
            text = text[len(label) :]
        return text.strip()[:MAX_TITLE_LENGTH]
    return ""


def _read_links(
    page: Page,
    outline: Outline,
    nodes: range,
) -> Iterator[_Link]:
    """The links to other pages, each with its text, or that of the heading in it."""
    page_url, _, _ = page.url.partition("#")
    headings = [index for index in nodes if outline.nodes[index].tag in HEADINGS]
    for index in nodes:
        node = outline.nodes[index]
        href = node.element.get("href") if node.tag == "a" else None
        if not href:
            continue
        url, _, _ = absolute_url(href, page.base_url).partition("#")
        if url == page_url or not url.startswith("http"):
            continue

        at = bisect_left(headings, index)
        has_heading = at < len(headings) and headings[at] < outline.ends[index]
        text = outline.line(headings[at] if has_heading else index)
        in_heading = has_heading or outline.nodes[node.parent].tag in HEADINGS
        yield _Link(index, in_heading, text[:MAX_TITLE_LENGTH], url)


def _heading_of(outline: Outline, nodes: range) -> str:
    """The first heading, else the text of the first image."""
    for index in nodes:
        if outline.nodes[index].tag in HEADINGS:
            return outline.line(index)[:MAX_TITLE_LENGTH]
    for index in nodes:
        if _is_image(outline, index):
            text = outline.nodes[index].element.get("alt")
            if text:
                return " ".join(text.split())[:MAX_TITLE_LENGTH]
    return ""


def _is_image(outline: Outline, index: int) -> bool:
    return outline.nodes[index].tag == "img"


def _price_of(outline: Outline, nodes: range, signs: Mapping[str, str]) -> Price | None:
    """The first price that is not struck out, and not called old if there is another one."""
    struck = [index for index in nodes if is_struck(outline.nodes[index].element)]
    price = _first_price(outline, nodes, signs, struck)
    if not price:
        return None
    called_old = [index for index in nodes if is_called_old(outline.nodes[index].element)]
    old = sorted({*struck, *called_old})
    return _first_price(outline, nodes, signs, old, without_old, skips_parts=True) or price


def _first_price(
    outline: Outline,
    nodes: range,
    signs: Mapping[str, str],
    old: list[int],
    clean: Callable[[str], str] = str,
    skips_parts: bool = False,
) -> Price | None:
    """The first price that is not in one of the ``old`` nodes; ``skips_parts``: nor one of a unit,
    of several payments or of the shipping."""
    end_of_old = 0
    for index in nodes:
        node = outline.nodes[index]
        at = bisect_left(old, index)
        is_old = at < len(old) and old[at] == index
        if is_old:
            end_of_old = max(end_of_old, outline.ends[index])
        leaves = node.last - node.first
        if index < end_of_old or not 0 < leaves <= MAX_PRICE_LEAVES:
            continue
        inner_old = old[at : bisect_left(old, outline.ends[index])]
        if inner_old:
            text = text_without(outline, index, outline.outermost(inner_old))
        else:
            text = price_text(outline, node.first, node.last, clean)
        text = clean(text)
        if not has_price(text) or (skips_parts and is_part(outline, index, text)):
            continue
        return read_price(text, signs)
    return None


#: Items of the shortest list.
MIN_ITEMS = 3
#: Characters of a title beyond which it does not add to the value of an item, and words from which
#: it counts in full.
FULL_LENGTH = 60
FULL_TITLE_WORDS = 3
#: What an image, a price and a date add, in characters of a title; the value of items without any
#: of these, and of those in menus, as a share.  Set by hand, looking at 14 pages of the listing and
#: collection sets of WCXB.
IMAGE_VALUE = 20
PRICE_VALUE = 30
DATE_VALUE = 15
PLAIN_SHARE = 0.4
MENU_SHARE = 0.1
#: The share of items with a price from which a candidate has prices, also of the elements that are
#: inside those of another candidate; that up to which it has none; and the least value of the
#: other candidate, as a share.  Set by hand for lists of products with variants, on five pages of
#: one site.
MIN_PRICED_SHARE = 0.5
MAX_UNPRICED_SHARE = 0.2
MIN_AROUND_SHARE = 0.15
_MENU_TAGS = frozenset(("nav", "header", "footer"))
_MENU = re.compile(r"(?:^|[\s_-])(?:nav|menu|footer|header|breadcrumb)", re.IGNORECASE)


class _Candidate(NamedTuple):
    """A candidate, the value of its items on a page, in the mean, and the share of the items with
    a price."""

    group: Group
    value: float
    priced: float


class _WeighedItem(NamedTuple):
    """What counts of an item; an element without one has the value 0."""

    url: str
    value: float
    is_priced: bool


_NO_ITEM = _WeighedItem("", 0.0, False)


class _ListPage:
    """A page, with the items of its elements, each read once."""

    def __init__(self, page: ProsePage) -> None:
        self.outline = page.outline
        self._page = page
        self._in_menu = find_menus(page.outline)
        self._items: dict[int, _WeighedItem] = {}

    def item_at(self, node: int) -> _WeighedItem:
        """The item in the element of a node."""
        if node not in self._items:
            item = read_item(self._page.page, node)
            weighed = _NO_ITEM if item is None else self._weigh(node, item)
            self._items[node] = weighed
        return self._items[node]

    def _weigh(self, node: int, item: ListItem) -> _WeighedItem:
        extras = 0
        if item.image:
            extras += IMAGE_VALUE
        if item.price:
            extras += PRICE_VALUE
        if self._page.dates_below(node) > 0:
            extras += DATE_VALUE

        length = len(item.title)
        share = 1.0
        if not extras:
            words: float = len(item.title.split())
            words = max(words, length / 12)
            share = PLAIN_SHARE * min(1.0, words / FULL_TITLE_WORDS) ** 2
        value = min(length, FULL_LENGTH) * share + extras
        if self._in_menu[node]:
            value *= MENU_SHARE
        return _WeighedItem(item.url, value, bool(item.price))


def find_list(
    pages: Sequence[ProsePage],
    groups: Sequence[Group],
) -> Group | None:
    """The candidate whose elements are the items of a list: the one with the most titles, images,
    prices and dates; None if there is none with three items on a page.

    If these have no prices, but are inside the items of another candidate, which have (variants of
    products, say), it is that one.  Ties: the one with more elements, then the outer ones, then
    the key's text.  Cost: linear in the number of elements, times the tokens of their attributes.
    """
    list_pages = [_ListPage(page) for page in pages]
    candidates = [_value_group(list_pages, group) for group in groups]
    valued = [candidate for candidate in candidates if candidate.value > 0]
    ranked = sorted(valued, key=_order)
    if not ranked:
        return None

    best = ranked[0]
    if best.priced >= MAX_UNPRICED_SHARE:
        return best.group
    for candidate in ranked:
        is_enough = candidate.value >= MIN_AROUND_SHARE * best.value
        is_priced = candidate.priced >= MIN_PRICED_SHARE
        if not is_enough or not is_priced:
            continue
        if _is_inside(list_pages, best.group, candidate.group):
            return candidate.group
    return best.group


def _order(candidate: _Candidate) -> tuple[float, int, int, str]:
    nodes = candidate.group.nodes
    elements = sum(map(len, nodes))
    first = next(page_nodes[0] for page_nodes in nodes if page_nodes)
    value = round(candidate.value, 2)
    key = str(candidate.group.key)
    return -value, -elements, first, key


def _is_inside(
    pages: Sequence[_ListPage],
    group: Group,
    outer_group: Group,
) -> bool:
    """Whether most elements of a candidate are inside those of another one."""
    inside = 0
    elements = 0
    for page, nodes, outer_nodes in zip(pages, group.nodes, outer_group.nodes, strict=True):
        for node in nodes:
            elements += 1
            before = bisect_right(outer_nodes, node) - 1
            if before < 0:
                continue
            outer_node = outer_nodes[before]
            inside += outer_node < node < page.outline.ends[outer_node]
    return inside >= MIN_PRICED_SHARE * elements


def _value_group(pages: Sequence[_ListPage], group: Group) -> _Candidate:
    """The value of a candidate as a list; 0 if its elements are few, or inside each other."""
    if max(map(len, group.nodes)) < MIN_ITEMS:
        return _Candidate(group, 0.0, 0.0)
    total = 0.0
    items = 0
    priced = 0
    for page, nodes in zip(pages, group.nodes, strict=True):
        if page.outline.outermost(nodes) != list(nodes):
            return _Candidate(group, 0.0, 0.0)
        urls: set[str] = set()
        values = []
        for node in nodes:
            item = page.item_at(node)
            is_new = item.url not in urls
            values.append(item.value if is_new else 0.0)
            urls.add(item.url)
            items += bool(item.url)
            priced += item.is_priced
        total += sum(values) * _evenness(values)
    return _Candidate(
        group,
        value=total / len(pages),
        priced=priced / (items or 1),
    )


def _evenness(values: Sequence[float]) -> float:
    """How many of the values the sum is divided among, as a share of them: a candidate with other
    links besides the items has less than one with the items only."""
    squares = sum(value * value for value in values)
    if not squares:
        return 0.0
    return sum(values) ** 2 / (squares * len(values))


def find_menus(outline: Outline) -> list[bool]:
    """For each node whether it is in a menu, a header or a footer."""

    def extend(is_above: bool, node: Node) -> bool:
        names = class_and_id(node.element, 200)
        is_menu = node.tag in _MENU_TAGS or _MENU.search(names) is not None
        return is_above or (is_menu and node.tag != "body")

    return outline.inherit(False, extend)


#: Characters of a URL that are read.
MAX_URL_LENGTH = 300
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
        parts = urlsplit(href[:MAX_URL_LENGTH])
    except ValueError:
        return False
    return _PERSON.search(f"{parts.path}?{parts.query}") is not None
