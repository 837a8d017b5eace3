"""The values in records, by record internal path, with their labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from forest_scrapy.core.document.outline import Outline
from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.tree import Element
from forest_scrapy.core.document.urls import absolute_url, image_url
from forest_scrapy.core.records.attributes.labels import LabelReader, find_start, read_span
from forest_scrapy.core.records.inside import Inner
from forest_scrapy.core.records.regions.prose import looks_like_date

__all__ = ["REPLY", "ValueCell", "column_of", "read_cells"]

#: Characters of the longest value that is kept, and leaves that are read of it.
_LONGEST, _MOST_LEAVES = 500, 50
#: Attributes of elements that hold values.
_HELD = {"time": "datetime", "a": "href", "img": "src", "abbr": "title", "meta": "content"}
#: What ends the key of a link to an earlier record of the page, and is its path: such links count
#: wherever they are.
REPLY = "@reply"
_COLUMN = re.compile(r"t[dh]\[(\d+)\](?: a)?(?: @href)?$")
_CELLS = frozenset(("td", "th"))
_FULL_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


class ValueCell(NamedTuple):
    """A value of a record.

    ``path``: the record internal path of its element; ``key``: what values are clustered by, the
    path with columns and ``@name``; ``label``: what the page calls it.
    """

    path: str
    key: str
    text: str
    label: str = ""


def read_cells(page: Page, inner: Sequence[Inner]) -> Iterator[ValueCell]:
    """The values of a record: texts of elements, and of attributes that hold dates, links and
    images.  Texts that are labels of others are left out."""
    outline = page.outline
    labels = LabelReader(outline, inner)
    for (index, path), key in zip(inner, _write_keys(outline, inner), strict=True):
        node = outline.nodes[index]
        for text, label in _own_texts(outline, index, path, labels):
            if not labels.is_label(index, text):
                yield ValueCell(path, key, text, label)
        name = _HELD.get(node.tag) or _dated_title(node.element)
        if name and (value := _held_value(page, index, name)):
            label = labels.label_of(index, path, node.first)
            yield ValueCell(path, f"{key} @{name}".strip(), value, label)


def _dated_title(element: Element) -> str:
    """``title`` if that attribute has a date, as some pages write beside "2 days ago"."""
    title = element.get("title") or ""
    return "title" if looks_like_date(title) and _FULL_YEAR.search(title) else ""


def column_of(key: str) -> str:
    """The name of the column that a key begins with; ``""`` if it begins with none.

    >>> column_of("td[2] a"), column_of("td[class=price]")
    ('column 2', '')
    """
    found = _COLUMN.match(key)
    return f"column {found[1]}" if found else ""


def _write_keys(outline: Outline, inner: Sequence[Inner]) -> Iterator[str]:
    """The paths, with the column of each cell of a table that has no attribute by which to tell it
    from the others in its row."""
    keys: dict[int, str] = {}
    columns: dict[int, int] = {}  # the next one of each row
    for index, path in inner:
        node = outline.nodes[index]
        above, step = keys.get(node.parent), path.rpartition(" ")[2]
        if above is not None and step in _CELLS and outline.nodes[node.parent].tag == "tr":
            column = columns.get(node.parent, 1)
            columns[node.parent] = column + read_span(node)
            step = f"{step}[{column}]"
        keys[index] = path if above is None else f"{above} {step}".strip()
        yield keys[index]


def _own_texts(
    outline: Outline, index: int, path: str, labels: LabelReader
) -> list[tuple[str, str]]:
    """The text of an element without that of others in it, and its label; each of several texts
    apart if one has a label before it."""
    node = outline.nodes[index]
    leaves = range(node.first, min(node.last, node.first + _MOST_LEAVES))
    own = [i for i in leaves if outline.leaves[i].node == index]
    named = [labels.label_of(index, path, i) for i in own]
    texts = [" ".join(outline.leaves[i].text.split())[:_LONGEST] for i in own]
    if len(set(named)) > 1:
        return [(t, name or find_start(t)) for t, name in zip(texts, named, strict=True)]
    joined = " ".join(texts)[:_LONGEST]
    return [(joined, named[0] or find_start(joined))] if joined else []


def _held_value(page: Page, index: int, name: str) -> str:
    element = page.outline.nodes[index].element
    if name == "src":
        return image_url(element, page.base_url)
    value = (element.get(name) or "").strip()[:_LONGEST]
    if name == "href":
        return absolute_url(value, page.base_url) if value and value[0] != "#" else ""
    return value
