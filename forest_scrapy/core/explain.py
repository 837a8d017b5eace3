"""Why a wrapper is what it is: the ranking of patterns, and what became of each page.

Values for people to read; nothing here takes part in learning.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.text import block_text
from forest_scrapy.core.document.xpath import find_elements
from forest_scrapy.core.evidence import Rule
from forest_scrapy.core.learning import extract, sample_pages
from forest_scrapy.core.methods.forest import (
    measure_coverage,
    measure_informativeness,
    rank_template,
)
from forest_scrapy.core.methods.relevance import density, unexpectedness
from forest_scrapy.core.params import Params
from forest_scrapy.core.patterns.structural import RankedPattern, Significant
from forest_scrapy.core.patterns.xpaths import write_xpath
from forest_scrapy.core.segments.unseen import classify_unseen
from forest_scrapy.core.wrapper import Wrapper

__all__ = [
    "DroppedText",
    "Expression",
    "PageExplanation",
    "PatternRow",
    "explain_expressions",
    "explain_page",
    "explain_ranking",
]

#: Measures of the methods that do not rank by informativeness.
_MEASURES = {"coverage": measure_coverage}


@dataclass(frozen=True)
class PatternRow:
    """A structural pattern and what ranks it (equation 5): R = I * p * level.

    ``pages``: on how many it stands.  x, y, J and U are means over these, of its most
    informative element on each; I is the sum over the pages, and p, of the paths.
    """

    rank: int
    xpath: str
    pages: int
    x: float
    y: float
    J: float
    U: float
    I: float  # noqa: E741 - the paper's letter
    level: int
    p: int
    R: float


@dataclass(frozen=True)
class Expression:
    """An expression of a wrapper, ``keep`` or ``drop``: on how many of the pages given it finds
    something, and what was known of it, and of the parts of a union, when it was learned."""

    role: str
    xpath: str
    found_on: int
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class DroppedText:
    """Text inside the content that an expression of ``drop`` leaves out: how often, and the
    first time.  Without an expression: blocks that the template was not seen with, and that
    were judged to be no content on this page."""

    xpath: str
    times: int
    text: str


@dataclass(frozen=True)
class PageExplanation:
    """What came of a page; ``method`` is of the wrapper that found the text, ``unseen`` the
    number of segments that had to be judged."""

    url: str
    method: str
    xpath: str
    characters: int
    first: str
    last: str
    left_out: tuple[DroppedText, ...]
    unseen: int


def explain_ranking(
    pages: Sequence[Page], params: Params, wrapper: Wrapper, most: int
) -> tuple[PatternRow, ...]:
    """The best patterns of the pages that the wrapper was learned from: by FOREST, or by
    COVERAGE where that is the method (then I is Cov).

    Signifiers are those that the method took, feed entries first where it took none.  A page
    alone without an entry has no signifiers and no ranking.
    """
    use_entries = wrapper.evidence.signifiers != "tf-idf"
    if len(pages) < 2 and not (use_entries and any(page.entry for page in pages)):
        return ()
    measure = _MEASURES.get(wrapper.method, measure_informativeness)
    sample = sample_pages(pages, params.pages)
    marked, ranked = rank_template(sample, params, measure, use_entries)
    return tuple(
        _row(rank, pattern, marked) for rank, pattern in enumerate(ranked[: max(most, 0)], start=1)
    )


def _row(rank: int, ranked: RankedPattern, pages: Sequence[Significant]) -> PatternRow:
    nodes = [(pages[k], pages[k].page.outline.nodes[i]) for k, i in sorted(ranked.nodes.items())]
    counts = [page.counts(node.first, node.last) for page, node in nodes]
    totals = [page.counts(0, len(page.terms)) for page, _ in nodes]
    return PatternRow(
        rank=rank,
        xpath=write_xpath(ranked.pattern, [node.element for _, node in nodes]),
        pages=len(nodes),
        x=round(fmean(x for x, _ in counts), 2),
        y=round(fmean(y for _, y in counts), 2),
        J=round(fmean(density(x, y) for x, y in counts), 4),
        U=round(
            fmean(unexpectedness(*own, *all_) for own, all_ in zip(counts, totals, strict=True)), 2
        ),
        I=round(ranked.information, 4),
        level=ranked.pattern.level,
        p=ranked.paths,
        R=round(ranked.relevance, 2),
    )


def explain_expressions(wrapper: Wrapper, pages: Sequence[Page]) -> tuple[Expression, ...]:
    """The wrapper's expressions, in their order, with what speaks for them."""
    return tuple(
        Expression(
            role,
            xpath,
            sum(bool(find_elements(xpath, page.root)) for page in pages),
            tuple(r for r in wrapper.evidence.rules if r.xpath in (xpath, *xpath.split(" | "))),
        )
        for role, xpaths in (("keep", wrapper.keep), ("drop", wrapper.drop))
        for xpath in xpaths
    )


def explain_page(
    page: Page, wrapper: Wrapper, params: Params, words: int = 12, snippet: int = 80
) -> PageExplanation:
    """What the wrapper takes from a page, or what a crawl takes where it finds nothing.

    ``words``: so many first and last words are told; ``snippet``: characters of what is left
    out.
    """
    wrapper, found = extract(page, wrapper, params)
    split = found.text.split()
    return PageExplanation(
        url=page.url,
        method=wrapper.method if found.text else "",
        xpath=found.xpath,
        characters=len(found.text),
        first=" ".join(split[:words]),
        last=" ".join(split[max(words, len(split) - words) :]),
        left_out=tuple(_left_out(page, wrapper, found.xpath, snippet)) if found.xpath else (),
        unseen=found.unseen,
    )


def _left_out(page: Page, wrapper: Wrapper, xpath: str, snippet: int) -> Iterable[DroppedText]:
    dropped = {drop: find_elements(drop, page.root) for drop in wrapper.drop}
    without = {element for elements in dropped.values() for element in elements}
    kept = find_elements(xpath, page.root)
    if wrapper.take == "largest":
        kept = [max(kept, key=lambda element: len(block_text(element, without)))]
    if wrapper.known:
        unseen = classify_unseen(page, set(kept), frozenset(wrapper.known), without)
        dropped[""] = [e for e in page.root.iter("*") if e in unseen.foreign]
    for drop, elements in dropped.items():
        inside = [e for e in elements if _stands_in(e, kept) and not _stands_below(e, elements)]
        texts = [text for e in inside if (text := " ".join(block_text(e).split()))]
        if texts:
            yield DroppedText(drop, len(texts), _shorten(texts[0], snippet))


def _stands_below(element: Any, others: Sequence[Any]) -> bool:
    return any(up in others for up in element.iterancestors())


def _stands_in(element: Any, others: Sequence[Any]) -> bool:
    return element in others or _stands_below(element, others)


def _shorten(text: str, most: int) -> str:
    """The text, cut at a word.

    >>> _shorten("boats come in", 10), _shorten("boats", 10)
    ('boats ...', 'boats')
    """
    if len(text) <= most:
        return text
    return f"{text[: most - 3].rpartition(' ')[0] or text[: most - 3]} ..."
