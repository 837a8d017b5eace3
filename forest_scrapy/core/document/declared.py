"""What a page declares of itself: JSON-LD, microdata, OpenGraph and other ``meta`` elements.

JSON-LD and microdata are read by extruct from the tree that the page has already.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from extruct.jsonld import JsonLdExtractor
from extruct.w3cmicrodata import MicrodataExtractor
from lxml import etree

from forest_scrapy.core.document.text import block_text, strip_markup

__all__ = ["Declared", "Node", "as_list", "names_of", "text_of"]

#: A node of JSON-LD or of microdata: properties by name.
Node = Mapping[str, Any]

#: Larger scripts hold no article's metadata (characters; reading it would hold up the crawl),
#: and nodes beyond so many are lists of other things.
_LARGEST_SCRIPT, _MOST_NODES = 500_000, 2000
#: Microdata of more elements than this is a list of comments or of goods.
_MOST_SCOPES = 300
#: Characters of a value that are looked at.
_LONGEST = 20_000

_SCRIPTS = etree.XPath("//script[starts-with(@type, 'application/ld+json')]")
_METAS = etree.XPath("//meta[@content]")
_SCOPES = etree.XPath("//*[@itemscope]")
_ITEM_TYPES = etree.XPath("//@itemtype")
_TITLES = etree.XPath("//head/title/text() | //title[not(ancestor::svg)]/text()")
#: How the types of schema.org that are articles end; the names of the vocabulary.
_ARTICLE_TYPES = ("article", "posting", "report", "review", "recipe", "creativework")


@dataclass(frozen=True, eq=False)
class Declared:
    """What the page with this ``root`` declares, each kind of markup read on first use.

    Broken metadata, and metadata beyond the limits above, counts as none.
    """

    root: Any = field(repr=False)
    url: str = ""

    @cached_property
    def meta(self) -> Mapping[str, tuple[str, ...]]:
        """Contents of the ``meta`` elements by name, property or itemprop, in lower case."""
        return _read_metas(self.root)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes of JSON-LD, outer ones first."""
        return tuple(_read_json_ld(self.root))

    @cached_property
    def items(self) -> tuple[Node, ...]:
        """All microdata items, in the form of JSON-LD nodes."""
        return tuple(_read_microdata(self.root, self.url))

    @cached_property
    def article(self) -> Node:
        """The JSON-LD node of the page's article; empty if there is none."""
        return _choose_article(self.nodes, self.url)

    @cached_property
    def page(self) -> Node:
        """The JSON-LD node of the page itself; empty if there is none."""
        return next((n for n in self.nodes if _has_type(n, ("webpage", "itempage"))), {})

    @cached_property
    def item(self) -> Node:
        """The microdata item of the page's article; empty if there is none."""
        return _choose_article(self.items, self.url)

    @cached_property
    def title(self) -> str:
        """``og:title``, else the only ``h1``, else ``title``; ``""`` if there is none."""
        headings = [block_text(h1) for h1 in self.root.iter("h1")]
        candidates = (
            *self.meta.get("og:title", ()),
            *(headings if len(headings) == 1 else ()),
            *_TITLES(self.root),
        )
        return next((" ".join(text.split()) for text in candidates if text.strip()), "")

    @cached_property
    def description(self) -> str:
        """The longest of ``og:description`` and ``description``."""
        found = (*self.meta.get("og:description", ()), *self.meta.get("description", ()))
        return max(found, key=len, default="")

    @property
    def is_article(self) -> bool:
        """Whether the page declares itself to be an article or a blog post."""
        types = [kind for node in self.nodes for kind in _types_of(node)]
        types += [kind for value in _ITEM_TYPES(self.root) for kind in str(value).split()]
        is_typed = any(kind.endswith(("Article", "BlogPosting")) for kind in types)
        return is_typed or "article" in self.meta.get("og:type", ())

    def first_meta(self, *names: str) -> str:
        """The first content that is not empty, by the order of the names."""
        found = (value for name in names for value in self.meta.get(name, ()))
        return next(found, "")


