"""DESCRIPTION: the feed entry's title and description are the article (FOREST section 4)."""

from __future__ import annotations

from collections.abc import Sequence

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.evidence import Evidence
from forest_scrapy.core.params import Params
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["learn_description"]


def learn_description(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """The wrapper that takes the feed entry's own words; nothing is learned from the pages."""
    return Wrapper("description", (), Evidence(pages=len(pages), signifiers="feed"), "entry")
