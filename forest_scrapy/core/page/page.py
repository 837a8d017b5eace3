"""The input and output of extraction: a page with its feed entry, and the content found in it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from sys import maxsize
from typing import Any

from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.encoding import decode_html
from forest_scrapy.core.page.content import NO_CONTENT, Content
from forest_scrapy.core.page.declared import Declared
from forest_scrapy.core.page.entry import Entry
from forest_scrapy.core.page.language import guess_language
from forest_scrapy.core.page.markup import clean_markup
from forest_scrapy.core.page.outline import Outline, greatest_weight, outline_tree
from forest_scrapy.core.page.structures.page_structures import Structures, find_structures
from forest_scrapy.core.page.text import strip_markup
from forest_scrapy.core.page.tree import Element, parse_html
from forest_scrapy.core.page.urls import absolute_url
from forest_scrapy.core.page.xpath_needs import PageMarkup

#: Characters of a base URL; a longer one is ignored: it would be part of all URLs of the page.
_MAX_BASE_LENGTH = 2000
#: The weight of an outline up to which a page is read: some 3,000 posts of a thread, which take
#: 1 to 2 s.
MAX_WEIGHT = 30_000
#: The weight of the part of a page that rules are learned from: 700 posts.  Of 2,842 pages of the
#: development set, 0.2% are heavier.
HEAD_WEIGHT = 8_000


@dataclass(frozen=True, eq=False)
class Page:
    """One HTML page of a site, with its feed entry if a feed linked to it.

    ``root`` is the parsed tree; it may be shared and must not be changed.  All that is derived
    from it is computed once, on first use.  ``query``: the terms that a form was filled in with, if
    the page is the answer and they are known (for ``forest-records``).  ``max_weight``: the weight
    up to which the page is read, see ``Outline``.  ``link_header``: the HTTP header ``Link`` that
    came with the page.  ``link_texts``: the texts of links to the page, as far as they are known;
    only ``Params.source`` can ask for them.
    """

    url: str
    root: Element = field(repr=False)
    entry: Entry | None = None
    query: str = ""
    max_weight: int = MAX_WEIGHT
    link_header: str = field(default="", repr=False)
    link_texts: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def from_html(
        cls,
        html: str | bytes,
        url: str = "",
        entry: Entry | None = None,
        query: str = "",
    ) -> "Page":
        """Parse ``html``; never fails, whatever the text.  Bytes are decoded by ``decode_html``.

        >>> Page.from_html("<p>Hello", "http://a.example/").outline.leaves[0].text
        'Hello'
        """
        text = html if isinstance(html, str) else decode_html(html)
        return cls(url, parse_html(text), entry, query)

    @cached_property
    def text_digest(self) -> str:
        """A digest of the visible text, to tell apart pages with the same URL."""
        texts = [leaf.text for leaf in self.outline.leaves]
        return hex_digest("".join(texts))

    @cached_property
    def declared(self) -> Declared:
        """The page's JSON-LD, microdata and ``meta`` elements."""
        return Declared(self.root, self.url, self.header_links)

    @property
    def markup(self) -> PageMarkup:
        """The names of the page's elements and attributes."""
        return self.declared.markup

    @cached_property
    def header_links(self) -> tuple[Element, ...]:
        """The links in the HTTP header as ``link`` elements, which are not in the tree."""
        if not self.link_header:
            return ()
        from forest_scrapy.core.page.header_links import read_header_links  # few pages have it

        links = read_header_links(self.link_header, self.url)
        return tuple(self.root.makeelement("link", attributes) for attributes in links)

    @cached_property
    def declared_text(self) -> str:
        """The article's text as its feed entry has it, or else as JSON-LD declares it; ``""`` if
        there is none."""
        entry_text = strip_markup(self.entry.content) if self.entry else ""
        return entry_text or self.declared.body

    @property
    def declared_entry(self) -> Entry:
        """The declared title and description, to use if there is no feed entry."""
        declared = self.declared
        return Entry(title=declared.title, description=declared.description)

    @cached_property
    def base_url(self) -> str:
        """The URL that the page's relative URLs are relative to."""
        for base in self.declared.head["base"]:
            href = base.get("href")
            if href is not None:
                return self._absolute_base(href.strip())
        return self.url

    def _absolute_base(self, href: str) -> str:
        if not 0 < len(href) <= _MAX_BASE_LENGTH:
            return self.url
        base_url = absolute_url(href, self.url)
        if base_url.startswith("http"):
            return base_url
        return self.url

    @cached_property
    def outline(self) -> Outline:
        """The page's visible elements and texts."""
        return outline_tree(self.root, self.max_weight)

    @cached_property
    def structures(self) -> Structures:
        """The page's formulas, blocks of code and footnotes."""
        return find_structures(self.root, self.url.partition("#")[0])

    @cached_property
    def applied(self) -> dict[str, "Extract"]:
        """What wrappers have found on the page, by their ids."""
        return {}

    @cached_property
    def notes(self) -> dict[Any, Any]:
        """What others derive from the page and keep with it; nothing that refers to the page, which
        would keep its tree."""
        return {}

    @property
    def whole(self) -> "Page":
        """The page with all of its outline; the page itself if that is not cut."""
        return self._longer or self

    @property
    def head(self) -> "Page":
        """The start of the page, which is enough to learn from; the page itself if it is not very
        long.  Cost: a tenth of the parse, unless the page is long or was shortened before."""
        return self._shorter or self

    # A page that kept itself would not be released before garbage is collected.

    @cached_property
    def _longer(self) -> "Page | None":
        if not self.outline.is_cut:
            return None
        return replace(self, max_weight=maxsize)

    @cached_property
    def _shorter(self) -> "Page | None":
        if self.max_weight <= HEAD_WEIGHT:
            return None
        if greatest_weight(self.root) <= HEAD_WEIGHT or self.outline.weight <= HEAD_WEIGHT:
            return None
        return replace(self, max_weight=HEAD_WEIGHT)

    def _leaf_texts(self) -> Iterator[str]:
        """The visible texts; the outline is made when the first is asked for."""
        for leaf in self.outline.leaves:
            yield leaf.text

    @cached_property
    def language(self) -> str:
        """The ISO 639-1 code, declared or guessed from the text; ``""`` if unknown."""
        return guess_language(self.root, self._leaf_texts())


