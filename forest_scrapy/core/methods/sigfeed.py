"""SIGFEED: the block of a page that is densest in the words of its feed entry, and DESCRIPTION, the
entry itself."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from forest_scrapy.core.methods.signifiers import (
    NGram,
    choose_source,
    entry_keywords,
    entry_ngrams,
    recurrent_expressions,
    source_entries,
)
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.entry import Entry
from forest_scrapy.core.page.language import find_terms, ngrams, split_words
from forest_scrapy.core.page.outline import Leaf, Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import Evidence, Wrapper
from forest_scrapy.core.xpaths.structural import node_pattern
from forest_scrapy.core.xpaths.writing import write_xpath

#: Elements that group content: the paper's ``div`` and table cell, and those of HTML5.
BLOCKS = frozenset(("div", "td", "article", "main", "section"))

#: The number of signifiers in a text.
Matcher = Callable[[str], int]


def learn_sigfeed(
    pages: Sequence[Page],
    params: Params,
    classifier: Classifier | None = None,
) -> Wrapper:
    """A wrapper that keeps the best block of each page, the expressions in the order of their
    sums of densities.

    A single page is enough; with more, n-grams that recur in many entries are ignored.  A page
    without an entry is matched with its declared title and description.  ``Params.source`` may name
    another source than the entry (thesis 2.5.1 tried its title alone); ``tf-idf`` needs several
    pages, and stands for the entry here.  Raises ``UnknownChoice``.
    """
    source = choose_source("sigfeed", params.source)
    if source == "tf-idf":
        source = "feed"
    entries = source_entries(pages, source)
    filled_entries = [entry for entry in entries if entry]
    recurrent = recurrent_expressions(filled_entries, params.ngram)
    sums: dict[str, float] = defaultdict(float)
    for page, entry in zip(pages, entries, strict=True):
        page_entry = entry or page.declared_entry
        best_block = _find_best_block(page, page_entry, recurrent, params)
        if best_block:
            xpath, density = best_block
            sums[xpath] += density

    def rank(xpath: str) -> tuple[float, str]:
        return -round(sums[xpath], 9), xpath

    ranked = sorted(sums, key=rank)
    evidence = Evidence(
        pages=len(pages),
        signifiers=source if filled_entries else "page",
    )
    if ranked:
        score = round(sums[ranked[0]], 4)
        evidence = replace(evidence, score=score)
    if len(ranked) > 1:
        runner_up = ranked[1]
        score = round(sums[runner_up], 4)
        evidence = replace(evidence, runner_up=runner_up, runner_up_score=score)
    return Wrapper("sigfeed", tuple(ranked), evidence)


def _find_best_block(
    page: Page,
    entry: Entry,
    recurrent: frozenset[NGram],
    params: Params,
) -> tuple[str, float] | None:
    """The expression of the block with the largest sum of signifier densities, and the sum; None
    if there are no signifiers on the page.

    Signifiers are the n-grams of the entry, or its k keywords if the page has no n-gram of it.
    """
    grams = entry_ngrams(entry, params.ngram, recurrent)
    keywords = entry_keywords(entry, page.language, params.signifiers)

    def count_grams(text: str) -> int:
        text_grams = ngrams(split_words(text), params.ngram)
        return sum(gram in grams for gram in text_grams)

    def count_keywords(text: str) -> int:
        terms = find_terms(text, page.language)
        return sum(term in keywords for term in terms)

    sums = _sum_densities(page.outline, count_grams)
    if not sums:
        sums = _sum_densities(page.outline, count_keywords)
    if not sums:
        return None

    def rank(block: int) -> tuple[float, int]:
        return -round(sums[block], 9), block

    best = min(sums, key=rank)
    node = page.outline.nodes[best]
    xpath = write_xpath(node_pattern(node), [node.element])
    return xpath, sums[best]


def _sum_densities(outline: Outline, count: Matcher) -> dict[int, float]:
    """relevance[lcbAncestor] of algorithm 1: for each block that is the lowest above a significant
    leaf, the sum over these leaves of nbOfSemanticMatches / textualLength."""
    sums: dict[int, float] = defaultdict(float)
    for leaf in outline.leaves:
        matches = count(leaf.text)
        if matches:
            block = _lowest_block(outline, leaf)
            length = len(leaf.text.strip())
            sums[block] += matches / length
    return sums


def _lowest_block(outline: Outline, leaf: Leaf) -> int:
    for node in outline.path(leaf.node):
        if outline.nodes[node].element.tag in BLOCKS:
            return node
    return 0


def learn_description(
    pages: Sequence[Page],
    params: Params,
    classifier: Classifier | None = None,
) -> Wrapper:
    """The wrapper that takes the feed entry's own words; nothing is learned from the pages."""
    evidence = Evidence(pages=len(pages), signifiers="feed")
    return Wrapper("description", (), evidence, source="entry")
