"""Comments of articles, if ``FOREST_COMMENTS`` is set: the rules for them, each learned once."""

from __future__ import annotations

import logging
from asyncio import Lock
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from forest_scrapy.core import Extract, Page, Wrapper
from forest_scrapy.core.records import RecordRules
from forest_scrapy.core.records.comments import learn_comments, read_comments
from forest_scrapy.runtime.context import CrawlContext
from forest_scrapy.runtime.pages.threads import to_thread
from forest_scrapy.runtime.templates.recognition import Template
from forest_scrapy.runtime.wrapper_provider import read_sample
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import SpooledPage, StoreFailed

__all__ = ["CommentReader"]

logger = logging.getLogger(__name__)


class CommentReader:
    """Reads the comments on pages with articles."""

    def __init__(self, crawl: CrawlContext) -> None:
        self._crawl = crawl
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        self._rules: dict[str, RecordRules | None] = {}

    async def read(
        self, page: Page, template: Template | None, learned: Wrapper, found: Extract
    ) -> list[dict[str, Any]]:
        """The comments on a page; none if they are not wanted.

        ``learned``: the template's wrapper; ``found``: the article of the page.  Pages of templates
        without rules, in whose sample there was no comment, are learned from one by one.
        """
        if not self._crawl.settings.comments:
            return []
        try:
            rules = await self._rules_for(template, learned)
            comments = await to_thread(_read, rules, page, found)
        except StoreFailed as error:
            self._crawl.failure.report(error)
            return []
        except Exception:
            logger.exception("Cannot read the comments of %s", page.url)
            self._crawl.stats.inc_value("forest/comments/failed")
            return []
        self._crawl.stats.inc_value("forest/comments/found", len(comments))
        return comments

    async def _rules_for(self, template: Template | None, learned: Wrapper) -> RecordRules | None:
        if template is None:
            return None
        if template.key not in self._rules:
            async with self._locks[template.key]:
                if template.key not in self._rules:
                    settings = self._crawl.settings
                    sample = self._crawl.spool.sample(template.key, settings.pages)
                    self._rules[template.key] = await to_thread(_learn, sample, learned, settings)
        return self._rules[template.key]


def _learn(
    sample: Sequence[SpooledPage], learned: Wrapper, settings: ForestSettings
) -> RecordRules | None:
    """The rules for the comments on the pages of a sample that have an article."""
    pages = read_sample(sample, settings)
    found = [(page, learned.apply(page)) for page in pages]
    found = [(page, one) for page, one in found if one.text]
    return learn_comments([page for page, _ in found], [one.content for _, one in found])


def _read(rules: RecordRules | None, page: Page, found: Extract) -> list[dict[str, Any]]:
    rules = rules or learn_comments([page], [found.content])
    return [one.describe() for one in read_comments(rules, page, found.content)] if rules else []
