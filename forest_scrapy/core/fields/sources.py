"""The sources of one page: the texts that it declares, shows, or has in its feed entry."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import accumulate, islice
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

from forest_scrapy.core.fields.byline_elements import (
    Credits,
    has_text_after_break,
    read_line,
    read_nearest,
)
from forest_scrapy.core.fields.bylines import LABELS
from forest_scrapy.core.fields.dates import (
    choose_locale,
    find_url_date,
    locale_of_host,
    mark_dated,
)
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.page.declared import Declared, Properties, as_list, names_of, text_of
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import absolute_url, bare_host, host_of
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, anchored_xpath
from forest_scrapy.core.xpaths.checking import select_elements


def find_site_names(declared: Declared) -> dict[str, str]:
    """The kind of source by the name, best first."""
    publisher = declared.article.get("publisher")
    sites = [node for node in declared.nodes if "WebSite" in as_list(node.get("@type"))]
    names = [
        *(("opengraph", name) for name in declared.meta.get("og:site_name", ())[:1]),
        *(("json-ld", name) for name in names_of(publisher, declared.nodes)),
        *(("json-ld", text_of(node.get("name"))) for node in sites),
        *(("meta", name) for name in declared.meta.get("application-name", ())[:1]),
    ]
    found: dict[str, str] = {}
    for kind, name in names:
        if name:
            found.setdefault(name, kind)
    return found


Value = TypeVar("Value")

#: Characters of an element's text, and elements of one name, that are read.
_LONGEST, _MOST_ELEMENTS = 2000, 50
#: Characters, and text leaves, of the largest element that may show a single field.
LONGEST_FIELD, MOST_LEAVES = 400, 12
_WORD = re.compile(r"[^\W_]+")
#: Links of a page that are looked at, and characters of the name of an index page.
_MOST_LINKS, _LONGEST_INDEX = 2000, 15
#: A URL with a host, or a relative one that leads upwards; the name of an index page.
_UPWARD = re.compile(r"https?:/|\.{1,2}(?:/|$)", re.IGNORECASE)
_FILE_TYPE = re.compile(r"\.\w{2,5}$")
_INDEX = re.compile(r"(?<=/)(?:index|default|home)\.\w{2,5}$")
#: Ends of the names of readers that read another part of the same kind of source.
_PART_OF = re.compile(r"-(?:page|graph|label|name)$")
#: Labels of a card for sharing with the value after each: ``twitter:label1``, ``twitter:data1``.
_CARD_LABELS = 4


def kind_of(source: str, is_learned: bool = True) -> str:
    """The kind of a source, as in ``Field``.

    >>> kind_of("json-ld:headline"), kind_of("//h1"), kind_of("//h1", is_learned=False)
    ('json-ld', 'template', 'text')
    """
    if is_xpath(source):
        return "template" if is_learned else "text"
    return _PART_OF.sub("", source.partition(":")[0])


@lru_cache(maxsize=8192)  # the same menus and titles are on all pages of a site
def fold_words(text: str) -> str:
    """The words of a text, case-folded, with single spaces: equal for texts that differ in case,
    punctuation and white space only.

    >>> fold_words("«Boats» come  in!") == fold_words("boats COME in")
    True
    """
    return " ".join(_WORD.findall(text.casefold()))


class ShortElement(NamedTuple):
    """An element with little text: its position in ``Outline.nodes``, its node, and the text on
    one line."""

    position: int
    node: Node
    text: str


#: ``_make`` without its check of the length, which takes longer than all else.
_make_element: Callable[[tuple[Any, ...]], ShortElement] = partial(tuple.__new__, ShortElement)


class TextIndex:
    """Finds texts of one line by words in them, as of ``fold_words``: one search in all texts by
    the longest word, instead of one in each text."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._whole = "\n".join(texts).casefold()
        self._folded = self._whole.split("\n")
        self._ends = list(accumulate([len(text) + 1 for text in self._folded]))

    def having(self, words: Collection[str]) -> list[int]:
        """The indices of the texts that contain all of the words, as parts of others, too; of all
        texts if there is no word.

        >>> index = TextIndex(["Owls at night", "Old boats", "Night owls"])
        >>> index.having(["owl"]), index.having(["owls", "at"]), index.having([])
        ([0, 2], [0], [0, 1, 2])
        """
        if not words:
            return list(range(len(self.texts)))
        words = set(words)
        rarest, found = max(sorted(words), key=len), []
        start = self._whole.find(rarest)
        while start >= 0:
            index = bisect_right(self._ends, start)
            if all(word in self._folded[index] for word in words):
                found.append(index)
            start = self._whole.find(rarest, self._ends[index])
        return found


