"""What a crawl says of threads, products and lists when only articles are wanted."""

from __future__ import annotations

import logging
from collections import Counter

from forest_scrapy import core
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.background import in_thread
from forest_scrapy.responses.conversion import page_of
from forest_scrapy.settings import ForestSettings

logger = logging.getLogger(__name__)

#: Templates of which a page is kept in memory, and of which it is looked at: those with most pages.
MAX_KEPT_PAGES = 24
MAX_LOOKED_AT = 8


class KindSurvey:
    """Counts the pages of each template, whether they are articles or not, and keeps a page of
    some, whose kind is found out at the end of the crawl.

    Which ones depends on the digests of the pages' URLs (``ArticlePage.key``), not on the order in
    which they come: of each template the page with the smallest one, of the templates those whose
    pages have the smallest ones.  A template with many pages is likely to be among them.
    """

    def __init__(self, settings: ForestSettings) -> None:
        self._settings = settings
        self._articles: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._kept_pages: dict[str, ArticlePage] = {}

    def needs_page(self, template: str, key: str) -> bool:
        """Whether the page of the template with this key is to be given to ``add``."""
        if self._settings.wants_records:
            return False
        kept_page = self._kept_pages.get(template)
        if kept_page is not None:
            return key < kept_page.key
        if len(self._kept_pages) < MAX_KEPT_PAGES:
            return True
        return key < self._largest_key()

    def add(self, template: str, is_article: bool, page: ArticlePage | None = None) -> None:
        """Count a page of a template."""
        counts = self._articles if is_article else self._refused
        counts[template] += 1
        if page is None or not self.needs_page(template, page.key):
            return
        self._kept_pages[template] = page
        if len(self._kept_pages) > MAX_KEPT_PAGES:
            largest_key = self._largest_key()
            for kept_template, kept_page in list(self._kept_pages.items()):
                if kept_page.key == largest_key:
                    del self._kept_pages[kept_template]

    def _largest_key(self) -> str:
        return max(page.key for page in self._kept_pages.values())

    async def describe(self) -> str:
        """One line about the pages of other kinds than wanted; see ``describe_other_kinds``."""
        totals = self._articles + self._refused
        templates = sorted(self._kept_pages, key=lambda key: (-totals[key], key))
        needs_hint = self._refused.total() <= self._articles.total()
        pages: Counter[str] = Counter()
        for template in templates[:MAX_LOOKED_AT]:
            may_be_article = template in self._articles
            kind = await in_thread(
                self._look_at,
                self._kept_pages[template],
                may_be_article,
                needs_hint or may_be_article,
            )
            pages[kind] += totals[template]
        if not pages:
            return ""
        return core.describe_other_kinds(pages, self._settings.kinds, "FOREST_KINDS=")

    def _look_at(self, item: ArticlePage, may_be_article: bool, needs_hint: bool) -> str:
        try:
            page = page_of(item.response)
            return core.find_other_kind(page, self._settings.options, may_be_article, needs_hint)
        except Exception:  # the crawl has done its work
            logger.exception("Cannot tell the kind of %s", item.url)
            return "article"
