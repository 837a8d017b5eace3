"""The types of attributes, from their values and the path of these."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from statistics import fmean

from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.records.attributes.cells import REPLY
from forest_scrapy.core.records.products.prices import has_price
from forest_scrapy.core.records.products.value_types import split_unit
from forest_scrapy.core.records.regions.prose import looks_like_date

__all__ = ["choose_type", "is_called_author", "may_be_names"]

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
