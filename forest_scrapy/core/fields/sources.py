"""What there is to know of one page: the texts that each source gives, read once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import SplitResult, urlsplit

from forest_scrapy.core.document.declared import (
    Declared,
    Node,
    as_list,
    names_of,
    text_of,
)
from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.text import block_text
from forest_scrapy.core.document.urls import host_of
from forest_scrapy.core.document.xpath import find_elements
from forest_scrapy.core.fields.metadata import is_xpath

__all__ = ["PageSources", "kind_of", "plain"]

#: Characters of an element's text that are looked at.
_LONGEST = 2000
_WORD = re.compile(r"[^\W_]+")
#: A date in the path of an address.
_PATH_DATE = re.compile(
    r"[/_-](?P<y>(?:19|20)\d\d)(?P<s>[/_-]?)(?P<m>0[1-9]|1[0-2])(?P=s)(?P<d>[0-2]\d|3[01])(?!\d)"
)


def kind_of(source: str, learned: bool = True) -> str:
    """The kind of a source, as articles name it.

    >>> kind_of("json-ld:headline"), kind_of("//h1"), kind_of("//h1", learned=False)
    ('json-ld', 'template', 'text')
    """
    if is_xpath(source):
        return "template" if learned else "text"
    return source.partition(":")[0].removesuffix("-page")


def plain(text: str) -> str:
    """What two texts that say the same have in common: their words, whatever the case.

    >>> plain("«Boats» come  in!") == plain("boats COME in")
    True
    """
    return " ".join(_WORD.findall(text.casefold()))


@dataclass(frozen=True, eq=False)
class PageSources:
    """A page and when it was fetched (ISO 8601; ``""``: unknown)."""

    page: Page
    fetched_at: str = ""

    @property
    def declared(self) -> Declared:
        return self.page.declared

    @cached_property
    def locale(self) -> str:
        """The page's language, with the region where it declares one: ``en-GB``."""
        given = (self.page.root.get("lang") or "").strip().replace("_", "-")
        if re.fullmatch(r"[a-z]{2}-[A-Z]{2}", given):
            return str(given)
        return self.page.language

    @cached_property
    def site_names(self) -> tuple[str, ...]:
        """What the site is called, by its own word."""
        return tuple(self._sites)

    @property
    def site_kind(self) -> str:
        """The kind of source of the first of them."""
        return next(iter(self._sites.values()), "")

    @cached_property
    def _sites(self) -> dict[str, str]:
        declared, publisher = self.declared, self.declared.article.get("publisher")
        sites = [
            *(("opengraph", name) for name in declared.meta.get("og:site_name", ())[:1]),
            *(("json-ld", name) for name in names_of(publisher, declared.nodes)),
            *(("json-ld", text_of(node.get("name"))) for node in declared.nodes if _is_site(node)),
            *(("meta", name) for name in declared.meta.get("application-name", ())[:1]),
        ]
        found: dict[str, str] = {}
        for kind, name in sites:
            if name:
                found.setdefault(name, kind)
        return found

    @cached_property
    def host_words(self) -> str:
        """The host's name without what all hosts have, as it may stand in titles."""
        return plain(self.host.rpartition(".")[0].rpartition(".")[2] or self.host)

    @cached_property
    def host(self) -> str:
        """The page's host; ``""`` for an address that has none."""
        return host_of(self.page.url).removeprefix("www.")

    def texts(self, source: str) -> tuple[str, ...]:
        """What a source gives, as the page has it; of an XPath, the text of the elements."""
        if is_xpath(source):
            texts = (_element_text(element) for element in self.elements(source))
            return tuple(text for text in texts if text)
        kind, _, name = source.partition(":")
        return tuple(_READERS[kind](self, name)) if kind in _READERS else ()

    def elements(self, xpath: str) -> list[Any]:
        return find_elements(xpath, self.page.root)


def _element_text(element: Any) -> str:
    """What an element says: its text on one line a block; that of a ``time`` or ``meta``, what
    it says to programs."""
    for name in ("datetime", "content"):
        if (element.get(name) or "").strip():
            return " ".join(element.get(name).split())[:_LONGEST]
    return block_text(element)[:_LONGEST]


def _split(url: str) -> SplitResult:
    """The parts of an address; none of one that is ill-formed."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _is_site(node: Node) -> bool:
    return "WebSite" in as_list(node.get("@type"))


def _node_texts(facts: PageSources, node: Node, name: str) -> list[str]:
    return names_of(node.get(name), facts.declared.nodes)


def _read_html(facts: PageSources, name: str) -> list[str]:
    """``title``: the title element, not that of a drawing; else the elements of that name."""
    path = "//title[not(ancestor::svg)]" if name == "title" else f"//{name}"
    return [text for e in facts.page.root.xpath(path)[:50] if (text := _element_text(e))]


def _read_url(facts: PageSources, name: str) -> list[str]:
    """The date in the page's address; of ``image``, in that of its main image: the day on which
    it was put there."""
    url = facts.declared.first_meta("og:image") if name == "image" else facts.page.url
    match = _PATH_DATE.search(_split(url).path if "://" in url else "")
    return ["-".join(match.group("y", "m", "d"))] if match else []


def _read_feed(facts: PageSources, name: str) -> list[str]:
    entry = facts.page.entry
    if entry is None or entry.signifiers_only:
        return []
    value = getattr(entry, name, "")
    return [str(one) for one in as_list(value) if one]


_READERS: dict[str, Any] = {
    "json-ld": lambda facts, name: _node_texts(facts, facts.declared.article, name),
    "json-ld-page": lambda facts, name: _node_texts(facts, facts.declared.page, name),
    "microdata": lambda facts, name: _node_texts(facts, facts.declared.item, name),
    "opengraph": lambda facts, name: facts.declared.meta.get(name, ()),
    "meta": lambda facts, name: facts.declared.meta.get(name, ()),
    "html": _read_html,
    "url": _read_url,
    "feed": _read_feed,
}