@dataclass(frozen=True, eq=False)
class PageSources:
    """A page, when it was fetched (ISO 8601; ``""``: unknown), the language of most pages of
    its template (``""``: unknown), the texts of sources that are not on the page, such as
    ``http:last-modified``, and the order of day and month in the dates of its template (``DMY``,
    ``MDY``; ``""``: unknown).

    What is on the page is kept with it: a page that was learned from is mostly read next."""

    page: Page
    fetched_at: str = ""
    expected_language: str = ""
    outer: Mapping[str, str] = field(default_factory=dict)
    date_order: str = ""
    _values: dict[tuple[object, str], Any] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def _texts(self) -> dict[str, tuple[str, ...]]:
        texts: dict[str, tuple[str, ...]] = self.page.notes.setdefault("texts", {})
        return texts

    @cached_property
    def _elements(self) -> dict[str, list[Element]]:
        elements: dict[str, list[Element]] = self.page.notes.setdefault("elements", {})
        return elements

    @property
    def declared(self) -> Declared:
        """What the page declares."""
        return self.page.declared

    @cached_property
    def locale(self) -> str:
        """The language in which dates are read, with the region if the page declares one, as its
        language or for sharing: ``en-GB``."""
        given = (self.page.root.get("lang") or "").strip().replace("_", "-")
        if locale := choose_locale(given, self.declared.first_meta("og:locale")):
            return locale
        is_declared = bool(given) or not self.expected_language
        language = self.page.language if is_declared else self.expected_language
        return locale_of_host(language, self.host)

    @cached_property
    def site_names(self) -> tuple[str, ...]:
        """The declared names of the site."""
        return tuple(self._sites)

    @property
    def site_kind(self) -> str:
        """The kind of source of the first of ``site_names``."""
        return next(iter(self._sites.values()), "")

    @cached_property
    def _sites(self) -> Mapping[str, str]:
        return find_site_names(self.declared)

    @cached_property
    def host_words(self) -> str:
        """The main part of the host's name, as it may occur in titles: ``gazette`` of
        ``www.gazette.co``."""
        return fold_words(self.host.rpartition(".")[0].rpartition(".")[2] or self.host)

    @cached_property
    def host(self) -> str:
        """The page's host without ``www.``; ``""`` if its URL has none."""
        return bare_host(self.page.url)

    @cached_property
    def home_names(self) -> frozenset[str]:
        """The words of each name of the site: those it declares, its host, and the texts of the
        links to its home page."""
        return self.own_names.union(name for name, path in self._upper_links if not path)

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The words of each name of the site that the page declares, and of its host."""
        names = (*map(fold_words, self.site_names), self.host_words, fold_words(self.host))
        return frozenset(names) - {""}

    @cached_property
    def section_names(self) -> frozenset[str]:
        """The words of the links to the folders above the page, which are mostly sections."""
        return frozenset(name for name, path in self._upper_links if path) - self.home_names

    @cached_property
    def is_home(self) -> bool:
        """Whether the page is a site's home page, whose title begins with the site's name."""
        return bool(self.host) and not _path_of(self.page.url)

    @cached_property
    def slug(self) -> str:
        """The words of the last step of the page's URL; ``""`` if it has fewer than two."""
        words = fold_words(_FILE_TYPE.sub("", unquote(_path_of(self.page.url)).rpartition("/")[2]))
        return words if " " in words else ""

    def is_upper(self, text: str) -> bool:
        """Whether a text is a name of the site or of a section, and nothing else."""
        words = fold_words(text)
        return not words or words in self.home_names or words in self.section_names

    @property
    def _upper_links(self) -> tuple[tuple[str, str], ...]:
        notes = self.page.notes
        if "upper links" not in notes:
            notes["upper links"] = tuple(_find_upper_links(self.page))
        links: tuple[tuple[str, str], ...] = notes["upper links"]
        return links

    @cached_property
    def short_elements(self) -> tuple[ShortElement, ...]:
        """The elements that may show a single field, in document order.  Of nested elements with
        the same text only the outermost."""
        nodes, lines = self.page.outline.nodes, self.page.outline.lines
        found = []
        for index, node in enumerate(nodes):
            parent, first, last = node.parent, node.first, node.last
            if not 0 < last - first <= MOST_LEAVES:
                continue
            if parent >= 0 and nodes[parent].first == first and nodes[parent].last == last:
                continue
            text = " ".join(lines[first:last])
            if len(text) <= LONGEST_FIELD:
                found.append(_make_element((index, node, text)))
        return tuple(found)

    @cached_property
    def dated_lines(self) -> list[int]:
        """The numbers of lines before each line, and before the end, that may have a date."""
        return list(accumulate(mark_dated(self.page.outline.lines), initial=0))

    def may_have_date(self, node: Node) -> bool:
        """Whether an element may have an absolute date in one of its lines."""
        dated = self.dated_lines
        return dated[node.last] > dated[node.first]

    @cached_property
    def _short_texts(self) -> TextIndex:
        return TextIndex([one.text for one in self.short_elements])

    def with_words(self, wanted: Iterable[str]) -> list[ShortElement]:
        """The short elements whose text has one of these words and no others, in document order.
        ``wanted``: as of ``fold_words``."""
        texts = self._short_texts
        found = {
            index
            for words in wanted
            for index in texts.having(words.split())
            if fold_words(texts.texts[index]) == words
        }
        return [self.short_elements[index] for index in sorted(found)]

    def having_words(self, wanted: Iterable[Collection[str]]) -> list[ShortElement]:
        """The short elements whose text contains all of some of these words, in document order.
        ``wanted``: for each text, its words, as of ``fold_words``."""
        found = {index for words in wanted for index in self._short_texts.having(words)}
        return [self.short_elements[index] for index in sorted(found)]

    @cached_property
    def credits(self) -> Mapping[ShortElement, list[str]]:
        """The names by the short elements that say who wrote the article (see ``Credits``)."""
        return self._credit_reader.find(self.short_elements)

    @cached_property
    def _credit_reader(self) -> Credits:
        return Credits(self.page)

    @property
    def nearest_byline(self) -> list[str]:
        """The names by the byline nearest to the title (see ``read_nearest``)."""
        notes = self.page.notes
        if "nearest byline" not in notes:
            notes["nearest byline"] = read_nearest(self._credit_reader)
        names: list[str] = notes["nearest byline"]
        return names

    @property
    def line_byline(self) -> list[str]:
        """The names by a byline between line breaks (see ``read_line``)."""
        if not has_text_after_break(self.page.root):
            return []
        return read_line(self._credit_reader)

    def texts(self, source: str) -> tuple[str, ...]:
        """The texts of a source, as the page has them; for an XPath those of the elements."""
        if source in self.outer:
            return (self.outer[source],)
        texts = self._texts.get(source)
        if texts is None:
            texts = self._texts[source] = self._read_texts(source)
        return texts

    def value(self, read: Callable[["PageSources", str], Value], source: str) -> Value:
        """What ``read`` makes of a source, computed once."""
        if (read, source) not in self._values:
            self._values[read, source] = read(self, source)
        value: Value = self._values[read, source]
        return value

    def _read_texts(self, source: str) -> tuple[str, ...]:
        if is_xpath(source):
            texts = (_element_text(element) for element in self.elements(source))
            return tuple(text for text in texts if text)
        read, name = _reader_of(source)
        return tuple(read(self, name)) if read else ()

    def elements(self, xpath: str) -> list[Element]:
        """The elements that an XPath finds."""
        if xpath not in self._elements:
            self._elements[xpath] = select_elements(xpath, self.page.root)
        return self._elements[xpath]


