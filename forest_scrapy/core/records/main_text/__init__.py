"""The main text of pages that are neither articles nor threads: products, lists and others.

The same classifier as for articles, with trees that were trained on pages of these kinds, applied
to each page by itself.  Blocks that are chosen once for the pages of a template, as for articles,
have a lower F1 here (0.49 instead of 0.62 on lists of products): what these pages show differs
more from page to page.  ``python -m benchmarks.train`` makes the model file.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from forest_scrapy.core.document.page import Extract, Page
from forest_scrapy.core.methods.trained import learn_single
from forest_scrapy.core.params import Params
from forest_scrapy.core.segments.classifier import Classifier

__all__ = ["default_records_classifier", "read_main_text"]

_FILE = "model.npz"


def read_main_text(page: Page, classifier: Classifier | None = None) -> Extract:
    """The main text of a page; an empty ``Extract`` if there is none.

    ``classifier``: None for the one of this package.  Cost: some 30 ms.
    """
    classifier = classifier or default_records_classifier()
    return learn_single([page], Params(), classifier).apply(page, classifier)


@cache
def default_records_classifier() -> Classifier:
    """The classifier of this package, loaded once."""
    folder = files("forest_scrapy.core.records.main_text")
    return Classifier.from_bytes(folder.joinpath(_FILE).read_bytes())
