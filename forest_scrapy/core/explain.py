"""Explanations of a wrapper: the ranking of patterns, its expressions, and its result on each page.

These values are for people to read; learning does not use them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from forest_scrapy.core.fields.titles import read_title
from forest_scrapy.core.methods.article import extract, sample_pages
from forest_scrapy.core.methods.forest import (
    counts_pages,
    density,
    find_coverage,
    find_measure,
    rank_template,
    unexpectedness,
)
from forest_scrapy.core.methods.signifiers import choose_source
from forest_scrapy.core.options import SOURCE_NAMES, Params
from forest_scrapy.core.page.between import add_between
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.galleries import find_galleries_behind
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import Element, outermost_elements
from forest_scrapy.core.segments.classifier import classify_unseen, find_unknown
from forest_scrapy.core.skeleton import RebuiltShare, Skeleton, measure_rebuilt
from forest_scrapy.core.wrapper import Rule, Wrapper
from forest_scrapy.core.xpaths.checking import select_elements
from forest_scrapy.core.xpaths.structural import RankedPattern, Significant
from forest_scrapy.core.xpaths.writing import write_xpath

#: The methods that rank structural patterns.
RANKING_METHODS = ("forest", "forest-feeds", "forest-records", "coverage")
#: Characters that are given of a dropped text.
_SNIPPET = 80


@dataclass(frozen=True)
class PatternRow:
    """A structural pattern and the values of its relevance R = I * p * level (equation 5).

    ``pages``: the number of pages with the pattern.  x, y, J and U: means over these pages, for
    the most informative element of each.  I: the sum over the pages.  p: the number of
    significant paths, or of pages, see ``Params.occurrences``.
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
    """An expression of a wrapper.

    ``role``: ``keep`` or ``drop``.  ``found_on``: the number of the given pages on which it finds
    something.  ``rules``: the evidence for it, or for each part of a union.
    """

    role: str
    xpath: str
    found_on: int
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class DroppedText:
    """Text inside the content that an expression of ``drop`` leaves out.

    ``times``: the number of elements; ``text``: of the first, shortened.  ``xpath`` is ``""`` for
    blocks unknown to the template that the classifier took for boilerplate.
    """

    xpath: str
    times: int
    text: str


@dataclass(frozen=True)
class PageExplanation:
    """The result on one page.

    ``method`` and ``xpath``: of the wrapper and the expression that found the text, ``""`` if
    nothing did.  ``characters``: the length of the text; ``first`` and ``last``: its first and
    last words.  ``dropped``: what was left out of it.  ``unseen``: the number of segments unknown
    to the template, which the classifier decided on.  ``text``: all of it, if that was asked for.
    ``rebuilt``: how much of the page its template and its article give again; None for a single
    page.
    """

    url: str
    method: str
    xpath: str
    characters: int
    first: str
    last: str
    dropped: tuple[DroppedText, ...]
    unseen: int
    text: str = ""
    rebuilt: RebuiltShare | None = None


def explain_ranking(
    pages: Sequence[Page],
    params: Params,
    wrapper: Wrapper,
    max_rows: int,
) -> tuple[PatternRow, ...]:
    """The best ``max_rows`` patterns of the pages that the wrapper was learned from.

    They are ranked as FOREST does, or COVERAGE if that is the method (I is then Cov).
    Signifiers come from the source that the method took them from, or else from the feed entries.
    Empty for a single page without an entry, which has no signifiers.
    """
    signifiers = wrapper.evidence.signifiers
    source = signifiers if signifiers in SOURCE_NAMES else "feed"
    if len(pages) < 2:
        has_entry = any(page.entry for page in pages)
        if source != "feed" or not has_entry:
            return ()

    if wrapper.method == "coverage":
        measure = find_coverage(params.coverage)
    else:
        measure = find_measure(params.measure)
    sample = sample_pages(pages, params.pages)
    method_source = choose_source(wrapper.method, params.source)
    count_pages = counts_pages(method_source, params.occurrences)
    marked_pages, ranked = rank_template(sample, params, measure, source, count_pages)
    rows = []
    for rank, pattern in enumerate(ranked[: max(max_rows, 0)], start=1):
        rows.append(_write_row(rank, pattern, marked_pages))
    return tuple(rows)


def _write_row(
    rank: int,
    ranked: RankedPattern,
    pages: Sequence[Significant],
) -> PatternRow:
    elements = []
    counts = []
    unexpected = []
    for number, index in sorted(ranked.nodes.items()):
        page = pages[number]
        node = page.page.outline.nodes[index]
        node_counts = page.counts(node.first, node.last)
        page_counts = page.counts(0, len(page.terms))
        elements.append(node.element)
        counts.append(node_counts)
        unexpected.append(unexpectedness(*node_counts, *page_counts))
    densities = [density(x, y) for x, y in counts]
    return PatternRow(
        rank=rank,
        xpath=write_xpath(ranked.pattern, elements),
        pages=len(elements),
        x=round(fmean(x for x, _ in counts), 2),
        y=round(fmean(y for _, y in counts), 2),
        J=round(fmean(densities), 4),
        U=round(fmean(unexpected), 2),
        I=round(ranked.information, 4),
        level=ranked.pattern.level,
        p=ranked.occurrences,
        R=round(ranked.relevance, 2),
    )


