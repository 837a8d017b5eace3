"""How dense the paragraphs of each element of a page are: a score in the manner of Readability
(Arc90, 2009).

A paragraph counts for the element that contains it, and half for the one around that.  Comments are
many elements with a paragraph or two each, so a short article beside a long thread has the better
score; the classifier of segments, which adds up text, has not.
"""

import numpy as np

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.segments.segmentation import (
    SegmentedPage,
    Values,
    difference,
    running_sums,
)

# The constants are those of Readability, which are not tuned here.
#: Characters outside links from which a segment is a paragraph.
_MIN_LENGTH = 25
#: Characters outside links that add a point.
_LENGTH_OF_POINT = 100
#: The number of points that its length adds to a paragraph.
_MAX_LENGTH_POINTS = 3
#: Elements that are one paragraph; in others, text is a paragraph of the element itself.
_PARAGRAPHS = frozenset(("p", "pre", "td", "li", "dd", "blockquote", "h1", "h2", "h3", "h4"))
_COMMAS = frozenset(",;\u3001\uff0c\uff1b\u3002\u060c\u0964")


def score_density(page: SegmentedPage) -> Values:
    """The score of each node of the page's outline.

    Cost: linear in the number of segments and nodes.
    """
    nodes = page.outline.nodes
    scores = np.zeros(len(nodes))
    for segment in page.segments:
        unlinked = len(segment.text) - segment.linked
        if unlinked < _MIN_LENGTH:
            continue
        commas = sum(map(segment.text.count, _COMMAS))
        comma_points = min(commas, unlinked / 20)
        length_points = min(unlinked / _LENGTH_OF_POINT, _MAX_LENGTH_POINTS)
        points = 1 + comma_points + length_points
        container = _container(page.outline, segment.block)
        scores[container] += points
        parent = nodes[container].parent
        if parent >= 0:
            scores[parent] += points / 2
    unlinked_shares = 1 - _link_shares(page)
    return np.asarray(scores * unlinked_shares)


def _container(outline: Outline, block: int) -> int:
    """The element that a paragraph counts for: the one around it, where the block is only it."""
    node = outline.nodes[block]
    is_inside = node.parent >= 0
    if is_inside and node.tag in _PARAGRAPHS:
        return node.parent
    return block


def _link_shares(page: SegmentedPage) -> Values:
    """For each node the share of its text that is in links."""
    firsts, lasts = page.spans
    length_sums = page.length_sums
    linked_sums = running_sums(page.linked)
    lengths = difference(length_sums, firsts, lasts)
    linked = difference(linked_sums, firsts, lasts)
    return np.asarray(linked / np.maximum(lengths, 1))
