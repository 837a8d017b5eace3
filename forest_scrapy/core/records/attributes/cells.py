"""The values in records, by record internal path, with their labels."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from forest_scrapy.core.page.outline import Node, Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.pictures import image_url
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import absolute_url
from forest_scrapy.core.records.record import Inner
from forest_scrapy.core.records.regions.prose import looks_like_date

#: Characters of the longest label, cells of the widest head, and leaves of the largest.
_LONGEST_LABEL, _MOST_CELLS, _MOST_LABEL_LEAVES = 40, 50, 10
#: Elements from a row up to its table.
_MOST_ABOVE = 5
#: A label and a colon that start a text.
_START = re.compile(r"([^\d\W][^:\uff1a]{0,39})[:\uff1a]\s+(?=\S)")
_END = re.compile(r"([^\d\W][^:\uff1a]{0,38})\s?[:\uff1a]")
_ITEMPROP = re.compile(r"\[itemprop=([^\]]+)\]")


class LabelReader:
    """Finds the labels in one record."""

    def __init__(self, outline: Outline, inner: Sequence[Inner]) -> None:
        self._outline = outline
        self._first = min((outline.nodes[index].first for index, _ in inner), default=0)
        self._labels: dict[int, str] = {}  # by element, for all that is in it
        self._heads: set[int] = set()  # elements that are labels, and all that is in them
        children: dict[int, list[int]] = defaultdict(list)
        for index, _ in inner:
            children[outline.nodes[index].parent].append(index)
        for own in children.values():
            self._read_list(own)
            self._read_row(own)
        if inner:
            self._read_columns(inner[0].node, children.get(inner[0].node, ()))
        for index, _ in inner:
            parent = outline.nodes[index].parent
            if parent in self._heads:
                self._heads.add(index)
            if parent in self._labels:
                self._labels.setdefault(index, self._labels[parent])

    def _read_list(self, children: Sequence[int]) -> None:
        """Each ``dd`` has the label of the ``dt`` before it, unless that is the only one for
        several, or has a link: forums write the names of authors so."""
        label = ""
        tags = [self._outline.nodes[index].tag for index in children]
        is_head = tags.count("dt") == 1 and tags.count("dd") > 1
        for index, tag in zip(children, tags, strict=True):
            if tag == "dt" and (is_head or self._is_linked(index)):
                label = ""
            elif tag == "dt":
                label = self._text(index)
                self._heads.add(index)
            elif tag == "dd" and label:
                self._labels[index] = label

    def _read_row(self, children: Sequence[int]) -> None:
        """Of two cells the first is the label of the second if it is a head or ends with a
        colon."""
        cells = [index for index in children if self._outline.nodes[index].tag in _CELLS]
        if len(cells) == 2:
            first, second = (self._outline.nodes[index].tag for index in cells)
            text = self._text(cells[0], with_colon=True)
            if text and ((first, second) == ("th", "td") or _END.fullmatch(text)):
                self._labels[cells[1]] = _clean(text)
                self._heads.add(cells[0])

    def _read_columns(self, row: int, children: Sequence[int]) -> None:
        """The cells of a record that is a row have the heads of their columns."""
        heads, column = find_heads(self._outline, row), 0
        for index in children if heads else ():
            if self._outline.nodes[index].tag in _CELLS and column < len(heads):
                self._labels.setdefault(index, heads[column])
                column += read_span(self._outline.nodes[index])

    def _is_linked(self, index: int) -> bool:
        below = range(index + 1, min(self._outline.ends[index], index + _MOST_LABEL_LEAVES))
        return any(self._outline.nodes[i].tag == "a" for i in below)

    def _text(self, index: int, with_colon: bool = False) -> str:
        text = self._outline.line(index, _MOST_LABEL_LEAVES)
        return text if with_colon else _clean(text)

    def is_label(self, index: int, text: str) -> bool:
        """Whether a text of an element is the label of another one."""
        return index in self._heads or _END.fullmatch(text) is not None

    def label_of(self, index: int, path: str, leaf: int) -> str:
        """The label of the value in an element that starts with a leaf: its microdata name, the
        head of its list or row, or the text with a colon before it; ``""`` if there is none."""
        if named := _ITEMPROP.findall(path.rpartition(" ")[2]):
            return str(named[0])
        if index in self._labels:
            return self._labels[index]
        before = self._outline.leaves[leaf - 1].text.strip() if leaf > self._first else ""
        return _clean(before) if _END.fullmatch(before) else ""


def find_start(text: str) -> str:
    """The label that a text starts with; ``""`` if there is none.

    >>> find_start("Price: 3 EUR"), find_start("At 10:30"), find_start("Price:")
    ('Price', '', '')
    """
    found = _START.match(text)
    return found[1].strip() if found else ""


def strip_label(text: str, label: str) -> str:
    """The text without its label.

    >>> strip_label("Price: 3 EUR", "Price"), strip_label("3 EUR", "Price")
    ('3 EUR', '3 EUR')
    """
    found = _START.match(text) if label else None
    return text[found.end() :] if found and found[1].strip() == label else text


def find_heads(outline: Outline, row: int) -> list[str]:
    """The heads of the columns of a row's table; empty if its first row is not one of heads only,
    or the row itself."""
    if outline.nodes[row].tag != "tr":
        return []
    above = islice(outline.path(row), _MOST_ABOVE)
    table = next((i for i in above if outline.nodes[i].tag == "table"), -1)
    if table < 0:
        return []
    first = next(i for i in range(table, row + 1) if outline.nodes[i].tag == "tr")
    heads: list[str] = []
    i, end = first + 1, outline.ends[first]
    while first != row and i < end and len(heads) < _MOST_CELLS:
        if outline.nodes[i].tag != "th":
            return []
        heads += [_clean(outline.line(i, _MOST_LABEL_LEAVES))] * read_span(outline.nodes[i])
        i = outline.ends[i]
    return heads if len(heads) > 1 else []


def read_span(node: Node) -> int:
    """The number of columns of a cell, from 1 to 99."""
    text = node.element.get("colspan")
    return int(text) if text and re.fullmatch(r"[1-9]\d?", text, re.ASCII) else 1


def _clean(text: str) -> str:
    """A label without its colon; ``""`` if it is too long for one."""
    label = text.rstrip(" :\uff1a")
    return label if len(label) <= _LONGEST_LABEL and any(map(str.isalpha, label)) else ""


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
