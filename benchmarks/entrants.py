"""One method on one site: wrappers learned from its templates, and what they extract."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from benchmarks.sites import PlacedPage, Site
from forest_scrapy.core import PAGE_METHODS, Extract, NotEnoughPages, Page, Params, Wrapper
from forest_scrapy.core.learning import (
    TRAINED_METHODS,
    add_outcome,
    extract,
    learn,
    sample_pages,
)
from forest_scrapy.core.methods.trained import learn_with
from forest_scrapy.core.segments.classifier import Classifier

__all__ = ["PageExplanation", "run_method"]

_NOTHING = Wrapper("none")


@dataclass
class PageExplanation:
    """What came of a site, or of several.

    ``texts``: by URL.  ``learned``: the pages that wrappers were learned from.  ``learning``:
    pages and seconds of each wrapper.  ``seconds``: learning and applying.
    """

    texts: dict[str, str] = field(default_factory=dict)
    learned: set[str] = field(default_factory=set)
    learning: list[tuple[int, float]] = field(default_factory=list)
    seconds: float = 0.0


def run_method(site: Site, params: Params, classifier: Classifier | None = None) -> PageExplanation:
    """Learn from every template of the site and apply to its scored pages.

    A method of the papers is on its own: where it finds nothing, there is no text, while a
    crawl would turn to another.  Those with the classifier turn to the page alone, then to the
    feed entry, as in a crawl.  ``classifier``: in the place of the one that ships.
    """
    outcome = PageExplanation()
    scored = {page.url for page in site.scored}
    for template in site.templates:
        _run_template(template, scored, params, classifier, outcome)
    return outcome


def _run_template(
    template: Sequence[PlacedPage],
    scored: Collection[str],
    params: Params,
    classifier: Classifier | None,
    outcome: PageExplanation,
) -> None:
    wanted = [placed for placed in template if placed.page.url in scored]
    learned, start = _NOTHING, perf_counter()
    if wanted and params.method not in PAGE_METHODS:
        sample = sample_pages([placed.page for placed in template], params.pages)
        learned = _learn(sample, params, classifier)
        outcome.learned.update(page.url for page in sample)
        outcome.learning.append((len(sample), perf_counter() - start))
    for placed in wanted:
        wrapper = learned
        if params.method in PAGE_METHODS:
            wrapper = _learn([placed.page], params, classifier)
        wrapper, found = _extract(placed.page, wrapper, params, classifier)
        is_dropped = not placed.is_article and wrapper.shows_several(found)
        outcome.texts[placed.page.url] = "" if is_dropped else found.text
    outcome.seconds += perf_counter() - start


def _learn(pages: Sequence[Page], params: Params, classifier: Classifier | None) -> Wrapper:
    try:
        if classifier is None or params.method not in TRAINED_METHODS:
            return learn(pages, params)
        return add_outcome(learn_with(classifier, pages), pages, classifier)
    except NotEnoughPages:
        return _NOTHING


def _extract(
    page: Page, wrapper: Wrapper, params: Params, classifier: Classifier | None
) -> tuple[Wrapper, Extract]:
    """``extract`` for the methods with the classifier, where one is given with that; the
    wrapper's own text for the others."""
    if params.method not in TRAINED_METHODS:
        return wrapper, wrapper.apply(page)
    if classifier is None:
        return extract(page, wrapper, params)
    found = wrapper.apply(page, classifier)
    if not found.text:
        wrapper = learn_with(classifier, [page])
        found = wrapper.apply(page, classifier)
    if not found.text:
        wrapper = learn([page], Params("description"))
        found = wrapper.apply(page)
    return wrapper, found
