"""XPaths of the elements that show a field on the pages of a template."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from forest_scrapy.core.fields.sources import PageSources, ShortElement
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, anchored_xpath


@dataclass
class _Matches:
    """The elements at one anchored path, and the numbers of their pages."""

    elements: list[Element] = field(default_factory=list)
    pages: set[int] = field(default_factory=set)


def find_visible(
    pages: Sequence[PageSources],
    elements: Sequence[Iterable[ShortElement]],
    max_xpaths: int = 3,
    is_marked: Callable[[Element], bool] = lambda element: False,
) -> list[str]:
    """At most ``max_xpaths`` XPaths of the elements, which are given for each page, in document
    order.

    Their anchored paths are ranked by the number of pages with such an element, then by fewer
    such elements, then by whether one is marked (for a single page these two the other way
    round), then by document order.
    """
    matches = _match_paths(pages, elements)

    def rank(path: AnchoredPath) -> tuple[int, int, int]:
        match = matches[path]
        count = len(match.elements)
        page_count = len(match.pages)
        is_unmarked = not any(map(is_marked, match.elements))
        if len(pages) > 1:
            return -page_count, count, is_unmarked
        return -page_count, is_unmarked, count

    # Several paths may have the same XPath.
    ranked = sorted(matches, key=rank)
    first_paths = ranked[: 2 * max_xpaths]
    xpaths = []
    for path in first_paths:
        match = matches[path]
        xpath = anchored_xpath(path, match.elements)
        if xpath not in xpaths:
            xpaths.append(xpath)
    return xpaths[:max_xpaths]


def _match_paths(
    pages: Sequence[PageSources],
    elements: Sequence[Iterable[ShortElement]],
) -> dict[AnchoredPath, _Matches]:
    """The elements by their anchored path, in the order of the first of each."""
    matches: defaultdict[AnchoredPath, _Matches] = defaultdict(_Matches)
    elements_of_pages = zip(pages, elements, strict=True)
    for number, (page, page_elements) in enumerate(elements_of_pages):
        paths: list[AnchoredPath] = []
        for element in page_elements:
            if not paths:
                paths = anchored_paths(page.page.outline)
            path = paths[element.position]
            match = matches[path]
            match.elements.append(element.node.element)
            match.pages.add(number)
    return matches
