"""The next and the previous page of a thread or a list, as the page links them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from urllib.parse import urlsplit

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.tree import Element
from forest_scrapy.core.document.urls import absolute_url

__all__ = ["find_next_page", "find_previous_page"]

#: Texts of links to the next page, in several languages, and arrows.
_NEXT = re.compile(
    r"(?:next|next page|older|older posts|weiter|nächste|nächste seite|suivant|suivante"
    r"|page suivante|siguiente|seguinte|próxima|successiva|avanti|volgende|nästa|neste|næste"
    r"|seuraava|następna|další|след(?:ующая)?|вперед|sonraki|次へ|次|下一页|下一頁|다음)?"
    "\\s*[\u203a»>\u2192]*",
    re.IGNORECASE,
)
#: The same for the page before.
_PREVIOUS = re.compile(
    r"[\u2039\u00ab<\u2190]*\s*"
    r"(?:prev|previous|previous page|zurück|vorherige|vorherige seite|précédent|précédente"
    r"|page précédente|anterior|precedente|indietro|vorige|föregående|forrige|edellinen"
    r"|poprzednia|назад|пред(?:ыдущая)?|önceki|前へ|前|上一页|上一頁|이전)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,5}")
#: Attributes that name a link.
_NAMES = ("aria-label", "title", "class")
_NEXT_NAME = re.compile(r"(?:^|[\s_-])next(?:$|[\s_-])", re.IGNORECASE)
_PREVIOUS_NAME = re.compile(r"(?:^|[\s_-])prev(?:ious)?(?:$|[\s_-])", re.IGNORECASE)


def find_next_page(page: Page) -> str:
    """The URL of the next page: a link with ``rel=next``, else the link after the number of this
    page in a row of page numbers, else one with a text such as "Next"; ``""`` if there is none.
    Only on the same host.

    >>> page = Page.from_html("<b>1</b> <a href=?p=2>2</a>", "http://a.example/t")
    >>> find_next_page(page), find_next_page(Page.from_html("<a href=/x>x</a>", page.url))
    ('http://a.example/t?p=2', '')
    """
    numbered = (link for (_, own), (_, link) in _number_pairs(page) if own is None)
    return _first_url(
        page, _declared_links(page, ("next",)), numbered, _named_links(page, _NEXT, _NEXT_NAME)
    )


def find_previous_page(page: Page) -> str:
    """The URL of the page before, found in the same ways.

    >>> page = Page.from_html("<a href=?p=1>1</a> <b>2</b>", "http://a.example/t?p=2")
    >>> find_previous_page(page), find_next_page(page)
    ('http://a.example/t?p=1', '')
    """
    numbered = (link for (_, link), (_, own) in _number_pairs(page) if own is None)
    return _first_url(
        page,
        _declared_links(page, ("prev", "previous")),
        numbered,
        _named_links(page, _PREVIOUS, _PREVIOUS_NAME),
    )


def _first_url(page: Page, *candidates: Iterable[Element | None]) -> str:
    for element in chain.from_iterable(candidates):
        if element is None:
            continue
        url = absolute_url(element.get("href") or "", page.base_url).partition("#")[0]
        if url and url != page.url.partition("#")[0] and _is_same_host(url, page.url):
            return url
    return ""


def _declared_links(page: Page, names: Sequence[str]) -> Iterator[Element]:
    for element in page.root.iter("link", "a"):
        if set(names).intersection((element.get("rel") or "").lower().split()):
            yield element


#: A page number, and its link; None for the page's own.
_Number = tuple[int, Element | None]


def _number_pairs(page: Page) -> Iterator[tuple[_Number, _Number]]:
    """Successive numbers in rows of page numbers."""
    outline = page.outline
    previous: _Number | None = None
    for leaf in outline.leaves:
        text = leaf.text.strip()
        if not _NUMBER.fullmatch(text):
            previous = None if text.strip("[]()|·, ") else previous
            continue
        above = (outline.nodes[i].element for i in outline.path(leaf.node))
        number = int(text), next(filter(_is_link, above), None)
        if previous and number[0] == previous[0] + 1:
            yield previous, number
        previous = number


def _named_links(page: Page, text: re.Pattern[str], name: re.Pattern[str]) -> Iterator[Element]:
    for node in page.outline.nodes:
        if not _is_link(node.element):
            continue
        own = " ".join(page.outline.text(node).split())
        names = (node.element.get(attribute) or "" for attribute in _NAMES)
        if (own and text.fullmatch(own)) or any(name.search(given) for given in names):
            yield node.element


def _is_link(element: Element) -> bool:
    return element.tag == "a" and element.get("href") is not None


def _is_same_host(url: str, other: str) -> bool:
    try:
        return urlsplit(url).netloc == urlsplit(other).netloc
    except ValueError:
        return False
