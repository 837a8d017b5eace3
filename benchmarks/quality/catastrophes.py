"""Catastrophes: pages whose extracted text has little in common with the correct one, by cause."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.quality.error_kinds import (
    CONTENT_SHARE,
    hidden_pairs,
    kinds_of_extra,
    word_pairs,
)
from benchmarks.sets.examples import label_segments
from benchmarks.sets.scores import score_text
from forest_scrapy.core import Page
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import class_and_id
from forest_scrapy.core.records.comments import learn_comments
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page

#: A page is a catastrophe below this F1.
CATASTROPHE = 0.6
#: - ``empty``: no text; ``hidden``: most of what is missing is in hidden elements; ``absent``: most
#:   of it is not on the page at all; ``too_little``: a part of the correct text, and little else;
#:   ``wrong_block``: little of the correct text, and much else.
#: - Of texts with most of the correct one, what most of the rest is: ``comments``; ``articles``,
#:   others with paragraphs of their own; ``links``: teasers, galleries, lists of links; ``other``.
CAUSES = (
    "empty",
    "hidden",
    "absent",
    "too_little",
    "wrong_block",
    "comments",
    "articles",
    "links",
    "other",
)
#: The share of something that is most of it.
MAJORITY = 0.5
#: Words from which on a segment outside of links is a paragraph.
MIN_PARAGRAPH_WORDS = 15
_COMMENTS = re.compile(
    r"(?<![a-z])(?:comment|respond|response|repl(?:y|ies)|disqus|kommentar|coment[aá]ri|reactie)",
    re.IGNORECASE,
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4"))


def find_cause(page: Page, gold: str, text: str) -> str:
    """Why an extracted text is far from the correct one: one of ``CAUSES``.  Cost: some 50 ms."""
    if not text.strip():
        return "empty"
    score = score_text(gold, text)
    segmented = segment_page(page)
    has_most_of_gold = score.recall >= MAJORITY
    if not has_most_of_gold:
        visible: set[tuple[str, str]] = set()
        for segment in segmented.segments:
            visible |= word_pairs(segment.text)
        hidden = hidden_pairs(page) - visible

        missing = word_pairs(gold) - word_pairs(text)
        min_missing = MAJORITY * len(missing)
        if len(missing & hidden) >= min_missing:
            return "hidden"
        if len(missing - visible) >= min_missing:
            return "absent"
        if score.precision >= MAJORITY:
            return "too_little"

    extra = _divide_extra(segmented, gold, text)
    main_cause = max(extra, key=lambda cause: extra[cause], default="other")
    if has_most_of_gold or main_cause == "comments":
        return main_cause
    return "wrong_block"


def summarize_catastrophes(pages: Sequence[tuple[float, str]]) -> dict[str, Any]:
    """The figures of some pages, given as F1 and cause (``""`` if the page is none): how many are
    catastrophes, their share of the error of all, and the number of each cause."""
    error = sum(1 - f1 for f1, _ in pages)
    causes = Counter(cause for _, cause in pages if cause)
    catastrophe_error = sum(1 - f1 for f1, cause in pages if cause)
    return {
        "pages": len(pages),
        "catastrophes": causes.total(),
        "share_of_error": round(catastrophe_error / error, 3) if error else 0.0,
        "causes": {cause: causes[cause] for cause in CAUSES if causes[cause]},
    }


def write_summary(name: str, summary: Mapping[str, Any]) -> str:
    """A line of ``summarize_catastrophes``.

    >>> summary = summarize_catastrophes([(0.5, "comments"), (0.5, "empty"), (1.0, "")])
    >>> write_summary("a", summary)
    'a: 2 of 3 pages below 0.6, 100% of the error: empty 1, comments 1'
    """
    causes = ", ".join(f"{cause} {count}" for cause, count in summary["causes"].items())
    number = summary["catastrophes"]
    pages = summary["pages"]
    share = summary["share_of_error"]
    line = f"{name}: {number} of {pages} pages below {CATASTROPHE}, {share:.0%} of the error"
    return f"{line}: {causes}" if causes else line


def _divide_extra(page: SegmentedPage, gold: str, text: str) -> Counter[str]:
    """The word 2-grams of the segments that are in the text and not in the correct one."""
    in_gold = [share >= CONTENT_SHARE for share in label_segments(page, gold)]
    in_text = [share >= CONTENT_SHARE for share in label_segments(page, text)]
    in_comments = _find_comments(page, in_gold)
    kinds = kinds_of_extra(page, in_gold)
    is_headed = _find_headed(page, in_gold)
    amounts: Counter[str] = Counter()
    for i, segment in enumerate(page.segments):
        if in_gold[i] or not in_text[i]:
            continue

        pairs = word_pairs(segment.text)
        is_linked = segment.linked > MAJORITY * len(segment.text)
        is_paragraph = not is_linked and len(pairs) >= MIN_PARAGRAPH_WORDS
        if in_comments[segment.block]:
            cause = "comments"
        elif is_headed[segment.block] and is_paragraph:
            cause = "articles"
        elif is_linked or kinds[i] in ("list", "caption"):
            cause = "links"
        else:
            cause = "other"
        amounts[cause] += len(pairs)
    return amounts


def _gold_blocks(page: SegmentedPage, in_gold: Sequence[bool]) -> list[int]:
    """The blocks with correct text; those of several segments occur several times."""
    return [segment.block for i, segment in enumerate(page.segments) if in_gold[i]]


def _find_comments(page: SegmentedPage, in_gold: Sequence[bool]) -> list[bool]:
    """For each node whether it is in a comment, or in an element without correct text that is named
    after comments."""
    outline = page.outline
    blocks = _gold_blocks(page, in_gold)
    gold_nodes = {node for block in blocks for node in outline.path(block)}
    index_of = {node.element: i for i, node in enumerate(outline.nodes)}

    content = Content("-", text_blocks=tuple(outline.nodes[block].element for block in blocks))
    rules = learn_comments([page.page.head], [content]) if blocks else None
    comments: set[int] = set()
    if rules:
        comments = {node for node, _ in rules.find(page.page)}

    def is_comment(above: bool, node: Node) -> bool:
        index = index_of[node.element]
        if above or index in comments:
            return True
        if index in gold_nodes or node.tag in ("body", "a"):
            return False
        return bool(_COMMENTS.search(class_and_id(node.element)))

    return outline.inherit(False, is_comment)


def _find_headed(page: SegmentedPage, in_gold: Sequence[bool]) -> list[bool]:
    """For each node whether it is in an element without correct text that has a heading and a
    paragraph, as articles have."""
    outline = page.outline
    gold_nodes: set[int] = set()
    for block in _gold_blocks(page, in_gold):
        gold_nodes.update(outline.path(block))

    with_heading: set[int] = set()
    for i, node in enumerate(outline.nodes):
        if node.tag in _HEADINGS and block_text(node.element).strip():
            with_heading.update(outline.path(i))

    with_paragraph: set[int] = set()
    for segment in page.segments:
        is_linked = segment.linked > MAJORITY * len(segment.text)
        if not is_linked and len(word_pairs(segment.text)) >= MIN_PARAGRAPH_WORDS:
            with_paragraph.update(outline.path(segment.block))

    articles = (with_heading & with_paragraph) - gold_nodes
    is_headed: list[bool] = []
    for i, node in enumerate(outline.nodes):
        is_inside = node.parent >= 0 and is_headed[node.parent]
        is_headed.append(i in articles or is_inside)
    return is_headed
