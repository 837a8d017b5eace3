"""Which source has the authors on the pages of a template."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from forest_scrapy.core.fields.bylines import clean_names, split_names
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.fields.ranking import rank_sources
from forest_scrapy.core.fields.sources import PageSources, plain
from forest_scrapy.core.fields.visible import find_visible

__all__ = ["AUTHORS", "learn_authors", "read_authors"]

#: What pages declare authors by, the best first.
AUTHORS = (
    "json-ld:author",
    "microdata:author",
    "opengraph:article:author",
    "meta:author",
    *(f"meta:{n}" for n in "byl sailthru.author parsely-author cxenseparse:author".split()),
    "meta:dc.creator",
    "meta:citation_author",
    "json-ld:creator",
)
FEED = "feed:author"
#: An element that shows a by-line, in characters.
_LONGEST = 120
#: How elements that show by-lines are marked; so many at one place are a list of other things.
_MARK = re.compile(
    r"author|by-?line|autor|redakteur|verfasser|auteur|writer|creator", re.IGNORECASE
)
_NO_MARK = re.compile(
    r"comment|related|avatar|recommend|teaser|bio\b|image|bild|foto|photo|caption|quote|social|"
    r"contact|socmed|share|nav|menu|brand|poweredby|powered-by|date|time",
    re.IGNORECASE,
)
_MOST_NAMES = 12

Names = tuple[str, ...]


def learn_authors(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of the authors in the order they are tried."""
    found = [read_authors(page, (*AUTHORS, FEED)) for page in pages]
    sources = (*AUTHORS, *_find_bylines(pages, found))
    found = [read_authors(page, sources) for page in pages]
    feed = [read_authors(page, (FEED,)).get(FEED) for page in pages]
    return rank_sources(sources, found, feed, _is_same, FEED)


def read_authors(facts: PageSources, sources: Iterable[str]) -> dict[str, Names]:
    """The authors by each of the sources that has some.  The site itself is one only where
    the page does not declare another."""
    sites = _site_names(facts)
    found: dict[str, Names] = {}
    only_sites: dict[str, Names] = {}
    for source in sources:
        texts = facts.texts(source)
        lists = [split_names(text, is_xpath(source)) for text in texts]
        names = clean_names(name for one in lists for name in one)[:_MOST_NAMES]
        people = tuple(name for name in names if plain(name) not in sites)
        if people:
            found[source] = people
        elif names:
            only_sites[source] = tuple(names)
    if any(not is_xpath(source) for source in found):
        return found
    declared = {source: names for source, names in only_sites.items() if not is_xpath(source)}
    return {**declared, **found} or only_sites


def _site_names(facts: PageSources) -> set[str]:
    return {*map(plain, facts.site_names), facts.host_words, plain(facts.host)}


def _is_same(one: Names, other: Names) -> bool:
    return {plain(name) for name in one} == {plain(name) for name in other}


def _find_bylines(pages: Sequence[PageSources], found: Sequence[Mapping[str, Names]]) -> list[str]:
    """XPaths of the elements that show the authors whom the page or its feed entry declares,
    then of those that are marked as by-lines."""

    sites = [_site_names(page) for page in pages]

    def is_declared(page: int, text: str, element: Any) -> bool:
        names = tuple(split_names(text, shown=True))
        if all(plain(name) in sites[page] for name in names):
            return False
        return any(_is_same(names, value) for value in found[page].values())

    def is_marked(page: int, text: str, element: Any) -> bool:
        return _has_mark(element) and bool(split_names(text, shown=True))

    declared = find_visible(pages, _LONGEST, is_declared, 2)
    marked = find_visible(pages, _LONGEST, is_marked, 3)
    xpaths = dict.fromkeys((*declared, *marked))
    return [xpath for xpath in xpaths if _is_rare(xpath, pages)]


def _has_mark(element: Any) -> bool:
    if element.get("rel") == "author" or element.get("itemprop") == "author":
        return True
    marks = f"{element.get('class') or ''} {element.get('id') or ''}"
    return bool(_MARK.search(marks)) and not _NO_MARK.search(marks)


def _is_rare(xpath: str, pages: Sequence[PageSources]) -> bool:
    return max(len(page.elements(xpath)) for page in pages) <= 4
