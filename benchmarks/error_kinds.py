"""The kinds of extraction errors on a page: which segments were wrongly kept or left out, and why
they are hard."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from benchmarks.examples import label_segments
from benchmarks.scores import find_words, score_text
from forest_scrapy.core import Page
from forest_scrapy.core.page.outline import Node, Outline, find_hidden
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page

#: From the most specific kind to the least: a segment counts as the first that it fits.
KINDS = ("hidden", "markup", "caption", "list", "beyond", "inside", "missing", "rewritten")
#: A segment is in the gold text, or in the extracted text, from this share of its word 2-grams on.
CONTENT_SHARE = 0.6
#: Siblings with the same tag and class from which an element is part of a list.
_LEAST_SIBLINGS = 3
#: Tags that repeat in running text.
_RUNNING = frozenset(("p", "br", "h2", "h3", "h4", "span", "a", "em", "strong", "b", "i", "body"))

_MARKUP = re.compile(r"</?[a-z][a-z0-9]*[ >/]|[{;]\s*\}|\bfunction\s*\(|&lt;/?[a-z]")
_CAPTION = re.compile(r"caption|credit|gallery|slide|carousel|copyright", re.IGNORECASE)


def divide_error(page: Page, gold: str, text: str) -> dict[str, float]:
    """The error of an extracted text, 1 - F1, divided among ``KINDS``.

    Each kind gets a part in proportion to the word 2-grams of its segments: those in the text but
    not in the gold text (extra), and those in the gold text but not in the text (``missing``).
    ``rewritten`` is what no segment of the page explains: gold texts that differ from the page.
    """
    error = 1 - score_text(gold, text).f1
    segmented = segment_page(page)
    wanted = [share >= CONTENT_SHARE for share in label_segments(segmented, gold)]
    given = [share >= CONTENT_SHARE for share in label_segments(segmented, text)]
    kinds = kinds_of_extra(segmented, wanted)
    gold_pairs, text_pairs = word_pairs(gold), word_pairs(text)
    amounts: Counter[str] = Counter()
    for i, segment in enumerate(segmented.segments):
        own = word_pairs(segment.text)
        if given[i] and not wanted[i]:
            amounts[kinds[i]] += len((own & text_pairs) - gold_pairs)
        elif wanted[i] and not given[i]:
            amounts["missing"] += len((own & gold_pairs) - text_pairs)
    seen = {pair for segment in segmented.segments for pair in word_pairs(segment.text)}
    amounts["hidden"] = len((hidden_pairs(page) & text_pairs) - gold_pairs - seen)
    explained, total = amounts.total(), len(gold_pairs ^ text_pairs)
    amounts["rewritten"] = max(total - explained, 0)
    whole = amounts.total() or 1
    return {kind: error * amounts[kind] / whole for kind in KINDS}


def hidden_pairs(page: Page) -> set[tuple[str, str]]:
    """The word 2-grams of hidden elements, which are in no segment."""
    return word_pairs("\n".join(block_text(element) for element in find_hidden(page.root)))


def word_pairs(text: str) -> set[tuple[str, str]]:
    """The word 2-grams of a text; of a single word, the word twice."""
    words = find_words(text)
    return set(pairwise(words)) or {(word, word) for word in words}


def kinds_of_extra(page: SegmentedPage, wanted: Sequence[bool]) -> list[str]:
    """The kind of each segment, if it is wrongly kept."""
    outline = page.outline
    last = max((i for i, is_wanted in enumerate(wanted) if is_wanted), default=-1)
    blocks = {page.segments[i].block for i, is_wanted in enumerate(wanted) if is_wanted}
    captions = _inherit_flag(outline, _is_caption)
    listed = _list_nodes(outline, {n for block in blocks for n in outline.path(block)})
    return [
        "markup"
        if _MARKUP.search(segment.text)
        else "caption"
        if captions[segment.block]
        else "list"
        if listed[segment.block]
        else "beyond"
        if i > last
        else "inside"
        for i, segment in enumerate(page.segments)
    ]


def _inherit_flag(outline: Outline, test: Callable[[Node], bool]) -> list[bool]:
    """For each node whether the test is true of it or of a node that contains it."""
    return outline.inherit(False, lambda above, node: above or test(node))


def _is_caption(node: Node) -> bool:
    names = f"{node.element.get('class', '')} {node.element.get('id', '')}"
    return node.tag in ("figure", "figcaption") or _CAPTION.search(names) is not None


def _list_nodes(outline: Outline, around: Collection[int]) -> list[bool]:
    """For each node whether it is in an element of a list that has no gold text below it."""
    keys = [(n.parent, n.tag, n.element.get("class", "")) for n in outline.nodes]
    counts = Counter(keys)
    found: list[bool] = []
    for i, node in enumerate(outline.nodes):
        repeats = counts[keys[i]] >= _LEAST_SIBLINGS and node.tag not in _RUNNING
        found.append((repeats and i not in around) or (node.parent >= 0 and found[node.parent]))
    return found
