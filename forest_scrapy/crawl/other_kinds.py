"""What a crawl says of threads, products and lists when only articles are wanted."""

import logging
from collections import Counter

from forest_scrapy.core.other_kinds import describe_other_kinds, find_other_kind
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.background import in_thread
from forest_scrapy.responses.conversion import page_of
from forest_scrapy.settings import ForestSettings

logger = logging.getLogger(__name__)

#: Templates of which a page is kept in memory, and of which it is looked at: those with most pages.
MAX_KEPT_PAGES = 24
MAX_LOOKED_AT = 8


class KindSurvey:
    """Counts the pages of each template, whether they are articles or not, and keeps the first page
    of some, whose kind is found out at the end of the crawl."""

    def __init__(self, settings: ForestSettings) -> None:
        self._settings = settings
        self._articles: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._kept_pages: dict[str, ArticlePage] = {}

    def needs_page(self, template: str) -> bool:
        """Whether a page of the template is to be given to ``add``."""
        if self._settings.wants_records or template in self._kept_pages:
            return False
        return len(self._kept_pages) < MAX_KEPT_PAGES

    def add(self, template: str, is_article: bool, page: ArticlePage | None = None) -> None:
        """Count a page of a template."""
        counts = self._articles if is_article else self._refused
        counts[template] += 1
        if page is not None and self.needs_page(template):
            self._kept_pages[template] = page

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
        return describe_other_kinds(pages, self._settings.kinds, "FOREST_KINDS=")

    def _look_at(self, item: ArticlePage, may_be_article: bool, needs_hint: bool) -> str:
        try:
            page = page_of(item.response)
            return find_other_kind(page, self._settings.options, may_be_article, needs_hint)
        except Exception:  # the crawl has done its work
            logger.exception("Cannot tell the kind of %s", item.url)
            return "article"
