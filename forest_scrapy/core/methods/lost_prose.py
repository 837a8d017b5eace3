"""Prose that the wrapper of a template loses on one of its pages.

What the pages have that a wrapper was learned from is judged: their prose outside of the content is
boilerplate.  Prose anywhere else is not.  Rules that a person has changed lose nothing: what they
leave out is meant to be.
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
MIN_LOST, MIN_LOST_SHARE = 200, 0.05
#: Elements whose prose is hardly ever a part of an article; a look at the page by itself, which
#: takes as long as five pages by the wrapper, kept none of it on 1,900 recorded pages.
_OTHER_TAGS = frozenset(("aside", "footer", "nav", "form", "dialog"))
_OTHER_WORDS = frozenset(
    (
        "comment comments commentlist reply replies respond responses disqus sidebar widget "
        "widgets footer related newsletter subscribe cookie consent modal popup copyright"
    ).split()
)


def find_lost_prose(page: Page, wrapper: Wrapper, found: Extract) -> dict[Element, int]:
    """The blocks with prose that are not in what the wrapper found, at places where the pages that
    it was learned from had none, with the characters of each, in document order; empty if that is
    little.

    Cost: see ``find_prose_outside``.
    """
    if not wrapper.is_as_learned:
        return {}
    outside = find_prose_outside(page.root, set(found.content.text_blocks))
    least = max(MIN_LOST, MIN_LOST_SHARE * len(found.text))
    if sum(outside.values()) < least:
        return {}
    unknown = _leave_out_others(find_unknown(outside, frozenset(wrapper.outside)))
    lost = {block: outside[block] for block in unknown}
    return lost if sum(lost.values()) >= least else {}


def _leave_out_others(blocks: Iterable[Element]) -> list[Element]:
    """The blocks that are not in elements which are named as comments, side columns and the like.
    Cost: each element around the blocks is looked at once."""
    is_other: dict[Element, bool] = {}
    return [block for block in blocks if not _is_other(block, is_other)]


def _is_other(element: Element, known: dict[Element, bool]) -> bool:
    path: list[Element] = []
    around: Element | None = element
    while around is not None and around not in known and not _is_named_other(around):
        path.append(around)
        around = around.getparent()
    is_other = around is not None and known.get(around, True)
    known.update(dict.fromkeys(path, is_other))
    return is_other


def _is_named_other(element: Element) -> bool:
    if element.tag in _OTHER_TAGS:
        return True
    if element.tag in ("html", "body", "main", "article"):
        return False
    names = [element.get("class"), element.get("id")]
    return any(name and not _OTHER_WORDS.isdisjoint(attribute_words(name)) for name in names)
