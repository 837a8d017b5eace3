"""The next page of a thread or a list, as the page links it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.tree import Element
from forest_scrapy.core.document.urls import absolute_url

__all__ = ["find_next_page"]

#: Texts of links to the next page, in several languages, and arrows.
_NEXT = re.compile(
    r"(?:next|next page|older|older posts|weiter|nächste|nächste seite|suivant|suivante"
    r"|page suivante|siguiente|seguinte|próxima|successiva|avanti|volgende|nästa|neste|næste"
    r"|seuraava|następna|další|след(?:ующая)?|вперед|sonraki|次へ|次|下一页|下一頁|다음)?"
    "\\s*[\u203a»>\u2192]*",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,5}")
#: Attributes that name a link.
_NAMES = ("aria-label", "title", "class")
_NEXT_NAME = re.compile(r"(?:^|[\s_-])next(?:$|[\s_-])", re.IGNORECASE)


def find_next_page(page: Page) -> str:
    """The URL of the next page: a link with ``rel=next``, else the link after the number of this
    page in a row of page numbers, else one with a text such as "Next"; ``""`` if there is none.
    Only on the same host.

    >>> page = Page.from_html("<b>1</b> <a href=?p=2>2</a>", "http://a.example/t")
    >>> find_next_page(page), find_next_page(Page.from_html("<a href=/x>x</a>", page.url))
    ('http://a.example/t?p=2', '')
    """
    candidates = (*_declared_links(page), *_numbered_links(page), *_named_links(page))
    for element in candidates:
        url = absolute_url(element.get("href") or "", page.base_url).partition("#")[0]
        if url and url != page.url.partition("#")[0] and _is_same_host(url, page.url):
            return url
    return ""


def _declared_links(page: Page) -> Iterator[Element]:
    for element in page.root.iter("link", "a"):
        if "next" in (element.get("rel") or "").lower().split():
            yield element


def _numbered_links(page: Page) -> Iterator[Element]:
    """The links with the number after that of this page, which is not a link."""
    outline, previous = page.outline, ""
    for leaf in outline.leaves:
        text = leaf.text.strip()
        if not _NUMBER.fullmatch(text):
            previous = "" if text.strip("[]()|·, ") else previous
            continue
        above = (outline.nodes[i].element for i in outline.path(leaf.node))
        link = next(filter(_is_link, above), None)
        if link is not None and previous and int(text) == int(previous) + 1:
            yield link
        previous = "" if link is not None else text


def _named_links(page: Page) -> Iterator[Element]:
    for node in page.outline.nodes:
        if not _is_link(node.element):
            continue
        text = " ".join(page.outline.text(node).split())
        names = (node.element.get(name) or "" for name in _NAMES)
        if (text and _NEXT.fullmatch(text)) or any(_NEXT_NAME.search(name) for name in names):
            yield node.element


def _is_link(element: Element) -> bool:
    return element.tag == "a" and element.get("href") is not None


def _is_same_host(url: str, other: str) -> bool:
    try:
        return urlsplit(url).netloc == urlsplit(other).netloc
    except ValueError:
        return False
