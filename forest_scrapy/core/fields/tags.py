"""Tags, categories and breadcrumbs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from forest_scrapy.core.document.structured_data import Properties, as_list, names_of
from forest_scrapy.core.document.tree import Element, Outline
from forest_scrapy.core.fields.ranking import drop_constant, rank_sources
from forest_scrapy.core.fields.sources import PageSources, fold_words

__all__ = ["CATEGORIES", "learn_tags", "read_breadcrumbs", "read_terms"]

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
    "//a[contains(concat(' ', @rel, ' '), ' category ')]",
    "meta:parsely-section",
)
#: At most this many words in a term, terms on a page, and breadcrumbs.
_MOST_WORDS, _MOST_TERMS, _MOST_STEPS = 8, 60, 10
_BREADCRUMBS = (
    "//*[contains(translate(concat(@class, ' ', @id, ' ', @aria-label), 'BC', 'bc'), 'breadcrumb')]"
    "[not(ancestor::*[contains(translate(concat(@class, ' ', @id), 'BC', 'bc'), 'breadcrumb')])]"
)
_SEPARATORS = " »›>/|\xa0→·•-–—:,"
_BETWEEN_STEPS = re.compile(r"\s+[»›>/→|·•-]\s+")

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


def _split_terms(texts: Sequence[str]) -> Terms:
    if len(texts) == 1:
        texts = re.split(r"[,;，、\n]", texts[0])
    terms: dict[str, str] = {}
    for text in texts[:_MOST_TERMS]:
        term = " ".join(text.split()).lstrip("#").strip()
        if term and len(term.split()) <= _MOST_WORDS:
            terms.setdefault(fold_words(term) or term, term)
    return tuple(terms.values())


def read_breadcrumbs(page: PageSources) -> tuple[Terms, str]:
    """The names of the sections above the page, outermost first, and the kind of source.

    Taken from JSON-LD, else microdata, else the first element marked as breadcrumbs; the last
    name is the page's own title, if the site has it there.
    """
    declared = page.declared
    for kind, nodes in (("json-ld", declared.nodes), ("microdata", declared.items)):
        for node in nodes:
            names = _declared_breadcrumbs(node)
            if any(names):
                return _first_steps(names), kind
    return _visible_breadcrumbs(page)


def _declared_breadcrumbs(node: Properties) -> list[str]:
    if not any(str(kind).endswith("BreadcrumbList") for kind in as_list(node.get("@type"))):
        return []
    steps = [step for step in as_list(node.get("itemListElement")) if isinstance(step, dict)]
    steps.sort(key=lambda step: str(step.get("position", "")).zfill(4))
    return [
        next(iter((*names_of(step.get("name")), *names_of(step.get("item")))), "") for step in steps
    ]


def _visible_breadcrumbs(page: PageSources) -> tuple[Terms, str]:
    elements = page.elements(_BREADCRUMBS)
    if not elements:
        return (), ""
    texts = _link_texts(page.page.outline, elements[0])
    steps = [text.strip(_SEPARATORS) for text in texts if not text.endswith(":")]
    steps = [step for step in steps if step]
    if len(steps) == 1:
        steps = [step.strip() for step in _BETWEEN_STEPS.split(steps[0])]
    return _first_steps(steps), "html"


def _link_texts(outline: Outline, element: Element) -> list[str]:
    """The texts below the element, each link as one text, without those of buttons."""
    texts: dict[int, list[str]] = {}
    root = next((node for node in outline.nodes if node.element is element), None)
    for i in range(root.first, root.last) if root else ():
        leaf = outline.leaves[i]
        above = {outline.nodes[n].tag: n for n in outline.path(leaf.node)}
        if "button" not in above:
            texts.setdefault(above.get("a", -1 - i), []).append(leaf.text)
    return [" ".join(" ".join(pieces).split()) for pieces in texts.values()]


def _first_steps(names: Iterable[str]) -> Terms:
    return tuple(dict.fromkeys(name for name in names if name))[:_MOST_STEPS]


def _overlap(one: Terms, other: Terms) -> bool:
    same = {fold_words(term) for term in one} & {fold_words(term) for term in other}
    return 2 * len(same) >= min(len(one), len(other))
