"""SIGFEED: the block of a page that is densest in the words of its feed entry, and DESCRIPTION, the
entry itself."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from forest_scrapy.core.methods.signifiers import (
    entry_keywords,
    entry_ngrams,
    recurrent_expressions,
)
from forest_scrapy.core.options import Params
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
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """A wrapper that keeps the best block of each page, the expressions in the order of their
    sums of densities.

    A single page is enough; with more, n-grams that recur in many entries are ignored.  A page
    without an entry is matched with its declared title and description.
    """
    recurrent = recurrent_expressions(page.entry for page in pages if page.entry)
    sums: dict[str, float] = defaultdict(float)
    for page in pages:
        if best := _find_best_block(page, recurrent, params.signifiers):
            xpath, density = best
            sums[xpath] += density
    ranked = sorted(sums.items(), key=lambda item: (-round(item[1], 9), item[0]))
    first, second = [*ranked, ("", 0.0), ("", 0.0)][:2]
    return Wrapper(
        "sigfeed",
        tuple(xpath for xpath, _ in ranked),
        Evidence(
            pages=len(pages),
            signifiers="feed" if any(page.entry for page in pages) else "page",
            score=round(first[1], 4),
            runner_up=second[0],
            runner_up_score=round(second[1], 4),
        ),
    )


def _find_best_block(
    page: Page, recurrent: frozenset[tuple[str, ...]], k: int
) -> tuple[str, float] | None:
    """The expression of the block with the largest sum of signifier densities, and the sum; None
    if there are no signifiers on the page.

    Signifiers are the 3-grams of the entry, or its k keywords if the page has no 3-gram of it.
    """
    outline, language = page.outline, page.language
    entry = page.entry or page.declared_entry
    grams = entry_ngrams(entry, recurrent=recurrent)
    keywords = entry_keywords(entry, language, k)
    sums = _sum_densities(outline, lambda text: _count_grams(text, grams)) or _sum_densities(
        outline, lambda text: sum(term in keywords for term in find_terms(text, language))
    )
    if not sums:
        return None
    best = min(sums, key=lambda block: (-round(sums[block], 9), block))
    node = outline.nodes[best]
    return write_xpath(node_pattern(node), [node.element]), sums[best]


def _sum_densities(outline: Outline, count: Matcher) -> dict[int, float]:
    """For each block that is the lowest above a significant leaf, the sum over these leaves of
    signifiers / length of the text."""
    sums: dict[int, float] = defaultdict(float)
    for leaf in outline.leaves:
        if matches := count(leaf.text):
            sums[_lowest_block(outline, leaf)] += matches / len(leaf.text.strip())
    return sums


def _lowest_block(outline: Outline, leaf: Leaf) -> int:
    above = (i for i in outline.path(leaf.node) if outline.nodes[i].element.tag in BLOCKS)
    return next(above, 0)


def _count_grams(text: str, grams: frozenset[tuple[str, ...]]) -> int:
    return sum(gram in grams for gram in ngrams(split_words(text), 3))


def learn_description(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """The wrapper that takes the feed entry's own words; nothing is learned from the pages."""
    return Wrapper("description", (), Evidence(pages=len(pages), signifiers="feed"), "entry")
