"""Which source has the authors on the pages of a template."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from forest_scrapy.core.document.tree import Element
from forest_scrapy.core.fields.bylines import clean_names, split_names
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.fields.ranking import rank_sources
from forest_scrapy.core.fields.sources import PageSources, fold_words
from forest_scrapy.core.fields.visible import find_visible

__all__ = ["AUTHORS", "first_authors", "learn_authors", "read_authors"]

#: The sources of declared authors, best first.
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
#: Characters of the longest element that is read as a byline.
_LONGEST = 120
#: Class names and ids of bylines, and of elements that are something else.
_MARK = re.compile(
    r"author|by-?line|autor|redakteur|verfasser|auteur|writer|creator", re.IGNORECASE
)
_NO_MARK = re.compile(
    r"comment|related|avatar|recommend|teaser|bio\b|image|bild|foto|photo|caption|quote|social|"
    r"contact|socmed|share|nav|menu|brand|poweredby|powered-by|date|time",
    re.IGNORECASE,
)
#: Authors of one page.
_MOST_NAMES = 12
#: Elements of one page that an XPath of bylines may find; more are a list of other articles.
_MOST_BYLINES = 4

Names = tuple[str, ...]


def learn_authors(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of the authors in the order they are tried."""
    declared = [read_authors(page, (*AUTHORS, FEED)) for page in pages]
    sources = (*AUTHORS, *_find_bylines(pages, declared))
    found = [read_authors(page, sources) for page in pages]
    feed = [read_authors(page, (FEED,)).get(FEED) for page in pages]
    return rank_sources(sources, found, feed, _is_same, FEED)


def first_authors(page: PageSources, sources: Sequence[str]) -> tuple[str, Names]:
    """The first of the sources that has authors in ``read_authors``, and the authors.  All
    sources are read only if one names just the site."""
    for source in sources:
        people, site = _read_names(page, source)
        if people:
            return source, people
        if site:
            break
    else:
        return "", ()
    found = read_authors(page, sources)
    return next(((source, found[source]) for source in sources if source in found), ("", ()))


def read_authors(page: PageSources, sources: Iterable[str]) -> dict[str, Names]:
    """The authors by each of the sources that has some.

    The site itself counts as an author only if the page declares no other.
    """
    names = {source: _read_names(page, source) for source in sources}
    found = {source: people for source, (people, _) in names.items() if people}
    only_sites = {source: site for source, (_, site) in names.items() if site}
    if any(not is_xpath(source) for source in found):
        return found
    declared = {source: names for source, names in only_sites.items() if not is_xpath(source)}
    return {**declared, **found} or only_sites


def _read_names(page: PageSources, source: str) -> tuple[Names, Names]:
    """The people that the source names; and, if there are none, the names of the site."""
    lists = [split_names(text, is_xpath(source)) for text in page.texts(source)]
    names = clean_names(name for one in lists for name in one)[:_MOST_NAMES]
    sites = _site_names(page) if names else ()
    people = tuple(name for name in names if fold_words(name) not in sites)
    return people, () if people else tuple(names)


def _site_names(page: PageSources) -> set[str]:
    return {*map(fold_words, page.site_names), page.host_words, fold_words(page.host)}


def _is_same(one: Names, other: Names) -> bool:
    return {fold_words(name) for name in one} == {fold_words(name) for name in other}


def _has_words(text: str, names: Names) -> bool:
    """Whether all words of the names occur in the text: without them it cannot show the names,
    and splitting the text is not needed."""
    folded = fold_words(text)
    return all(word in folded for name in names for word in fold_words(name).split())


def _find_bylines(
    pages: Sequence[PageSources], declared: Sequence[Mapping[str, Names]]
) -> list[str]:
    """XPaths of the elements that show declared authors, then of those marked as bylines."""
    sites = [_site_names(page) for page in pages]

    def is_declared(page: int, text: str, element: Element) -> bool:
        if not any(_has_words(text, value) for value in declared[page].values()):
            return False
        names = tuple(split_names(text, is_visible=True))
        if all(fold_words(name) in sites[page] for name in names):
            return False
        return any(_is_same(names, value) for value in declared[page].values())

    def is_marked(page: int, text: str, element: Element) -> bool:
        return _is_marked(element) and bool(split_names(text, is_visible=True))

    xpaths = (
        *find_visible(pages, _LONGEST, is_declared, 2),
        *find_visible(pages, _LONGEST, is_marked, 3),
    )
    return [xpath for xpath in dict.fromkeys(xpaths) if _is_rare(xpath, pages)]


def _is_marked(element: Element) -> bool:
    """Whether the element's attributes say that it is a byline."""
    if element.get("rel") == "author" or element.get("itemprop") == "author":
        return True
    marks = f"{element.get('class') or ''} {element.get('id') or ''}"
    return bool(_MARK.search(marks)) and not _NO_MARK.search(marks)


def _is_rare(xpath: str, pages: Sequence[PageSources]) -> bool:
    return max(len(page.elements(xpath)) for page in pages) <= _MOST_BYLINES
