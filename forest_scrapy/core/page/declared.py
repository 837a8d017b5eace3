"""Metadata that a page declares: JSON-LD, microdata, OpenGraph and other ``meta`` elements."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from forest_scrapy.core.page.loose_json import read_json
from forest_scrapy.core.page.microdata import SCOPES, read_microdata
from forest_scrapy.core.page.text import block_text, strip_markup
from forest_scrapy.core.page.tree import Element, find_texts
from forest_scrapy.core.page.xpath_needs import PageMarkup

#: A node of JSON-LD or of microdata: its properties by name.
Properties = Mapping[str, Any]

# The limits keep hostile pages from blocking a crawl; an article's metadata is far below them.
#: Characters of a script; longer ones are ignored.
_MAX_SCRIPT_LENGTH = 500_000
#: JSON-LD nodes read from a page.
_MAX_NODES = 2000
#: Names of persons and terms read from a property.
_MAX_NAMES = 100
#: Characters read of a text: of a ``meta`` element's content, or of a property.
_MAX_TEXT_LENGTH = 20_000

_JSON_LD = "application/ld+json"
#: What ends the name of a vocabulary before that of a type.
_VOCABULARY_END = re.compile("[/:#]")


def read_json_ld(scripts: Iterable[Element]) -> Iterator[Properties]:
    """All nodes of the JSON-LD in a page's ``script`` elements, outer ones first; of broken
    scripts what can be read."""
    waiting: deque[Any] = deque()
    for script in scripts:
        text = script.text or ""
        script_type = script.get("type") or ""
        script_type = script_type.strip().lower()
        is_json_ld = script_type.startswith(_JSON_LD)
        if is_json_ld and len(text) <= _MAX_SCRIPT_LENGTH:
            waiting += read_json(text)

    visited = 0
    while waiting and visited < _MAX_NODES:
        visited += 1
        value = waiting.popleft()
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            yield _with_keywords(value)
            for part in value.values():
                if isinstance(part, (dict, list)):
                    waiting.append(part)


def _with_keywords(node: dict[str, Any]) -> Properties:
    """The node with ``@type`` and ``@id`` under these names, if it has them in other cases."""
    renamed = {}
    for name in node:
        keyword = name.lower()
        if keyword in ("@type", "@id") and keyword not in node:
            renamed[keyword] = node[name]
    return {**node, **renamed} if renamed else node


def as_list(value: Any) -> list[Any]:
    """A property's values: a single value is not a list in JSON-LD and microdata."""
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return list(value)
    return [value]


def text_of(value: Any) -> str:
    """The first text of a property that is not empty, without markup, on one line.

    >>> text_of(["", "Fish &amp; <b>chips</b>"]), text_of({"@value": "Owls"}), text_of(3)
    ('Fish & chips', 'Owls', '')
    """
    for part in as_list(value):
        if isinstance(part, Mapping):
            part = part.get("@value")
        if isinstance(part, str) and part.strip():
            return strip_markup(part[:_MAX_TEXT_LENGTH])
    return ""


def names_of(value: Any, nodes: tuple[Properties, ...] = ()) -> list[str]:
    """Names of persons, organisations or terms, from texts or nodes with a ``name``; a node with
    only an ``@id`` is looked up in ``nodes``.

    >>> names_of([{"name": "Ana Bo"}, "Cy Dee", {"@id": "#e"}], ({"@id": "#e", "name": "E"},))
    ['Ana Bo', 'Cy Dee', 'E']
    >>> names_of({"givenName": "Ana", "familyName": "Bo"})
    ['Ana Bo']
    """
    names = []
    for part in as_list(value)[:_MAX_NAMES]:
        if not isinstance(part, Mapping):
            names.append(text_of(part))
            continue
        node = _look_up(part, nodes)
        node_names = list(filter(None, map(text_of, as_list(node.get("name")))))
        names += node_names or [_full_name(node)]
    return [name for name in names if name]


def organisations_of(value: Any, nodes: tuple[Properties, ...] = ()) -> list[str]:
    """The names of those nodes of ``names_of`` that are organisations.

    >>> organisations_of([{"@type": "NewsMediaOrganization", "name": "Gazette"}, {"name": "Ana"}])
    ['Gazette']
    """
    names = []
    for part in as_list(value)[:_MAX_NAMES]:
        if not isinstance(part, Mapping):
            continue
        node = _look_up(part, nodes)
        if _has_type(node, _ORGANISATION_TYPES):
            names += names_of([node])
    return names


