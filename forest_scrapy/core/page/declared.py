"""Metadata that a page declares: JSON-LD, microdata, OpenGraph and other ``meta`` elements."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from forest_scrapy.core.page.loose_json import read_json
from forest_scrapy.core.page.microdata import read_microdata
from forest_scrapy.core.page.text import block_text, strip_markup
from forest_scrapy.core.page.tree import Element, find_texts

#: A node of JSON-LD or of microdata: its properties by name.
Properties = Mapping[str, Any]

# The limits keep hostile pages from blocking a crawl; an article's metadata is far below them.
#: Longer scripts are ignored (characters).
_LARGEST_SCRIPT = 500_000
#: JSON-LD nodes read from a page.
_MOST_NODES = 2000

_JSON_LD = "application/ld+json"


def read_json_ld(scripts: Iterable[Element]) -> Iterator[Properties]:
    """All nodes of the JSON-LD in a page's ``script`` elements, outer ones first; of broken
    scripts what can be read."""
    waiting: deque[Any] = deque()
    for script in scripts:
        text = script.text or ""
        is_json_ld = (script.get("type") or "").strip().lower().startswith(_JSON_LD)
        if is_json_ld and len(text) <= _LARGEST_SCRIPT:
            waiting += read_json(text)
    seen = 0
    while waiting and seen < _MOST_NODES:
        seen += 1
        value = waiting.popleft()
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            yield value
            waiting.extend(v for v in value.values() if isinstance(v, (dict, list)))


def as_list(value: Any) -> list[Any]:
    """A property's values: a single value is not a list in JSON-LD and microdata."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def text_of(value: Any) -> str:
    """The first text of a property that is not empty, without markup, on one line.

    >>> text_of(["", "Fish &amp; <b>chips</b>"]), text_of({"@value": "Owls"}), text_of(3)
    ('Fish & chips', 'Owls', '')
    """
    for one in as_list(value):
        if isinstance(one, Mapping):
            one = one.get("@value")
        if isinstance(one, str) and one.strip():
            return strip_markup(one[:_LONGEST])
    return ""


def names_of(value: Any, nodes: tuple[Properties, ...] = ()) -> list[str]:
    """Names of persons, organisations or terms, from texts or nodes with a ``name``; a node with
    only an ``@id`` is looked up in ``nodes``.

    >>> names_of([{"name": "Ana Bo"}, "Cy Dee", {"@id": "#e"}], ({"@id": "#e", "name": "E"},))
    ['Ana Bo', 'Cy Dee', 'E']
    >>> names_of({"givenName": "Ana", "familyName": "Bo"})
    ['Ana Bo']
    """
    found = []
    for one in as_list(value)[:100]:
        if isinstance(one, Mapping):
            if "name" not in one and "@id" in one:
                one = next((n for n in nodes if n.get("@id") == one["@id"] and "name" in n), one)
            found += [text_of(name) for name in as_list(one.get("name"))]
            if "name" not in one:
                parts = (text_of(one.get("givenName")), text_of(one.get("familyName")))
                found.append(" ".join(part for part in parts if part))
        else:
            found.append(text_of(one))
    return [name for name in found if name]


#: Characters read of a ``meta`` element's content.
_LONGEST = 20_000

_ITEM_TYPES = "//@itemtype"
#: Elements with metadata; mostly, but not always, in the head.
_HEAD = ("meta", "link", "script", "title", "base")
#: Endings of the schema.org types that are articles, in lower case.
_ARTICLE_TYPES = ("article", "posting", "report", "review", "recipe", "creativework")


