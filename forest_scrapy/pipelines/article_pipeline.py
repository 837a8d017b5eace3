"""The article pipeline: from a page of a known template to an article."""

from __future__ import annotations

import logging
from dataclasses import asdict, is_dataclass
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from forest_scrapy.core import Entry, Extract, Page, Wrapper, extract
from forest_scrapy.core.document.mojibake import is_mojibake
from forest_scrapy.core.document.sanitize import clean_html, html_text, write_html
from forest_scrapy.core.fields import FieldSources, base_url, read_fields
from forest_scrapy.integrations.zyte import to_zyte
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.runtime.context import LARGE, CrawlContext, context_of, in_thread
from forest_scrapy.runtime.responses import page_of
from forest_scrapy.runtime.wrapper_provider import WrapperProvider

__all__ = ["ArticlePipeline", "NoArticle", "make_article"]

logger = logging.getLogger(__name__)

#: FieldSources whose sources are counted.
COUNTED_FIELDS = ("title", "published", "authors")


class NoArticle(DropItem):
    """The page is no article: ``no_content`` where no method found any text on it and no feed
    says what it is about, ``several_articles`` where it shows whole articles one by one."""

    def __init__(self, reason: str, url: str) -> None:
        super().__init__(f"{url}: {reason}", log_level="DEBUG")
        self.reason = reason


class ArticlePipeline:
    """Turns each ``ArticlePage`` into an ``Article``; other items pass."""

    def __init__(self, crawl: CrawlContext) -> None:
        self._crawl, self._learner = crawl, WrapperProvider(crawl)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(context_of(crawler))

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, ArticlePage):
            return item
        templates = self._crawl.templates
        is_large = len(item.response.body) > LARGE
        read = (item.response, item.entry, self._crawl.config.feed_fields)
        page = await in_thread(page_of, *read) if is_large else page_of(*read)
        template = templates.template(item.template)
        learned = await self._learner.wrapper_for(page, template)
        using = (page, learned, self._crawl.config.params)
        # A page alone is judged by the classifier as a whole, which takes a moment.
        is_slow = is_large or not learned.keep
        wrapper, found = await in_thread(extract, *using) if is_slow else extract(*using)
        if wrapper is not learned and learned.keep:
            templates.stats.inc_value("forest/wrappers/missed")
        if found.unseen:
            templates.stats.inc_value("forest/segments/unseen", found.unseen)
        if not found.text:
            raise NoArticle("no_content", page.url)
        if not item.is_article and wrapper.shows_several(found):
            raise NoArticle("several_articles", page.url)
        item.method = wrapper.method
        # A page alone has nobody to learn from: its own sources are ranked, and that takes time.
        fields = learned.fields
        parts = (item, page, template.id if template else "", wrapper, found, fields)
        article = (
            make_article(*parts)
            if fields and not is_large
            else await in_thread(make_article, *parts)
        )
        self._count(article)
        return to_zyte(article) if self._crawl.config.item == "zyte" else article

    def _count(self, article: Article) -> None:
        stats = self._crawl.templates.stats
        for name in COUNTED_FIELDS:
            stats.inc_value(f"forest/fields/{name}/{article.sources.get(name, 'none')}")
        if is_mojibake(f"{article.title}\n{article.text}"):
            stats.inc_value("forest/pages/mojibake")
            logger.debug("%s is written in the wrong characters", article.url)


def make_article(
    item: ArticlePage,
    page: Page,
    template: str,
    wrapper: Wrapper,
    found: Extract,
    fields: FieldSources | None = None,
) -> Article:
    """Put the item together; ``fields``: what was learned of the page's template."""
    read = read_fields(page, fields, found.html, item.fetched_at)
    html = clean_html(found.html or write_html(found.text), base_url(page))
    entry = item.entry or Entry()
    headers = item.response.headers.to_unicode_dict()
    return Article(
        **{name: _plain(value) for name, value in vars(read).items()},
        url=item.response.url,
        text=html_text(html),
        html=html,
        comments_url=entry.comments_url,
        comments_count=entry.comments_count,
        entry=item.entry.to_dict() if item.entry else None,
        template=template,
        method=wrapper.method,
        wrapper=found.xpath,
        wrapper_id=wrapper.id,
        score=wrapper.evidence.score,
        fetched_at=item.fetched_at,
        last_modified=headers.get("Last-Modified", ""),
        etag=headers.get("ETag", ""),
    )


def _plain(value: Any) -> Any:
    """A value of the core as JSON has it."""
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
