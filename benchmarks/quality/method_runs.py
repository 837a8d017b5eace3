"""Run one method on one site: learn wrappers from its templates and apply them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

from benchmarks.sets.placed_pages import PlacedPage, Site
from forest_scrapy.core import (
    PAGE_METHODS,
    NotEnoughPages,
    Page,
    Params,
    Wrapper,
    learn,
    sample_pages,
)
from forest_scrapy.core.article_text import find_article
from forest_scrapy.core.methods import TRAINED_METHODS
from forest_scrapy.core.segments.classifier import Classifier


@dataclass
class MethodRun:
    """The results of a method on a site.

    ``texts``: by URL.  ``learned``: the URLs of the pages that template wrappers were learned
    from.  ``learning``: pages and seconds of each of these wrappers.  ``seconds``: for learning
    and applying.
    """

    texts: dict[str, str] = field(default_factory=dict)
    learned: set[str] = field(default_factory=set)
    learning: list[tuple[int, float]] = field(default_factory=list)
    seconds: float = 0.0


def run_method(site: Site, params: Params, classifier: Classifier | None = None) -> MethodRun:
    """Learn from every template of the site and apply to its scored pages.

    A method of the papers gets no help: if it finds nothing, the text is empty, while a crawl
    would fall back to another method.  The methods with the classifier fall back as in a crawl.
    ``classifier``: instead of the one that ships.
    """
    run = MethodRun()
    scored = {page.url for page in site.scored}
    for template in site.templates:
        scored_pages = [placed for placed in template if placed.page.url in scored]
        if scored_pages:
            _run_template(run, template, scored_pages, params, classifier)
    return run


def _run_template(
    run: MethodRun,
    template: Sequence[PlacedPage],
    scored_pages: Sequence[PlacedPage],
    params: Params,
    classifier: Classifier | None,
) -> None:
    start = perf_counter()
    learned = None
    if params.method not in PAGE_METHODS:
        sample = sample_pages([placed.page for placed in template], params.pages)
        learned = _learn(sample, params, classifier)
        run.learned.update(page.url for page in sample)
        run.learning.append((len(sample), perf_counter() - start))
    for placed in scored_pages:
        wrapper = learned or _learn([placed.page], params, classifier)
        run.texts[placed.page.url] = _extract_text(placed, wrapper, params, classifier)
    run.seconds += perf_counter() - start


def _learn(pages: Sequence[Page], params: Params, classifier: Classifier | None) -> Wrapper:
    try:
        return learn(pages, params, classifier)
    except NotEnoughPages:
        return Wrapper("none")


def _extract_text(
    placed: PlacedPage,
    wrapper: Wrapper,
    params: Params,
    classifier: Classifier | None,
) -> str:
    """The text; ``""`` also for a page with several articles, which a crawl drops."""
    if params.method in TRAINED_METHODS:
        text = find_article(placed.page, wrapper, params, placed.is_article, classifier)
        return "" if text.is_several else text.extract.text
    extract = wrapper.apply(placed.page)
    return "" if not placed.is_article and wrapper.shows_several(extract) else extract.text
