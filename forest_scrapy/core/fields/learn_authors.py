"""The authors by the sources of a page, and the sources that a template has them in."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from forest_scrapy.core.fields.byline_elements import (
    MAX_CREDIT_LENGTH,
    AsideFinder,
    find_marked,
    is_marked_name,
    read_bylines,
)
from forest_scrapy.core.fields.bylines import clean_names, is_name_like, split_names
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.fields.ranking import rank_sources
from forest_scrapy.core.fields.sources import PageSources, ShortElement, short_elements
from forest_scrapy.core.fields.visible import find_visible
from forest_scrapy.core.fields.words import fold_words
from forest_scrapy.core.page.declared import organisations_of
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
#: Those that may have the family name first, before a comma.
_CITATIONS = frozenset(
    f"meta:{name}" for name in "citation_author dc.creator dcterms.creator dc.creator.name".split()
)
#: Words of the longest family name and of the longest given names in these.
_MAX_FAMILY_WORDS = 2
_MAX_GIVEN_WORDS = 3
#: Words that are in names of organisations only.
_ORGANISATION_WORDS = frozenset(
    (
        "agency association authority broadcasting bureau center centre committee company "
        "corporation council department editors editorial foundation gmbh group inc institute "
        "llc ltd magazine media ministry network newsroom newspaper office organization "
        "organisation press publishing redaction redaktion redacción rédaction redactie redazione "
        "redakcja redakce редакция редакція society staff studio team university verlag"
    ).split()
)
#: The element that says who wrote the article, the nearest to the title; for bylines among
#: paragraphs, which no XPath tells from these.
_NEAREST_CREDIT = "text:credit"
#: The byline right below the title of a single page.
_HEAD_CREDIT = "text:head"
#: A byline between line breaks; tried if there is nothing else.
LINE_CREDIT = "text:line"
#: Pages of which an author that is the same on all may be the owner of the site.
_MIN_CONSTANT_PAGES = 3
#: Authors of one page.
_MAX_NAMES = 12
#: Elements of one page that an XPath of bylines may find; more are a list of other articles.
_MAX_BYLINES = 4
#: Pages, and their share, with a byline that is read at one XPath, from which this is the place of
#: bylines: the others may be worded in another way.  Not tuned.
_MIN_PLACE_PAGES = 2
_MIN_PLACE_SHARE = 1 / 3
#: XPaths of the elements that show declared authors; of those that say who wrote the article; and
#: of those whose class says that they are bylines.
_MAX_DECLARED_XPATHS = 2
_MAX_CREDIT_XPATHS = 3
_MAX_MARKED_XPATHS = 3

Names = tuple[str, ...]


def learn_authors(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """The sources of the authors in the order they are tried."""
    declared_authors = [read_authors(page, (*AUTHORS, FEED)) for page in pages]
    bylines = BylineFinder(pages, declared_authors).find()
    sources = (*AUTHORS, *bylines)
    authors = [read_authors(page, sources) for page in pages]
    feed_authors = []
    for page in pages:
        entry_authors = read_authors(page, (FEED,))
        feed_authors.append(entry_authors.get(FEED))
    ranked = rank_sources(sources, authors, feed_authors, _is_same, FEED)
    if len(pages) == 1:
        return _head_first(ranked, pages[0], authors[0])
    return _constant_last(ranked, authors)


def _head_first(
    sources: tuple[str, ...],
    page: PageSources,
    authors: Mapping[str, Names],
) -> tuple[str, ...]:
    """The sources of a single page in their order; but the byline below the title comes first if it
    names others than the declared author, who is a user of the publishing system then."""
    source = next((source for source in sources if source in authors), "")
    if not source or source == FEED or _is_shown(source):
        return sources
    head, _ = page.value(_read_names, _HEAD_CREDIT)
    head_names = set(map(fold_words, head))
    is_other = head_names.isdisjoint(map(fold_words, authors[source]))
    return (_HEAD_CREDIT, *sources) if head_names and is_other else sources


def _constant_last(
    sources: Sequence[str],
    page_authors: Sequence[Mapping[str, Names]],
) -> tuple[str, ...]:
    """The sources in their order; but a declared author that is the same on all pages, such as the
    owner of the site, comes after shown bylines that differ."""
    shown = [source for source in sources if _is_shown(source)]
    if not any(_differs(source, page_authors) for source in shown):
        return tuple(sources)
    constant: list[str] = []
    for source in sources:
        if source == FEED:  # what agrees with the feed stays before it
            constant.clear()
        elif not _is_shown(source) and _is_constant(source, page_authors):
            constant.append(source)
    others = [source for source in sources if source not in constant]
    return (*others, *constant)


def _is_shown(source: str) -> bool:
    return is_xpath(source) or source == _NEAREST_CREDIT


def _differs(source: str, page_authors: Sequence[Mapping[str, Names]]) -> bool:
    """Whether the source has authors on most pages, and not the same on all."""
    names = [authors[source] for authors in page_authors if source in authors]
    return 2 * len(names) > len(page_authors) and len(set(names)) > 1


def _is_constant(source: str, page_authors: Sequence[Mapping[str, Names]]) -> bool:
    """Whether the source has the same authors on three pages or more, and no others."""
    names = [authors[source] for authors in page_authors if source in authors]
    return len(names) >= _MIN_CONSTANT_PAGES and len(set(names)) == 1


def first_authors(
    page: PageSources,
    sources: Sequence[str],
) -> tuple[str, Names]:
    """The first of the sources that has authors in ``read_authors``, and the authors.  All
    sources are read only if one names just the site."""
    sources = page.present(tuple(sources))
    for source in sources:
        people, site = page.value(_read_names, source)
        if people:
            return source, people
        if site:
            break
    else:
        return "", ()

    authors = read_authors(page, sources)
    for source in sources:
        if source in authors:
            return source, authors[source]
    return "", ()


def read_authors(page: PageSources, sources: Iterable[str]) -> dict[str, Names]:
    """The authors by each of the sources that has some.

    The site itself counts as an author only if there is no other.
    """
    people_by_source: dict[str, Names] = {}
    site_by_source: dict[str, Names] = {}
    for source in page.present(tuple(sources)):
        people, site = page.value(_read_names, source)
        if people:
            people_by_source[source] = people
        if site:
            site_by_source[source] = site
    return people_by_source or site_by_source


def _read_names(page: PageSources, source: str) -> tuple[Names, Names]:
    """The people that the source names; and, if there are none, the names of the site or of other
    organisations."""
    names = clean_names(_read_source(page, source))[:_MAX_NAMES]
    if not names:
        return (), ()
    site_names = _site_names(page)
    organisations = _declared_organisations(page, source)
    first, *rest = names
    is_address = len(rest) > 0 and not any(map(is_name_like, rest))
    if is_address and fold_words(first) in site_names:  # "gazette.example, Rome, Italy"
        return (), (first,)
    people = []
    has_person = False
    for name in names:
        folded = fold_words(name)
        if folded in site_names:
            continue
        people.append(_without_site(name, site_names))
        is_named_so = not _ORGANISATION_WORDS.isdisjoint(folded.split())
        has_person = has_person or not (is_named_so or folded in organisations)
    if has_person:
        return tuple(people), ()
    return (), tuple(names)


def _declared_organisations(page: PageSources, source: str) -> set[str]:
    """The words of the names of those authors in a source that the page declares to be
    organisations."""
    declared = page.declared
    if source == "json-ld:author":
        authors = declared.article.get("author")
    elif source == "microdata:author":
        authors = declared.item.get("author")
    elif source == "json-ld-page:author":
        authors = declared.page.get("author")
    else:
        return set()
    return set(map(fold_words, organisations_of(authors, declared.nodes)))


def _read_source(page: PageSources, source: str) -> list[str]:
    if source == _NEAREST_CREDIT:
        return page.nearest_byline
    if source == LINE_CREDIT:
        return page.line_byline
    if source == _HEAD_CREDIT:
        return page.head_byline
    if is_xpath(source):
        elements = page.elements(source)
        return read_bylines(elements, page.page.language)
    names = []
    for text in page.texts(source):
        if source in _CITATIONS:
            text = _given_name_first(text)
        names += split_names(text)
    return names


def _given_name_first(text: str) -> str:
    """The name with the given name before the family name; the text itself if it is another list.

    >>> _given_name_first("Bo, Ana M."), _given_name_first("Ana Bo, Cy Dee")
    ('Ana M. Bo', 'Ana Bo, Cy Dee')
    """
    family_name, comma, given_names = text.partition(",")
    given_words = given_names.split()
    family_words = family_name.split()
    is_family_name = len(family_words) == 1 or (
        len(family_words) == _MAX_FAMILY_WORDS and len(given_words) == 1
    )
    is_reversed = comma and is_family_name and 0 < len(given_words) <= _MAX_GIVEN_WORDS
    if not is_reversed or "," in given_names or split_names(text) == [" ".join(text.split())]:
        return text
    return " ".join([*given_words, *family_words])


def _without_site(name: str, site_names: Collection[str]) -> str:
    """The name without that of the site after a full name: "Ana Bo The Gazette"."""
    words = name.split()
    for end in range(2, len(words)):
        end_of_name = " ".join(words[end:])
        if fold_words(end_of_name) in site_names:
            return " ".join(words[:end])
    return " ".join(words)


def _site_names(page: PageSources) -> set[str]:
    names = {fold_words(name) for name in page.site_names}
    names.add(page.host_words)
    names.add(fold_words(page.host))
    return names


def _is_same(names: Names, other_names: Names) -> bool:
    folded = {fold_words(name) for name in names}
    other_folded = {fold_words(name) for name in other_names}
    return folded == other_folded


class BylineFinder:
    """Finds the elements that show the authors on the pages of a template.

    ``declared_authors``: for each page, what it and its feed entry declare, by source.
    """

    def __init__(
        self,
        pages: Sequence[PageSources],
        declared_authors: Sequence[Mapping[str, Names]],
    ) -> None:
        self._pages = pages
        self._declared_authors = declared_authors
        self._site_names = [_site_names(page) for page in pages]
        self._declared_words = []
        for authors in declared_authors:
            self._declared_words.append(_words_by_names(authors.values()))
        self._is_aside = AsideFinder()

    def find(self) -> list[str]:
        """The XPaths of the elements that show declared authors, then of those that say who wrote
        the article, and the source of the byline that is the nearest to the title; if no page
        declares an author, then the XPaths of those whose class says that they are bylines."""
        page_numbers = range(len(self._pages))
        sources: list[str] = []
        if any(self._declared_authors):
            elements = [self._find_declared(number) for number in page_numbers]
            xpaths = find_visible(self._pages, elements, _MAX_DECLARED_XPATHS, is_marked_name)
            # The first one may be hidden, as on small screens.
            sources += self._filter(xpaths, elements, may_be_declared=True)
        has_place = False
        if len(self._pages) > 1:  # on a single page the nearest is enough
            elements = [self._find_credited(number) for number in page_numbers]
            xpaths = find_visible(self._pages, elements, _MAX_CREDIT_XPATHS, is_marked_name)
            sources += self._filter(xpaths, elements)
            has_place = any(self._is_place(xpath, elements) for xpath in xpaths)
        if has_place or self._is_nearest_common():
            sources.append(_NEAREST_CREDIT)
        if not any(map(self._declares_people, page_numbers)):
            elements = [self._find_marked(number) for number in page_numbers]
            xpaths = find_visible(self._pages, elements, _MAX_MARKED_XPATHS, is_marked_name)
            sources += self._filter(xpaths, elements)
        return list(dict.fromkeys(sources))

    def _find_declared(self, number: int) -> list[ShortElement]:
        """The elements of a page that show its declared authors."""
        elements = []
        page = self._pages[number]
        declared_words = self._declared_words[number]
        for element in page.having_words(declared_words):
            if len(element.text) > MAX_CREDIT_LENGTH:
                continue
            if self._shows_declared(number, element.text):
                elements.append(element)
        return elements

    def _shows_declared(self, number: int, text: str) -> bool:
        """Whether a text of a page shows its declared authors, who are not just the site."""
        folded = fold_words(text)
        has_words = any(
            all(word in folded for word in words) for words in self._declared_words[number]
        )
        if not has_words:
            return False  # without the words it cannot show the names: no need to split it
        names = tuple(split_names(text, is_visible=True))
        site_names = self._site_names[number]
        if all(fold_words(name) in site_names for name in names):
            return False
        declared = self._declared_authors[number]
        return any(_is_same(names, authors) for authors in declared.values())

    def _find_credited(self, number: int) -> list[ShortElement]:
        """The elements of a page that say who wrote the article."""
        elements = []
        page = self._pages[number]
        site_names = self._site_names[number]
        for element, names in page.credits.items():
            if fold_words(names[0]) not in site_names:
                elements.append(element)
        return elements

    def _find_marked(self, number: int) -> list[ShortElement]:
        """The elements of a page whose class says that they are bylines."""
        page = self._pages[number]
        candidates = short_elements(page, MAX_CREDIT_LENGTH)
        elements = []
        for element in find_marked(candidates, page.page.outline):
            if not self._is_aside(element.node.element):
                elements.append(element)
        return elements

    def _filter(
        self,
        xpaths: Sequence[str],
        elements: Sequence[Sequence[ShortElement]],
        may_be_declared: bool = False,
    ) -> list[str]:
        """The XPaths that find few elements, the first of which is one of the elements on most
        pages that have any, or shows declared authors."""
        bylines = []
        for page_elements in elements:
            bylines.append({element.node.element for element in page_elements})
        good_xpaths = []
        for xpath in xpaths:
            counts = [len(page.elements(xpath)) for page in self._pages]
            if max(counts) > _MAX_BYLINES:
                continue
            pages_with_elements = 0
            matches = 0
            for number, page in enumerate(self._pages):
                if not counts[number]:
                    continue
                first = page.elements(xpath)[0]
                is_byline = first in bylines[number]
                if may_be_declared and not is_byline:
                    is_byline = self._shows_declared(number, _line_of(first))
                pages_with_elements += 1
                matches += is_byline
            if 2 * matches > pages_with_elements:
                good_xpaths.append(xpath)
        return good_xpaths

    def _is_place(
        self,
        xpath: str,
        elements: Sequence[Sequence[ShortElement]],
    ) -> bool:
        """Whether the first element at an XPath is one of the elements on a good part of the pages:
        the bylines of the other pages are missing or not understood, and cost only themselves."""
        matches = 0
        for page, page_elements in zip(self._pages, elements, strict=True):
            bylines = {element.node.element for element in page_elements}
            shown = page.elements(xpath)  # also paragraphs, if the byline is the first of them
            if sum(element in bylines for element in shown) > _MAX_BYLINES:
                return False
            matches += len(shown) > 0 and shown[0] in bylines
        min_matches = max(_MIN_PLACE_PAGES, _MIN_PLACE_SHARE * len(self._pages))
        return matches >= min_matches

    def _is_nearest_common(self) -> bool:
        """Whether the byline nearest to the title names people on most pages, or the site on a
        single one: the walk costs a page a third of its article."""
        pages_with_names = 0
        for page in self._pages:
            people, site = page.value(_read_names, _NEAREST_CREDIT)
            is_single_site = bool(site) and len(self._pages) == 1
            pages_with_names += bool(people) or is_single_site
        return 2 * pages_with_names > len(self._pages)

    def _declares_people(self, number: int) -> bool:
        """Whether anyone but the site is declared on a page."""
        site_names = self._site_names[number]
        for names in self._declared_authors[number].values():
            for name in names:
                if fold_words(name) not in site_names:
                    return True
        return False


def _words_by_names(values: Iterable[Names]) -> list[list[str]]:
    """The words of each author or group of authors."""
    words_by_names = []
    for names in values:
        words: list[str] = []
        for name in names:
            words += fold_words(name).split()
        words_by_names.append(words)
    return words_by_names


def _line_of(element: Element) -> str:
    text = " ".join(element.itertext())
    return " ".join(text.split())