def _look_up(node: Properties, nodes: tuple[Properties, ...]) -> Properties:
    """The node with a name that has the ``@id`` of a node without; else the node itself."""
    if "@id" not in node or _has_name(node):
        return node
    for candidate in nodes:
        has_id = candidate.get("@id") == node["@id"]
        if has_id and _has_name(candidate):
            return candidate
    return node


def _has_name(node: Properties) -> bool:
    return any(name in node for name in ("name", "givenName", "familyName"))


def _full_name(node: Properties) -> str:
    given_name = text_of(node.get("givenName"))
    family_name = text_of(node.get("familyName"))
    names = [given_name, family_name]
    return " ".join(filter(None, names))


_ITEM_TYPES = "//@itemtype"
#: Elements with metadata; mostly, but not always, in the head.
_HEAD = ("meta", "link", "script", "title", "base")
#: Endings of the schema.org types of pages, articles and reviews, in lower case.
_PAGE_TYPES = ("webpage", "itempage")
_ARTICLE_TYPES = ("article", "posting", "report", "review", "recipe", "creativework")
_REVIEW_TYPES = ("review",)
_ORGANISATION_TYPES = ("organization", "corporation", "newspaper", "periodical", "website")


@dataclass(frozen=True, eq=False)
class Declared:
    """Metadata of the page with this ``root``; each kind of markup is read on first use.

    ``header_links``: ``link`` elements beside the tree, which come after those of the page.
    Broken metadata, and metadata beyond the limits, is ignored.
    """

    root: Element = field(repr=False)
    url: str = ""
    header_links: tuple[Element, ...] = field(default=(), repr=False)

    @cached_property
    def markup(self) -> PageMarkup:
        """The names of the elements and attributes of the tree."""
        return PageMarkup(self.root)

    @cached_property
    def head(self) -> Mapping[str, tuple[Element, ...]]:
        """The ``meta``, ``link``, ``script``, ``title`` and ``base`` elements of the whole page,
        by name, in document order; one search for all of them."""
        elements_of: dict[str, list[Element]] = {}
        for tag in _HEAD:
            elements_of[tag] = []
        for element in self.root.iter(*_HEAD):
            elements_of[str(element.tag)].append(element)
        elements_of["link"] += self.header_links
        return {tag: tuple(elements) for tag, elements in elements_of.items()}

    @cached_property
    def meta(self) -> Mapping[str, tuple[str, ...]]:
        """Contents of the ``meta`` elements, by their name, property or itemprop in lower case."""
        return _read_metas(self.head["meta"])

    @cached_property
    def nodes(self) -> tuple[Properties, ...]:
        """All JSON-LD nodes, outer ones first."""
        return tuple(read_json_ld(self.head["script"]))

    @cached_property
    def items(self) -> tuple[Properties, ...]:
        """All microdata items, as JSON-LD nodes."""
        if not self.markup.may_find(SCOPES):
            return ()
        return tuple(read_microdata(self.root, self.url))

    @cached_property
    def article(self) -> Properties:
        """The JSON-LD node of the page's article; empty if there is none."""
        return _choose_article(self.nodes, self.url)

    @cached_property
    def page(self) -> Properties:
        """The JSON-LD node of the page itself; empty if there is none."""
        for node in self.nodes:
            if _has_type(node, _PAGE_TYPES):
                return node
        return {}

    @cached_property
    def item(self) -> Properties:
        """The microdata item of the page's article; empty if there is none."""
        return _choose_article(self.items, self.url)

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The texts of the ``title`` elements, except of those of drawings (``svg``)."""
        titles = []
        for element in self.head["title"]:
            drawing = next(element.iterancestors("svg"), None)
            if drawing is not None:
                continue
            text = block_text(element)
            if text:
                titles.append(text)
        return tuple(titles)

    @cached_property
    def title(self) -> str:
        """``og:title``, else the only ``h1``, else ``title``; ``""`` if there is none."""
        candidates = list(self.meta.get("og:title", ()))
        first_headings = islice(self.root.iter("h1"), 2)
        headings = list(first_headings)
        if len(headings) == 1:
            candidates.append(block_text(headings[0]))
        candidates += self.titles
        for candidate in candidates:
            title = " ".join(candidate.split())
            if title:
                return title
        return ""

    @cached_property
    def description(self) -> str:
        """The longest of ``og:description`` and ``description``; ``""`` if there is none."""
        descriptions = (
            *self.meta.get("og:description", ()),
            *self.meta.get("description", ()),
        )
        return max(descriptions, key=len, default="")

    @cached_property
    def body(self) -> str:
        """The article's text that JSON-LD declares, on one line; ``""`` if there is none."""
        for node in (self.article, *self.nodes):
            text = text_of(node.get("articleBody"))
            if text:
                return text
        return ""

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The schema.org types of the JSON-LD nodes and microdata items, each once."""
        types: list[str] = []
        for node in self.nodes:
            types += _types_of(node)
        if self.markup.may_find(_ITEM_TYPES):
            for item_types in find_texts(_ITEM_TYPES, self.root):
                types += item_types.split()
        return tuple(dict.fromkeys(types))

    @property
    def is_article(self) -> bool:
        """Whether the page declares that it is an article or a blog post."""
        if self.is_shared_as_article:
            return True
        return any(name.lower().endswith(("article", "blogposting")) for name in self.types)

    @property
    def is_shared_as_article(self) -> bool:
        """Whether the page declares that it is shared as an article, which is faster to read than
        all that it declares."""
        return "article" in self.meta.get("og:type", ())

    def first_meta(self, *names: str) -> str:
        """The first ``meta`` content, in the order of the names; ``""`` if there is none."""
        for name in names:
            contents = self.meta.get(name)
            if contents:
                return contents[0]
        return ""


def _choose_article(nodes: tuple[Properties, ...], url: str) -> Properties:
    """The node of the page's article: the one with the page's URL, else the first with a
    headline, else the first; empty if no node is an article.  Several reviews are those of
    customers, unless one has the page's URL."""
    articles = [node for node in nodes if _has_type(node, _ARTICLE_TYPES)]
    reviews = [node for node in articles if _has_type(node, _REVIEW_TYPES)]
    if len(reviews) > 1:
        articles = [
            node for node in articles if not _has_type(node, _REVIEW_TYPES) or is_at(node, url)
        ]

    def rank(node: Properties) -> tuple[bool, bool]:
        is_elsewhere = not is_at(node, url)
        return is_elsewhere, not node.get("headline")

    return min(articles, key=rank, default={})  # of equal ones the first


