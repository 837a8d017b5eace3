"""Where the paragraphs of a page are dense: a score for each element, in the manner of Readability
(Arc90, 2009).

A paragraph counts for the element that contains it, and half for the one around that.  Comments are
many elements with a paragraph or two each, so a short article beside a long thread has the better
score; the classifier of segments, which adds up text, has not.
"""

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.segments.segmentation import SegmentedPage, running_sums

# The constants are those of Readability, which are not tuned here.
#: Characters outside links that a paragraph has at least, and those for a further point, up to
#: ``_MOST_POINTS``.
_LEAST, _CHARACTERS, _MOST_POINTS = 25, 100, 3
#: Elements that are one paragraph; in others, text is a paragraph of the element itself.
_PARAGRAPHS = frozenset(("p", "pre", "td", "li", "dd", "blockquote", "h1", "h2", "h3", "h4"))
_COMMAS = frozenset(",;\u3001\uff0c\uff1b\u3002\u060c\u0964")

Values = NDArray[np.float64]


def score_density(page: SegmentedPage) -> Values:
    """The score of each node of the page's outline.

    Cost: linear in the number of segments and nodes.
    """
    scores = np.zeros(len(page.outline.nodes))
    for segment in page.segments:
        free = len(segment.text) - segment.linked
        if free >= _LEAST:
            commas = sum(map(segment.text.count, _COMMAS))
            points = 1 + min(commas, free / 20) + min(free / _CHARACTERS, _MOST_POINTS)
            container = _container(page.outline, segment.block)
            scores[container] += points
            above = page.outline.nodes[container].parent
            if above >= 0:
                scores[above] += points / 2
    return np.asarray(scores * (1 - _link_shares(page)))


def _container(outline: Outline, block: int) -> int:
    node = outline.nodes[block]
    return node.parent if node.tag in _PARAGRAPHS and node.parent >= 0 else block


def _link_shares(page: SegmentedPage) -> Values:
    """For each node the share of its text that is in links."""
    firsts, lasts = page.spans
    lengths, linked = page.length_sums, running_sums(page.linked)
    return np.asarray(
        (linked[lasts] - linked[firsts]) / np.maximum(lengths[lasts] - lengths[firsts], 1)
    )