def _find_upper_links(page: Page) -> Iterator[tuple[str, str]]:
    """The words and the path of each link to a folder above the page; ``""`` is the path of the
    home page.  A page with a query is below the one without."""
    host = bare_host(page.url)
    own, mark, _ = page.url.partition("#")[0].partition("?")
    steps = [*_path_of(own).split("/"), *mark]
    above = {"/".join(steps[:count]) for count in range(1, len(steps))} if host else {""}
    longest = len(page.url) + _LONGEST_INDEX
    for link in islice(page.root.iter("a"), _MOST_LINKS):
        url = (link.get("href") or "").strip()
        if not 0 < len(url) < longest or (url[0] != "/" and not _UPWARD.match(url)):
            continue
        if url[0] == ".":
            url = absolute_url(url, page.base_url)
        if (path := _path_of(url)) in above and bare_host(url) in ("", host):
            texts = (*link.itertext(), *(image.get("alt") or "" for image in link.iter("img")))
            if name := fold_words(" ".join(texts)[:LONGEST_FIELD]):
                yield name, path


@lru_cache(maxsize=8192)  # the same links are on all pages of a site
def _path_of(url: str) -> str:
    """The path of a URL without the name of an index page and the final slash; all of a URL with
    a query, which is another page.

    >>> _path_of("http://a.example/news/index.html"), _path_of("/"), _path_of("/?p=1")
    ('/news', '', '/?p=1')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return url if parts.query or parts.fragment else _INDEX.sub("", parts.path).rstrip("/")


def _element_text(element: Element) -> str:
    """The ``datetime`` or ``content`` attribute, else the text, a line for each block."""
    for name in ("datetime", "content"):
        value = element.get(name) or ""
        if value.strip():
            return " ".join(value.split())[:_LONGEST]
    return block_text(element)[:_LONGEST]


def _node_texts(sources: PageSources, node: Properties, name: str) -> list[str]:
    return names_of(node.get(name), sources.declared.nodes)


def _read_html(sources: PageSources, name: str) -> list[str]:
    """The texts of the elements with this name; drawings (``svg``) have titles of their own."""
    if name == "title":
        return [text[:_LONGEST] for text in sources.declared.titles]
    elements = sources.elements(f"//{name}")[:_MOST_ELEMENTS]
    return [text for element in elements if (text := _element_text(element))]


def _read_url(sources: PageSources, name: str) -> list[str]:
    """The date in the page's URL; for ``image`` in that of its main image, which mostly has the
    date of the upload."""
    url = sources.declared.first_meta("og:image") if name == "image" else sources.page.url
    if name != "image" and not host_of(url):  # the folders of a file say nothing
        return []
    return list(filter(None, [find_url_date(url)]))


def _read_label(sources: PageSources, name: str) -> list[str]:
    """The values of a card for sharing whose label means ``author``, in many languages."""
    meta = sources.declared.meta
    return [
        value
        for number in range(1, _CARD_LABELS + 1)
        if any(label.lower() in LABELS for label in meta.get(f"twitter:label{number}", ()))
        for value in meta.get(f"twitter:data{number}", ())
    ]


#: Names of ``meta`` elements with the date of publication, of which there are many.
_PUBLISHED_NAME = re.compile(
    r"(?<!un)publish(?!er)|publication|pub[-_.]?(?:date|time|day)|date[-_.]?pub|creat(?:ed|e[-_.]at)"
    r"|reg[-_.]?(?:date|dt|time)|(?:post|issue|release|story|article)[-_.:]?(?:date|time)(?!.*modif)"
    r"|date[-_.:]?(?:issued|created|original|posted)"
)


def _read_named(sources: PageSources, name: str) -> list[str]:
    """The values of the ``meta`` elements whose name says that they are the date of publication."""
    named = sources.declared.meta.items()
    return [one for key, values in named if _PUBLISHED_NAME.search(key) for one in values]


def _read_graph(sources: PageSources, name: str) -> list[str]:
    """The only person that the JSON-LD names, unless that is the owner of the site."""
    names = {
        text
        for node in sources.declared.nodes
        if as_list(node.get("@type")) == ["Person"]
        for text in names_of(node)
    }
    return list(names) if len(names) == 1 else []


def _read_feed(sources: PageSources, name: str) -> list[str]:
    entry = sources.page.entry
    if entry is None or entry.signifiers_only:
        return []
    value = getattr(entry, name, "")
    return [str(one) for one in as_list(value) if one]


#: How sources are read, by the part before the colon: from the page and the part after it.
_READERS: dict[str, Callable[[PageSources, str], Iterable[str]]] = {
    "json-ld": lambda sources, name: _node_texts(sources, sources.declared.article, name),
    "json-ld-page": lambda sources, name: _node_texts(sources, sources.declared.page, name),
    "microdata": lambda sources, name: _node_texts(sources, sources.declared.item, name),
    "opengraph": lambda sources, name: sources.declared.meta.get(name, ()),
    "meta": lambda sources, name: sources.declared.meta.get(name, ()),
    "html": _read_html,
    "url": _read_url,
    "feed": _read_feed,
    "meta-label": _read_label,
    "meta-name": _read_named,
    "json-ld-graph": _read_graph,
}


@lru_cache(maxsize=1024)
def _reader_of(source: str) -> tuple[Callable[[PageSources, str], Iterable[str]] | None, str]:
    """The function that reads a source, None if its kind is unknown, and the name to read."""
    kind, _, name = source.partition(":")
    return _READERS.get(kind), name


def short_elements(page: PageSources, longest: int) -> Iterator[ShortElement]:
    """The page's elements with a text of at most ``longest`` characters, which are at most 400,
    in document order."""
    return (one for one in page.short_elements if len(one.text) <= longest)


@dataclass
class _Found:
    """The wanted elements at one anchored path, and the numbers of their pages."""

    elements: list[Element] = field(default_factory=list)
    pages: set[int] = field(default_factory=set)


def find_visible(
    pages: Sequence[PageSources],
    wanted: Sequence[Iterable[ShortElement]],
    most: int = 3,
    is_marked: Callable[[Element], bool] = lambda element: False,
) -> list[str]:
    """At most ``most`` XPaths of the ``wanted`` elements of each page, in document order.

    Their anchored paths are ranked by the number of pages with a wanted element, then by fewer
    such elements, then by whether one is marked (for a single page these two the other way
    round), then by document order.
    """
    found = _collect(pages, wanted)

    def order(path: AnchoredPath) -> tuple[int, int, int]:
        elements = found[path].elements
        crowd, unmarked = len(elements), not any(map(is_marked, elements))
        signals = (crowd, unmarked) if len(pages) > 1 else (unmarked, crowd)
        return -len(found[path].pages), *signals

    ranked = sorted(found, key=order)[: 2 * most]
    xpaths = (anchored_xpath(path, found[path].elements) for path in ranked)
    return list(dict.fromkeys(xpaths))[:most]


def _collect(
    pages: Sequence[PageSources], wanted: Sequence[Iterable[ShortElement]]
) -> dict[AnchoredPath, _Found]:
    """The wanted elements by their anchored path, in the order of the first of each."""
    found: defaultdict[AnchoredPath, _Found] = defaultdict(_Found)
    for number, (page, elements) in enumerate(zip(pages, wanted, strict=True)):
        paths: list[AnchoredPath] = []
        for index, node, _ in elements:
            paths = paths or anchored_paths(page.page.outline)
            found[paths[index]].elements.append(node.element)
            found[paths[index]].pages.add(number)
    return found
