"""Parts of a product page without values of the product: menus, reviews, players, controls."""

from __future__ import annotations

import re

from forest_scrapy.core.document.outline import Node, Outline

__all__ = ["find_other_places", "in_controls"]

_TAGS = frozenset(("nav", "footer", "dialog", "audio", "video"))
_CONTROLS = frozenset(("a", "button", "select", "textarea", "label", "summary"))
_NAME = re.compile(
    r"(?:^|[\s_-])(?:reviews?|testimonials?|comments?|bewertung(?:en)?|kundenmeinungen|rezensionen"
    r"|avis|opiniones|reseñas|valoraciones|recensioni|avaliac(?:ao|oes)|opinie|recensies"
    r"|footer|navigation|navbar|breadcrumbs?|(?:main|mega|top)-?menu|(?:audio|video|media)-?player"
    r"|newsletter|cookies?)(?:$|[\s_-])",
    re.IGNORECASE,
)
#: Characters of the longest names that are read; the share of the leaves of a page from which an
#: element is the page itself.
_LONGEST, _MOST = 200, 0.5


def find_other_places(outline: Outline) -> list[bool]:
    """For each node whether it is in a menu, a review, a player or the like, by tags and names.

    Elements that have the heading of the page, or most of its text, do not count.
    """
    headings = [i for i, node in enumerate(outline.nodes) if node.tag == "h1"]
    with_heading = {i for heading in headings[:5] for i in outline.path(heading)}
    most = _MOST * len(outline.leaves)
    wide = {i for i, node in enumerate(outline.nodes) if node.last - node.first > most}
    whole = {id(outline.nodes[i]) for i in wide | with_heading}

    def extend(above: bool, node: Node) -> bool:
        return above or (id(node) not in whole and _is_other(node))

    return outline.inherit(False, extend)


def _is_other(node: Node) -> bool:
    element = node.element
    names = (
        f"{element.get('class') or ''} {element.get('id') or ''} {element.get('itemprop') or ''}"
    )
    return node.tag in _TAGS or _NAME.search(names[:_LONGEST]) is not None


def in_controls(outline: Outline) -> list[bool]:
    """For each node whether it is in a link, a button or another control."""
    return outline.inside(_CONTROLS)
