"""What a page calls the values of a record: microdata names, ``dt``, row heads, texts that end with
a colon before them or start them, and heads of columns."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice

from forest_scrapy.core.document.outline import Node, Outline
from forest_scrapy.core.records.inside import Inner

__all__ = ["LabelReader", "find_heads", "find_start", "read_span", "strip_label"]

#: Characters of the longest label, cells of the widest head, and leaves of the largest.
_LONGEST, _MOST_CELLS, _MOST_LEAVES = 40, 50, 10
#: Elements from a row up to its table.
_MOST_ABOVE = 5
#: A label and a colon that start a text.
_START = re.compile(r"([^\d\W][^:\uff1a]{0,39})[:\uff1a]\s+(?=\S)")
_END = re.compile(r"([^\d\W][^:\uff1a]{0,38})\s?[:\uff1a]")
_ITEMPROP = re.compile(r"\[itemprop=([^\]]+)\]")
_CELLS = frozenset(("td", "th"))


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
        below = range(index + 1, min(self._outline.ends[index], index + _MOST_LEAVES))
        return any(self._outline.nodes[i].tag == "a" for i in below)

    def _text(self, index: int, with_colon: bool = False) -> str:
        text = _short_text(self._outline, index)
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
        heads += [_clean(_short_text(outline, i))] * read_span(outline.nodes[i])
        i = outline.ends[i]
    return heads if len(heads) > 1 else []


def read_span(node: Node) -> int:
    """The number of columns of a cell, from 1 to 99."""
    text = node.element.get("colspan")
    return int(text) if text and re.fullmatch(r"[1-9]\d?", text, re.ASCII) else 1


def _short_text(outline: Outline, index: int) -> str:
    node = outline.nodes[index]
    is_short = node.last - node.first <= _MOST_LEAVES
    return " ".join(outline.text(node).split()) if is_short else ""


def _clean(text: str) -> str:
    """A label without its colon; ``""`` if it is too long for one."""
    label = text.rstrip(" :\uff1a")
    return label if len(label) <= _LONGEST and any(map(str.isalpha, label)) else ""
