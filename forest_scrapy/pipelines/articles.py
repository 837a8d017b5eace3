"""The article pipeline: from a page of a known template to an article."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from forest_scrapy.core import Entry, Extract, Page, Wrapper, extract
from forest_scrapy.core.declared import declared_title
from forest_scrapy.crawl import Crawl, crawl_of
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.learner import Learner
from forest_scrapy.pages import page_of

__all__ = ["ArticlePipeline", "NoContent"]


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
        templates = self._crawl.templates
        page = page_of(item.response, item.entry)
        template = templates.template(item.template)
        learned = await self._learner.wrapper_for(page, template)
        wrapper, found = extract(page, learned)
        if wrapper is not learned and learned.keep:
            templates.stats.inc_value("forest/wrappers/missed")
        if not found.text:
            raise NoContent(page.url)
        item.method = wrapper.method
        return make_article(item, page, template.id if template else "", wrapper, found)


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
