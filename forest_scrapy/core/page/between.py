"""What stands between the parts of an article.

The parts of an article are often siblings, or stand each in an element of its own beside the
others: paragraphs, and between them pictures, lists, code, or whatever is rare on the site's pages.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from forest_scrapy.core.page.tree import Element

#: Levels from a part up to the element that has the next part, too, at most: builders of sites wrap
#: each paragraph and each picture in three or four elements.
MAX_LEVELS = 4
#: Elements between two parts, at most; the parts of an article are not farther from each other.
MAX_ELEMENTS = 200


def add_between(parts: Sequence[Element]) -> list[Element]:
    """The parts, and the outermost elements that stand between two successive ones, in document
    order.

    ``parts``: in document order, none inside another one.  Parts whose nearest common ancestor is
    more than ``MAX_LEVELS`` above one of them have nothing between them, nor have those with more
    than ``MAX_ELEMENTS`` elements between them.  Cost: linear in the elements between.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> root = parse_html("<div><p>One</p><img><p>Two</p><hr></div>")
    >>> [element.tag for element in add_between(list(root.iter("p")))]
    ['p', 'img', 'p']
    """
    joined = list(parts[:1])
    for part, following in pairwise(parts):
        elements = _find_between(part, following)
        between = list(islice(elements, MAX_ELEMENTS + 1))
        if len(between) <= MAX_ELEMENTS:
            joined += between
        joined.append(following)
    return joined


def _find_between(part: Element, following: Element) -> Iterator[Element]:
    path, following_path = _paths_to_common(part, following)
    if not path:
        return
    top = path[-1]
    following_top = following_path[-1]
    for element in path[:-1]:
        yield from element.itersiblings("*")
    for sibling in top.itersiblings("*"):
        if sibling is following_top:
            break
        yield sibling
    for element in reversed(following_path[:-1]):
        preceding = list(element.itersiblings("*", preceding=True))
        yield from reversed(preceding)


def _paths_to_common(
    part: Element,
    following: Element,
) -> tuple[list[Element], list[Element]]:
    """Two elements with those around them, up to the children of their nearest common ancestor;
    empty if that is too far up."""
    path = _path_up(part)
    levels = {element: level for level, element in enumerate(path)}
    following_path: list[Element] = []
    for element in _path_up(following):
        level = levels.get(element, 0)
        if level:
            return path[:level], following_path
        following_path.append(element)
    return [], []


def _path_up(element: Element) -> list[Element]:
    above = islice(element.iterancestors(), MAX_LEVELS)
    return [element, *above]
