"""Keep and drop, by the trained classifier: the method ``trained``, and ``single`` for a page.

The classifier judges every segment of the pages (Luo et al. 2009, section 4.1); its verdicts
are averaged over the template's pages for segments that stand at the same place, since on one
page it errs where on ten it does not; the maximum scoring run gives the body.  What is kept is
then written down as the places that hold it, and the places inside these that do not.
"""

from __future__ import annotations

from collections.abc import Sequence

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.methods.blocks import learn_blocks
from forest_scrapy.core.params import Params
from forest_scrapy.core.segments.classifier import Classifier, default_classifier
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["learn_single", "learn_trained", "learn_with"]


def learn_trained(pages: Sequence[Page], params: Params) -> Wrapper:
    """A wrapper that keeps and drops, from the pages of a template."""
    return learn_with(default_classifier(), pages)


def learn_single(pages: Sequence[Page], params: Params) -> Wrapper:
    """The same from one page alone (of several, the first)."""
    return learn_with(default_classifier(), pages[:1])


def learn_with(classifier: Classifier, pages: Sequence[Page]) -> Wrapper:
    """Learn with a given classifier."""
    return learn_blocks("trained" if len(pages) > 1 else "single", classifier.score, pages)
