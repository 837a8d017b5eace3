"""How dense the paragraphs of each element of a page are: a score in the manner of Readability
(Arc90, 2009).

A paragraph counts for the element that contains it, and half for the one around that.  Comments are
many elements with a paragraph or two each, so a short article beside a long thread has the better
score; the classifier of segments, which adds up text, has not.
"""

import numpy as np

from forest_scrapy.core.page.outline import bits_of_tags
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
_PARAGRAPHS = bits_of_tags(("p", "pre", "td", "li", "dd", "blockquote", "h1", "h2", "h3", "h4"))


def score_density(page: SegmentedPage) -> Values:
    """The score of each node of the page's outline.

    Cost: linear in the number of segments and nodes.
    """
    nodes = page.outline.arrays
    unlinked = page.lengths - page.linked
    is_paragraph = unlinked >= _MIN_LENGTH
    unlinked = unlinked[is_paragraph]
    comma_points = np.minimum(page.characters.commas[is_paragraph], unlinked / 20)
    length_points = np.minimum(unlinked / _LENGTH_OF_POINT, _MAX_LENGTH_POINTS)
    points = 1 + comma_points + length_points

    # A paragraph counts for the element around it, where the block is only it.
    blocks = page.blocks[is_paragraph]
    parents = nodes.parents[blocks]
    is_only_paragraph = (nodes.tags[blocks] & _PARAGRAPHS != 0) & (parents >= 0)
    containers = np.where(is_only_paragraph, parents, blocks)
    parents = nodes.parents[containers]

    # Points are added up in the order of the paragraphs; the parent of the root is -1.
    scored_nodes = np.column_stack((containers, parents)).ravel()
    added_points = np.column_stack((points, points / 2)).ravel()
    sums = np.bincount(scored_nodes + 1, added_points, len(nodes.parents) + 1)
    unlinked_shares = 1 - _link_shares(page)
    return np.asarray(sums[1:] * unlinked_shares)


def _link_shares(page: SegmentedPage) -> Values:
    """For each node the share of its text that is in links."""
    firsts, lasts = page.spans
    length_sums = page.length_sums
    linked_sums = running_sums(page.linked)
    lengths = difference(length_sums, firsts, lasts)
    linked = difference(linked_sums, firsts, lasts)
    return np.asarray(linked / np.maximum(lengths, 1))
