"""The features of a segment: numbers, tags, and words of class and id attributes.

No feature is specific to a site.  The tags and words that have a column come with the model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.document.outline import Node, Outline
from forest_scrapy.core.segments.numeric import NUMERIC, numeric_rows
from forest_scrapy.core.segments.segmentation import SegmentedPage

__all__ = ["Vocabulary", "attribute_words", "describe"]

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True)
class Vocabulary:
    """The tags and attribute words that have a column of their own."""

    tags: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def width(self) -> int:
        """The number of columns: numbers, tags of three elements, words."""
        return len(NUMERIC) + 3 * len(self.tags) + len(self.words)


@lru_cache(maxsize=50_000)
def attribute_words(value: str) -> frozenset[str]:
    """The words of a class or id attribute.

    >>> sorted(attribute_words("postContent entry-content2"))
    ['content', 'entry', 'post']
    """
    return frozenset(w.lower() for w in _WORDS.findall(value) if 2 < len(w) < 16)


def describe(
    page: SegmentedPage, found_on: Mapping[str, int], pages: int, vocabulary: Vocabulary
) -> NDArray[np.float32]:
    """The features of the page's segments, one row each: ``(segments, vocabulary.width)``.

    Columns: the numbers (``NUMERIC``); the tags of the segment's block, of its parent and of its
    grandparent, 0 or 1; the attribute words of the block and all its ancestors, 0 or 1.
    ``found_on``: the number of the template's ``pages`` on which a segment's text is found.
    """
    table = np.zeros((len(page.segments), vocabulary.width), dtype=np.float32)
    if page.segments:
        tags_from, words_from = len(NUMERIC), len(NUMERIC) + 3 * len(vocabulary.tags)
        table[:, :tags_from] = numeric_rows(page, found_on, pages)
        _mark_tags(table[:, tags_from:words_from], page, vocabulary.tags)
        _mark_words(table[:, words_from:], page, vocabulary.words)
    return table


def _mark_tags(columns: NDArray[np.float32], page: SegmentedPage, tags: Sequence[str]) -> None:
    """Write 1 for the tags of each segment's block, of its parent and of its grandparent."""
    column_of, nodes = {tag: i for i, tag in enumerate(tags)}, page.outline.nodes
    for row, segment in enumerate(page.segments):
        for step, index in enumerate(islice(page.outline.path(segment.block), 3)):
            column = column_of.get(nodes[index].tag)
            if column is not None:
                columns[row, step * len(tags) + column] = 1


def _mark_words(columns: NDArray[np.float32], page: SegmentedPage, words: Sequence[str]) -> None:
    """Write 1 for the attribute words of each segment's block and all its ancestors."""
    column_of, words_of = {word: i for i, word in enumerate(words)}, _ancestor_words(page.outline)
    for row, segment in enumerate(page.segments):
        known = [column_of[word] for word in words_of[segment.block] if word in column_of]
        columns[row, known] = 1


def _ancestor_words(outline: Outline) -> list[frozenset[str]]:
    """For each node the attribute words of it and its ancestors."""

    def extend(above: frozenset[str], node: Node) -> frozenset[str]:
        own = attribute_words(node.element.get("class") or "")
        own |= attribute_words(node.element.get("id") or "")
        return above if own <= above else above | own

    return outline.inherit(frozenset(), extend)