def as_list(value: Any) -> list[Any]:
    """A property's values: JSON-LD and microdata leave the brackets out where it has one."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def text_of(value: Any) -> str:
    """The first text of a property, without markup, on one line.

    >>> text_of(["", "Fish &amp; <b>chips</b>"]), text_of({"@value": "Owls"}), text_of(3)
    ('Fish & chips', 'Owls', '')
    """
    for one in as_list(value):
        if isinstance(one, Mapping):
            one = one.get("@value")
        if isinstance(one, str) and one.strip():
            return strip_markup(one[:_LONGEST])
    return ""


def names_of(value: Any, nodes: tuple[Node, ...] = ()) -> list[str]:
    """Names of persons, organisations or terms, given as texts or as nodes with a name; a node
    that is only an ``@id`` is looked up in ``nodes``.

    >>> names_of([{"name": "Ana Bo"}, "Cy Dee", {"@id": "#e"}], ({"@id": "#e", "name": "E"},))
    ['Ana Bo', 'Cy Dee', 'E']
    """
    found = []
    for one in as_list(value)[:100]:
        if isinstance(one, Mapping):
            if "name" not in one and "@id" in one:
                one = next((n for n in nodes if n.get("@id") == one["@id"] and "name" in n), one)
            found += [text_of(name) for name in as_list(one.get("name"))]
        else:
            found.append(text_of(one))
    return [name for name in found if name]


def _read_json_ld(root: Any) -> Iterator[Node]:
    """All nodes, outer ones first."""
    waiting: deque[Any] = deque()
    for script in _SCRIPTS(root):
        script = _plain_script(script)
        if script is not None:
            waiting += _read_script(script)
    seen = 0
    while waiting and seen < _MOST_NODES:
        seen += 1
        value = waiting.popleft()
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            yield value
            waiting.extend(v for v in value.values() if isinstance(v, (dict, list)))


def _plain_script(script: Any) -> Any:
    """The script with the one type that extruct knows; None for one that is too large."""
    text = script.text or ""
    if len(text) > _LARGEST_SCRIPT:
        return None
    plain = etree.Element("script", type="application/ld+json")
    plain.text = text
    return plain


def _read_script(script: Any) -> list[Any]:
    try:
        return list(JsonLdExtractor().extract_items(script))
    except (ValueError, RecursionError):
        return []  # no JSON; a page has other ways to say what it is


def _read_microdata(root: Any, url: str) -> Iterator[Node]:
    scopes = len(_SCOPES(root))
    if not 0 < scopes <= _MOST_SCOPES:
        return
    try:
        items = MicrodataExtractor().extract_items(root, url)
    except (ValueError, RecursionError, etree.LxmlError):
        return  # an ill-formed address, or items that hold each other
    waiting = deque(items)
    while waiting:
        item = waiting.popleft()
        properties = item.get("properties")
        if isinstance(properties, dict):
            node = {name: _plain_item(value) for name, value in properties.items()}
            yield {"@type": item.get("type", ""), **node}
            values = (v for value in properties.values() for v in as_list(value))
            waiting.extend(value for value in values if isinstance(value, dict))


def _plain_item(value: Any) -> Any:
    """A microdata value in the shape of JSON-LD's."""
    if isinstance(value, list):
        return [_plain_item(one) for one in value]
    if isinstance(value, dict):
        properties = value.get("properties")
        return dict(properties) if isinstance(properties, dict) else value.get("value", "")
    return value


def _choose_article(nodes: tuple[Node, ...], url: str) -> Node:
    """The node of an article that is the page's: at its address, else the first with a headline,
    else the first."""
    articles = [node for node in nodes if _has_type(node, _ARTICLE_TYPES)]
    ranked = sorted(
        enumerate(articles),
        key=lambda one: (not _is_at(one[1], url), not one[1].get("headline"), one[0]),
    )
    return ranked[0][1] if ranked else {}


def _has_type(node: Node, endings: tuple[str, ...]) -> bool:
    return any(kind.lower().endswith(endings) for kind in _types_of(node))


def _types_of(node: Node) -> list[str]:
    return [kind for kind in as_list(node.get("@type")) if isinstance(kind, str)]


def _is_at(node: Node, url: str) -> bool:
    """Whether the node says that it is at the address."""
    values = [v for name in ("url", "mainEntityOfPage", "@id") for v in as_list(node.get(name))]
    found = [value.get("@id") if isinstance(value, Mapping) else value for value in values]
    return any(isinstance(one, str) and _address(one) == _address(url) for one in found)


def _address(url: str) -> str:
    return url.partition("#")[0].partition("?")[0].partition("://")[2].rstrip("/")


def _read_metas(root: Any) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for meta in _METAS(root):
        content = " ".join(meta.get("content")[:_LONGEST].split())
        for name in (meta.get("property"), meta.get("name"), meta.get("itemprop")):
            if name and content:
                found.setdefault(name.strip().lower(), []).append(content)
    return {name: tuple(dict.fromkeys(values)) for name, values in found.items()}
