"""Where the pages of a template show something: the XPaths of elements with a certain text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from forest_scrapy.core.document.tree import Node
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.patterns.anchored import AnchoredPath, anchored_paths, anchored_xpath

__all__ = ["find_visible", "short_nodes"]

#: An element that shows one field holds no more pieces of text than this.
_MOST_LEAVES = 12


def short_nodes(facts: PageSources, longest: int) -> Iterator[tuple[int, Node, str]]:
    """The elements with a short text, in document order: index, node, text; of those inside each
    other with the same text only the outermost."""
    outline = facts.page.outline
    texts: dict[int, str] = {}
    for index, node in enumerate(outline.nodes):
        if not 0 < node.last - node.first <= _MOST_LEAVES:
            continue
        if sum(len(leaf.text) for leaf in outline.leaves[node.first : node.last]) > 2 * longest:
            continue
        text = " ".join(outline.text(node).split())
        texts[index] = text
        if len(text) <= longest and texts.get(node.parent) != text:
            yield index, node, text


def find_visible(
    pages: Sequence[PageSources],
    longest: int,
    is_wanted: Callable[[int, str, Any], bool],
    most: int = 3,
    is_marked: Callable[[Any], bool] = lambda element: False,
) -> list[str]:
    """XPaths of the places whose elements have what is wanted, at most so many.

    First come those on most pages, then those with the fewest elements, then those whose
    elements are marked (on a page alone the other way round), then the ones that come first;
    ``is_wanted(page, text, element)``.
    """
    elements: defaultdict[AnchoredPath, list[Any]] = defaultdict(list)
    seen: defaultdict[AnchoredPath, set[int]] = defaultdict(set)
    first: dict[AnchoredPath, int] = {}
    for number, facts in enumerate(pages):
        places: list[AnchoredPath] = []
        for index, node, text in short_nodes(facts, longest):
            if is_wanted(number, text, node.element):
                places = places or anchored_paths(facts.page.outline)
                place = places[index]
                elements[place].append(node.element)
                seen[place].add(number)
                first.setdefault(place, len(first))

    def order(place: AnchoredPath) -> tuple[int, int, int, int]:
        crowd, unmarked = len(elements[place]), not any(map(is_marked, elements[place]))
        signs = (crowd, unmarked) if len(pages) > 1 else (unmarked, crowd)
        return -len(seen[place]), *signs, first[place]

    ranked = sorted(elements, key=order)[: 2 * most]
    xpaths = (anchored_xpath(place, elements[place]) for place in ranked)
    return list(dict.fromkeys(xpaths))[:most]
