"""Which source has the authors on the pages of a template."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from forest_scrapy.core.fields.byline_elements import (
    LONGEST_CREDIT,
    AsideFinder,
    find_marked,
    is_marked_name,
    read_bylines,
)
from forest_scrapy.core.fields.bylines import clean_names, split_names
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.fields.ranking import rank_sources
from forest_scrapy.core.fields.sources import (
    PageSources,
    ShortElement,
    find_visible,
    fold_words,
    short_elements,
)
from forest_scrapy.core.page.tree import Element

#: The sources of declared authors, best first.
AUTHORS = (
    "json-ld:author",
    "microdata:author",
    "opengraph:article:author",
    "meta:author",
    *(
        f"meta:{name}"
        for name in (
            "byl sailthru.author parsely-author cxenseparse:author authors article.author "
            "article:author_name og:article:author citation_author citation_authors dc.creator "
            "dcterms.creator dc.creator.name"
        ).split()
    ),
    "meta-label:author",
    "json-ld-page:author",
    "json-ld:creator",
    "json-ld-graph:person",
)
FEED = "feed:author"
#: The element that says who wrote the article, the nearest to the title; for bylines among
#: paragraphs, which no XPath tells from these.
_NEAREST_CREDIT = "text:credit"
#: A byline between line breaks; tried if there is nothing else.
LINE_CREDIT = "text:line"
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
        people, site = page.value(_read_names, source)
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

    The site itself counts as an author only if there is no other.
    """
    names = {source: page.value(_read_names, source) for source in sources}
    found = {source: people for source, (people, _) in names.items() if people}
    return found or {source: site for source, (_, site) in names.items() if site}


def _read_names(page: PageSources, source: str) -> tuple[Names, Names]:
    """The people that the source names; and, if there are none, the names of the site."""
    if source == _NEAREST_CREDIT:
        found = page.nearest_byline
    elif source == LINE_CREDIT:
        found = page.line_byline
    elif is_xpath(source):
        found = read_bylines(page.elements(source), page.page.language)
    else:
        found = [name for text in page.texts(source) for name in split_names(text)]
    names = clean_names(found)[:_MOST_NAMES]
    sites = _site_names(page) if names else set()
    people = tuple(_without_site(name, sites) for name in names if fold_words(name) not in sites)
    return people, () if people else tuple(names)


def _without_site(name: str, sites: Collection[str]) -> str:
    """The name without that of the site after a full name: "Ana Bo The Gazette"."""
    words = name.split()
    ends = (end for end in range(2, len(words)) if fold_words(" ".join(words[end:])) in sites)
    return " ".join(words[: next(ends, len(words))])


def _site_names(page: PageSources) -> set[str]:
    return {*map(fold_words, page.site_names), page.host_words, fold_words(page.host)}


def _is_same(one: Names, other: Names) -> bool:
    return {fold_words(name) for name in one} == {fold_words(name) for name in other}


def _find_bylines(
    pages: Sequence[PageSources], declared: Sequence[Mapping[str, Names]]
) -> list[str]:
    """The XPaths of the elements that show declared authors, then of those that say who wrote the
    article; if no page declares an author, then of those whose class says that they are bylines.
    """
    sites = [_site_names(page) for page in pages]
    needed = [_words_needed(values.values()) for values in declared]

    def is_declared(page: int, text: str) -> bool:
        folded = fold_words(text)
        if not any(all(word in folded for word in words) for words in needed[page]):
            return False  # without the words it cannot show the names: no need to split it
        names = tuple(split_names(text, is_visible=True))
        if all(fold_words(name) in sites[page] for name in names):
            return False
        return any(_is_same(names, value) for value in declared[page].values())

    def show_declared(number: int) -> Iterator[ShortElement]:
        for one in pages[number].having_words(needed[number]):
            if len(one.text) <= LONGEST_CREDIT and is_declared(number, one.text):
                yield one

    def show_credited(number: int) -> Iterator[ShortElement]:
        for one, names in pages[number].credits.items():
            if fold_words(names[0]) not in sites[number]:
                yield one

    def show_marked(number: int) -> Iterator[ShortElement]:
        shown = short_elements(pages[number], LONGEST_CREDIT)
        for one in find_marked(shown, pages[number].page.outline):
            if not is_aside(one.node.element):
                yield one

    def find(
        show: Callable[[int], Iterable[ShortElement]],
        most: int,
        is_also: Callable[[int, str], bool] = lambda page, text: False,
    ) -> list[str]:
        shown = [list(show(number)) for number in range(len(pages))]
        elements = [{one.node.element for one in own} for own in shown]

        def is_first(xpath: str) -> bool:
            """Whether the first element at the XPath is wanted, on most pages that have one."""
            firsts = [(n, page.elements(xpath)[0]) for n, page in enumerate(pages)
                      if page.elements(xpath)]  # fmt: skip
            own = [one in elements[n] or is_also(n, _line_of(one)) for n, one in firsts]
            return 2 * sum(own) > len(own)

        found = find_visible(pages, shown, most, is_marked_name)
        return [xpath for xpath in found if _is_rare(xpath, pages) and is_first(xpath)]

    is_aside = AsideFinder()
    people = [_names_people(names, page) for names, page in zip(declared, pages, strict=True)]
    xpaths: list[str] = []
    if any(declared):  # the first one may be hidden, as on small screens
        xpaths = find(show_declared, 2, is_declared)
    if len(pages) > 1:  # on a single page the nearest is enough
        xpaths += find(show_credited, 3)
    marked = [] if any(people) else find(show_marked, 3)
    # The walk costs a page a third of its article, so the byline has to be on most pages.
    named = [page.value(_read_names, _NEAREST_CREDIT)[0] for page in pages]
    is_common = 2 * sum(map(bool, named)) > len(pages)
    nearest = [_NEAREST_CREDIT] if is_common else []
    return list(dict.fromkeys((*xpaths, *nearest, *marked)))


def _names_people(declared: Mapping[str, Names], page: PageSources) -> bool:
    """Whether anyone but the site is declared."""
    sites = _site_names(page) if declared else ()
    return any(fold_words(name) not in sites for names in declared.values() for name in names)


def _is_rare(xpath: str, pages: Sequence[PageSources]) -> bool:
    return max(len(page.elements(xpath)) for page in pages) <= _MOST_BYLINES


def _words_needed(values: Iterable[Names]) -> list[list[str]]:
    """The words of each author or group of authors."""
    return [[word for name in names for word in fold_words(name).split()] for names in values]


def _line_of(element: Element) -> str:
    return " ".join(" ".join(element.itertext()).split())
