"""Catastrophes: pages whose extracted text has little in common with the correct one, by cause."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.error_kinds import (
    CONTENT_SHARE,
    hidden_pairs,
    kinds_of_extra,
    word_pairs,
)
from benchmarks.examples import label_segments
from benchmarks.scores import score_text
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
    *("empty", "hidden", "absent", "too_little", "wrong_block"),
    *("comments", "articles", "links", "other"),
)
#: The share of something that is most of it.
_MOST = 0.5
#: Words from which on a segment outside of links is a paragraph.
_PARAGRAPH = 15
_COMMENTS = re.compile(
    r"(?<![a-z])(?:comment|respond|response|repl(?:y|ies)|disqus|kommentar|coment[aá]ri|reactie)",
    re.IGNORECASE,
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4"))


def find_cause(page: Page, gold: str, text: str) -> str:
    """Why an extracted text is far from the correct one: one of ``CAUSES``.  Cost: some 50 ms."""
    if not text.strip():
        return "empty"
    score, segmented = score_text(gold, text), segment_page(page)
    if score.recall < _MOST:
        missing = word_pairs(gold) - word_pairs(text)
        shown = {pair for segment in segmented.segments for pair in word_pairs(segment.text)}
        hidden = hidden_pairs(page) - shown
        if len(missing & hidden) >= _MOST * len(missing):
            return "hidden"
        if len(missing - shown) >= _MOST * len(missing):
            return "absent"
        if score.precision >= _MOST:
            return "too_little"
    extra = _divide_extra(segmented, gold, text)
    main = max(extra, key=lambda cause: extra[cause], default="other")
    return main if score.recall >= _MOST or main == "comments" else "wrong_block"


def summarize_catastrophes(pages: Sequence[tuple[float, str]]) -> dict[str, Any]:
    """The figures of some pages, given as F1 and cause (``""`` if the page is none): how many are
    catastrophes, their share of the error of all, and the number of each cause."""
    error = sum(1 - f1 for f1, _ in pages)
    causes = Counter(cause for _, cause in pages if cause)
    own = sum(1 - f1 for f1, cause in pages if cause)
    return {
        "pages": len(pages),
        "catastrophes": causes.total(),
        "share_of_error": round(own / error, 3) if error else 0.0,
        "causes": {cause: causes[cause] for cause in CAUSES if causes[cause]},
    }


def write_summary(name: str, found: Mapping[str, Any]) -> str:
    """A line of ``summarize_catastrophes``.

    >>> found = summarize_catastrophes([(0.5, "comments"), (0.5, "empty"), (1.0, "")])
    >>> write_summary("a", found)
    'a: 2 of 3 pages below 0.6, 100% of the error: empty 1, comments 1'
    """
    causes = ", ".join(f"{cause} {count}" for cause, count in found["causes"].items())
    number, pages, share = found["catastrophes"], found["pages"], found["share_of_error"]
    line = f"{name}: {number} of {pages} pages below {CATASTROPHE}, {share:.0%} of the error"
    return f"{line}: {causes}" if causes else line


def _divide_extra(page: SegmentedPage, gold: str, text: str) -> Counter[str]:
    """The word 2-grams of the segments that are in the text and not in the correct one."""
    wanted = [share >= CONTENT_SHARE for share in label_segments(page, gold)]
    given = [share >= CONTENT_SHARE for share in label_segments(page, text)]
    in_comments, kinds = _find_comments(page, wanted), kinds_of_extra(page, wanted)
    is_headed = _find_headed(page, wanted)
    amounts: Counter[str] = Counter()
    for i, segment in enumerate(page.segments):
        if given[i] and not wanted[i]:
            pairs = word_pairs(segment.text)
            is_linked = segment.linked > _MOST * len(segment.text)
            is_paragraph = not is_linked and len(pairs) >= _PARAGRAPH
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


def _find_comments(page: SegmentedPage, wanted: Sequence[bool]) -> list[bool]:
    """For each node whether it is in a comment, or in an element without correct text that is named
    after comments."""
    outline = page.outline
    blocks = [s.block for s, is_wanted in zip(page.segments, wanted, strict=True) if is_wanted]
    around = {node for block in blocks for node in outline.path(block)}
    elements = {outline.nodes[i].element: i for i in range(len(outline.nodes))}
    content = Content("-", text_blocks=tuple(outline.nodes[block].element for block in blocks))
    rules = learn_comments([page.page.head], [content]) if blocks else None
    found = {node for node, _ in rules.find(page.page)} if rules else set()

    def is_comment(above: bool, node: Node) -> bool:
        index = elements[node.element]
        is_named = index not in around and node.tag not in ("body", "a")
        is_named = is_named and bool(_COMMENTS.search(class_and_id(node.element)))
        return above or index in found or is_named

    return outline.inherit(False, is_comment)


def _find_headed(page: SegmentedPage, wanted: Sequence[bool]) -> list[bool]:
    """For each node whether it is in an element without correct text that has a heading and a
    paragraph, as articles have."""
    outline = page.outline
    count = len(outline.nodes)
    blocks = (s.block for s, is_wanted in zip(page.segments, wanted, strict=True) if is_wanted)
    around = {node for block in blocks for node in outline.path(block)}
    headings, lengths = [0] * count, [0] * count
    for i, node in enumerate(outline.nodes):
        is_heading = node.tag in _HEADINGS and bool(block_text(node.element).strip())
        for above in outline.path(i) if is_heading else ():
            headings[above] += 1
    for segment in page.segments:
        is_linked = segment.linked > _MOST * len(segment.text)
        size = 0 if is_linked else len(word_pairs(segment.text))
        for above in outline.path(segment.block) if size >= _PARAGRAPH else ():
            lengths[above] += 1
    is_own = [i not in around and headings[i] > 0 and lengths[i] > 0 for i in range(count)]
    found: list[bool] = []
    for i, node in enumerate(outline.nodes):
        found.append(is_own[i] or (node.parent >= 0 and found[node.parent]))
    return found
