"""The attributes of records: their types, and the values that a record has of them."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import HEADINGS
from forest_scrapy.core.page.urls import absolute_url, host_of
from forest_scrapy.core.records.attributes.cells import REPLY, ValueCell, read_cells, strip_label
from forest_scrapy.core.records.products.pairs import split_unit
from forest_scrapy.core.records.products.prices import has_price, read_price
from forest_scrapy.core.records.record import Inner, Value
from forest_scrapy.core.records.regions.prose import looks_like_date

#: The types of which the best attribute has the name of its type.
ROLES = ("author", "date", "title", "price")
#: The types of attributes.
TYPES = (*ROLES, "position", "number", "image", "url", "reply-to", "text")


@dataclass(frozen=True)
class Attribute:
    """An attribute of records.

    ``path``: its record internal path, with the number of the column for cells of tables without
    attributes; ``@name`` at the end for an attribute of the element.  ``type``: one of ``TYPES``.
    ``reply-to`` is a link to an earlier record of the page.
    ``name``: the type of the best author, date, title and price, and of the URL that the title
    links to; else the label, the column, or the path.  ``share``: of the records that have it.
    ``label``: what the pages call it, ``""`` if unknown.  ``by_label``: whether the path holds
    several attributes that only their labels tell apart.
    """

    name: str
    type: str
    path: str
    share: float = 1.0
    label: str = ""
    by_label: bool = False


class Instance(NamedTuple):
    """A value: its page, the record on it, from 0, its place in the record, 0 to 1, and itself."""

    page: int
    record: int
    place: float
    cell: ValueCell


class Feature(NamedTuple):
    """An attribute with its instances and their texts."""

    attribute: Attribute
    instances: Sequence[Instance]
    texts: Sequence[str]

    @property
    def records(self) -> set[tuple[int, int]]:
        """The page and the number of each record that has it."""
        return {(one.page, one.record) for one in self.instances}


# These constants were set by hand while looking at harvest-forum, without a search.
#: The share of values that must be of a type, and the values that are looked at.
_MOST, _SAMPLE = 0.7, 20
#: Characters of the longest value with a number, date or price.
_LONGEST = 80
#: Characters and words of the longest author's name.
_NAME_CHARACTERS, _NAME_WORDS = 40, 4
#: Words of the shortest linked text that is a title, in the mean.
_TITLE_WORDS = 3

_AUTHOR_WORDS = re.compile(r"author|user|name|poster|creator|member|nick|byline", re.IGNORECASE)
_POSITION = re.compile(r"(?:#|no\.?|nr\.?)\s?\d+", re.IGNORECASE)


def choose_type(path: str, values: Sequence[str], language: str) -> str:
    """The type of most of the values at a path."""
    texts = list(dict.fromkeys(values))[:_SAMPLE]
    if path.endswith("@src"):
        return "image"
    if path.endswith("@href"):
        return "url"
    if path.endswith(REPLY):
        return "reply-to"

    def most(matches: Callable[[str], object]) -> bool:
        return fmean(bool(matches(text)) for text in texts) >= _MOST

    if most(lambda text: len(text) <= _LONGEST and any(c.isdigit() for c in text)):
        if most(has_price):
            return "price"
        if most(_POSITION.fullmatch):
            return "position"
        if most(lambda text: not text.isdigit() and read_date(text, language)):
            return "date"
        if most(split_unit):
            return "number"
    steps = {step.partition("[")[0] for step in path.split(" ")}
    if most(_may_be_name) and is_called_author(path):
        return "author"
    words = fmean(len(text.split()) for text in texts)
    if steps & HEADINGS or ("a" in steps and words >= _TITLE_WORDS):
        return "title"
    if most(_may_be_name) and "a" in steps:
        return "author"
    return "text"


def is_called_author(path: str) -> bool:
    """Whether the element, or the one it is in, is named after authors or users."""
    return _AUTHOR_WORDS.search(" ".join(path.split(" ")[-2:])) is not None


def may_be_names(values: Sequence[str]) -> bool:
    """Whether most of the values may be names of persons.

    >>> may_be_names(["owl_42", "Ana Bo"]), may_be_names(["May 2024"]), may_be_names(["Posts:"])
    (True, False, False)
    """
    texts = list(dict.fromkeys(values))[:_SAMPLE]
    return fmean(map(_may_be_name, texts)) >= _MOST


def _may_be_name(text: str) -> bool:
    return (
        1 < len(text) <= _NAME_CHARACTERS
        and not looks_like_date(text)
        and len(text.split()) <= _NAME_WORDS
        and any(c.isalpha() for c in text)
        and text[-1] not in "?!"
        and ":" not in text
    )


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
