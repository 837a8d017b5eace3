"""Comments of articles, if ``FOREST_COMMENTS`` is set: the rules for them, learned once for each
template and stored with its wrapper."""

from __future__ import annotations

import logging
from asyncio import Lock
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from forest_scrapy.core import Extract, Page, RecordWrapper, Wrapper
from forest_scrapy.core.records import RecordRules
from forest_scrapy.core.records.comments import learn_comments, read_comments
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.templates.bounded import choose_affordable
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.crawl.wrapper_provider import read_sample
from forest_scrapy.responses.background import to_thread
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import SpooledPage

__all__ = ["CommentReader", "find_comments", "learn_page_comments"]

logger = logging.getLogger(__name__)


class CommentReader:
    """Reads the comments on pages with articles."""

    def __init__(self, crawl: CrawlContext) -> None:
        self._crawl = crawl
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        #: The pages that rules were looked for on, by template and wrapper.
        self._tried: defaultdict[tuple[str, str], int] = defaultdict(lambda: 1)
        #: The templates on whose pages the rules have found comments in this crawl.
        self._confirmed: set[str] = set()

    async def read(
        self, page: Page, template: Template | None, learned: Wrapper, found: Extract
    ) -> list[dict[str, Any]]:
        """The comments on a page; none if they are not wanted.

        ``learned``: the template's wrapper; ``found``: the article of the page.  Pages of templates
        without rules, in whose sample there was no comment, are learned from one by one.
        """
        if not self._crawl.settings.comments:
            return []
        comments: list[dict[str, Any]] = []
        try:
            with self._crawl.failure.guard():
                comments = await self._read(page, template, learned, found)
        except Exception:
            logger.exception("Cannot read the comments of %s", page.url)
            self._crawl.stats.inc_value("forest/comments/failed")
            return []
        self._crawl.stats.inc_value("forest/comments/found", len(comments))
        return comments

    async def _read(
        self, page: Page, template: Template | None, learned: Wrapper, found: Extract
    ) -> list[dict[str, Any]]:
        if template is None:
            return await to_thread(read_page_comments, None, page, found)
        rules = await self._rules_for(template, learned)
        comments = await to_thread(read_page_comments, rules, page, found) if rules else []
        if comments:
            self._confirmed.add(template.key)
        if comments or (rules and template.key in self._confirmed):
            return comments
        comments = await to_thread(read_page_comments, None, page, found)
        if comments and rules and template.comments is rules:
            template.comments = None
            logger.info(
                "The rules for comments of template %s of %s find none on %s, which has some; "
                "they are learned again",
                *(template.id, template.host, page.url),
            )
            await self._rules_for(template, learned)
        return comments

    async def _rules_for(self, template: Template, learned: Wrapper) -> RecordRules | None:
        """The rules of a template.  While there are none, they are looked for each time the number
        of its pages has doubled."""
        if template.comments is None:
            async with self._locks[template.key]:
                if template.comments is None:
                    await self._learn(template, learned)
        return template.comments

    async def _learn(self, template: Template, learned: Wrapper) -> None:
        spool, most, key = self._crawl.spool, self._crawl.settings.pages, template.key
        # Pages of a redesigned template are apart; the wrapper fits these, or the others.
        sample = (spool.sample(template.misfits_key, most) + spool.sample(key, most))[:most]
        if len(sample) < 2 * self._tried[key, learned.id]:
            return
        self._tried[key, learned.id] = len(sample)
        template.comments = await to_thread(_learn_from, sample, learned, self._crawl.settings)
        if template.comments is None:
            return
        self._confirmed.add(key)
        self._crawl.stats.inc_value("forest/comments/learned")
        if template.is_stored or template.is_learned:
            rules = RecordWrapper((template.comments,))
            self._crawl.wrappers.comments.save(template.host, template.id, rules)


def _learn_from(
    sample: Sequence[SpooledPage], learned: Wrapper, settings: ForestSettings
) -> RecordRules | None:
    return learn_page_comments(read_sample(sample, settings), learned)


def learn_page_comments(pages: Sequence[Page], learned: Wrapper) -> RecordRules | None:
    """The rules for the comments on those of the pages of a template that have an article; None if
    there are fewer than two of them, or no comments."""
    chosen = choose_affordable(pages)
    found = [(page, one) for page in chosen if (one := learned.apply(page)).text]
    if len(found) < 2:
        return None
    return learn_comments([page for page, _ in found], [one.content for _, one in found])


def read_page_comments(
    rules: RecordRules | None, page: Page, found: Extract
) -> list[dict[str, Any]]:
    """The comments on a page with this article, as items have them.  Without rules, these are
    learned from the page."""
    rules = rules or learn_comments([page], [found.content])
    return [one.describe() for one in read_comments(rules, page, found.content)] if rules else []


def find_comments(page: Page, template: Template | None, found: Extract) -> list[dict[str, Any]]:
    """The comments on a page with this article, by the rules of its template; without any, and if
    stored ones find none, the page is learned from by itself."""
    rules = template.comments if template else None
    comments = read_page_comments(rules, page, found)
    if rules and not comments and template and template.is_stored:
        return read_page_comments(None, page, found)
    return comments
