"""Tags, categories and breadcrumbs."""

import re
from collections.abc import Iterable, Sequence

from forest_scrapy.core.fields.ranking import drop_constant, rank_sources
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.fields.words import fold_words
from forest_scrapy.core.page.declared import Properties, as_list, names_of, type_names
from forest_scrapy.core.page.outline import outline_tree
from forest_scrapy.core.page.tree import Element, is_ignored

#: The sources of declared tags, best first; keywords for search engines are last.
TAGS = (
    "opengraph:article:tag",
    "//a[contains(concat(' ', @rel, ' '), ' tag ')][not(contains(@rel, 'category'))]",
    "json-ld:keywords",
    "microdata:keywords",
    "meta:news_keywords",
    "meta:parsely-tags",
    "meta:sailthru.tags",
    "meta:keywords",
)
FEED = "feed:tags"
CATEGORIES = (
    "json-ld:articleSection",
    "opengraph:article:section",
    "microdata:articleSection",
    "meta:article:section",
    "//a/@rel[contains(concat(' ', ., ' '), ' category ')]/..",
    "meta:parsely-section",
)
#: Words of a term.
_MAX_WORDS = 8
#: Terms of a page.
_MAX_TERMS = 60
#: Breadcrumbs of a page.
_MAX_STEPS = 10
#: On the attribute axis: a quarter of the time of ``//*[contains(@class, ...)]``; the test of
#: "rumb" halves that.
_BREADCRUMBS = " | ".join(
    f"//@{name}[contains(., 'rumb') and contains(translate(., 'BC', 'bc'), 'breadcrumb')]/.."
    for name in ("class", "id", "aria-label")
)
_JSON_LD = "json-ld:BreadcrumbList"
_MICRODATA = "microdata:BreadcrumbList"
#: The sources of breadcrumbs, best first; the last are elements marked by class, id or label.
BREADCRUMBS = (_JSON_LD, _MICRODATA, "html:breadcrumbs")
_SEPARATORS = " »›>/|\xa0→·•-–—:,"
_BETWEEN_TERMS = re.compile(r"[,;，、\n]")
_BETWEEN_STEPS = re.compile(r"(?<!\s)\s++[»›>/→|·•-]\s+")

Terms = tuple[str, ...]


def learn_tags(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of the tags in the order they are tried; two sources agree if they share half
    of their tags."""
    tags = [read_terms(page, TAGS) for page in pages]
    sources = drop_constant(TAGS, tags, frozenset)
    feed_tags = []
    for page in pages:
        entry_terms = read_terms(page, (FEED,))
        feed_tags.append(entry_terms.get(FEED))
    return rank_sources(sources, tags, feed_tags, _overlap, FEED)


def read_terms(page: PageSources, sources: Iterable[str]) -> dict[str, Terms]:
    """The terms by each of the sources that has some; a single text is split at commas."""
    terms_by_source = {}
    for source in page.present(tuple(sources)):
        terms = _split_terms(page.texts(source))
        if terms:
            terms_by_source[source] = terms
    return terms_by_source


def first_terms(page: PageSources, sources: Iterable[str]) -> tuple[str, Terms]:
    """The first of the sources that has terms, and the terms; empty if there is none."""
    for source in page.present(tuple(sources)):
        terms = _split_terms(page.texts(source))
        if terms:
            return source, terms
    return "", ()


def _split_terms(texts: Sequence[str]) -> Terms:
    """The terms in the texts without duplicates; a single text is split at commas."""
    if len(texts) == 1:
        texts = _BETWEEN_TERMS.split(texts[0])
    terms: dict[str, str] = {}
    for text in texts[:_MAX_TERMS]:
        term = " ".join(text.split())
        term = term.lstrip("#").strip()
        word_count = len(term.split())
        if 0 < word_count <= _MAX_WORDS:
            terms.setdefault(fold_words(term) or term, term)
    return tuple(terms.values())


def learn_categories(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of categories on any of the pages, best first."""
    terms = [read_terms(page, CATEGORIES) for page in pages]
    sources = []
    for source in CATEGORIES:
        if any(source in page_terms for page_terms in terms):
            sources.append(source)
    return tuple(sources)


def learn_breadcrumbs(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of breadcrumbs on any of the pages: JSON-LD, then microdata, then the elements
    marked as breadcrumbs."""
    sources = []
    for source in BREADCRUMBS:
        if any(any(_read_breadcrumbs(page, source)) for page in pages):
            sources.append(source)
    return tuple(sources)


def first_breadcrumbs(
    page: PageSources,
    sources: Iterable[str],
) -> tuple[str, Terms]:
    """The first of the sources that has breadcrumbs, and the names of the sections above the
    page, outermost first; empty if there is none.

    The last name is the page's own title, if the site has it there.
    """
    for source in sources:
        steps = list(filter(None, _read_breadcrumbs(page, source)))
        if steps:
            different = tuple(dict.fromkeys(steps))
            return source, different[:_MAX_STEPS]
    return "", ()


def _read_breadcrumbs(page: PageSources, source: str) -> list[str]:
    if source == _JSON_LD:
        return _declared_breadcrumbs(page.declared.nodes)
    if source == _MICRODATA:
        return _declared_breadcrumbs(page.declared.items)
    return _visible_breadcrumbs(page)


def _declared_breadcrumbs(nodes: Iterable[Properties]) -> list[str]:
    """The names in the first list of breadcrumbs that has any."""
    for node in nodes:
        if "breadcrumblist" in type_names(node):
            names = [_step_name(step) for step in _steps_in_order(node)]
            if any(names):
                return names
    return []


def _steps_in_order(node: Properties) -> list[Properties]:
    steps = []
    for step in as_list(node.get("itemListElement")):
        if isinstance(step, dict):
            steps.append(step)

    def position(step: Properties) -> str:
        return str(step.get("position", "")).zfill(4)

    return sorted(steps, key=position)


def _step_name(step: Properties) -> str:
    names = names_of(step.get("name"))
    if not names:
        names = names_of(step.get("item"))
    return next(iter(names), "")


def _visible_breadcrumbs(page: PageSources) -> list[str]:
    """The texts in the first element marked as breadcrumbs, without separators."""
    elements = page.elements(_BREADCRUMBS)
    if not elements:
        return []
    steps = []
    for text in _link_texts(elements[0]):
        is_label = text.endswith(":")
        step = text.strip(_SEPARATORS)
        if step and not is_label:
            steps.append(step)
    if len(steps) == 1:
        parts = _BETWEEN_STEPS.split(steps[0])
        steps = [part.strip() for part in parts]
    return steps


def _link_texts(element: Element) -> list[str]:
    """The visible texts below the element, each link as one text, without those of buttons."""
    if any(map(is_ignored, (element, *element.iterancestors()))):
        return []
    outline = outline_tree(element)
    # By the position of the link; a negative number of its own for each text without a link.
    pieces_by_link: dict[int, list[str]] = {}
    for number, leaf in enumerate(outline.leaves):
        above = {}
        for position in outline.path(leaf.node):
            above[outline.nodes[position].tag] = position
        if "button" not in above:
            link = above.get("a", -1 - number)
            pieces_by_link.setdefault(link, []).append(leaf.text)
    texts = []
    for pieces in pieces_by_link.values():
        words = " ".join(pieces).split()
        texts.append(" ".join(words))
    return texts


def _overlap(terms: Terms, other_terms: Terms) -> bool:
    folded = {fold_words(term) for term in terms}
    other_folded = {fold_words(term) for term in other_terms}
    common = len(folded & other_folded)
    return 2 * common >= min(len(terms), len(other_terms))
