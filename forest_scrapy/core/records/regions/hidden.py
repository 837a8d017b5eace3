"""Pages whose content is in ``noscript`` elements: scripts show readers the same in another way."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.text import block_text
from forest_scrapy.core.document.tree import Element

__all__ = ["has_hidden_content", "show_content", "show_hidden"]

_HIDDEN = "noscript"
#: The characters ``noscript`` elements must hold more than, in those of the visible page.  Set by
#: hand; no other value was tried.
_MORE = 1


def has_hidden_content(page: Page) -> bool:
    """Whether most of the page's text is in ``noscript`` elements.

    >>> has_hidden_content(Page.from_html("<p>Wait</p><noscript><p>All the posts</p></noscript>"))
    True
    """
    if next(page.root.iter(_HIDDEN), None) is None:
        return False
    shown = sum(len(leaf.text) for leaf in page.outline.leaves)
    return _count_hidden(page.root) > _MORE * shown


def show_hidden(page: Page) -> Page:
    """A copy of the page in which ``noscript`` elements are visible, as ``div`` elements."""
    root: Element = deepcopy(page.root)
    for element in list(root.iter(_HIDDEN)):
        element.tag = "div"
    return replace(page, root=root)


def show_content(page: Page) -> Page:
    """The page, or if most of its text is in ``noscript`` elements, a copy with these visible."""
    return show_hidden(page) if has_hidden_content(page) else page


def _count_hidden(root: Element) -> int:
    shown: Element = deepcopy(root)
    total = 0
    for element in list(shown.iter(_HIDDEN)):
        element.tag = "div"
        total += len(block_text(element))
    return total
