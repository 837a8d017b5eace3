"""Prose that the wrapper of a template loses on one of its pages.

Prose outside of the content, at places where the pages that the wrapper was learned from have prose
too, is boilerplate.  Prose at any other place may be lost.  Rules that a person has changed lose
nothing: what they leave out is meant to be left out.
"""

from collections.abc import Iterable

from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.page.prose import find_prose_outside
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.segments.classifier import find_unknown
from forest_scrapy.core.wrapper import Wrapper
from forest_scrapy.core.xpaths.anchored import attribute_words

#: Characters of prose from which a wrapper may lose a part of an article, and their share of the
#: text that it finds: a paragraph.
MIN_LOST = 200
MIN_LOST_SHARE = 0.05
#: Elements whose prose is hardly ever a part of an article; a look at the page by itself, which
#: takes as long as five pages by the wrapper, kept none of it on 1,900 recorded pages.
_SIDE_TAGS = frozenset(("aside", "footer", "nav", "form", "dialog"))
_SIDE_WORDS = frozenset(
    (
        "comment comments commentlist reply replies respond responses disqus sidebar widget "
        "widgets footer related newsletter subscribe cookie consent modal popup copyright"
    ).split()
)


def find_lost_prose(
    page: Page,
    wrapper: Wrapper,
    extract: Extract,
) -> dict[Element, int]:
    """The blocks with prose that are not in what the wrapper extracts, at places where the pages
    that it was learned from had none, with the characters of each, in document order; empty if
    there is little prose in them.

    Cost: see ``find_prose_outside``.
    """
    if not wrapper.is_as_learned:
        return {}

    text_blocks = set(extract.content.text_blocks)
    outside = find_prose_outside(page.root, text_blocks)
    min_characters = max(MIN_LOST, MIN_LOST_SHARE * len(extract.text))
    if sum(outside.values()) < min_characters:
        return {}

    unknown = find_unknown(outside, frozenset(wrapper.outside))
    lost = {block: outside[block] for block in _leave_out_sides(unknown)}
    if sum(lost.values()) < min_characters:
        return {}
    return lost


def _leave_out_sides(blocks: Iterable[Element]) -> list[Element]:
    """The blocks that are not in elements which are named as comments, side columns and the like.
    Cost: each element around the blocks is looked at once."""
    verdicts: dict[Element, bool] = {}
    return [block for block in blocks if not _is_in_side(block, verdicts)]


def _is_in_side(element: Element, verdicts: dict[Element, bool]) -> bool:
    """Whether the element, or one around it, is named as a side of the page.  ``verdicts``: those
    of the elements that were looked at before; those of this one and of others are added."""
    path: list[Element] = []
    is_in_side = False
    around: Element | None = element
    while around is not None:
        if around in verdicts:
            is_in_side = verdicts[around]
            break
        if _is_side(around):
            is_in_side = True
            break
        path.append(around)
        around = around.getparent()

    verdicts.update(dict.fromkeys(path, is_in_side))
    return is_in_side


def _is_side(element: Element) -> bool:
    """Whether the element itself is a side of the page, by its tag, classes and id."""
    if element.tag in _SIDE_TAGS:
        return True
    if element.tag in ("html", "body", "main", "article"):
        return False
    for name in (element.get("class"), element.get("id")):
        if not name:
            continue
        words = attribute_words(name)
        if not _SIDE_WORDS.isdisjoint(words):
            return True
    return False