def explain_expressions(
    wrapper: Wrapper,
    pages: Sequence[Page],
) -> tuple[Expression, ...]:
    """The wrapper's expressions in their order, each with its evidence."""
    expressions = []
    for role, xpaths in (("keep", wrapper.keep), ("drop", wrapper.drop)):
        for xpath in xpaths:
            matching_pages = 0
            for page in pages:
                matching_pages += bool(select_elements(xpath, page.root))
            parts = (xpath, *xpath.split(" | "))
            rules = [rule for rule in wrapper.evidence.rules if rule.xpath in parts]
            expression = Expression(role, xpath, matching_pages, tuple(rules))
            expressions.append(expression)
    return tuple(expressions)


def explain_page(
    page: Page,
    wrapper: Wrapper,
    params: Params,
    words: int = 12,
    whole: bool = False,
    skeleton: Skeleton | None = None,
) -> PageExplanation:
    """The result of ``extract`` on a page.

    ``words``: the number of first and of last words; ``whole``: whether to give the whole text,
    and to leave dropped texts as they are; ``skeleton``: of the template of the page.
    """
    wrapper, result = extract(page, wrapper, params)
    all_words = result.text.split()
    last_words = all_words[max(words, len(all_words) - words) :]
    body = page.outline.nodes[0]
    max_length = len(page.outline.text(body)) if whole else _SNIPPET
    dropped: list[DroppedText] = []
    if result.xpath:
        dropped = _find_dropped(page, wrapper, result.xpath, max_length)
    rebuilt = None
    if skeleton is not None:
        rebuilt = measure_rebuilt(page, skeleton, (read_title(page), result.text))
    return PageExplanation(
        url=page.url,
        method=wrapper.method if result.text else "",
        xpath=result.xpath,
        characters=len(result.text),
        first=" ".join(all_words[:words]),
        last=" ".join(last_words),
        dropped=tuple(dropped),
        unseen=result.unseen,
        text=result.text if whole else "",
        rebuilt=rebuilt,
    )


def _find_dropped(
    page: Page,
    wrapper: Wrapper,
    xpath: str,
    max_length: int,
) -> list[DroppedText]:
    dropped_texts = []
    _, dropped = find_parts(page, wrapper, xpath)
    for drop, elements in dropped.items():
        lines = []
        for element in elements:
            words = block_text(element).split()
            lines.append(" ".join(words))
        texts = [line for line in lines if line]
        if texts:
            first_text = _shorten(texts[0], max_length)
            dropped_text = DroppedText(drop, len(texts), first_text)
            dropped_texts.append(dropped_text)
    return dropped_texts


def find_parts(
    page: Page,
    wrapper: Wrapper,
    xpath: str,
) -> tuple[list[Element], dict[str, list[Element]]]:
    """The elements of the content, which ``xpath`` finds, and the outermost elements in it that
    are left out, by the expression of ``drop`` that finds them; ``""``: by the classifier."""
    dropped = {drop: select_elements(drop, page.root) for drop in wrapper.drop}
    without: set[Element] = set()
    for elements in dropped.values():
        without.update(elements)
    contents = outermost_elements(select_elements(xpath, page.root))
    if wrapper.take == "span":
        contents = add_between(contents)
        contents += find_galleries_behind(contents)
    if wrapper.take == "largest" and contents:
        largest = max(contents, key=lambda element: len(block_text(element, without)))
        contents = [largest]

    blocks: list[Element] = []
    for element in contents:
        content = read_content(element, without, structures=page.structures)
        blocks += content.text_blocks
    unknown: Sequence[Element] = []
    if wrapper.known:
        unknown = find_unknown(blocks, frozenset(wrapper.known))
    if unknown:
        boilerplate = classify_unseen(page, contents, unknown, without).boilerplate
        dropped[""] = [element for element in page.root.iter("*") if element in boilerplate]

    left_out = {}
    for drop, elements in dropped.items():
        outermost = outermost_elements(elements)
        left_out[drop] = [element for element in outermost if _is_inside(element, contents)]
    return contents, left_out


def _is_inside(element: Element, contents: Sequence[Element]) -> bool:
    """Whether the element is one of the contents, or below one."""
    if element in contents:
        return True
    return any(ancestor in contents for ancestor in element.iterancestors())


def _shorten(text: str, max_length: int) -> str:
    """The text, cut after a word.

    >>> _shorten("boats come in", 10), _shorten("boats", 10)
    ('boats ...', 'boats')
    """
    if len(text) <= max_length:
        return text
    start = text[: max_length - 3]
    whole_words = start.rpartition(" ")[0]
    return f"{whole_words or start} ..."
