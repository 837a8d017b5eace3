"""Attributes of records as values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.records.attributes.cells import REPLY, ValueCell
from forest_scrapy.core.records.products.pairs import split_unit
from forest_scrapy.core.records.products.prices import has_price
from forest_scrapy.core.records.regions.prose import looks_like_date

__all__ = [
    "ROLES",
    "TYPES",
    "Attribute",
    "Feature",
    "Instance",
    "choose_type",
    "is_called_author",
    "may_be_names",
]

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
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


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
    if steps & _HEADINGS or ("a" in steps and words >= _TITLE_WORDS):
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
