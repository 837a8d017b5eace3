"""Attributes of products as pairs of a label and a value: rows of tables, lists of definitions,
and lines such as "Colour: red"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from forest_scrapy.core.document.outline import Outline
from forest_scrapy.core.document.page import Page
from forest_scrapy.core.records.products.places import find_other_places, in_controls
from forest_scrapy.core.records.products.prices_shown import is_cart

__all__ = ["Pair", "find_pairs"]

#: Characters of the longest label and value, and pairs of a page.
_LONGEST_LABEL, _LONGEST_VALUE, _MOST = 50, 300, 200
#: Leaves of the largest element that is read as one text.
_MOST_LEAVES = 60
#: A label, and a colon that is not the one of a time.
_LINE = re.compile(r"([^\W\d][^:\uff1a]{0,48}?)\s?(?!(?<=\d):\d)[:\uff1a]\s*(\S.*)")
_COLONS = " :\uff1a"
#: Labels that are about no product, and values with nothing but signs.
_NO_LABEL = re.compile(
    r"[?\uff1f]|^[^()]*\([^()]*$|\b(?:reviews|bewertungen|reseñas|recensioni)\b", re.I
)
_PHONE_LABEL = re.compile(
    r"(?:tele?(?:ph|f)one?|tél(?:éphone)?|tel|telefono|teléfono|phone|fax|hotline|телефон|电话|電話)\.?",
    re.IGNORECASE,
)
_PHONE = re.compile(r"[+(\d][\d\s()+./-]{5,}")
_SAYS_SOMETHING = re.compile(r"\w|[✓✔✗✘✕●○★]")
_LINES = frozenset(("li", "p", "div", "span", "td"))
_CELLS = frozenset(("td", "th"))


class Pair(NamedTuple):
    """A label and its value, each on one line, without the colon."""

    label: str
    value: str


def find_pairs(page: Page) -> list[Pair]:
    """The pairs of a page, in its order; of a label only the first.  Cost: linear in the size of
    the page."""
    found: dict[str, Pair] = {}
    for pair in _read_pairs(page.outline):
        if len(found) >= _MOST:
            break
        if pair.label and pair.value and pair.label != pair.value:
            found.setdefault(pair.label.lower(), pair)
    return list(found.values())


def _read_pairs(outline: Outline) -> Iterator[Pair]:
    label, children = "", _children(outline)
    elsewhere, controls = find_other_places(outline), in_controls(outline)
    for i, node in enumerate(outline.nodes):
        if elsewhere[i]:
            continue
        if node.tag == "tr":
            cells = [j for j in children[i] if outline.nodes[j].tag in _CELLS]
            texts = [text for j in cells if (text := _text(outline, j))]
            if len(texts) == len(cells) == 2:
                yield _pair(*texts)
        elif node.tag == "dt":
            label = _text(outline, i)
        elif node.tag == "dd":
            yield _pair(label, _text(outline, i))
            label = ""
        elif node.tag in _LINES and node.first < node.last:
            first, last = outline.leaves[node.first], outline.leaves[node.last - 1]
            is_button = controls[last.node] and is_cart(last.text)
            if not controls[first.node] and not is_button:  # first is the label
                yield from _read_line(outline, i, children[i])


def _read_line(outline: Outline, index: int, children: list[int]) -> Iterator[Pair]:
    """The pair of a line: of its text, or of two elements with a colon after the first."""
    node = outline.nodes[index]
    if not 0 < node.last - node.first <= 4 or any(outline.nodes[j].tag == "li" for j in children):
        return
    text = _text(outline, index)
    match = _LINE.fullmatch(text)
    if any(outline.nodes[j].is_block for j in children):
        first = _text(outline, children[0]) if len(children) == 2 else ""
        match = match if match and first.rstrip(_COLONS) == match[1] else None
    if match and "://" not in text[: len(match[1]) + 4]:
        yield _pair(match[1], match[2])


def _children(outline: Outline) -> list[list[int]]:
    """For each node those directly below it that have text."""
    found: list[list[int]] = [[] for _ in outline.nodes]
    for i, node in enumerate(outline.nodes):
        if node.parent >= 0 and node.first < node.last:
            found[node.parent].append(i)
    return found


def _text(outline: Outline, index: int) -> str:
    node = outline.nodes[index]
    if not 0 < node.last - node.first <= _MOST_LEAVES:
        return ""
    return " ".join(outline.text(node).split())


def _pair(label: str, value: str) -> Pair:
    label = label.rstrip(_COLONS)
    is_short = len(label) <= _LONGEST_LABEL and len(value) <= _LONGEST_VALUE
    return Pair(label, value) if is_short and _is_attribute(label, value) else Pair("", "")


def _is_attribute(label: str, value: str) -> bool:
    """Whether a label has a letter and is no question, and the value is no question, no phone
    number and not only signs."""
    if not any(map(str.isalpha, label)) or _NO_LABEL.search(label) or value.endswith("?"):
        return False
    if len(label) == 1 and not any(map(str.isdigit, value)):  # the A of an answer, no measure
        return False
    is_phone = _PHONE_LABEL.fullmatch(label) and _PHONE.fullmatch(value)
    return not is_phone and bool(_SAYS_SOMETHING.search(value))