@dataclass(frozen=True, eq=False)
class Declared:
    """Metadata of the page with this ``root``; each kind of markup is read on first use.

    Broken metadata, and metadata beyond the limits, is ignored.
    """

    root: Element = field(repr=False)
    url: str = ""

    @cached_property
    def head(self) -> Mapping[str, tuple[Element, ...]]:
        """The ``meta``, ``link``, ``script``, ``title`` and ``base`` elements of the whole page,
        by name, in document order; one search for all of them."""
        found: dict[str, list[Element]] = {name: [] for name in _HEAD}
        for element in self.root.iter(*_HEAD):
            found[str(element.tag)].append(element)
        return {name: tuple(elements) for name, elements in found.items()}

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
        return tuple(read_microdata(self.root, self.url))

    @cached_property
    def article(self) -> Properties:
        """The JSON-LD node of the page's article; empty if there is none."""
        return _choose_article(self.nodes, self.url)

    @cached_property
    def page(self) -> Properties:
        """The JSON-LD node of the page itself; empty if there is none."""
        return next((n for n in self.nodes if _has_type(n, ("webpage", "itempage"))), {})

    @cached_property
    def item(self) -> Properties:
        """The microdata item of the page's article; empty if there is none."""
        return _choose_article(self.items, self.url)

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The texts of the ``title`` elements, except of those of drawings (``svg``)."""
        elements = (e for e in self.head["title"] if next(e.iterancestors("svg"), None) is None)
        return tuple(text for e in elements if (text := block_text(e)))

    @cached_property
    def title(self) -> str:
        """``og:title``, else the only ``h1``, else ``title``; ``""`` if there is none."""
        headings = list(islice(self.root.iter("h1"), 2))
        candidates = (
            *self.meta.get("og:title", ()),
            *(map(block_text, headings) if len(headings) == 1 else ()),
            *self.titles,
        )
        return next((" ".join(text.split()) for text in candidates if text.strip()), "")

    @cached_property
    def description(self) -> str:
        """The longest of ``og:description`` and ``description``; ``""`` if there is none."""
        found = (*self.meta.get("og:description", ()), *self.meta.get("description", ()))
        return max(found, key=len, default="")

    @cached_property
    def body(self) -> str:
        """The article's text that JSON-LD declares, on one line; ``""`` if there is none."""
        nodes = (self.article, *self.nodes)
        return next((text for node in nodes if (text := text_of(node.get("articleBody")))), "")

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The schema.org types of the JSON-LD nodes and microdata items."""
        types = [kind for node in self.nodes for kind in _types_of(node)]
        types += [kind for one in find_texts(_ITEM_TYPES, self.root) for kind in one.split()]
        return tuple(dict.fromkeys(types))

    @property
    def is_article(self) -> bool:
        """Whether the page declares that it is an article or a blog post."""
        is_typed = any(kind.endswith(("Article", "BlogPosting")) for kind in self.types)
        return is_typed or "article" in self.meta.get("og:type", ())

    def first_meta(self, *names: str) -> str:
        """The first ``meta`` content, in the order of the names; ``""`` if there is none."""
        found = (value for name in names for value in self.meta.get(name, ()))
        return next(found, "")


def _choose_article(nodes: tuple[Properties, ...], url: str) -> Properties:
    """The node of the page's article: the one with the page's URL, else the first with a
    headline, else the first; empty if no node is an article.  Several reviews are those of
    customers, unless one has the page's URL."""
    articles = [node for node in nodes if _has_type(node, _ARTICLE_TYPES)]
    if sum(_has_type(node, ("review",)) for node in articles) > 1:
        articles = [one for one in articles if not _has_type(one, ("review",)) or is_at(one, url)]
    ranked = sorted(
        enumerate(articles),
        key=lambda one: (not is_at(one[1], url), not one[1].get("headline"), one[0]),
    )
    return ranked[0][1] if ranked else {}


def _has_type(node: Properties, endings: tuple[str, ...]) -> bool:
    return any(kind.lower().endswith(endings) for kind in _types_of(node))


def _types_of(node: Properties) -> list[str]:
    return [kind for kind in as_list(node.get("@type")) if isinstance(kind, str)]


def is_at(node: Properties, url: str) -> bool:
    """Whether the node declares this URL as its own."""
    values = [v for name in ("url", "mainEntityOfPage", "@id") for v in as_list(node.get(name))]
    found = [value.get("@id") if isinstance(value, Mapping) else value for value in values]
    return any(isinstance(one, str) and _bare(one) == _bare(url) for one in found)


def _bare(url: str) -> str:
    """The URL without scheme, query and fragment."""
    return url.partition("#")[0].partition("?")[0].partition("://")[2].rstrip("/")


def _read_metas(metas: Iterable[Element]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for meta in metas:
        content = " ".join((meta.get("content") or "")[:_LONGEST].split())
        for name in (meta.get("property"), meta.get("name"), meta.get("itemprop")):
            if name and content:
                found.setdefault(name.strip().lower(), []).append(content)
    return {name: tuple(dict.fromkeys(values)) for name, values in found.items()}
