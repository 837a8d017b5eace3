"""FOREST and COVERAGE: the most relevant structural pattern of a template's pages.

Oita & Senellart 2012, section 3; thesis chapter 2, Algorithms 2 to 4.

x counts the signifiers of a node, y its other terms.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import fsum, log, sqrt

from forest_scrapy.core.errors import NotEnoughPages, UnknownMeasure
from forest_scrapy.core.methods.signifiers import find_queries, page_signifiers
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import Evidence, Wrapper
from forest_scrapy.core.xpaths.structural import (
    Measure,
    RankedPattern,
    Significant,
    mark_significant,
    rank_patterns,
    read_page,
)
from forest_scrapy.core.xpaths.writing import write_xpath


def density(x: int, y: int) -> float:
    """J, Jeffrey's statistical density (equation 2): the lower bound, at 70% confidence, of the
    share of signifiers among the terms; 0 if there are no terms.

    >>> round(density(1, 0), 3), round(density(8, 20), 3), round(density(3, 5), 3), density(0, 0)
    (0.317, 0.207, 0.217, 0.0)
    """
    n = x + y
    if not n:
        return 0.0
    return max(0.0, (x + 0.5 - sqrt((x + 0.5) * (y + 0.5) / n)) / (n + 1))


def unexpectedness(x: int, y: int, page_x: int, page_y: int) -> float:
    """U (equation 3), in nats: the generation complexity of a node less its description complexity,
    for x of the page's signifiers and y of its other terms.

    The "23 bits" and "6 bits" in the paper are natural logarithms:

    >>> round(unexpectedness(10, 26, 20, 100), 2), round(unexpectedness(3, 1, 20, 100), 2)
    (22.66, 5.56)
    """
    generation = (x + y) * log(page_x + page_y) if x + y else 0.0
    return generation - _x_log_y(x, page_x) - _x_log_y(y, page_y)


def informativeness(x: int, y: int, page_x: int, page_y: int) -> float:
    """I = J * U (equation 4)."""
    return density(x, y) * unexpectedness(x, y, page_x, page_y)


def _x_log_y(x: int, y: int) -> float:
    return x * log(y) if x else 0.0


def learn_forest(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """FOREST (tf-idf): signifiers are the pages' terms with the largest tf-idf.

    Raises ``NotEnoughPages`` for less than two pages; ``UnknownMeasure``.
    """
    return _learn("forest", pages, params, find_measure(params.measure), "tf-idf")


def learn_forest_feeds(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """FOREST (feeds): signifiers from the feed entries; by tf-idf for pages without one."""
    return _learn("forest-feeds", pages, params, find_measure(params.measure), "feed")


def learn_forest_records(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """FOREST (query terms), for search results: signifiers are the terms of the query that each
    page answers (see ``find_queries``); by tf-idf for pages whose query is unknown.

    The thesis (outline of contributions, chapter 3) finds the objects of response pages so.  If
    the best pattern has several elements on a page, these are the objects, and all are kept.
    """
    found = _learn("forest-records", pages, params, find_measure(params.measure), "query")
    return replace(found, take="all")


def learn_coverage(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """COVERAGE (section 3.5): ranks by the share of the signifiers' weight instead of J * U."""
    return _learn("coverage", pages, params, measure_coverage, "tf-idf")


def rank_template(
    pages: Sequence[Page], params: Params, measure: Measure, source: str
) -> tuple[list[Significant], list[RankedPattern]]:
    """The pages with their signifiers marked, and all their patterns, most relevant first.
    ``source``: as in ``page_signifiers``."""
    read = [read_page(page) for page in pages]
    signifiers = page_signifiers(
        pages, [page.all_terms for page in read], params.signifiers, source
    )
    marked = [mark_significant(page, own) for page, own in zip(read, signifiers, strict=True)]
    return marked, rank_patterns(marked, measure)


def measure_informativeness(page: Significant, node: Node) -> float:
    """I of a node on its page (equation 4)."""
    page_counts = page.counts(0, len(page.terms))
    return informativeness(*page.counts(node.first, node.last), *page_counts)


def measure_density(page: Significant, node: Node) -> float:
    """J alone (equation 2)."""
    return density(*page.counts(node.first, node.last))


def measure_unexpectedness(page: Significant, node: Node) -> float:
    """U alone (equation 3)."""
    page_counts = page.counts(0, len(page.terms))
    return unexpectedness(*page.counts(node.first, node.last), *page_counts)


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
    """Cov of a node (equation 6): the weight of its signifiers as a share of all on the page."""
    inside = {
        term for leaf in page.terms[node.first : node.last] for term in leaf if term in page.weights
    }
    return fsum(page.weights[term] for term in inside) / (fsum(page.weights.values()) or 1.0)


def _learn(
    method: str, pages: Sequence[Page], params: Params, measure: Measure, source: str
) -> Wrapper:
    if len(pages) < 2:
        raise NotEnoughPages(method, 2, len(pages))
    marked, ranked = rank_template(pages, params, measure, source)
    kept = _pick_patterns(ranked, len(pages))
    keep = tuple(_write_xpath(pattern, marked) for pattern in kept)
    runner_up = next((r for r in ranked if r not in kept[:1]), None)
    has_source = {"feed": any(page.entry for page in pages), "query": any(find_queries(pages))}
    return Wrapper(
        method,
        keep,
        Evidence(
            pages=len(pages),
            signifiers=source if has_source.get(source) else "tf-idf",
            score=round(kept[0].relevance, 4) if kept else 0.0,
            runner_up=_write_xpath(runner_up, marked) if runner_up else "",
            runner_up_score=round(runner_up.relevance, 4) if runner_up else 0.0,
        ),
    )


def _pick_patterns(ranked: Sequence[RankedPattern], pages: int) -> list[RankedPattern]:
    """The best pattern, and the best ones for the pages that lack it.

    The paper takes the best alone; a page without it would have no content.
    """
    kept: list[RankedPattern] = []
    missing = set(range(pages))
    for pattern in ranked:
        if missing & pattern.nodes.keys():
            kept.append(pattern)
            missing -= pattern.nodes.keys()
    return kept


def _write_xpath(ranked: RankedPattern, pages: Sequence[Significant]) -> str:
    elements = [pages[k].page.outline.nodes[i].element for k, i in sorted(ranked.nodes.items())]
    return write_xpath(ranked.pattern, elements)
