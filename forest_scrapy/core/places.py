"""Places: where in a template's pages an element stands, for elements with and without
attributes of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from forest_scrapy.core.patterns import Pattern, node_pattern
from forest_scrapy.core.tree import Outline
from forest_scrapy.core.xpaths import write_step, write_xpath

__all__ = ["Place", "find_places", "place_xpath"]


class Place(NamedTuple):
    """The nearest pattern with attributes, from the element up (None: there is none), and the
    tags from there down to the element.

    >>> Place(Pattern("div", (("id", "main"),), 2), ("ul", "li")).tags
    ('ul', 'li')
    """

    anchor: Pattern | None
    tags: tuple[str, ...]


def find_places(outline: Outline) -> list[Place]:
    """The place of each node of the outline."""
    places: list[Place] = []
    for node in outline.nodes:
        pattern = node_pattern(node)
        if pattern.has_attributes:
            places.append(Place(pattern, ()))
        elif node.parent < 0:
            places.append(Place(None, (pattern.tag,)))
        else:
            above = places[node.parent]
            places.append(Place(above.anchor, (*above.tags, pattern.tag)))
    return places


def place_xpath(place: Place, anchors: Iterable[Any]) -> str:
    """The expression for a place; ``anchors`` are the elements of its pattern that were seen.

    >>> place_xpath(Place(None, ("body", "p")), [])
    '/html/body/p'
    """
    if place.anchor is None:
        return "/".join(("/html", *map(write_step, place.tags)))
    return "/".join((write_xpath(place.anchor, list(anchors)), *map(write_step, place.tags)))
