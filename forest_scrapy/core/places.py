"""Places: where in a template's pages an element stands, for elements with and without
attributes of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from forest_scrapy.core.paths import TYPING_ATTRIBUTES
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

    It asks for the attributes that are missing, too: a paragraph without any is not at the
    place of its neighbour with a class.

    >>> place_xpath(Place(None, ("body", "p")), [])
    '/html/body/p[not(@class or @id or @itemprop or @role)]'
    """
    if place.anchor is None:
        path = "/".join(("/html", *map(write_step, place.tags)))
        return path + (_without(TYPING_ATTRIBUTES) if len(place.tags) > 1 else "")
    named = {name for name, _ in place.anchor.type}
    missing = [name for name in TYPING_ATTRIBUTES if name not in named]
    path = write_xpath(place.anchor, list(anchors)) + _without(missing)
    steps = [write_step(tag) + _without(TYPING_ATTRIBUTES) for tag in place.tags]
    return "/".join((path, *steps))


def _without(names: Sequence[str]) -> str:
    return f"[not({' or '.join(f'@{name}' for name in names)})]" if names else ""
