"""The attributes of records: internal paths with values that differ, their types and labels."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

from forest_scrapy.core.document.json_values import read_choice, read_texts
from forest_scrapy.core.document.outline import Node
from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.urls import absolute_url, image_url
from forest_scrapy.core.errors import BadWrapper
from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.records.inside import Inner
from forest_scrapy.core.records.products.prices import has_price
from forest_scrapy.core.records.record import Value

__all__ = ["TYPES", "Attribute", "learn_attributes", "read_cells", "read_values"]

#: The types of attributes.  The first four have the name of their type, the best of each.
TYPES = ("author", "date", "title", "price", "position", "number", "image", "url", "text")

# These constants were set by hand while looking at harvest-forum, without a search.
#: The share of values that must be of a type; the values of a path that are looked at.
_MOST, _SAMPLE = 0.7, 20
#: The share of records that must have an attribute, and the largest number of attributes.
_LEAST_SHARE, _MOST_ATTRIBUTES = 0.3, 30
#: Characters and words of the longest author's name.
_NAME_CHARACTERS, _NAME_WORDS = 40, 4
#: Words of the shortest linked text that is a title, in the mean.
_TITLE_WORDS = 3
#: What it is worth, in shares of records, that the page calls an attribute by its role.
_CALLED = 0.5
#: Characters of the longest value that is kept.
_LONGEST = 500

_AUTHOR_WORDS = re.compile(r"author|user|name|poster|creator|member|nick|byline", re.IGNORECASE)
_NUMBER = re.compile(r"[\d.,' ]*\d[\d.,' ]*%?")
_POSITION = re.compile(r"(?:#|no\.?|nr\.?)\s?\d+", re.IGNORECASE)
_LABEL = re.compile(r"([^\d\W][^:\uff1a]{0,30})[:\uff1a]\s")
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
#: Attributes of elements that hold values.
_HELD = {"time": "datetime", "a": "href", "img": "src", "abbr": "title", "meta": "content"}


@dataclass(frozen=True)
class Attribute:
    """An attribute of records.

    ``path``: its record internal path; ``@name`` at the end for an attribute of the element.
    ``type``: one of ``TYPES``.  ``name``: the type of the best author, date, title and price, and
    of the URL that the title links to; else the label, or the path.  ``share``: of the records
    that have it.
    """

    name: str
    type: str
    path: str
    share: float = 1.0

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Attribute:
        """The attribute of a JSON object; ``BadWrapper`` for a value of another type."""
        one = cls(**data)
        read_texts("attributes", [one.name, one.path])
        read_choice("type", one.type, TYPES)
        if not isinstance(one.share, (int, float)):
            raise BadWrapper(f"attributes: share is {one.share!r}, not a number")
        return one


#: The values of a path: the number of the record, and the text.
_Values = list[tuple[int, str]]


def read_cells(page: Page, inner: Iterable[Inner]) -> Iterator[tuple[str, str]]:
    """The values of a record with their paths: texts of elements, and of attributes that hold
    dates, links and images."""
    for index, path in inner:
        node = page.outline.nodes[index]
        if text := _own_text(page, index, node):
            yield path, text
        name = _HELD.get(node.tag)
        if name and (value := _held_value(page, node, name)):
            yield f"{path} @{name}".strip(), value


def _own_text(page: Page, index: int, node: Node) -> str:
    leaves = page.outline.leaves[node.first : node.last]
    own = (leaf.text for leaf in leaves[:50] if leaf.node == index)
    return " ".join(" ".join(own).split())[:_LONGEST]


def _held_value(page: Page, node: Node, name: str) -> str:
    if node.tag == "img":
        return image_url(node.element, page.base_url)
    value = (node.element.get(name) or "").strip()[:_LONGEST]
    if name == "href":
        return absolute_url(value, page.base_url) if value and value[0] != "#" else ""
    return value


def learn_attributes(
    records: Sequence[Sequence[tuple[str, str]]], language: str, bodies: Callable[[str], bool]
) -> tuple[Attribute, ...]:
    """The attributes of records, from the values of each; ``bodies``: whether a path is part of
    the text.  A path with the same value everywhere is no attribute (Oita 2012, section 3.3)."""
    found: dict[str, _Values] = defaultdict(list)
    for number, cells in enumerate(records):
        for path, text in cells:
            if not bodies(path):
                found[path].append((number, text))
    typed = []
    for order, (path, values) in enumerate(found.items()):
        share = len({number for number, _ in values}) / len(records)
        is_constant = len({text for _, text in values}) == 1 and len(records) > 1
        if share >= _LEAST_SHARE and not is_constant:
            kind = _type_of(path, values, language)
            typed.append((order, Attribute(_label_of(path, values), kind, path, round(share, 4))))
    named = _name_roles(typed, found)
    return tuple(sorted(named, key=lambda one: (TYPES.index(one.type), -one.share, one.path)))[
        :_MOST_ATTRIBUTES
    ]


def _type_of(path: str, values: _Values, language: str) -> str:
    texts = list(dict.fromkeys(text for _, text in values))[:_SAMPLE]
    if path.endswith("@src"):
        return "image"
    if path.endswith("@href"):
        return "url"

    def most(matches: Callable[[str], object]) -> bool:
        return fmean(bool(matches(text)) for text in texts) >= _MOST

    if most(lambda text: len(text) <= 80 and any(c.isdigit() for c in text)):
        if most(has_price):
            return "price"
        if most(_POSITION.fullmatch):
            return "position"
        if most(_NUMBER.fullmatch):
            return "number"
        if most(lambda text: read_date(text, language)):
            return "date"
    steps = {step.partition("[")[0] for step in path.split(" ")}
    is_called = _is_called_author(path)
    if most(_may_be_name) and is_called:
        return "author"
    words = fmean(len(text.split()) for text in texts)
    if steps & _HEADINGS or ("a" in steps and words >= _TITLE_WORDS):
        return "title"
    if most(_may_be_name) and "a" in steps:
        return "author"
    return "text"


def _is_called_author(path: str) -> bool:
    """Whether the element, or the one it is in, is named after authors or users."""
    return _AUTHOR_WORDS.search(" ".join(path.split(" ")[-2:])) is not None


def _may_be_name(text: str) -> bool:
    return (
        1 < len(text) <= _NAME_CHARACTERS
        and len(text.split()) <= _NAME_WORDS
        and any(c.isalpha() for c in text)
        and text[-1] not in ":?!"
    )


def _label_of(path: str, values: _Values) -> str:
    """The label that the values start with, else the path."""
    labels = {match[1] for _, text in values if (match := _LABEL.match(text + " "))}
    return labels.pop() if len(labels) == 1 else path


def _name_roles(
    typed: Sequence[tuple[int, Attribute]], found: dict[str, _Values]
) -> list[Attribute]:
    """The attributes; the best author, date, title and price are named after their type."""
    best = {}
    for role in TYPES[:4]:
        own = [(order, one) for order, one in typed if one.type == role]
        if own:
            order = {one.path: _role_order(i, one, found[one.path]) for i, one in own}
            best[min(order, key=lambda path: order[path])] = role
            if role == "title":
                best |= _url_of(min(order, key=lambda path: order[path]))
    return [
        Attribute(best[one.path], one.type, one.path, one.share) if one.path in best else one
        for _, one in typed
    ]


def _url_of(path: str) -> dict[str, str]:
    """The path of the URL that a title links to, as the role ``url``; empty if it links none."""
    steps = path.split(" ")
    last = max((i for i, s in enumerate(steps) if s.partition("[")[0] == "a"), default=-1)
    return {" ".join((*steps[: last + 1], "@href")): "url"} if last >= 0 else {}


def _role_order(order: int, one: Attribute, values: _Values) -> tuple[float, float, int, str]:
    """Smaller is better: in most records, called so by the page, with few values in a record,
    first."""
    declared = "itemprop" in one.path or "@datetime" in one.path
    called = _is_called_author(one.path) if one.type == "author" else declared
    ordered = _order_share([text for _, text in values]) if one.type == "date" else 0.0
    several = len(values) / len({number for number, _ in values})
    return (-round(one.share + _CALLED * called + ordered, 1), round(several, 1), order, one.path)


def _order_share(dates: Sequence[str]) -> float:
    """The share of successive dates in the more common order: posts are sorted by their date,
    those who wrote them are not."""
    read = [date for text in dates if (date := read_date(text))]
    later = [a <= b for a, b in pairwise(read) if a != b]
    return max(fmean(later), 1 - fmean(later)) if later else 0.0


def read_values(
    page: Page, inner: Sequence[Inner], attributes: Sequence[Attribute], fetched_at: str = ""
) -> tuple[Value, ...]:
    """The values of a record, in the order of the attributes."""
    cells: dict[str, list[str]] = defaultdict(list)
    for path, text in read_cells(page, inner):
        cells[path].append(text)
    found = []
    for one in attributes:
        for text in dict.fromkeys(cells.get(one.path, ())):
            value = read_date(text, page.language, fetched_at) if one.type == "date" else text
            if value:
                found.append(Value(one.name, one.type, value))
    return tuple(found)
