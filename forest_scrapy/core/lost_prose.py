"""Prose that the wrapper of a template loses on one of its pages.

What the pages have that a wrapper was learned from is judged: their prose outside of the content is
boilerplate.  Prose anywhere else is not.
"""

from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.page.prose import find_prose_outside
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.segments.classifier import find_unknown
from forest_scrapy.core.wrapper import Wrapper

#: Characters of prose from which a wrapper may lose a part of an article: a short paragraph.
MIN_LOST = 120


def find_lost_prose(page: Page, wrapper: Wrapper, found: Extract) -> dict[Element, int]:
    """The blocks with prose that are not in what the wrapper found, at places where the pages that
    it was learned from had none; with the characters of each, in document order.

    Cost: see ``find_prose_outside``.
    """
    outside = find_prose_outside(page.root, set(found.content.text_blocks))
    unknown = find_unknown(outside, frozenset(wrapper.outside))
    return {block: outside[block] for block in unknown}
