"""FOREST and COVERAGE: the most relevant structural pattern of a template's pages.

Oita & Senellart 2012, section 3; thesis chapter 2, Algorithms 2 to 4.

The letters of the paper: x counts the signifiers of a node e_i, y its other terms, N = x + y both;
X and Y are those of its page d_k.  sp is a structural pattern, p the number of its occurrences.

The paper says in two ways what p of equation 5 counts: "the number of significant terminal paths",
and "p <= n, the total number of documents", as figure 3 has it.  ``Params.occurrences`` chooses.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import fsum, log, sqrt

from forest_scrapy.core.errors import NotEnoughPages, UnknownChoice, UnknownMeasure
from forest_scrapy.core.methods.signifiers import choose_source, page_signifiers, source_entries
from forest_scrapy.core.options import (
    ATTRIBUTE_VALUES,
    COVERAGE_NAMES,
    FILTER_NAMES,
    OCCURRENCE_NAMES,
    Params,
)
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import Evidence, Wrapper
from forest_scrapy.core.xpaths.structural import (
    LINK_LISTS,
    Measure,
    RankedPattern,
    Significant,
    mark_significant,
    rank_patterns,
    read_page,
)
from forest_scrapy.core.xpaths.writing import write_xpath

#: The sources of signifiers for which p counts pages unless ``Params.occurrences`` says otherwise.
#: With pages F1 on feeds-dev is 0.967 for ``forest`` and 0.968 for ``coverage``, with paths 0.951
#: and 0.950; for ``forest-feeds`` it is 0.818 and 0.943.
PAGE_COUNTING_SOURCES = frozenset(("tf-idf",))


def density(x: int, y: int) -> float:
    """J, Jeffrey's statistical density (equation 2): the lower end of the interval of equation 1,
    at 70% confidence, of the share of signifiers x among the terms N; 0 if there are no terms.

    J = max(0, (x + 1/2 - sqrt((x + 1/2) (y + 1/2) / N)) / (N + 1))

    >>> round(density(1, 0), 3), round(density(8, 20), 3), round(density(3, 5), 3), density(0, 0)
    (0.317, 0.207, 0.217, 0.0)
    """
    n = x + y
    if not n:
        return 0.0
    deviation = sqrt((x + 0.5) * (y + 0.5) / n)
    lower_bound = (x + 0.5 - deviation) / (n + 1)
    return max(0.0, lower_bound)


def unexpectedness(x: int, y: int, page_x: int, page_y: int) -> float:
    """U (equation 3), in nats: the generation complexity C_w of a node less its description
    complexity C, for x of the page's X signifiers and y of its Y other terms.

    U = (x + y) log(X + Y) - x log X - y log Y

    The "23 bits" and "6 bits" in the paper are natural logarithms:

    >>> round(unexpectedness(10, 26, 20, 100), 2), round(unexpectedness(3, 1, 20, 100), 2)
    (22.66, 5.56)
    """
    generation = _x_log_y(x + y, page_x + page_y)
    return generation - _x_log_y(x, page_x) - _x_log_y(y, page_y)


def informativeness(x: int, y: int, page_x: int, page_y: int) -> float:
    """I(sp, d_k) = J(sp, d_k) * U(sp, d_k) (equation 4), of a node with the pattern sp."""
    return density(x, y) * unexpectedness(x, y, page_x, page_y)


def _x_log_y(x: int, y: int) -> float:
    if x:
        return x * log(y)
    return 0.0


def learn_forest(
    pages: Sequence[Page],
    params: Params,
    classifier: Classifier | None = None,
) -> Wrapper:
    """FOREST (tf-idf): signifiers are the pages' terms with the largest tf-idf.

    Raises ``NotEnoughPages`` for less than two pages; ``UnknownMeasure``.
    """
    measure = find_measure(params.measure)
    return _learn("forest", pages, params, measure)


def learn_forest_feeds(
    pages: Sequence[Page],
    params: Params,
    classifier: Classifier | None = None,
) -> Wrapper:
    """FOREST (feeds): signifiers from the feed entries; by tf-idf for pages without one."""
    measure = find_measure(params.measure)
    return _learn("forest-feeds", pages, params, measure)


def learn_forest_records(
    pages: Sequence[Page],
    params: Params,
    classifier: Classifier | None = None,
) -> Wrapper:
    """FOREST (query terms), for search results: signifiers are the terms of the query that each
    page answers (see ``find_queries``); by tf-idf for pages whose query is unknown.

    The thesis (outline of contributions, chapter 3) finds the objects of response pages so.  If
    the best pattern has several elements on a page, these are the objects, and all are kept.
    """
    measure = find_measure(params.measure)
    wrapper = _learn("forest-records", pages, params, measure)
    return replace(wrapper, take="all")


def learn_coverage(
    pages: Sequence[Page],
    params: Params,
    classifier: Classifier | None = None,
) -> Wrapper:
    """COVERAGE (section 3.5): ranks by the weight of the signifiers instead of J * U (equation 7).

    Raises ``NotEnoughPages`` for less than two pages; ``UnknownChoice``.
    """
    measure = find_coverage(params.coverage)
    return _learn("coverage", pages, params, measure)


def rank_template(
    pages: Sequence[Page],
    params: Params,
    measure: Measure,
    source: str,
    count_pages: bool = False,
) -> tuple[list[Significant], list[RankedPattern]]:
    """The pages with their signifiers marked, and all their patterns, most relevant first.
    ``source``: as in ``page_signifiers``; ``count_pages``: as in ``rank_patterns``.  Raises
    ``UnknownChoice``."""
    full_values = _has_full_values(params.attribute_values)
    for name in params.filtered:
        if name not in FILTER_NAMES:
            raise UnknownChoice("filtered", name, FILTER_NAMES)
    without_link_lists = "links" in params.filtered
    without_comments = "comments" in params.filtered

    term_pages = [read_page(page, without_link_lists) for page in pages]
    terms = [page.all_terms for page in term_pages]
    signifiers = page_signifiers(pages, terms, params.signifiers, source)
    marked = []
    for term_page, weights in zip(term_pages, signifiers, strict=True):
        page = mark_significant(term_page, weights, full_values, without_comments)
        marked.append(page)
    return marked, rank_patterns(marked, measure, count_pages, params.level_factor)


def _has_full_values(attribute_values: str) -> bool:
    if attribute_values not in ATTRIBUTE_VALUES:
        raise UnknownChoice("attribute_values", attribute_values, ATTRIBUTE_VALUES)
    return attribute_values == "full"


def counts_pages(source: str, occurrences: str | None) -> bool:
    """Whether p of equation 5 counts pages with signifiers of the source; ``occurrences``: that of
    ``Params``.  Raises ``UnknownChoice``.

    >>> counts_pages("tf-idf", None), counts_pages("feed", None)
    (True, False)
    >>> counts_pages("tf-idf", "paths"), counts_pages("feed", "pages")
    (False, True)
    """
    if occurrences is None:
        return source in PAGE_COUNTING_SOURCES
    if occurrences not in OCCURRENCE_NAMES:
        raise UnknownChoice("occurrences", occurrences, OCCURRENCE_NAMES)
    return occurrences == "pages"


def measure_informativeness(page: Significant, node: Node) -> float:
    """I of a node on its page (equation 4)."""
    page_counts = page.counts(0, len(page.terms))
    node_counts = page.counts(node.first, node.last)
    return informativeness(*node_counts, *page_counts)


def measure_density(page: Significant, node: Node) -> float:
    """J alone (equation 2)."""
    node_counts = page.counts(node.first, node.last)
    return density(*node_counts)


def measure_unexpectedness(page: Significant, node: Node) -> float:
    """U alone (equation 3)."""
    page_counts = page.counts(0, len(page.terms))
    node_counts = page.counts(node.first, node.last)
    return unexpectedness(*node_counts, *page_counts)


#: What a pattern is ranked by (figure 7), by the name in ``Params.measure``.
MEASURES: dict[str, Measure] = {
    "J*U": measure_informativeness,
    "J": measure_density,
    "U": measure_unexpectedness,
}


def find_measure(name: str) -> Measure:
    """The measure with this name; raises ``UnknownMeasure``.

    >>> find_measure("J") is measure_density
    True
    """
    if name not in MEASURES:
        raise UnknownMeasure(name, tuple(MEASURES))
    return MEASURES[name]


def measure_coverage(page: Significant, node: Node) -> float:
    """Cov(sp, d_k) of a node as published (equation 6): the sum of the normalized tf-idf weights of
    its signifiers, divided by the number of signifiers of the page.

    Weights are normalized as vectors of documents are: so that the squares of a page's weights add
    up to 1.  The paper does not say how.
    """
    if not page.weights:
        return 0.0
    squares = fsum(weight**2 for weight in page.weights.values())
    length = sqrt(squares)
    return _weigh_signifiers(page, node) / (length or 1.0) / len(page.weights)


def measure_coverage_share(page: Significant, node: Node) -> float:
    """Cov(sp, d_k) of a node as a share: the weight of its signifiers divided by that of all
    signifiers of the page, so that each page counts alike, however many signifiers it has."""
    total = fsum(page.weights.values())
    return _weigh_signifiers(page, node) / (total or 1.0)


def _weigh_signifiers(page: Significant, node: Node) -> float:
    """The sum of the weights of the signifiers in a node's text, each once."""
    signifiers: set[str] = set()
    for leaf_terms in page.terms[node.first : node.last]:
        for term in leaf_terms:
            if term in page.weights:
                signifiers.add(term)
    return fsum(page.weights[term] for term in signifiers)


