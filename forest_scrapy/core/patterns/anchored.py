"""Places: where in a template's pages an element stands, for elements with and without
attributes of their own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from forest_scrapy.core.document.tree import Outline
from forest_scrapy.core.patterns.element_types import TYPING_ATTRIBUTES
from forest_scrapy.core.patterns.structural import Pattern, node_pattern
from forest_scrapy.core.patterns.xpaths import write_step, write_xpath

__all__ = [
    "AnchoredPath",
    "anchored_path",
    "anchored_paths",
    "anchored_xpath",
    "find_text_path",
    "write_anchored_path",
]


class AnchoredPath(NamedTuple):
    """The nearest pattern with attributes, from the element up (None: there is none), and the
    tags from there down to the element.

    >>> AnchoredPath(Pattern("div", (("id", "main"),), 2), ("ul", "li")).tags
    ('ul', 'li')
    """

    anchor: Pattern | None
    tags: tuple[str, ...]

    @property
    def level(self) -> int:
        """Deeper places have a higher one."""
        return (self.anchor.level if self.anchor else 0) + len(self.tags)


def anchored_paths(outline: Outline) -> list[AnchoredPath]:
    """The place of each node of the outline."""
    places: list[AnchoredPath] = []
    for node in outline.nodes:
        pattern = node_pattern(node)
        if pattern.has_attributes:
            places.append(AnchoredPath(pattern, ()))
        elif node.parent < 0:
            places.append(AnchoredPath(None, (pattern.tag,)))
        else:
            above = places[node.parent]
            places.append(AnchoredPath(above.anchor, (*above.tags, pattern.tag)))
    return places


def anchored_path(outline: Outline, index: int) -> AnchoredPath:
    """The place of one node, the same as among ``anchored_paths``; for a few nodes it is quicker.

    >>> from forest_scrapy.core.document.page import Page
    >>> outline = Page.from_html("<div id=a><p>one<p>two").outline
    >>> [anchored_path(outline, i) for i in range(4)] == anchored_paths(outline)
    True
    """
    tags: list[str] = []
    for above in outline.path(index):
        pattern = node_pattern(outline.nodes[above])
        if pattern.has_attributes:
            return AnchoredPath(pattern, tuple(reversed(tags)))
        tags.append(pattern.tag)
    return AnchoredPath(None, tuple(reversed(tags)))


def find_text_path(outlines: Sequence[Outline]) -> AnchoredPath | None:
    """The place whose blocks hold the largest share of the pages' text, in the mean over the
    pages; None where there is no text.  It is the same for almost any pages of a template."""
    shares: defaultdict[AnchoredPath, float] = defaultdict(float)
    for outline in outlines:
        places, own = anchored_paths(outline), Counter[AnchoredPath]()
        for leaf in outline.leaves:
            own[places[outline.nearest_block(leaf.node)]] += len(leaf.text)
        for place, characters in own.items():
            shares[place] += characters / own.total()
    return min(shares, key=lambda p: (-round(shares[p], 6), write_anchored_path(p)), default=None)


def write_anchored_path(place: AnchoredPath) -> str:
    """A place in a short form, another for each.

    >>> write_anchored_path(AnchoredPath(Pattern("div", (("id", "main"),), 2), ("ul", "li")))
    'div[id=main]@2 ul li'
    """
    if place.anchor is None:
        return " ".join(place.tags)
    tests = "".join(f"[{name}={form}]" for name, form in place.anchor.type)
    return " ".join((f"{place.anchor.tag}{tests}@{place.anchor.level}", *place.tags))


def anchored_xpath(place: AnchoredPath, elements: Sequence[Any]) -> str:
    """The expression for a place; ``elements`` are those that were seen there.

    It asks for the attributes that are missing, too: a paragraph without any is not at the
    place of its neighbour with a class.

    >>> anchored_xpath(AnchoredPath(None, ("body", "p")), [])
    '/html/body/p[not(@class or @id or @itemprop or @role)]'
    """
    above = [_chain(element, len(place.tags)) for element in elements]
    steps = [
        write_step(tag) + _without((), [chain[i] for chain in above if i < len(chain)])
        for i, tag in enumerate(reversed(place.tags))
    ]
    steps.reverse()
    if place.anchor is None:
        steps[0] = write_step(place.tags[0])
        return "/" + "/".join(steps if place.tags[0] == "html" else ("html", *steps))
    anchors = [chain[len(place.tags)] for chain in above if len(place.tags) < len(chain)]
    named = [name for name, _ in place.anchor.type]
    return "/".join((write_xpath(place.anchor, anchors) + _without(named, anchors), *steps))


def _chain(element: Any, steps: int) -> list[Any]:
    """The element and so many of its ancestors, from the element up."""
    return [element, *islice(element.iterancestors(), steps)]


def _without(named: Sequence[str], elements: Sequence[Any]) -> str:
    """The test for the typing attributes that are not named and that no element seen has."""
    names = [
        name
        for name in TYPING_ATTRIBUTES
        if name not in named and all(element.get(name) is None for element in elements)
    ]
    return f"[not({' or '.join(f'@{name}' for name in names)})]" if names else ""
