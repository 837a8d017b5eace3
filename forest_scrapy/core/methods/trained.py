"""The methods ``trained`` and ``single``: keep and drop blocks by the trained classifier.

The classifier scores every segment of the pages (Luo et al. 2009, section 4.1).  The scores of
segments with the same anchored path are averaged over the template's pages, which evens out
errors on single pages.  With many pages, the maximum scoring run gives the body; with few, the
blocks of each page are ranked as a whole, by a second set of trees, and the segments of the best
one are kept.  The result is written down as the anchored
paths to keep, and those inside them to drop.
"""

from __future__ import annotations

from collections.abc import Sequence

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.methods.blocks import learn_blocks
from forest_scrapy.core.params import Params
from forest_scrapy.core.segments.classifier import Classifier, default_classifier
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["learn_single", "learn_trained"]


def learn_trained(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """A wrapper that keeps and drops blocks, from the pages of a template."""
    method = "trained" if len(pages) > 1 else "single"
    return learn_blocks(method, classifier or default_classifier(), pages)


def learn_single(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """The same from a single page (the first of several)."""
    return learn_trained(pages[:1], params, classifier)
