"""The byline nearest to the title of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from forest_scrapy.core.document.hidden import find_hidden
from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.text import block_text
from forest_scrapy.core.document.tree import Element, body_of, is_ignored
from forest_scrapy.core.fields.asides import AsideFinder
from forest_scrapy.core.fields.byline_elements import LONGEST_CREDIT, read_credited

__all__ = ["read_nearest"]

#: Elements looked at, and siblings on each side of the byline.  Of 150, 400 and all elements, 150
#: finds fewer authors on wcxb-dev-articles, and all find more wrong ones on fundus.
_MOST_ELEMENTS, _MOST_BESIDE = 400, 25
#: Characters, with white space, and elements of the largest element whose text is read; elements in
#: each other with the same text.
_MOST_CHARACTERS, _MOST_INNER, _DEPTH = 4 * LONGEST_CREDIT, 40, 10


def read_nearest(page: Page) -> list[str]:
    """The names by the element nearest to the first ``h1`` that says who wrote the article, and by
    those beside it; elements above the title count as twice as far away.  Without hidden elements
    and those in comments and menus.

    The page's outline is not needed, which takes longer than this.
    """
    body = body_of(page.root)
    reader = _CreditReader(body, page.language)
    for element in islice(_from_title(list(body.iter("*"))), _MOST_ELEMENTS):
        if reader.read(element):
            near = _siblings(_outermost(element, body))
            return [name for one in near for name in reader.read(one)]
    return []


class _CreditReader:
    """Reads the names in visible elements that say who wrote the article."""

    def __init__(self, body: Element, language: str) -> None:
        self._body, self._language = body, language
        self._is_aside = AsideFinder()

    @cached_property
    def _hidden(self) -> frozenset[Element]:
        return find_hidden(self._body)

    def read(self, element: Element) -> list[str]:
        """The names in the element; empty if it says no such thing."""
        text = _short_text(element)
        names = read_credited(text, element, self._language) if text else []
        return names if names and self._is_visible(_innermost(element, text)) else []

    def _is_visible(self, element: Element) -> bool:
        if self._is_aside(element) or not block_text(element):  # all of it is a script
            return False
        path = (element, *element.iterancestors())
        return not any(is_ignored(one) or one in self._hidden for one in path)


def _siblings(element: Element) -> list[Element]:
    """The element with its nearest siblings, in document order."""
    before = list(islice(element.itersiblings(preceding=True), _MOST_BESIDE))
    return [*reversed(before), element, *islice(element.itersiblings(), _MOST_BESIDE)]


def _from_title(elements: Sequence[Element]) -> Iterator[Element]:
    """The elements by their distance to the first ``h1``."""
    title = next((i for i, one in enumerate(elements) if one.tag == "h1"), 0)
    before, after = title - 1, title
    while before >= 0 or after < len(elements):
        if before < 0 or (after < len(elements) and after - title <= 2 * (title - before)):
            yield elements[after]
            after += 1
        else:
            yield elements[before]
            before -= 1


def _short_text(element: Element) -> str:
    """The text of the element on one line; empty if it is longer than a byline."""
    is_large = next(islice(element.iter(), _MOST_INNER, None), None) is not None
    if is_ignored(element) or is_large:
        return ""
    texts = list(element.itertext())
    if sum(map(len, texts)) > _MOST_CHARACTERS:
        return ""
    return " ".join(" ".join(texts).split())


def _outermost(element: Element, body: Element) -> Element:
    """The largest element with the same text."""
    text = _short_text(element)
    for above in islice(element.iterancestors(), _DEPTH):
        if above is body or _short_text(above) != text:
            break
        element = above
    return element


def _innermost(element: Element, text: str) -> Element:
    """The smallest element with the same text."""
    for _ in range(_DEPTH):
        inner = next((one for one in element if _short_text(one) == text), None)
        if inner is None:
            break
        element = inner
    return element
