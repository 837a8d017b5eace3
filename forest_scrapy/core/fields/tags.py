"""Tags, categories and breadcrumbs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lxml import etree

from forest_scrapy.core.document.structured_data import as_list, names_of
from forest_scrapy.core.document.text import block_text
from forest_scrapy.core.fields.ranking import drop_constant, rank_sources
from forest_scrapy.core.fields.sources import PageSources, plain

__all__ = ["CATEGORIES", "learn_tags", "read_breadcrumbs", "read_terms"]

#: What pages declare tags by, the best first; keywords for search engines come last.
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
#: A term in words, a page's terms, the steps to a page.
_MOST_WORDS, _MOST_TERMS, _MOST_STEPS = 8, 60, 10
_CRUMBS = etree.XPath(
    "//*[contains(translate(concat(@class, ' ', @id, ' ', @aria-label), 'BC', 'bc'), 'breadcrumb')]"
    "[not(ancestor::*[contains(translate(concat(@class, ' ', @id), 'BC', 'bc'), 'breadcrumb')])]"
)
_ARROWS = " »›>/|\xa0→·•"

Terms = tuple[str, ...]


def learn_tags(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of the tags in the order they are tried; they agree if half of the tags do."""
    found = [read_terms(page, TAGS) for page in pages]
    kept = drop_constant(TAGS, found, frozenset)
    feed = [read_terms(page, (FEED,)).get(FEED) for page in pages]
    return rank_sources(kept, found, feed, _overlap, FEED)


def read_terms(facts: PageSources, sources: Iterable[str]) -> dict[str, Terms]:
    """The terms by each of the sources that has some; a source with one text has them between
    commas."""
    found = {}
    for source in sources:
        texts = facts.texts(source)
        if len(texts) == 1:
            texts = tuple(re.split(r"[,;，、\n]", texts[0]))
        terms: dict[str, str] = {}
        for text in texts[:_MOST_TERMS]:
            term = " ".join(text.split()).lstrip("#").strip()
            if term and len(term.split()) <= _MOST_WORDS:
                terms.setdefault(plain(term) or term, term)
        if terms:
            found[source] = tuple(terms.values())
    return found


def read_breadcrumbs(facts: PageSources) -> tuple[Terms, str]:
    """The names of the sections that lead to the page, outer ones first, without the page's own
    title, and the kind of source."""
    for node in (*facts.declared.nodes, *facts.declared.items):
        if any(str(kind).endswith("BreadcrumbList") for kind in as_list(node.get("@type"))):
            steps = [
                step for step in as_list(node.get("itemListElement")) if isinstance(step, dict)
            ]
            steps.sort(key=lambda step: str(step.get("position", "")).zfill(4))
            names = [
                next(iter((*names_of(step.get("name")), *names_of(step.get("item")))), "")
                for step in steps
            ]
            if any(names):
                kind = "json-ld" if node in facts.declared.nodes else "microdata"
                return _plain_steps(names), kind
    for element in _CRUMBS(facts.page.root)[:1]:
        lines = [line.strip(_ARROWS) for line in block_text(element)[:500].split("\n")]
        if len(lines) == 1:
            lines = re.split(r"\s*[»›>/→]\s*", lines[0])
        return _plain_steps(lines), "html"
    return (), ""


def _plain_steps(names: Iterable[str]) -> Terms:
    return tuple(dict.fromkeys(name for name in names if name))[:_MOST_STEPS]


def _overlap(one: Terms, other: Terms) -> bool:
    same = {plain(term) for term in one} & {plain(term) for term in other}
    return 2 * len(same) >= min(len(one), len(other))
