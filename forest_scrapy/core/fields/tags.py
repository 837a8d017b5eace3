"""Tags, categories and breadcrumbs."""

import re
from collections.abc import Iterable, Sequence

from forest_scrapy.core.fields.ranking import drop_constant, rank_sources
from forest_scrapy.core.fields.sources import PageSources, fold_words
from forest_scrapy.core.page.declared import Properties, as_list, names_of
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
#: At most this many words in a term, terms on a page, and breadcrumbs.
_MOST_WORDS, _MOST_TERMS, _MOST_STEPS = 8, 60, 10
#: On the attribute axis: a quarter of the time of ``//*[contains(@class, ...)]``; the test of
#: "rumb" halves that.
_BREADCRUMBS = " | ".join(
    f"//@{name}[contains(., 'rumb') and contains(translate(., 'BC', 'bc'), 'breadcrumb')]/.."
    for name in ("class", "id", "aria-label")
)
_JSON_LD, _MICRODATA = "json-ld:BreadcrumbList", "microdata:BreadcrumbList"
#: The sources of breadcrumbs, best first; the last are elements marked by class, id or label.
BREADCRUMBS = (_JSON_LD, _MICRODATA, "html:breadcrumbs")
_SEPARATORS = " »›>/|\xa0→·•-–—:,"
_BETWEEN_STEPS = re.compile(r"(?<!\s)\s++[»›>/→|·•-]\s+")

Terms = tuple[str, ...]


def learn_tags(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of the tags in the order they are tried; two sources agree if they share half
    of their tags."""
    found = [read_terms(page, TAGS) for page in pages]
    kept = drop_constant(TAGS, found, frozenset)
    feed = [read_terms(page, (FEED,)).get(FEED) for page in pages]
    return rank_sources(kept, found, feed, _overlap, FEED)


def read_terms(page: PageSources, sources: Iterable[str]) -> dict[str, Terms]:
    """The terms by each of the sources that has some; a single text is split at commas."""
    found = {source: _split_terms(page.texts(source)) for source in sources}
    return {source: terms for source, terms in found.items() if terms}


def first_terms(page: PageSources, sources: Iterable[str]) -> tuple[str, Terms]:
    """The first of the sources that has terms, and the terms; empty if there is none."""
    for source in sources:
        if terms := _split_terms(page.texts(source)):
            return source, terms
    return "", ()


def _split_terms(texts: Sequence[str]) -> Terms:
    if len(texts) == 1:
        texts = re.split(r"[,;，、\n]", texts[0])
    terms: dict[str, str] = {}
    for text in texts[:_MOST_TERMS]:
        term = " ".join(text.split()).lstrip("#").strip()
        if term and len(term.split()) <= _MOST_WORDS:
            terms.setdefault(fold_words(term) or term, term)
    return tuple(terms.values())


def learn_categories(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of categories on any of the pages, best first."""
    return tuple(s for s in CATEGORIES if any(first_terms(page, (s,))[0] for page in pages))


def learn_breadcrumbs(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of breadcrumbs on any of the pages: JSON-LD, then microdata, then the elements
    marked as breadcrumbs."""
    return tuple(s for s in BREADCRUMBS if any(first_breadcrumbs(page, (s,))[0] for page in pages))


def first_breadcrumbs(page: PageSources, sources: Iterable[str]) -> tuple[str, Terms]:
    """The first of the sources that has breadcrumbs, and the names of the sections above the
    page, outermost first; empty if there is none.

    The last name is the page's own title, if the site has it there.
    """
    for source in sources:
        if source == _JSON_LD:
            steps = _declared_breadcrumbs(page.declared.nodes)
        elif source == _MICRODATA:
            steps = _declared_breadcrumbs(page.declared.items)
        else:
            steps = _visible_breadcrumbs(page)
        if any(steps):
            return source, tuple(dict.fromkeys(filter(None, steps)))[:_MOST_STEPS]
    return "", ()


def _declared_breadcrumbs(nodes: Iterable[Properties]) -> list[str]:
    """The names in the first list of breadcrumbs that has any."""
    for node in nodes:
        if any(str(kind).endswith("BreadcrumbList") for kind in as_list(node.get("@type"))):
            names = [_step_name(step) for step in _steps_in_order(node)]
            if any(names):
                return names
    return []


def _steps_in_order(node: Properties) -> list[Properties]:
    steps = [step for step in as_list(node.get("itemListElement")) if isinstance(step, dict)]
    return sorted(steps, key=lambda step: str(step.get("position", "")).zfill(4))


def _step_name(step: Properties) -> str:
    return next(iter((*names_of(step.get("name")), *names_of(step.get("item")))), "")


def _visible_breadcrumbs(page: PageSources) -> list[str]:
    """The texts in the first element marked as breadcrumbs, without separators."""
    elements = page.elements(_BREADCRUMBS)
    texts = _link_texts(elements[0]) if elements else ()
    steps = [text.strip(_SEPARATORS) for text in texts if not text.endswith(":")]
    steps = [step for step in steps if step]
    if len(steps) == 1:
        steps = [step.strip() for step in _BETWEEN_STEPS.split(steps[0])]
    return steps


def _link_texts(element: Element) -> list[str]:
    """The visible texts below the element, each link as one text, without those of buttons."""
    if any(map(is_ignored, (element, *element.iterancestors()))):
        return []
    outline = outline_tree(element)
    texts: dict[int, list[str]] = {}
    for i, leaf in enumerate(outline.leaves):
        above = {outline.nodes[n].tag: n for n in outline.path(leaf.node)}
        if "button" not in above:
            texts.setdefault(above.get("a", -1 - i), []).append(leaf.text)
    return [" ".join(" ".join(pieces).split()) for pieces in texts.values()]


def _overlap(one: Terms, other: Terms) -> bool:
    same = {fold_words(term) for term in one} & {fold_words(term) for term in other}
    return 2 * len(same) >= min(len(one), len(other))
