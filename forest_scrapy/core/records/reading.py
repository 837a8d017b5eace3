"""Reading the text of records, and records that are pairs of attribute and value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from forest_scrapy.core.document.content import NO_CONTENT, Content, join_contents
from forest_scrapy.core.document.content_walk import read_content
from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.text import block_text
from forest_scrapy.core.document.tree import Element
from forest_scrapy.core.methods.vsse_records import read_pairs
from forest_scrapy.core.records.inside import (
    Inner,
    Located,
    is_quote,
    locate_records,
    walk_record,
)
from forest_scrapy.core.records.record import Record, Value
from forest_scrapy.core.records.regions.layout import find_visible

__all__ = ["RecordReader", "read_pair_records"]


class RecordReader:
    """Reads the records of one page."""

    def __init__(self, page: Page, text: Sequence[str], drop: Sequence[str]) -> None:
        self.page, self._text, self._drop = page, text, frozenset(drop)
        self._index = {node.element: i for i, node in enumerate(page.outline.nodes)}
        self._roots: list[int] = []
        self._known: frozenset[int] = frozenset()

    def nodes_of(self, elements: Iterable[Element]) -> list[int]:
        """The visible ones of the elements, by index."""
        visible = find_visible(self.page.outline)
        found = (self._index.get(element) for element in elements)
        return sorted({node for node in found if node is not None and visible[node]})

    def locate(self, nodes: Sequence[int], before: int, after: int) -> list[Located]:
        """The records with these elements, which are those that are read from now on."""
        located = locate_records(self.page.outline, nodes, before, after)
        self._roots = sorted({root for record in located for root, _ in record.roots})
        self._known = frozenset(self._roots)
        return located

    def walk(self, record: Located) -> list[Inner]:
        """The nodes of the record with their internal paths."""
        return list(walk_record(self.page.outline, record, self._known))

    def read_text(self, record: Located, inner: Sequence[Inner]) -> tuple[Content, str]:
        """The text of a record, and what it quotes."""
        nodes = self.page.outline.nodes
        bodies, quotes = [], []
        usual = {step for path in self._text for step in path.split(" ")}
        without = {nodes[i].element for i in self._inner_roots(record)}
        for node, path in inner:
            if path in self._text:
                bodies.append(node)
            elif path in self._drop or is_quote(path, usual):
                without.add(nodes[node].element)
            if is_quote(path, usual):
                quotes.append(node)
        base, outline = self.page.base_url, self.page.outline
        contents = [
            read_content(nodes[node].element, without, base) for node in outline.outermost(bodies)
        ]
        content = join_contents(c for c in contents if c.text) if contents else NO_CONTENT
        quoted = (block_text(nodes[node].element) for node in outline.outermost(quotes))
        return content, "\n".join(text for text in quoted if text)

    def _inner_roots(self, record: Located) -> list[int]:
        """The roots of other records inside those of a record."""
        ends = self.page.outline.ends
        return [
            i
            for root, _ in record.roots
            for i in self._roots[
                bisect_right(self._roots, root) : bisect_left(self._roots, ends[root])
            ]
        ]


def read_pair_records(page: Page) -> list[Record]:
    """The pairs of attribute and value in the page's area of records (Zhang et al. 2018) as
    records.  The paper does not divide them: a name that a record has already begins the next."""
    found: list[dict[str, str]] = []
    for name, text in read_pairs(page):
        if not found or name in found[-1]:
            found.append({})
        found[-1][name] = text
    return [
        Record(
            position,
            "\n".join(f"{name}: {text}" for name, text in pairs.items()),
            values=tuple(Value(name, "text", text) for name, text in pairs.items()),
        )
        for position, pairs in enumerate(found, 1)
    ]