@dataclass(frozen=True)
class Extract:
    """The content that a wrapper finds on a page.

    ``xpath`` is the expression that found it, ``""`` if none did.  ``unseen``: text segments at
    anchored paths that the wrapper was not learned with.  ``recovered``: characters of prose that
    the wrapper of the template loses, and that are part of the content all the same.  ``blocks``:
    the elements that it was read from; ``left_out``: those that were left out of them.
    ``expected_f1``: of text that was chosen by the probabilities of all segments of the page, the
    F1 that they let expect; else 0.  ``boilerplate``: the number of blocks that were left out for
    what is in them, such as remarks.
    """

    content: Content = NO_CONTENT
    xpath: str = ""
    unseen: int = 0
    recovered: int = 0
    expected_f1: float = 0.0
    blocks: tuple[Element, ...] = field(default=(), repr=False, compare=False)
    left_out: frozenset[Element] = field(default=frozenset(), repr=False, compare=False)
    boilerplate: int = field(default=0, repr=False, compare=False)

    @property
    def text(self) -> str:
        """The text without captions, one line per block; ``""`` if nothing was found."""
        return self.content.body

    def with_captions(self, policy: str) -> "Extract":
        """The extract whose text has the captions too if the policy is ``inline``; unchanged if it
        is ``separate``."""
        inline = self.content.with_captions()
        if policy == "inline":
            return replace(self, content=inline)
        return self

    @cached_property
    def html(self) -> str:
        """The content as HTML that is safe to show, with absolute URLs."""
        return clean_markup(self.content.markup)
