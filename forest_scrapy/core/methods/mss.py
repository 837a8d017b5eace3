"""MSS: the body is the maximum scoring subsequence of a page's text segments.

Luo et al. 2009, section 4.1, with the paper's hand-written local classifier F.  On a rendered page
the method is complete: lines end where the browser ends them (3.1), F looks at font sizes and
colours (equation 3), and segments that are not aligned with the body are left out (4.2).
"""

from __future__ import annotations

from collections.abc import Sequence

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.rendered import read_styles
from forest_scrapy.core.methods.page_wrapper import write_page_wrapper
from forest_scrapy.core.params import Params
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.segments.formats import LINKED_SHARE, RenderedSegments
from forest_scrapy.core.segments.segmentation import Segment, cut_segments
from forest_scrapy.core.segments.subsequence import best_run
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["learn_mss", "value_segment"]


def learn_mss(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """A wrapper for a single page (the first of several): it keeps the run of segments with the
    largest sum of values, including those with a negative value; of a rendered page, those of the
    run that are aligned."""
    page = pages[0]
    styles = read_styles(page.outline)
    if styles:
        rendered = RenderedSegments.cut(page.outline, styles)
        segments, values = rendered.segments, rendered.values()
        first, last = best_run(values)
        kept = rendered.aligned(values, first, last)
    else:
        segments = cut_segments(page.outline)
        values = [value_segment(segment) for segment in segments]
        first, last = best_run(values)
        kept = [first <= i < last for i in range(len(segments))]
    blocks = [segment.block for segment in segments]
    return write_page_wrapper("mss", page, blocks, kept, sum(values[first:last]))


def value_segment(segment: Segment) -> float:
    """v = F * length (equations 2 and 3): the number of characters, negative if most are in links.
    The rules for fonts need a rendered page.

    >>> value_segment(Segment("seven..", 0, 0, 1, 3)), value_segment(Segment("seven..", 0, 0, 1, 4))
    (7.0, -7.0)
    """
    length = len(segment.text)
    return float(-length if segment.linked > LINKED_SHARE * length else length)
