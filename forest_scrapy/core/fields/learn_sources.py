"""Learning where the pages of a template have their fields."""

from __future__ import annotations

from collections.abc import Sequence

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.fields.learn_authors import learn_authors
from forest_scrapy.core.fields.learn_dates import learn_modified, learn_published
from forest_scrapy.core.fields.learn_titles import learn_titles
from forest_scrapy.core.fields.metadata import FieldSources
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.fields.tags import learn_tags

__all__ = ["learn_fields", "learn_from_sources"]


def learn_fields(pages: Sequence[Page]) -> FieldSources:
    """The sources of each field in the order in which they are tried, the same for every page of
    the template.

    The pages' feed entries are evidence, and a source among others, unless they are for
    signifiers only.  The outcome depends on the set of pages, not on their order.  Cost: some
    30 ms a page, most of it for dates in texts.
    """
    facts = [PageSources(page) for page in pages]
    return learn_from_sources(sorted(facts, key=lambda one: (one.page.url, one.page.text_digest)))


def learn_from_sources(facts: Sequence[PageSources]) -> FieldSources:
    """The same, of pages whose texts may be there already."""
    title, affixes = learn_titles(facts)
    return FieldSources(
        title=title,
        published=learn_published(facts),
        modified=learn_modified(facts),
        authors=learn_authors(facts),
        tags=learn_tags(facts),
        affixes=affixes,
    )