#: Cov of COVERAGE, by the name in ``Params.coverage``.
COVERAGES: dict[str, Measure] = {
    "mean": measure_coverage,
    "share": measure_coverage_share,
}


def find_coverage(name: str) -> Measure:
    """The coverage with this name; raises ``UnknownChoice``.

    >>> find_coverage("mean") is measure_coverage
    True
    """
    if name not in COVERAGES:
        raise UnknownChoice("coverage", name, COVERAGE_NAMES)
    return COVERAGES[name]


def _learn(
    method: str,
    pages: Sequence[Page],
    params: Params,
    measure: Measure,
) -> Wrapper:
    if len(pages) < 2:
        raise NotEnoughPages(method, 2, len(pages))

    source = choose_source(method, params.source)
    count_pages = counts_pages(source, params.occurrences)
    marked, ranked = rank_template(pages, params, measure, source, count_pages)
    patterns = _pick_patterns(ranked, len(pages))
    evidence = Evidence(
        pages=len(pages),
        signifiers=source if any(source_entries(pages, source)) else "tf-idf",
    )
    if patterns:
        score = round(patterns[0].relevance, 4)
        evidence = replace(evidence, score=score)
    runner_up = None
    for pattern in ranked:
        if pattern not in patterns[:1]:
            runner_up = pattern
            break
    if runner_up:
        evidence = replace(
            evidence,
            runner_up=_write_xpath(runner_up, marked),
            runner_up_score=round(runner_up.relevance, 4),
        )

    xpaths = [_write_xpath(pattern, marked) for pattern in patterns]
    drop = (LINK_LISTS,) if "links" in params.filtered else ()
    return Wrapper(method, tuple(xpaths), evidence, drop=drop)


def _pick_patterns(
    ranked: Sequence[RankedPattern],
    pages: int,
) -> list[RankedPattern]:
    """The best pattern, and the best ones for the pages that lack it.

    The paper takes the best alone; a page without it would have no content.
    """
    patterns: list[RankedPattern] = []
    missing = set(range(pages))
    for pattern in ranked:
        if missing & pattern.nodes.keys():
            patterns.append(pattern)
            missing -= pattern.nodes.keys()
    return patterns


def _write_xpath(ranked: RankedPattern, pages: Sequence[Significant]) -> str:
    elements = []
    for number, node in sorted(ranked.nodes.items()):
        outline = pages[number].page.outline
        elements.append(outline.nodes[node].element)
    return write_xpath(ranked.pattern, elements)
