"""The article pipeline: from a page of a known template to an article."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from forest_scrapy.core import Entry, Extract, Page, Params, Wrapper, learn
from forest_scrapy.core.declared import declared_title
from forest_scrapy.crawl import Crawl, crawl_of, in_thread
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.learner import Learner
from forest_scrapy.pages import page_of

__all__ = ["ArticlePipeline", "NoContent"]

_NOTHING = Wrapper("none")
#: What stands in, in this order, where the template's wrapper finds nothing on a page.
_FALLBACKS = ("sigfeed", "description")


class NoContent(DropItem):
    """No method found any text on the page, and no feed says what it is about."""

    reason = "no_content"

    def __init__(self, url: str) -> None:
        super().__init__(f"no article found on {url}", log_level="INFO")


class ArticlePipeline:
    """Turns each ``ArticlePage`` into an ``Article``; other items pass."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl, self._learner = crawl, Learner(crawl)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawl_of(crawler))

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, ArticlePage):
            return item
        page = page_of(item.response, item.entry)
        template = self._crawl.templates.template(item.template)
        wrapper = await self._learner.wrapper_of(template) if template else _NOTHING
        found = wrapper.apply(page)
        if not found.text:
            wrapper, found = await self._fall_back(page, missed=wrapper.keep != ())
        item.method = wrapper.method
        return make_article(item, page, template.id if template else "", wrapper, found)

    async def _fall_back(self, page: Page, missed: bool) -> tuple[Wrapper, Extract]:
        if missed:
            self._crawl.templates.stats.inc_value("forest/wrappers/missed")
        for method in _FALLBACKS:
            wrapper = await in_thread(learn, [page], Params(method=method))
            found = wrapper.apply(page)
            if found.text:
                return wrapper, found
        raise NoContent(page.url)


def make_article(
    item: ArticlePage, page: Page, template: str, wrapper: Wrapper, found: Extract
) -> Article:
    """Put the item together."""
    entry = item.entry or Entry()
    return Article(
        url=item.response.url,
        title=entry.title or declared_title(page.root),
        text=found.text,
        html=found.html,
        published=entry.published,
        entry=item.entry.to_dict() if item.entry else None,
        template=template,
        method=wrapper.method,
        wrapper=found.xpath,
        score=wrapper.evidence.score,
        fetched_at=item.fetched_at,
    )
