"""The article pipeline: from a page of a known template to an article."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from forest_scrapy.core import Entry, Extract, Page, Wrapper, extract
from forest_scrapy.core.declared import declared_title
from forest_scrapy.crawl import LARGE, Crawl, crawl_of, in_thread
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.learner import Learner
from forest_scrapy.pages import page_of

__all__ = ["ArticlePipeline", "NoArticle"]


class NoArticle(DropItem):
    """The page is no article: ``no_content`` where no method found any text on it and no feed
    says what it is about, ``several_articles`` where it shows whole articles one by one."""

    def __init__(self, reason: str, url: str) -> None:
        super().__init__(f"{url}: {reason}", log_level="DEBUG")
        self.reason = reason


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
        is_large = len(item.response.body) > LARGE
        read = (item.response, item.entry)
        page = await in_thread(page_of, *read) if is_large else page_of(*read)
        template = templates.template(item.template)
        learned = await self._learner.wrapper_for(page, template)
        using = (page, learned, self._crawl.config.params)
        wrapper, found = await in_thread(extract, *using) if is_large else extract(*using)
        if wrapper is not learned and learned.keep:
            templates.stats.inc_value("forest/wrappers/missed")
        if found.unseen:
            templates.stats.inc_value("forest/segments/unseen", found.unseen)
        if not found.text:
            raise NoArticle("no_content", page.url)
        if not item.is_article and wrapper.shows_several(found):
            raise NoArticle("several_articles", page.url)
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
