"""The kinds of extraction errors on a page: which segments were wrongly kept or left out, and why
they are hard."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from benchmarks.sets.examples import label_segments
from benchmarks.sets.scores import find_words, score_text
from forest_scrapy.core import Page
from forest_scrapy.core.page.outline import Node, Outline, find_hidden
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page

#: From the most specific kind to the least: a segment counts as the first that it fits.
KINDS = ("hidden", "markup", "caption", "list", "beyond", "inside", "missing", "rewritten")
#: A segment is in the gold text, or in the extracted text, from this share of its word 2-grams on.
CONTENT_SHARE = 0.6
#: Siblings with the same tag and class from which an element is part of a list.
_MIN_SIBLINGS = 3
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
    in_gold = _segments_in(segmented, gold)
    in_text = _segments_in(segmented, text)
    kinds = kinds_of_extra(segmented, in_gold)

    gold_pairs = word_pairs(gold)
    text_pairs = word_pairs(text)
    extra_pairs = text_pairs - gold_pairs
    missing_pairs = gold_pairs - text_pairs

    amounts: Counter[str] = Counter()
    visible_pairs: set[tuple[str, str]] = set()
    for i, segment in enumerate(segmented.segments):
        pairs = word_pairs(segment.text)
        visible_pairs |= pairs
        is_extra = in_text[i] and not in_gold[i]
        is_missing = in_gold[i] and not in_text[i]
        if is_extra:
            kind = kinds[i]
            amounts[kind] += len(pairs & extra_pairs)
        elif is_missing:
            amounts["missing"] += len(pairs & missing_pairs)

    only_hidden_pairs = hidden_pairs(page) - visible_pairs
    amounts["hidden"] = len(only_hidden_pairs & extra_pairs)

    explained = amounts.total()
    total = len(gold_pairs ^ text_pairs)
    amounts["rewritten"] = max(total - explained, 0)

    total_amount = amounts.total() or 1
    parts = {}
    for kind in KINDS:
        parts[kind] = error * amounts[kind] / total_amount
    return parts


def _segments_in(page: SegmentedPage, text: str) -> list[bool]:
    """For each segment whether it is in the text."""
    shares = label_segments(page, text)
    return [share >= CONTENT_SHARE for share in shares]


def hidden_pairs(page: Page) -> set[tuple[str, str]]:
    """The word 2-grams of hidden elements, which are in no segment."""
    texts = []
    for element in find_hidden(page.root):
        text = block_text(element)
        texts.append(text)
    return word_pairs("\n".join(texts))


def word_pairs(text: str) -> set[tuple[str, str]]:
    """The word 2-grams of a text; of a single word, the word twice."""
    words = find_words(text)
    if len(words) == 1:
        (word,) = words
        return {(word, word)}
    return set(pairwise(words))


def kinds_of_extra(page: SegmentedPage, in_gold: Sequence[bool]) -> list[str]:
    """The kind of each segment, if it is wrongly kept.  ``in_gold``: whether each segment is in
    the gold text."""
    outline = page.outline
    last = -1
    gold_nodes: set[int] = set()
    for i, segment in enumerate(page.segments):
        if in_gold[i]:
            last = i
            path = outline.path(segment.block)
            gold_nodes.update(path)

    captions = _inherit_flag(outline, _is_caption)
    lists = _list_nodes(outline, gold_nodes)
    kinds = []
    for i, segment in enumerate(page.segments):
        if _MARKUP.search(segment.text):
            kinds.append("markup")
        elif captions[segment.block]:
            kinds.append("caption")
        elif lists[segment.block]:
            kinds.append("list")
        elif i > last:
            kinds.append("beyond")
        else:
            kinds.append("inside")
    return kinds


def _inherit_flag(outline: Outline, test: Callable[[Node], bool]) -> list[bool]:
    """For each node whether the test is true of it or of a node that contains it."""
    return outline.inherit(False, lambda above, node: above or test(node))


def _is_caption(node: Node) -> bool:
    if node.tag in ("figure", "figcaption"):
        return True
    class_name = node.element.get("class", "")
    identifier = node.element.get("id", "")
    match = _CAPTION.search(f"{class_name} {identifier}")
    return match is not None


def _list_nodes(outline: Outline, gold_nodes: Collection[int]) -> list[bool]:
    """For each node whether it is in an element of a list that has no gold text below it."""
    keys = []
    for node in outline.nodes:
        class_name = node.element.get("class", "")
        key = (node.parent, node.tag, class_name)
        keys.append(key)
    counts = Counter(keys)

    is_listed: list[bool] = []
    for i, node in enumerate(outline.nodes):
        key = keys[i]
        has_siblings = counts[key] >= _MIN_SIBLINGS
        is_running = node.tag in _RUNNING
        has_gold = i in gold_nodes
        is_item = has_siblings and not is_running and not has_gold
        is_inside_item = node.parent >= 0 and is_listed[node.parent]
        is_listed.append(is_item or is_inside_item)
    return is_listed