def _has_type(node: Properties, endings: tuple[str, ...]) -> bool:
    return any(name.endswith(endings) for name in type_names(node))


def type_names(node: Properties) -> list[str]:
    """The names of the node's schema.org types, in lower case and without the vocabulary: sites
    write them in any case.

    >>> type_names({"@type": ["http://schema.org/NewsArticle", "schema:WEBPAGE"]})
    ['newsarticle', 'webpage']
    """
    return [_VOCABULARY_END.split(name)[-1].lower() for name in _types_of(node)]


def _types_of(node: Properties) -> list[str]:
    values = as_list(node.get("@type"))
    return [value for value in values if isinstance(value, str)]


def is_at(node: Properties, url: str) -> bool:
    """Whether the node declares that it is about the page at this URL."""
    bare_url = _bare(url)
    for name in ("url", "mainEntityOfPage", "@id"):
        for value in as_list(node.get(name)):
            address = value
            if isinstance(value, Mapping):
                address = value.get("@id")
            if not isinstance(address, str):
                continue
            if _bare(address) == bare_url:
                return True
    return False


def _bare(url: str) -> str:
    """The URL without scheme, query and fragment."""
    without_fragment, _, _ = url.partition("#")
    without_query, _, _ = without_fragment.partition("?")
    _, _, host_and_path = without_query.partition("://")
    return host_and_path.rstrip("/")


def _read_metas(metas: Iterable[Element]) -> dict[str, tuple[str, ...]]:
    contents_of: dict[str, list[str]] = {}
    for meta in metas:
        raw_content = meta.get("content") or ""
        words = raw_content[:_MAX_TEXT_LENGTH].split()
        content = " ".join(words)
        if not content:
            continue
        for attribute in ("property", "name", "itemprop"):
            name = meta.get(attribute)
            if name:
                key = name.strip().lower()
                contents_of.setdefault(key, []).append(content)

    different_contents = {}
    for key, contents in contents_of.items():
        different_contents[key] = tuple(dict.fromkeys(contents))
    return different_contents
