"""Content that pages have in ``noscript`` elements, for readers without scripts."""

from copy import deepcopy
from dataclasses import replace

from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import Element

_NOSCRIPT = "noscript"
#: ``noscript`` elements must hold more characters than the visible page, times this.  Set by hand;
#: no other value was tried.
MIN_HIDDEN_RATIO = 1


def has_hidden_content(page: Page) -> bool:
    """Whether most of the page's text is in ``noscript`` elements.

    >>> has_hidden_content(Page.from_html("<p>Wait</p><noscript><p>All the posts</p></noscript>"))
    True
    """
    if next(page.root.iter(_NOSCRIPT), None) is None:
        return False
    visible = sum(len(leaf.text) for leaf in page.outline.leaves)
    return _count_hidden(page.root) > MIN_HIDDEN_RATIO * visible


def show_hidden(page: Page) -> Page:
    """A copy of the page in which ``noscript`` elements are visible, as ``div`` elements."""
    root: Element = deepcopy(page.root)
    for element in list(root.iter(_NOSCRIPT)):
        element.tag = "div"
    return replace(page, root=root)


def show_content(page: Page) -> Page:
    """The page, or if most of its text is in ``noscript`` elements, a copy with these visible."""
    if has_hidden_content(page):
        return show_hidden(page)
    return page


def _count_hidden(root: Element) -> int:
    copy: Element = deepcopy(root)
    total = 0
    for element in list(copy.iter(_NOSCRIPT)):
        element.tag = "div"
        total += len(block_text(element))
    return total
