"""SIGFEED: the block of one page that is densest in what its feed entry says.

Oita & Senellart 2010; thesis chapter 2, Algorithm 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from forest_scrapy.core.document.page import Entry, Page
from forest_scrapy.core.document.terms import find_terms, ngrams, split_words
from forest_scrapy.core.document.tree import Leaf, Outline
from forest_scrapy.core.evidence import Evidence
from forest_scrapy.core.methods.signifiers import (
    entry_keywords,
    entry_ngrams,
    recurrent_expressions,
)
from forest_scrapy.core.params import Params
from forest_scrapy.core.patterns.structural import node_pattern
from forest_scrapy.core.patterns.xpaths import write_xpath
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["learn_sigfeed"]

#: The block elements that group a page's content: the paper's div and table cell, and those
#: that HTML5 added for the purpose.
BLOCKS = frozenset(("div", "td", "article", "main", "section"))

#: Counts the signifiers in a text.
Matcher = Callable[[str], int]


def learn_sigfeed(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """The blocks of the pages, each page for itself, as expressions in the order of their sums.

    A page without an entry is matched with the title and description that it declares itself.
    Works on a single page; more pages add alternatives, and tell which expressions recur.
    """
    recurrent = recurrent_expressions(page.entry for page in pages if page.entry)
    found: dict[str, float] = defaultdict(float)
    for page in pages:
        entry = page.entry or page.declared_entry
        for xpath, value in _best_blocks(page, entry, recurrent, params)[:1]:
            found[xpath] += value
    ranked = sorted(found.items(), key=lambda item: (-round(item[1], 9), item[0]))
    fed = any(page.entry for page in pages)
    first, second = [*ranked, ("", 0.0), ("", 0.0)][:2]
    return Wrapper(
        "sigfeed",
        tuple(xpath for xpath, _ in ranked),
        Evidence(
            pages=len(pages),
            signifiers="feed" if fed else "page",
            score=round(first[1], 4),
            runner_up=second[0],
            runner_up_score=round(second[1], 4),
        ),
    )


def _best_blocks(
    page: Page, entry: Entry, recurrent: frozenset[tuple[str, ...]], params: Params
) -> list[tuple[str, float]]:
    """The page's blocks with their sums of signifier densities, the densest first: by 3-grams,
    by keywords where no 3-gram is found."""
    outline = page.outline
    grams = entry_ngrams(entry, recurrent=recurrent)
    words = entry_keywords(entry, page.language, params.signifiers)
    sums = _sum_densities(outline, lambda text: _count_grams(text, grams)) or _sum_densities(
        outline, lambda text: sum(term in words for term in find_terms(text, page.language))
    )
    ranked = sorted(sums.items(), key=lambda item: (-round(item[1], 9), item[0]))
    return [
        (write_xpath(node_pattern(outline.nodes[i]), [outline.nodes[i].element]), value)
        for i, value in ranked
    ]


def _sum_densities(outline: Outline, count: Matcher) -> dict[int, float]:
    """For each lowest block above a significant leaf: the sum of matches / length of the text."""
    sums: dict[int, float] = defaultdict(float)
    for leaf in outline.leaves:
        if matches := count(leaf.text):
            sums[_lowest_block(outline, leaf)] += matches / len(leaf.text.strip())
    return sums


def _lowest_block(outline: Outline, leaf: Leaf) -> int:
    above = (i for i in outline.path(leaf.node) if outline.nodes[i].element.tag in BLOCKS)
    return next(above, 0)


def _count_grams(text: str, grams: frozenset[tuple[str, ...]]) -> int:
    return sum(gram in grams for gram in ngrams(list(split_words(text)), 3))
