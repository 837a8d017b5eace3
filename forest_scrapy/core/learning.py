"""The first of the core's two verbs: ``learn(pages, params) -> Wrapper``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b

from forest_scrapy.core.document.page import Extract, Page
from forest_scrapy.core.errors import NotEnoughPages, UnknownMethod
from forest_scrapy.core.evidence import Evidence
from forest_scrapy.core.fields import learn_fields
from forest_scrapy.core.methods.entropy import learn_entropy
from forest_scrapy.core.methods.forest import learn_coverage, learn_forest, learn_forest_feeds
from forest_scrapy.core.methods.mss import learn_mss
from forest_scrapy.core.methods.sigfeed import learn_sigfeed
from forest_scrapy.core.methods.trained import learn_single, learn_trained
from forest_scrapy.core.methods.vsse import learn_vsse
from forest_scrapy.core.params import Params
from forest_scrapy.core.patterns.anchored import find_text_path, write_anchored_path
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import Wrapper

__all__ = [
    "METHODS",
    "PAGE_METHODS",
    "TRAINED_METHODS",
    "add_outcome",
    "choose_method",
    "extract",
    "learn",
    "sample_pages",
]

Method = Callable[[Sequence[Page], Params], Wrapper]


def learn_description(pages: Sequence[Page], params: Params) -> Wrapper:
    """DESCRIPTION: the article is what the feed entry says, its title and description."""
    return Wrapper("description", (), Evidence(pages=len(pages), signifiers="feed"), "entry")


#: Every method under its own name, all with the same face.
METHODS: dict[str, Method] = {
    "forest": learn_forest,
    "forest-feeds": learn_forest_feeds,
    "coverage": learn_coverage,
    "sigfeed": learn_sigfeed,
    "description": learn_description,
    "entropy": learn_entropy,
    "mss": learn_mss,
    "vsse": learn_vsse,
    "trained": learn_trained,
    "single": learn_single,
}

#: Methods that look at each page for itself: their wrapper is learned page by page.
PAGE_METHODS = frozenset(("sigfeed", "description", "mss", "vsse", "single"))
#: Methods that ask the trained classifier; a page alone is left to their like.
TRAINED_METHODS = frozenset(("auto", "trained", "single"))


def learn(pages: Sequence[Page], params: Params | None = None) -> Wrapper:
    """Learn one wrapper from pages of one template.

    The outcome depends on the set of pages, not on their order.  A wrapper without
    expressions means that nothing was found.  Raises ``NotEnoughPages`` for no page, or for a
    method that needs two; ``UnknownMethod``; ``UnknownMeasure``.
    """
    params = params or Params()
    if not pages:
        raise NotEnoughPages(params.method, 1, 0)
    method = choose_method(params.method, len(pages))
    sample = sample_pages(pages, params.pages)
    wrapper = add_outcome(METHODS[method](sample, params), sample)
    return replace(wrapper, fields=learn_fields(sample))


def extract(page: Page, wrapper: Wrapper, params: Params | None = None) -> tuple[Wrapper, Extract]:
    """Apply a template's wrapper to a page; where it finds nothing, what the page alone gives
    (the classifier; SIGFEED with a method of the papers, if the page has a feed entry), and in
    the last resort what the feed says of it (DESCRIPTION).

    The wrapper that found the content comes with it; an empty text means that none did.
    """
    is_trained = (params or Params()).method in TRAINED_METHODS
    alone = "single" if is_trained or page.entry is None else "sigfeed"
    found = wrapper.apply(page)
    for method in (alone, "description"):
        if found.text:
            break
        wrapper = learn([page], Params(method=method))
        found = wrapper.apply(page)
    return wrapper, found


def add_outcome(
    wrapper: Wrapper, sample: Sequence[Page], classifier: Classifier | None = None
) -> Wrapper:
    """The wrapper, with what it finds on the pages it was learned from in its evidence.

    ``classifier``: in the place of the one that ships.
    """
    found = [wrapper.apply(page, classifier) for page in sample]
    text_at = find_text_path([page.outline for page in sample])
    evidence = replace(
        wrapper.evidence,
        match=round(sum(bool(one.text) for one in found) / len(found), 4),
        linked_headings=max(one.linked_headings for one in found),
        text_at=write_anchored_path(text_at) if text_at else "",
    )
    return replace(wrapper, evidence=evidence)


def choose_method(name: str, pages: int) -> str:
    """The method that ``auto`` stands for with so many pages; any other name is itself.

    >>> choose_method("auto", 2), choose_method("auto", 1), choose_method("coverage", 5)
    ('trained', 'single', 'coverage')
    """
    if name == "auto":
        return "trained" if pages > 1 else "single"
    if name not in METHODS:
        raise UnknownMethod(name, ("auto", *METHODS))
    return name


def sample_pages(pages: Sequence[Page], most: int) -> list[Page]:
    """At most so many of the pages, in a fixed order: pages with a feed entry first, then by a
    digest of the path, so that neighbours in time or in a section do not crowd the sample;
    pages at the same address by their text."""
    return sorted(pages, key=_sample_order)[:most]


def sample_key(url: str, has_entry: bool) -> tuple[bool, str]:
    """What the sample is sorted by; smaller comes first.  The host does not count: a site that
    moves is learned from the same pages."""
    path = url.split("://", 1)[-1].partition("/")[2]
    return (not has_entry, blake2b(path.encode(), digest_size=8).hexdigest())


def _sample_order(page: Page) -> tuple[bool, str, str]:
    return (*sample_key(page.url, page.entry is not None), page.text_digest)
