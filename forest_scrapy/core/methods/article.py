"""Articles: ``learn`` the wrapper from the pages of a template, and ``extract`` a page with it."""

from collections.abc import Sequence
from dataclasses import replace

from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.errors import NotEnoughPages, UnknownMethod
from forest_scrapy.core.fields import learn_fields
from forest_scrapy.core.methods import METHODS, TRAINED_METHODS
from forest_scrapy.core.methods.lost_prose import MIN_LOST, find_lost_prose
from forest_scrapy.core.methods.trained import learn_from_sample
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import DATA_WRAPPER, Wrapper
from forest_scrapy.core.xpaths.anchored import find_text_path, write_anchored_path

#: Pages that the place of a template's text is looked for on: as many as all else is learned from.
_MAX_NAMING_PAGES = 4


def learn(
    pages: Sequence[Page],
    params: Params | None = None,
    classifier: Classifier | None = None,
) -> Wrapper:
    """The wrapper learned from the pages of one template.

    It depends on the set of pages, not on their order; without expressions it means that
    nothing was found.  ``classifier``: for the methods that use one; None: the one that ships.
    Raises ``NotEnoughPages`` for no page, or for one page with a method that needs two;
    ``UnknownMethod``; ``UnknownMeasure``; ``UnknownChoice``.
    """
    params = params or Params()
    if not pages:
        raise NotEnoughPages(params.method, 1, 0)

    method = choose_method(params.method, len(pages))
    sample = sample_pages(pages, params.pages)
    if method == "trained":
        wrapper, extracts = learn_from_sample(sample, classifier)
    else:
        wrapper = METHODS[method](sample, params, classifier)
        extracts = [wrapper.apply(page, classifier) for page in sample]

    wrapper = _add_outcome(wrapper, extracts)
    texts = [extract.text for extract in extracts]
    fields = learn_fields(sample, texts)
    text_at = find_text_at(sample)
    evidence = replace(wrapper.evidence, text_at=text_at)
    return replace(wrapper, evidence=evidence, fields=fields)


def extract(
    page: Page,
    wrapper: Wrapper,
    params: Params | None = None,
    classifier: Classifier | None = None,
) -> tuple[Wrapper, Extract]:
    """The content of a page, and the wrapper that found it; an empty text means that none did.

    Tried in order: the template's wrapper; one learned from this single page (by the classifier,
    or by SIGFEED if ``params`` names a method of the papers and the page has a feed entry); the
    text in the data for the page's scripts; the feed entry's own words (DESCRIPTION).  The wrapper
    of a single page has no ``fields``: ``read_fields`` ranks the page's own sources.
    """
    params = params or Params()
    fallback = "single"
    is_of_papers = params.method not in TRAINED_METHODS
    if is_of_papers and page.entry is not None:
        fallback = "sigfeed"
    content = wrapper.apply(page, classifier)
    if content.text and wrapper.outside:
        content = _recover_prose(page, wrapper, content, classifier)

    for method in (fallback, DATA_WRAPPER.method, "description"):
        if content.text:
            break
        if method == DATA_WRAPPER.method:
            wrapper = DATA_WRAPPER
        else:
            learn_wrapper = METHODS[method]
            method_params = Params(method=method)
            wrapper = learn_wrapper([page.head], method_params, classifier)
        content = wrapper.apply(page, classifier)
        wrapper = _add_outcome(wrapper, [content])
    return wrapper, content


def _recover_prose(
    page: Page,
    wrapper: Wrapper,
    content: Extract,
    classifier: Classifier | None,
) -> Extract:
    """The content that the wrapper found, with the prose that it loses on this page: where no page
    that it was learned from had prose, and where the page by itself would keep it."""
    lost = find_lost_prose(page, wrapper, content)
    if not lost:
        return content

    learn_single = METHODS["single"]
    single_params = Params(method="single")
    single = learn_single([page.head], single_params, classifier)
    single_extract = single.apply(page, classifier)
    blocks = set(single_extract.content.text_blocks)
    recovered = []
    characters = 0
    for block, length in lost.items():
        if block in blocks:
            recovered.append(block)
            characters += length
    if characters < MIN_LOST:
        return content

    whole = wrapper.apply(page, classifier, also=recovered)
    return replace(whole, recovered=characters)


def find_text_at(pages: Sequence[Page]) -> str:
    """The anchored path that holds the largest share of the first pages' text; ``""`` without
    any."""
    first_pages = pages[:_MAX_NAMING_PAGES]
    outlines = [page.outline for page in first_pages]
    path = find_text_path(outlines)
    if path:
        return write_anchored_path(path)
    return ""


def _add_outcome(wrapper: Wrapper, extracts: Sequence[Extract]) -> Wrapper:
    """The wrapper, with what it found on the pages it was learned from as evidence."""
    matches = sum(bool(extract.text) for extract in extracts)
    match = matches / len(extracts)
    linked_headings = max(extract.content.linked_headings for extract in extracts)
    evidence = replace(
        wrapper.evidence,
        match=round(match, 4),
        linked_headings=linked_headings,
    )
    return replace(wrapper, evidence=evidence)


def choose_method(name: str, pages: int) -> str:
    """The name itself, or the method that ``auto`` stands for with this number of pages.

    >>> choose_method("auto", 2), choose_method("auto", 1), choose_method("coverage", 5)
    ('trained', 'single', 'coverage')
    """
    if name == "auto":
        return "trained" if pages > 1 else "single"
    if name not in METHODS:
        raise UnknownMethod(name, ("auto", *METHODS))
    return name


def sample_pages(pages: Sequence[Page], size: int) -> list[Page]:
    """At most ``size`` of the pages, always the same ones in the same order.

    Pages with a feed entry come first, then the order is by a digest of the URL's path, so that
    pages of one day or one section are not over-represented; pages with the same URL are
    ordered by their text.
    """
    by_key: dict[tuple[bool, str], list[Page]] = {}
    for page in pages:
        has_entry = page.entry is not None
        key = sample_key(page.url, has_entry)
        same_key = by_key.setdefault(key, [])
        same_key.append(page)

    sample: list[Page] = []
    for key in sorted(by_key):
        if len(sample) >= size:
            break
        same_key = by_key[key]
        if len(same_key) > 1:  # the text takes long to read, and is rarely needed
            same_key.sort(key=lambda page: page.text_digest)
        sample += same_key
    return sample[:size]


def sample_key(url: str, has_entry: bool) -> tuple[bool, str]:
    """What the sample is sorted by, smaller first.  The host has no influence: a site that moves
    is learned from the same pages."""
    without_scheme = url.split("://", 1)[-1]
    _, _, path = without_scheme.partition("/")
    digest = hex_digest(path)
    return not has_entry, digest
