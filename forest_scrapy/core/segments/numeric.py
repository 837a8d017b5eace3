"""The numeric features of a segment."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log1p

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.terms import split_words
from forest_scrapy.core.document.tree import Node, Outline
from forest_scrapy.core.segments.segmentation import Segment, SegmentedPage

__all__ = ["NUMERIC", "numeric_rows"]

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: Ancestors that describe the role of what they contain.
_CONTAINERS = (
    "article", "main", "nav", "aside", "footer", "header", "form", "ul", "ol", "li", "table",
    "pre", "code", "blockquote", "figure", "figcaption", "p", "h1", "h2", "h3", "dl", "section",
    "details", "button", "label",
)  # fmt: skip
_H1 = _CONTAINERS.index("h1")
#: Characters outside links that make a segment running text.
_GOOD = 80
#: Repeats of a text on its page are counted up to this number.
_MOST_REPEATS = 5
#: Pages of the template are counted up to this number.
_MOST_PAGES = 10

_LOCAL = ("length", "words", "link_density", "ends_sentence", "punctuation", "in_title")
#: Names of the numeric features, in their order.
NUMERIC = (
    *_LOCAL,
    "depth", "position", "position_by_text",
    "digits", "capitals", "sentences",
    "share_path", "share_block", "share_parent", "share_grandparent",
    "in_description", "df", "pages",
    "after_h1", "since_h1", "before_last_good",
    "block_children", "same_path", "page_segments", "page_text", "block_text",
    "repeats",
    *(f"in_{tag}" for tag in _CONTAINERS),
    *(f"{side}_{name}" for side in ("before", "before2", "after", "after2") for name in _LOCAL),
)  # fmt: skip

_PUNCTUATION = re.compile(r"[.,;:!?\u3002\uff0c\uff1b\uff1f\uff01\u3001\u060c\u0964]")
_ENDS = re.compile(r"[.!?\u3002\uff1f\uff01\u0964\u2026:;][\"'\u201d\u2019\u00bb)\]]*$")


def numeric_rows(page: SegmentedPage, found_on: Mapping[str, int], pages: int) -> list[list[float]]:
    """The values of ``NUMERIC`` for each segment of a page that has some.

    ``found_on``: the number of the template's ``pages`` on which a segment's text is found.
    """
    title, description = _declared_words(page.page)
    local = [_local_values(segment, title) for segment in page.segments]
    paths = _path_numbers(page.outline)
    shares, sizes = _share_values(page, paths), _size_values(page, paths)
    containers = _containers(page.outline)
    headings = [bool(containers[segment.block][_H1]) for segment in page.segments]
    positions, orders = _position_values(page), _order_values(page, headings)
    nothing = [0.0] * len(_LOCAL)
    repeats = Counter(page.texts)
    rows, n = [], len(page.segments)
    for i, segment in enumerate(page.segments):
        words = set(split_words(segment.text))
        in_description = len(words & description) / (len(words) or 1)
        frequency = (found_on.get(page.texts[i], 1) - 1) / max(pages - 1, 1)
        around = [local[j] if 0 <= j < n else nothing for j in (i - 1, i - 2, i + 1, i + 2)]
        row = [*local[i], *positions[i], *_character_values(segment.text), *shares[i]]
        row += [in_description, frequency, min(pages, _MOST_PAGES), *orders[i], *sizes[i]]
        row += [min(repeats[page.texts[i]] - 1, _MOST_REPEATS), *containers[segment.block]]
        rows.append(row + [value for values in around for value in values])
    return rows


def _declared_words(page: Page) -> tuple[set[str], set[str]]:
    """Words of the titles and of the descriptions that the page and its feed entry declare."""
    declared, entry = page.declared, page.entry
    title = split_words(f"{declared.title} {entry.title if entry else ''}")
    description = split_words(f"{declared.description} {entry.description if entry else ''}")
    return set(title), set(description)


def _local_values(segment: Segment, title: set[str]) -> list[float]:
    """length to in_title."""
    words = list(split_words(segment.text))
    return [
        log1p(len(segment.text)),
        log1p(len(words)),
        segment.linked / len(segment.text),
        float(bool(_ENDS.search(segment.text))),
        len(_PUNCTUATION.findall(segment.text)) / (len(words) or 1),
        len(title.intersection(words)) / (len(set(words)) or 1),
    ]


def _position_values(page: SegmentedPage) -> list[list[float]]:
    """depth, position and position_by_text."""
    nodes, n = page.outline.nodes, len(page.segments)
    all_text = sum(len(segment.text) for segment in page.segments)
    values, seen = [], 0
    for i, segment in enumerate(page.segments):
        values.append([float(nodes[segment.block].level), i / n, seen / all_text])
        seen += len(segment.text)
    return values


def _character_values(text: str) -> list[float]:
    """digits, capitals and sentences."""
    letters = sum(map(str.isalpha, text)) or 1
    return [
        sum(map(str.isdigit, text)) / len(text),
        sum(map(str.isupper, text)) / letters,
        float(len(_ENDS.findall(text)) + text.count(". ")),
    ]


def _share_values(page: SegmentedPage, paths: Sequence[int]) -> list[list[float]]:
    """share_path to share_grandparent: shares of the page's running text in segments with the
    same tag path, block, parent or grandparent."""
    nodes = page.outline.nodes
    good = [_good_text(segment) for segment in page.segments]
    keys = [(("path", paths[s.block]), *_block_keys(nodes, s.block)) for s in page.segments]
    sums: defaultdict[tuple[str, int], float] = defaultdict(float)
    for own, value in zip(keys, good, strict=True):
        for key in own:
            sums[key] += value
    all_good = sum(good) or 1.0
    return [[sums[key] / all_good for key in own] for own in keys]


def _block_keys(nodes: Sequence[Node], index: int) -> tuple[tuple[str, int], ...]:
    """The block, its parent and its grandparent (-1 if there is none)."""
    parent = nodes[index].parent
    grandparent = nodes[parent].parent if parent >= 0 else -1
    return ("block", index), ("parent", parent), ("grandparent", grandparent)


def _order_values(page: SegmentedPage, in_h1: Sequence[bool]) -> list[list[float]]:
    """after_h1, since_h1 and before_last_good."""
    n = len(page.segments)
    h1 = next((i for i, is_heading in enumerate(in_h1) if is_heading), -1)
    good = (i for i, segment in enumerate(page.segments) if _good_text(segment) > _GOOD)
    last_good = max(good, default=-1)
    return [
        [float(0 <= h1 < i), (i - h1) / n if h1 >= 0 else -1.0, float(i <= last_good)]
        for i in range(n)
    ]


def _size_values(page: SegmentedPage, paths: Sequence[int]) -> list[list[float]]:
    """block_children to block_text, as logarithms."""
    nodes = page.outline.nodes
    same_path = Counter(paths[segment.block] for segment in page.segments)
    text_of: Counter[int] = Counter()
    for segment in page.segments:
        text_of[segment.block] += len(segment.text)
    of_page = [log1p(len(page.segments)), log1p(text_of.total())]
    values = []
    for segment in page.segments:
        block, same = nodes[segment.block], same_path[paths[segment.block]]
        of_block = log1p(text_of[segment.block])
        values.append([log1p(block.last - block.first), log1p(same), *of_page, of_block])
    return values


def _good_text(segment: Segment) -> float:
    """The characters outside links, if these are most of the segment, else 0."""
    plain = len(segment.text) - segment.linked
    return float(plain) if plain > 0.5 * len(segment.text) else 0.0


def _path_numbers(outline: Outline) -> list[int]:
    """For each node a number that nodes with the same tag path share."""
    known: dict[tuple[int, str], int] = {}
    return outline.inherit(-1, lambda above, node: known.setdefault((above, node.tag), len(known)))


def _containers(outline: Outline) -> list[tuple[float, ...]]:
    """For each node, 1 for each of the containers that it is or is in, else 0."""
    column_of = {tag: i for i, tag in enumerate(_CONTAINERS)}

    def extend(above: tuple[float, ...], node: Node) -> tuple[float, ...]:
        column = column_of.get(node.tag)
        if column is None or above[column]:
            return above
        return (*above[:column], 1.0, *above[column + 1 :])

    return outline.inherit((0.0,) * len(_CONTAINERS), extend)
