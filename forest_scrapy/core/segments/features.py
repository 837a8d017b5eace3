"""What the classifier sees of a segment: 77 numbers, tags, and words of class and id attributes.

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

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.terms import split_words
from forest_scrapy.core.document.tree import Node
from forest_scrapy.core.segments.segmentation import Segment, cut_segments

__all__ = ["NUMERIC", "SegmentedPage", "Vocabulary", "attribute_words", "describe", "segment_page"]

#: Ancestors that say what stands in them.
CONTAINERS = (
    "article", "main", "nav", "aside", "footer", "header", "form", "ul", "ol", "li", "table",
    "pre", "code", "blockquote", "figure", "figcaption", "p", "h1", "h2", "h3", "dl", "section",
    "details", "button", "label",
)  # fmt: skip

#: Characters of running text from which a segment surely is some.
_GOOD = 80
#: Text that stands on a page more than once is seldom the article's; how often it does hardly
#: matters then.
_MOST_REPEATS = 5
#: Values of one segment that its neighbours see too.
_SEEN_BY_NEIGHBOURS = 6

#: Names of the numeric features, in their order.
NUMERIC = (
    "length", "words", "link_density", "ends_sentence", "punctuation", "in_title",
    "depth", "place", "place_by_text", "digits", "capitals", "sentences", "share_path",
    "share_block", "share_parent", "share_grandparent", "in_description", "df", "pages",
    "after_h1", "since_h1", "before_last_good", "block_children", "same_path", "page_segments",
    "page_text", "block_text", "repeats",
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
    """The numeric features of each segment, in the order of ``NUMERIC``."""
    title, description = _declared_words(page.page)
    local = [_local_values(segment, title) for segment in page.segments]
    shares = _share_values(page)
    parts = _containers(page)
    places = _place_values(page, [bool(parts[s.block][_H1]) for s in page.segments])
    nothing = [0.0] * _SEEN_BY_NEIGHBOURS
    repeats = Counter(page.texts)
    rows, n = [], len(page.segments)
    for i, segment in enumerate(page.segments):
        words = set(split_words(segment.text))
        in_description = len(words & description) / (len(words) or 1)
        frequency = (found_on.get(page.texts[i], 1) - 1) / max(pages - 1, 1)
        around = [local[j] if 0 <= j < n else nothing for j in (i - 1, i - 2, i + 1, i + 2)]
        before, after = places[i]
        share, size = shares[i]
        row = [*local[i], *before, *_character_values(segment.text), *share]
        row += [in_description, frequency, min(pages, 10), *after, *size]
        row += [min(repeats[page.texts[i]] - 1, _MOST_REPEATS), *parts[segment.block]]
        rows.append(row + [value for values in around for value in values])
    return rows


def _declared_words(page: Page) -> tuple[set[str], set[str]]:
    """Words of the titles and of the descriptions, the page's own and the feed entry's."""
    declared, entry = page.declared, page.entry
    title = split_words(f"{declared.title} {entry.title if entry else ''}")
    description = split_words(f"{declared.description} {entry.description if entry else ''}")
    return set(title), set(description)


def _place_values(
    page: SegmentedPage, in_h1: Sequence[bool]
) -> list[tuple[list[float], list[float]]]:
    """depth to place_by_text, and after_h1 to before_last_good."""
    nodes, n = page.page.outline.nodes, len(page.segments)
    all_text = sum(len(segment.text) for segment in page.segments)
    h1 = next((i for i, is_heading in enumerate(in_h1) if is_heading), -1)
    good = (i for i, segment in enumerate(page.segments) if _good_text(segment) > _GOOD)
    last_good = max(good, default=-1)
    values, seen = [], 0
    for i, segment in enumerate(page.segments):
        before = [float(nodes[segment.block].level), i / n, seen / all_text]
        since = (i - h1) / n if h1 >= 0 else -1.0
        values.append((before, [float(0 <= h1 < i), since, float(i <= last_good)]))
        seen += len(segment.text)
    return values


def _character_values(text: str) -> list[float]:
    """digits, capitals, sentences."""
    letters = sum(map(str.isalpha, text)) or 1
    return [
        sum(map(str.isdigit, text)) / len(text),
        sum(map(str.isupper, text)) / letters,
        float(len(_ENDS.findall(text)) + text.count(". ")),
    ]


def _share_values(page: SegmentedPage) -> list[tuple[list[float], list[float]]]:
    """share_path to share_grandparent, and block_children to block_text."""
    nodes, paths = page.page.outline.nodes, _paths(page)
    good = [_good_text(segment) for segment in page.segments]
    keys = [(("path", paths[s.block]), *_up(nodes, s.block)) for s in page.segments]
    sums: defaultdict[tuple[str, int], float] = defaultdict(float)
    for own, value in zip(keys, good, strict=True):
        for key in own:
            sums[key] += value
    same_path = Counter(paths[segment.block] for segment in page.segments)
    text_of: Counter[int] = Counter()
    for segment in page.segments:
        text_of[segment.block] += len(segment.text)
    all_good, sizes = sum(good) or 1.0, [log1p(len(page.segments)), log1p(text_of.total())]
    values = []
    for segment, own in zip(page.segments, keys, strict=True):
        block = nodes[segment.block]
        size = [log1p(block.last - block.first), log1p(same_path[paths[segment.block]]), *sizes]
        size.append(log1p(text_of[segment.block]))
        values.append(([sums[key] / all_good for key in own], size))
    return values


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


def _up(nodes: Sequence[Node], index: int) -> tuple[tuple[str, int], ...]:
    """The block, its parent and its grandparent (-1 where there is none), as keys."""
    parent = nodes[index].parent
    grandparent = nodes[parent].parent if parent >= 0 else -1
    return ("block", index), ("parent", parent), ("grandparent", grandparent)


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
