"""The sources of one page: the texts that it declares, shows, or has in its feed entry."""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote

from forest_scrapy.core.fields.byline_elements import (
    Credits,
    has_text_after_break,
    read_below_title,
    read_line,
    read_nearest,
)
from forest_scrapy.core.fields.dates import choose_locale, locale_of_host, mark_dated
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.fields.site_names import (
    UpperLink,
    find_site_names,
    find_upper_links,
    path_of,
)
from forest_scrapy.core.fields.source_readers import has_source, read_source
from forest_scrapy.core.fields.words import TextIndex, fold_words
from forest_scrapy.core.page.declared import Declared
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import bare_host
from forest_scrapy.core.xpaths.checking import select_elements

Value = TypeVar("Value")

#: Characters of an element's text that are read.
_MAX_TEXT_LENGTH = 2000
#: Elements of one name that are read.
_MAX_ELEMENTS = 50
#: Characters of the largest element that may show a single field.
MAX_FIELD_LENGTH = 400
#: Text leaves of the largest element that may show a single field.
MAX_LEAVES = 12
_FILE_TYPE = re.compile(r"\.\w{2,5}$")


class ShortElement(NamedTuple):
    """An element with little text: its position in ``Outline.nodes``, its node, and the text on
    one line."""

    position: int
    node: Node
    text: str


#: ``_make`` without its check of the length, which takes longer than all else.
_make_element: Callable[[tuple[Any, ...]], ShortElement] = partial(tuple.__new__, ShortElement)


