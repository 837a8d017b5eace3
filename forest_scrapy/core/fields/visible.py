"""Finding the elements that show a value: the XPaths of elements with a certain text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from forest_scrapy.core.document.tree import Element
from forest_scrapy.core.fields.sources import PageSources, ShortElement
from forest_scrapy.core.patterns.anchored import AnchoredPath, anchored_paths, anchored_xpath

__all__ = ["IsWanted", "find_visible", "short_elements"]


def short_elements(page: PageSources, longest: int) -> Iterator[ShortElement]:
    """The page's elements with a text of at most ``longest`` characters, which are at most 400,
    in document order."""
    return (one for one in page.short_elements if len(one.text) <= longest)


#: Whether an element is looked for: number of the page, text, element.
IsWanted = Callable[[int, str, Element], bool]


@dataclass
class _Found:
    """The wanted elements at one anchored path, and the numbers of their pages."""

    elements: list[Element] = field(default_factory=list)
    pages: set[int] = field(default_factory=set)


def find_visible(
    pages: Sequence[PageSources],
    longest: int,
    is_wanted: IsWanted,
    most: int = 3,
    is_marked: Callable[[Element], bool] = lambda element: False,
) -> list[str]:
    """At most ``most`` XPaths of wanted elements with a text of at most ``longest`` characters.

    Their anchored paths are ranked by the number of pages with a wanted element, then by fewer
    such elements, then by whether one is marked (for a single page these two the other way
    round), then by document order.
    """
    found = _collect(pages, longest, is_wanted)

    def order(path: AnchoredPath) -> tuple[int, int, int]:
        elements = found[path].elements
        crowd, unmarked = len(elements), not any(map(is_marked, elements))
        signals = (crowd, unmarked) if len(pages) > 1 else (unmarked, crowd)
        return -len(found[path].pages), *signals

    ranked = sorted(found, key=order)[: 2 * most]
    xpaths = (anchored_xpath(path, found[path].elements) for path in ranked)
    return list(dict.fromkeys(xpaths))[:most]


def _collect(
    pages: Sequence[PageSources], longest: int, is_wanted: IsWanted
) -> dict[AnchoredPath, _Found]:
    """The wanted elements by their anchored path, in the order of the first of each."""
    found: defaultdict[AnchoredPath, _Found] = defaultdict(_Found)
    for number, page in enumerate(pages):
        paths: list[AnchoredPath] = []
        for index, node, text in short_elements(page, longest):
            if is_wanted(number, text, node.element):
                paths = paths or anchored_paths(page.page.outline)
                found[paths[index]].elements.append(node.element)
                found[paths[index]].pages.add(number)
    return found
