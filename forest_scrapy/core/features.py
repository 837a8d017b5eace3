"""What the classifier sees of a segment: 60 numbers, tags, and words of class and id attributes.

Nothing here names a site.  The vocabulary of attribute words and tags comes with the model.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log1p

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.declared import declared_entry
from forest_scrapy.core.page import Page
from forest_scrapy.core.segments import Segment, cut_segments
from forest_scrapy.core.terms import split_words
from forest_scrapy.core.tree import Node

__all__ = ["NUMERIC", "SegmentedPage", "Vocabulary", "attribute_words", "describe", "segment_page"]

#: Ancestors that say what stands in them.
CONTAINERS = (
    "article", "main", "nav", "aside", "footer", "header", "form", "ul", "ol", "li", "table",
    "pre", "code", "blockquote", "figure", "figcaption", "p", "h1", "h2", "h3", "dl", "section",
    "details", "button", "label",
)  # fmt: skip

#: Values of one segment that its neighbours see too.
_SEEN_BY_NEIGHBOURS = 6

#: Names of the numeric features, in their order.
NUMERIC = (
    "length", "words", "link_density", "ends_sentence", "punctuation", "in_title",
    "depth", "place", "place_by_text", "digits", "capitals", "sentences", "share_path",
    "share_block", "share_parent", "share_grandparent", "in_description", "df", "pages",
    "after_h1", "since_h1", "before_last_good", "block_children", "same_path", "page_segments",
    "page_text", "block_text",
    *(f"in_{tag}" for tag in CONTAINERS),
    *(f"{side}_{name}" for side in ("before", "before2", "after", "after2")
      for name in ("length", "words", "link_density", "ends_sentence", "punctuation", "in_title")),
)  # fmt: skip

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PUNCTUATION = re.compile(r"[.,;:!?\u3002\uff0c\uff1b\uff1f\uff01\u3001\u060c\u0964]")
_ENDS = re.compile(r"[.!?\u3002\uff1f\uff01\u0964\u2026:;][\"'\u201d\u2019\u00bb)\]]*$")


@dataclass(frozen=True)
class Vocabulary:
    """Tags and attribute words that have a column of their own."""

    tags: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def width(self) -> int:
        return len(NUMERIC) + 3 * len(self.tags) + len(self.words)


@dataclass(frozen=True)
class SegmentedPage:
    """A page cut into segments; ``texts`` are these, folded, as they are counted over pages."""

    page: Page
    segments: tuple[Segment, ...]
    texts: tuple[str, ...]


def segment_page(page: Page) -> SegmentedPage:
    segments = cut_segments(page.outline)
    return SegmentedPage(page, segments, tuple(s.text.lower() for s in segments))


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
    """One row a segment, ``(segments, vocabulary.width)``.

    ``found_on``: on how many of the template's ``pages`` a segment's folded text stands.
    """
    table = np.zeros((len(page.segments), vocabulary.width), dtype=np.float32)
    if not page.segments:
        return table
    rows = _numeric_rows(page, found_on, pages)
    table[:, : len(NUMERIC)] = rows
    tag_column = {tag: i for i, tag in enumerate(vocabulary.tags)}
    word_column = {word: i for i, word in enumerate(vocabulary.words)}
    tags_from, words_from = len(NUMERIC), len(NUMERIC) + 3 * len(vocabulary.tags)
    words_of = _ancestor_words(page)
    nodes = page.page.outline.nodes
    for row, segment in enumerate(page.segments):
        index = segment.block
        for step in range(3):
            if index < 0:
                break
            column = tag_column.get(str(nodes[index].element.tag))
            if column is not None:
                table[row, tags_from + step * len(vocabulary.tags) + column] = 1
            index = nodes[index].parent
        for word in words_of[segment.block]:
            if word in word_column:
                table[row, words_from + word_column[word]] = 1
    return table


def _ancestor_words(page: SegmentedPage) -> list[frozenset[str]]:
    words: list[frozenset[str]] = []
    for node in page.page.outline.nodes:
        own = attribute_words(node.element.get("class") or "")
        own |= attribute_words(node.element.get("id") or "")
        above = words[node.parent] if node.parent >= 0 else frozenset()
        words.append(above | own if own - above else above)
    return words


def _numeric_rows(
    page: SegmentedPage, found_on: Mapping[str, int], pages: int
) -> list[list[float]]:
    nodes = page.page.outline.nodes
    declared = declared_entry(page.page.root)
    entry = page.page.entry
    title = set(split_words(f"{declared.title} {entry.title if entry else ''}"))
    description = set(split_words(f"{declared.description} {entry.description if entry else ''}"))
    local = [_local_values(segment, title) for segment in page.segments]
    good = [_good_text(s) for s in page.segments]
    all_good, all_text = sum(good) or 1.0, sum(len(s.text) for s in page.segments) or 1
    paths = _paths(page)
    by_path: defaultdict[int, float] = defaultdict(float)
    by_block, by_parent, by_grand = by_path.copy(), by_path.copy(), by_path.copy()
    text_of: Counter[int] = Counter()
    same_path = Counter(paths[s.block] for s in page.segments)
    for segment, value in zip(page.segments, good, strict=True):
        up = _up(nodes, segment.block)
        by_path[paths[segment.block]] += value
        by_block[segment.block] += value
        by_parent[up[1]] += value
        by_grand[up[2]] += value
        text_of[segment.block] += len(segment.text)
    parts = _containers(page)
    h1 = next((i for i, s in enumerate(page.segments) if parts[s.block][_H1]), -1)
    last_good = max((i for i, value in enumerate(good) if value > 80), default=-1)
    rows, seen, n = [], 0, len(page.segments)
    nothing = [0.0] * _SEEN_BY_NEIGHBOURS
    for i, segment in enumerate(page.segments):
        up = _up(nodes, segment.block)
        letters = sum(map(str.isalpha, segment.text)) or 1
        words = set(split_words(segment.text))
        row = [
            *local[i],
            nodes[segment.block].level,
            i / n,
            seen / all_text,
            sum(map(str.isdigit, segment.text)) / len(segment.text),
            sum(map(str.isupper, segment.text)) / letters,
            len(_ENDS.findall(segment.text)) + segment.text.count(". "),
            by_path[paths[segment.block]] / all_good,
            by_block[segment.block] / all_good,
            by_parent[up[1]] / all_good,
            by_grand[up[2]] / all_good,
            len(words & description) / (len(words) or 1),
            (found_on.get(page.texts[i], 1) - 1) / max(pages - 1, 1),
            min(pages, 10),
            float(0 <= h1 < i),
            (i - h1) / n if h1 >= 0 else -1.0,
            float(i <= last_good),
            log1p(nodes[segment.block].last - nodes[segment.block].first),
            log1p(same_path[paths[segment.block]]),
            log1p(n),
            log1p(all_text),
            log1p(text_of[segment.block]),
            *parts[segment.block],
        ]
        for other in (i - 1, i - 2, i + 1, i + 2):
            row.extend(local[other] if 0 <= other < n else nothing)
        rows.append(row)
        seen += len(segment.text)
    return rows


_H1 = CONTAINERS.index("h1")


def _local_values(segment: Segment, title: set[str]) -> list[float]:
    words = list(split_words(segment.text))
    return [
        log1p(len(segment.text)),
        log1p(len(words)),
        segment.linked / len(segment.text),
        float(bool(_ENDS.search(segment.text))),
        len(_PUNCTUATION.findall(segment.text)) / (len(words) or 1),
        len(title.intersection(words)) / (len(set(words)) or 1),
    ]


def _good_text(segment: Segment) -> float:
    """Characters outside links, of a segment that looks like running text."""
    plain = len(segment.text) - segment.linked
    return float(plain) if plain > 0.5 * len(segment.text) else 0.0


def _up(nodes: Sequence[Node], index: int) -> tuple[int, int, int]:
    parent = nodes[index].parent
    return index, parent, nodes[parent].parent if parent >= 0 else -1


def _paths(page: SegmentedPage) -> list[int]:
    """For each node a number that nodes with the same tag path share."""
    known: dict[tuple[int, str], int] = {}
    paths: list[int] = []
    for node in page.page.outline.nodes:
        step = (paths[node.parent] if node.parent >= 0 else -1, str(node.element.tag))
        paths.append(known.setdefault(step, len(known)))
    return paths


def _containers(page: SegmentedPage) -> list[tuple[float, ...]]:
    """For each node, which of the containers it stands in, itself included."""
    inside: list[tuple[float, ...]] = []
    place = {tag: i for i, tag in enumerate(CONTAINERS)}
    for node in page.page.outline.nodes:
        above = inside[node.parent] if node.parent >= 0 else (0.0,) * len(CONTAINERS)
        column = place.get(str(node.element.tag))
        if column is not None and not above[column]:
            above = (*above[:column], 1.0, *above[column + 1 :])
        inside.append(above)
    return inside