@dataclass(frozen=True, eq=False)
class PageSources:
    """A page as a collection of sources, which are texts by their name.

    ``fetched_at``: when the page was fetched (ISO 8601; ``""``: unknown).
    ``expected_language``: that of most pages of its template (``""``: unknown).
    ``external_texts``: those of sources that are not on the page, such as ``http:last-modified``.
    ``date_order``: the order of day and month in the dates of its template (``DMY``, ``MDY``;
    ``""``: unknown).

    What was read is kept with the page: one that was learned from is mostly read next.
    """

    page: Page
    fetched_at: str = ""
    expected_language: str = ""
    external_texts: Mapping[str, str] = field(default_factory=dict)
    date_order: str = ""
    _values: dict[tuple[object, ...], Any] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def _texts(self) -> dict[str, tuple[str, ...]]:
        notes = self.page.notes
        texts: dict[str, tuple[str, ...]] = notes.setdefault("texts", {})
        return texts

    @cached_property
    def _elements(self) -> dict[str, list[Element]]:
        notes = self.page.notes
        elements: dict[str, list[Element]] = notes.setdefault("elements", {})
        return elements

    @property
    def declared(self) -> Declared:
        """What the page declares."""
        return self.page.declared

    @cached_property
    def locale(self) -> str:
        """The language in which dates are read, with the region if the page declares one, as its
        language or for sharing: ``en-GB``."""
        page_language = self.page.root.get("lang") or ""
        page_language = page_language.strip().replace("_", "-")
        sharing_locale = self.declared.first_meta("og:locale")
        locale = choose_locale(page_language, sharing_locale)
        if locale:
            return locale
        is_declared = bool(page_language) or not self.expected_language
        language = self.page.language if is_declared else self.expected_language
        return locale_of_host(language, self.host)

    @cached_property
    def site_names(self) -> tuple[str, ...]:
        """The declared names of the site."""
        return tuple(self._kinds_by_site_name)

    @property
    def site_kind(self) -> str:
        """The kind of source of the first of ``site_names``."""
        kinds = self._kinds_by_site_name.values()
        return next(iter(kinds), "")

    @cached_property
    def _kinds_by_site_name(self) -> Mapping[str, str]:
        return find_site_names(self.declared)

    @cached_property
    def host_words(self) -> str:
        """The main part of the host's name, as it may occur in titles: ``gazette`` of
        ``www.gazette.co``; of an address such as ``127.0.0.1`` all of it."""
        name, _, ending = self.host.rpartition(".")
        _, _, main_part = name.rpartition(".")
        is_address = ending.isdigit()
        return fold_words(self.host if is_address else main_part or self.host)

    @cached_property
    def host(self) -> str:
        """The page's host without ``www.``; ``""`` if its URL has none."""
        return bare_host(self.page.url)

    @cached_property
    def home_names(self) -> frozenset[str]:
        """The words of each name of the site: those it declares, its host, and the texts of the
        links to its home page."""
        link_names = set()
        for link in self._upper_links:
            if not link.path:
                link_names.add(link.name)
        return self.declared_names | link_names

    @cached_property
    def declared_names(self) -> frozenset[str]:
        """The words of each name of the site that the page declares, and of its host."""
        names = {fold_words(name) for name in self.site_names}
        names.add(self.host_words)
        names.add(fold_words(self.host))
        return frozenset(names) - {""}

    @cached_property
    def section_names(self) -> frozenset[str]:
        """The words of the links to the folders above the page, which are mostly sections."""
        names = set()
        for link in self._upper_links:
            if link.path:
                names.add(link.name)
        return frozenset(names) - self.home_names

    @cached_property
    def is_home(self) -> bool:
        """Whether the page is a site's home page, whose title begins with the site's name."""
        path = path_of(self.page.url)
        return bool(self.host) and not path

    @cached_property
    def slug(self) -> str:
        """The words of the last step of the page's URL; ``""`` if it has fewer than two."""
        path = unquote(path_of(self.page.url))
        _, _, last_step = path.rpartition("/")
        words = fold_words(_FILE_TYPE.sub("", last_step))
        return words if " " in words else ""

    def is_upper(self, text: str) -> bool:
        """Whether a text is a name of the site or of a section, and nothing else."""
        words = fold_words(text)
        if not words or words in self.home_names:
            return True
        return words in self.section_names

    @property
    def _upper_links(self) -> tuple[UpperLink, ...]:
        notes = self.page.notes
        if "upper links" not in notes:
            notes["upper links"] = tuple(find_upper_links(self.page))
        links: tuple[UpperLink, ...] = notes["upper links"]
        return links

    @cached_property
    def short_elements(self) -> tuple[ShortElement, ...]:
        """The elements that may show a single field, in document order.  Of nested elements with
        the same text only the outermost."""
        notes = self.page.notes
        if "short elements" not in notes:
            notes["short elements"] = _find_short_elements(self.page)
        elements: tuple[ShortElement, ...] = notes["short elements"]
        return elements

    @cached_property
    def dated_lines(self) -> list[int]:
        """The numbers of lines before each line, and before the end, that may have a date."""
        is_dated = mark_dated(self.page.outline.lines)
        return list(accumulate(is_dated, initial=0))

    def may_have_date(self, node: Node) -> bool:
        """Whether an element may have an absolute date in one of its lines."""
        dated_lines = self.dated_lines
        return dated_lines[node.last] > dated_lines[node.first]

    @cached_property
    def _short_texts(self) -> TextIndex:
        notes = self.page.notes
        if "short texts" not in notes:
            texts = [element.text for element in self.short_elements]
            notes["short texts"] = TextIndex(texts)
        index: TextIndex = notes["short texts"]
        return index

    def with_words(self, texts: Iterable[str]) -> list[ShortElement]:
        """The short elements whose text has the words of one of these texts and no others, in
        document order.  ``texts``: as of ``fold_words``."""
        index = self._short_texts
        positions: set[int] = set()
        for text in texts:
            for position in index.having(text.split()):
                short_text = index.texts[position]
                if fold_words(short_text) == text:
                    positions.add(position)
        elements = self.short_elements
        return [elements[position] for position in sorted(positions)]

    def having_words(self, texts: Iterable[Collection[str]]) -> list[ShortElement]:
        """The short elements whose text contains all words of one of these texts, in document
        order.  ``texts``: the words of each, as of ``fold_words``."""
        positions: set[int] = set()
        for words in texts:
            indices = self._short_texts.having(words)
            positions.update(indices)
        elements = self.short_elements
        return [elements[position] for position in sorted(positions)]

    @cached_property
    def credits(self) -> Mapping[ShortElement, list[str]]:
        """The names by the short elements that say who wrote the article (see ``Credits``)."""
        return self._credit_reader.find(self.short_elements)

    @cached_property
    def _credit_reader(self) -> Credits:
        notes = self.page.notes
        if "credits" not in notes:
            notes["credits"] = Credits(self.page)
        credits: Credits = notes["credits"]
        return credits

    @property
    def nearest_byline(self) -> list[str]:
        """The names by the byline nearest to the title (see ``read_nearest``)."""
        notes = self.page.notes
        if "nearest byline" not in notes:
            notes["nearest byline"] = read_nearest(self._credit_reader)
        names: list[str] = notes["nearest byline"]
        return names

    @property
    def head_byline(self) -> list[str]:
        """The names by the byline right below the title (see ``read_below_title``)."""
        return read_below_title(self._credit_reader)

    @property
    def line_byline(self) -> list[str]:
        """The names by a byline between line breaks (see ``read_line``)."""
        if not has_text_after_break(self.page.root):
            return []
        return read_line(self._credit_reader)

    def present(self, sources: tuple[str, ...]) -> tuple[str, ...]:
        """The sources without those that have no text on the page for certain, in their order: most
        pages have a few of those that are asked for."""
        if len(sources) == 1:  # it is read as fast
            return sources
        notes = self.page.notes
        is_present: dict[str, bool] = notes.setdefault("present sources", {})
        present_sources = []
        for source in sources:
            if source not in is_present:
                is_present[source] = has_source(self.page, source)
            if is_present[source] or source in self.external_texts:
                present_sources.append(source)
        return tuple(present_sources)

    def texts(self, source: str) -> tuple[str, ...]:
        """The texts of a source, as the page has them; for an XPath those of the elements."""
        if source in self.external_texts:
            return (self.external_texts[source],)
        texts = self._texts.get(source)
        if texts is None:
            texts = self._read_texts(source)
            self._texts[source] = texts
        return texts

    def value(
        self,
        reader: Callable[..., Value],
        source: str,
        *arguments: Hashable,
    ) -> Value:
        """What the ``reader`` makes of this page, a source and further arguments, computed once."""
        key = (reader, source, *arguments)
        if key not in self._values:
            self._values[key] = reader(self, source, *arguments)
        value: Value = self._values[key]
        return value

    def _read_texts(self, source: str) -> tuple[str, ...]:
        if source == "html:title":
            titles = self.declared.titles
            return tuple(title[:_MAX_TEXT_LENGTH] for title in titles)
        if is_xpath(source):
            elements = self.elements(source)
        elif source.startswith("html:"):
            tag = source.removeprefix("html:")
            elements = self.elements(f"//{tag}")[:_MAX_ELEMENTS]
        else:
            return read_source(self.page, source)
        texts = (_element_text(element) for element in elements)
        return tuple(text for text in texts if text)

    def elements(self, xpath: str) -> list[Element]:
        """The elements that an XPath finds."""
        if xpath not in self._elements:
            may_find = self.page.markup.may_find(xpath)
            self._elements[xpath] = select_elements(xpath, self.page.root) if may_find else []
        return self._elements[xpath]


def _find_short_elements(page: Page) -> tuple[ShortElement, ...]:
    nodes = page.outline.nodes
    lines = page.outline.lines
    elements = []
    for index, node in enumerate(nodes):
        parent = node.parent
        first = node.first
        last = node.last
        if not 0 < last - first <= MAX_LEAVES:
            continue
        if parent >= 0 and nodes[parent].first == first and nodes[parent].last == last:
            continue
        text = " ".join(lines[first:last])
        if len(text) <= MAX_FIELD_LENGTH:
            elements.append(_make_element((index, node, text)))
    return tuple(elements)


def short_elements(
    page: PageSources,
    max_length: int,
) -> Iterator[ShortElement]:
    """The page's elements with a text of at most ``max_length`` characters, which are at most
    400, in document order."""
    return (element for element in page.short_elements if len(element.text) <= max_length)


def _element_text(element: Element) -> str:
    """The ``datetime`` or ``content`` attribute, else the text, a line for each block."""
    for name in ("datetime", "content"):
        value = element.get(name) or ""
        if value.strip():
            line = " ".join(value.split())
            return line[:_MAX_TEXT_LENGTH]
    return block_text(element)[:_MAX_TEXT_LENGTH]
