"""The features of a segment: numbers, tags, and words of class and id attributes.

No feature is specific to a site.  The tags and words that have a column come with the model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.document.tree import Node, Outline
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
    if not page.segments:
        return table
    table[:, : len(NUMERIC)] = numeric_rows(page, found_on, pages)
    tag_column = {tag: i for i, tag in enumerate(vocabulary.tags)}
    word_column = {word: i for i, word in enumerate(vocabulary.words)}
    tags_from, words_from = len(NUMERIC), len(NUMERIC) + 3 * len(vocabulary.tags)
    words_of = _ancestor_words(page.outline)
    nodes = page.outline.nodes
    for row, segment in enumerate(page.segments):
        index = segment.block
        for step in range(3):
            if index < 0:
                break
            column = tag_column.get(nodes[index].tag)
            if column is not None:
                table[row, tags_from + step * len(vocabulary.tags) + column] = 1
            index = nodes[index].parent
        for word in words_of[segment.block]:
            if word in word_column:
                table[row, words_from + word_column[word]] = 1
    return table


def _ancestor_words(outline: Outline) -> list[frozenset[str]]:
    """For each node the attribute words of it and its ancestors."""

    def extend(above: frozenset[str], node: Node) -> frozenset[str]:
        own = attribute_words(node.element.get("class") or "")
        own |= attribute_words(node.element.get("id") or "")
        return above if own <= above else above | own

    return outline.inherit(frozenset(), extend)
