"""The values in records, by record internal path, with their labels."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
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
MAX_LABEL_LENGTH = 40
MAX_HEAD_CELLS = 50
MAX_LABEL_LEAVES = 10
#: Elements from a row up to its table.
MAX_STEPS_TO_TABLE = 5
#: A label and a colon that start a text.
_START = re.compile(r"([^\d\W][^:\uff1a]{0,39})[:\uff1a]\s+(?=\S)")
_END = re.compile(r"([^\d\W][^:\uff1a]{0,38})\s?[:\uff1a]")
_ITEMPROP = re.compile(r"\[itemprop=([^\[\]]+)\]")
_CELLS = frozenset(("td", "th"))
_COLONS = frozenset((":", "\uff1a"))


class LabelReader:
    """Finds the labels in one record."""

    def __init__(self, outline: Outline, inner_nodes: Sequence[Inner]) -> None:
        self._outline = outline
        firsts = [outline.nodes[node].first for node, _ in inner_nodes]
        self._first_leaf = min(firsts, default=0)
        self._labels: dict[int, str] = {}  # by element, for all that is in it
        self._leaf_labels: dict[int, str] = {}  # by leaf, of texts that begin with a colon
        self._label_nodes: set[int] = set()  # elements that are labels, and all that is in them

        children_of: dict[int, list[int]] = defaultdict(list)
        for node, _ in inner_nodes:
            parent = outline.nodes[node].parent
            children_of[parent].append(node)
        for children in children_of.values():
            self._read_list(children)
            self._read_row(children)
        if inner_nodes:
            record = inner_nodes[0].node
            children = children_of.get(record, [])
            self._read_columns(record, children)

        self._read_colons(inner_nodes)

        for node, _ in inner_nodes:
            parent = outline.nodes[node].parent
            if parent in self._label_nodes:
                self._label_nodes.add(node)
            if parent in self._labels:
                label = self._labels[parent]
                self._labels.setdefault(node, label)

    def _read_list(self, children: Sequence[int]) -> None:
        """Each ``dd`` has the label of the ``dt`` before it, unless that is the only one for
        several, or has a link: forums write the names of authors so."""
        nodes = self._outline.nodes
        tags = [nodes[child].tag for child in children]
        is_heading = tags.count("dt") == 1 and tags.count("dd") > 1
        label = ""
        for child, tag in zip(children, tags, strict=True):
            if tag == "dt":
                label = ""
                if not is_heading and not self._is_linked(child):
                    label = _clean_label(self._read_text(child))
                    self._label_nodes.add(child)
            elif tag == "dd" and label:
                self._labels[child] = label

    def _read_row(self, children: Sequence[int]) -> None:
        """Of two cells the first is the label of the second if it is a head or ends with a
        colon."""
        nodes = self._outline.nodes
        cells = [child for child in children if nodes[child].tag in _CELLS]
        if len(cells) != 2:
            return
        first, second = cells
        text = self._read_text(first)
        is_head = nodes[first].tag == "th" and nodes[second].tag == "td"
        if text and (is_head or _END.fullmatch(text)):
            self._labels[second] = _clean_label(text)
            self._label_nodes.add(first)

    def _read_columns(self, row: int, children: Sequence[int]) -> None:
        """The cells of a record that is a row have the heads of their columns."""
        heads = find_heads(self._outline, row)
        if not heads:
            return
        taken_columns = {column for column, _ in find_spanned(self._outline, row)}
        column = 0
        for child in children:
            node = self._outline.nodes[child]
            if node.tag not in _CELLS:
                continue
            while column in taken_columns:
                column += 1
            if column >= len(heads):
                return
            self._labels.setdefault(child, heads[column])
            column += read_span(node)

    def _read_colons(self, inner_nodes: Sequence[Inner]) -> None:
        """What stands before a text that begins with a colon is its label: ``<b>A</b>: B``."""
        for node, _ in inner_nodes:
            first = self._outline.nodes[node].first
            last = self._outline.nodes[node].last
            if last - first != 1 or last >= len(self._outline.leaves):
                continue
            next_leaf = self._outline.leaves[last]
            starts_with_colon = next_leaf.text.lstrip()[:1] in _COLONS
            is_beside = next_leaf.node == self._outline.nodes[node].parent
            text = self._outline.lines[first]
            if starts_with_colon and is_beside and _clean_label(text):
                self._label_nodes.add(node)
                self._leaf_labels[last] = _clean_label(text)

    def _is_linked(self, node: int) -> bool:
        end = min(self._outline.ends[node], node + MAX_LABEL_LEAVES)
        nodes_inside = self._outline.nodes[node + 1 : end]
        return any(below.tag == "a" for below in nodes_inside)

    def _read_text(self, node: int) -> str:
        return self._outline.line(node, MAX_LABEL_LEAVES)

    def is_label(self, node: int, text: str) -> bool:
        """Whether a text of an element is the label of another one."""
        return node in self._label_nodes or _END.fullmatch(text) is not None

    def label_of(
        self,
        node: int,
        path: str,
        leaf: int,
    ) -> str:
        """The label of the value in an element that starts with a leaf: its microdata name, the
        head of its list or row, or the text with a colon before it; ``""`` if there is none."""
        _, _, last_step = path.rpartition(" ")
        microdata = _ITEMPROP.search(last_step)
        if microdata:
            return microdata[1]
        if leaf in self._leaf_labels:
            return self._leaf_labels[leaf]
        if node in self._labels:
            return self._labels[node]
        if leaf <= self._first_leaf:
            return ""
        text_before = self._outline.leaves[leaf - 1].text.strip()
        if not _END.fullmatch(text_before):
            return ""
        return _clean_label(text_before)


def find_start(text: str) -> str:
    """The label that a text starts with; ``""`` if there is none.

    >>> find_start("Price: 3 EUR"), find_start("At 10:30"), find_start("Price:")
    ('Price', '', '')
    """
    match = _START.match(text)
    if match:
        return match[1].strip()
    return ""


def strip_label(text: str, label: str) -> str:
    """The text without its label.

    >>> strip_label("Price: 3 EUR", "Price"), strip_label("3 EUR", "Price")
    ('3 EUR', '3 EUR')
    """
    if not label:
        return text
    if text[:1] in _COLONS:
        return text[1:].lstrip()
    match = _START.match(text)
    if match is None or match[1].strip() != label:
        return text
    return text[match.end() :]


def find_heads(outline: Outline, row: int) -> list[str]:
    """The heads of the columns of a row's table; empty if its first row is not one of heads only,
    or the row itself."""
    if outline.nodes[row].tag != "tr":
        return []
    ancestors = islice(outline.path(row), MAX_STEPS_TO_TABLE)
    table = _find_tag(outline, "table", ancestors)
    if table is None:
        return []
    first_row = _find_tag(outline, "tr", range(table, row))
    if first_row is None:
        return []

    parent = outline.nodes[first_row].parent
    is_in_head = outline.nodes[parent].tag == "thead"
    # Bold cells are a head only if those of the row are not.
    may_be_bold = not all(_is_bold(outline, cell) for cell in outline.children(row))
    heads: list[str] = []
    cell = first_row + 1
    while cell < outline.ends[first_row] and len(heads) < MAX_HEAD_CELLS:
        is_head = outline.nodes[cell].tag == "th" or is_in_head
        if not is_head and not (may_be_bold and _is_bold(outline, cell)):
            return []
        head = _clean_label(outline.line(cell, MAX_LABEL_LEAVES))
        heads += [head] * read_span(outline.nodes[cell])
        cell = outline.ends[cell]
    if len(heads) > 1:
        return heads
    return []


def find_spanned(outline: Outline, row: int) -> Sequence[tuple[int, int]]:
    """The columns of a row, from 0, that cells of rows before it take up (``rowspan``), each with
    its cell.  Cost: one pass over the page, once."""
    return _find_all_spanned(outline).get(row, ())


@lru_cache(maxsize=4)
def _find_all_spanned(outline: Outline) -> dict[int, list[tuple[int, int]]]:
    spanned: dict[int, list[tuple[int, int]]] = {}
    tables = {node.parent for node in outline.nodes if node.element.get("rowspan")}
    sections = {outline.nodes[row].parent for row in tables if outline.nodes[row].tag == "tr"}
    for section in sorted(sections):
        # By column: the cell, and the rows that it still takes up.
        active: dict[int, tuple[int, int]] = {}
        for row in outline.children(section):
            if outline.nodes[row].tag != "tr":
                continue
            taken = {column: cell for column, (cell, rows) in active.items() if rows > 0}
            active = {column: (cell, rows - 1) for column, (cell, rows) in active.items()}
            if taken:
                spanned[row] = sorted(taken.items())
            column = 0
            for cell in islice(outline.children(row), MAX_HEAD_CELLS):
                node = outline.nodes[cell]
                if node.tag not in _CELLS:
                    continue
                while column in taken:
                    column += 1
                rows = read_span(node, "rowspan")
                width = read_span(node)
                if rows > 1:
                    for place in range(column, min(column + width, MAX_HEAD_CELLS)):
                        active[place] = (cell, rows - 1)
                column += width
    return spanned


def _is_bold(outline: Outline, cell: int) -> bool:
    """Whether all text of a cell is bold."""
    inner = outline.inner[cell]
    return inner >= 0 and outline.nodes[inner].tag in ("b", "strong")


def _find_tag(
    outline: Outline,
    tag: str,
    nodes: Iterable[int],
) -> int | None:
    """The first of the nodes with this tag."""
    for node in nodes:
        if outline.nodes[node].tag == tag:
            return node
    return None


def read_span(node: Node, attribute: str = "colspan") -> int:
    """The number of columns of a cell, or of its rows (``rowspan``), from 1 to 99."""
    text = node.element.get(attribute)
    if text and re.fullmatch(r"[1-9]\d?", text, re.ASCII):
        return int(text)
    return 1


def _clean_label(text: str) -> str:
    """A label without its colon; ``""`` if it is too long for one."""
    label = text.rstrip(" :\uff1a")
    has_letters = any(map(str.isalpha, label))
    if has_letters and len(label) <= MAX_LABEL_LENGTH:
        return label
    return ""


#: Characters of the longest value, which is cut, and leaves that are read of it.
MAX_VALUE_LENGTH = 500
MAX_VALUE_LEAVES = 50
#: Attributes of elements that hold values.
_VALUE_ATTRIBUTES = {
    "time": "datetime",
    "a": "href",
    "img": "src",
    "abbr": "title",
    "meta": "content",
}
#: What ends the key of a link to an earlier record of the page, and is its path: such links count
#: wherever they are.
REPLY = "@reply"
_COLUMN = re.compile(r"(?:\+tr[^ ]* )?t[dh]\[(\d+)\](?: |$)")
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


def read_cells(page: Page, inner_nodes: Sequence[Inner]) -> Iterator[ValueCell]:
    """The values of a record: texts of elements, and of attributes that hold dates, links and
    images.  Texts that are labels of others are left out."""
    outline = page.outline
    labels = LabelReader(outline, inner_nodes)
    keys = _write_keys(outline, inner_nodes)
    for (index, path), key in zip(inner_nodes, keys, strict=True):
        node = outline.nodes[index]
        for text, label in _read_texts(outline, index, path, labels):
            if not labels.is_label(index, text):
                yield ValueCell(path, key, text, label)

        name = _VALUE_ATTRIBUTES.get(node.tag) or _dated_title(node.element)
        if not name:
            continue
        value = _read_attribute(page, index, name)
        if value:
            label = labels.label_of(index, path, node.first)
            yield ValueCell(path, f"{key} @{name}".strip(), value, label)


def _dated_title(element: Element) -> str:
    """``title`` if that attribute has a date, as some pages write beside "2 days ago"."""
    title = element.get("title") or ""
    is_date = looks_like_date(title) and _FULL_YEAR.search(title)
    return "title" if is_date else ""


def column_of(key: str) -> str:
    """The name of the column that a key begins with; ``""`` if it begins with none.

    >>> column_of("td[2] a"), column_of("td[1] b"), column_of("td[class=price]")
    ('column 2', 'column 1', '')
    """
    match = _COLUMN.match(key)
    if match is None:
        return ""
    row = "next row, " if key.startswith("+") else ""
    return f"{row}column {match[1]}"


def _write_keys(
    outline: Outline,
    inner_nodes: Sequence[Inner],
) -> Iterator[str]:
    """The paths, with the column of each cell of a table that has no attribute to distinguish it
    from the others in its row."""
    keys: dict[int, str] = {}
    next_columns: dict[int, int] = {}  # by row
    for index, path in inner_nodes:
        node = outline.nodes[index]
        parent_key = keys.get(node.parent)
        if parent_key is None:
            keys[index] = path
            yield path
            continue

        _, _, step = path.rpartition(" ")
        if step in _CELLS and outline.nodes[node.parent].tag == "tr":
            column = next_columns.get(node.parent, 1)
            taken_columns = {taken + 1 for taken, _ in find_spanned(outline, node.parent)}
            while column in taken_columns:
                column += 1
            next_columns[node.parent] = column + read_span(node)
            step = f"{step}[{column}]"
        keys[index] = f"{parent_key} {step}".strip()
        yield keys[index]


def _read_texts(
    outline: Outline,
    index: int,
    path: str,
    labels: LabelReader,
) -> list[tuple[str, str]]:
    """The text of an element without that of others in it, and its label; each of several texts
    apart if one has a label before it."""
    node = outline.nodes[index]
    end = min(node.last, node.first + MAX_VALUE_LEAVES)
    texts = []
    leaf_labels = []
    for number in range(node.first, end):
        leaf = outline.leaves[number]
        if leaf.node != index:
            continue
        line = " ".join(leaf.text.split())
        texts.append(line[:MAX_VALUE_LENGTH])
        leaf_labels.append(labels.label_of(index, path, number))

    if len(set(leaf_labels)) > 1:
        labelled_texts = []
        for text, label in zip(texts, leaf_labels, strict=True):
            labelled_texts.append((text, label or find_start(text)))
        return labelled_texts

    starts = [find_start(text) for text in texts]
    if len(texts) > 1 and all(starts):
        return list(zip(texts, starts, strict=True))

    joined = " ".join(texts)[:MAX_VALUE_LENGTH]
    if not joined:
        return []
    return [(joined, leaf_labels[0] or find_start(joined))]


def _read_attribute(
    page: Page,
    index: int,
    name: str,
) -> str:
    """The value of an attribute of an element; URLs are absolute, and ``""`` within the page."""
    element = page.outline.nodes[index].element
    if name == "src":
        return image_url(element, page.base_url)
    value = element.get(name) or ""
    value = value.strip()[:MAX_VALUE_LENGTH]
    if name != "href":
        return value
    if not value or value.startswith("#"):
        return ""
    return absolute_url(value, page.base_url)
