"""What becomes of a page in the article pipeline; real crawls are in ``tests/crawls``."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from forest_scrapy.core import Entry
from forest_scrapy.core.moments import DateRange
from forest_scrapy.core.topic_filter import TopicFilter, read_topic
from forest_scrapy.crawl.article_pipeline import ArticlePipeline, NoArticle
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.release import remaining_pages
from forest_scrapy.crawl.scope import PageScope
from forest_scrapy.items import Article
from forest_scrapy.responses.conversion import spool_page

from .helpers import article_page, counted, open_crawl, place


def extract_all(crawl: CrawlContext, pipeline: ArticlePipeline) -> list[Article]:
    async def extract() -> list[Article]:
        return [await pipeline.process_item(page) async for page in remaining_pages(crawl)]

    return asyncio.run(extract())


def test_pages_become_articles_of_one_template(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=3) as crawl:
        for number in range(3):
            place(crawl, number)
        articles = extract_all(crawl, ArticlePipeline(crawl))
        assert len(articles) == 3
        assert len({article.template_id for article in articles}) == 1
        assert [article.change["kind"] for article in articles] == ["new"] * 3
        assert counted(crawl, "templates")["learned"] == 1
        assert crawl.learner.locks.keys() == {
            template.key for template in crawl.templates.learned()
        }


def test_articles_that_are_too_old_are_dropped(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        item = article_page(0)
        item.entry = Entry("A title", published="2020-03-01T10:00:00Z")
        assert crawl.spool.add(spool_page(item))
        since = datetime(2021, 1, 1, tzinfo=UTC)
        pipeline = ArticlePipeline(crawl, PageScope(DateRange(since)))
        with pytest.raises(NoArticle) as dropped:
            extract_all(crawl, pipeline)
        assert dropped.value.reason == "too_old"


@pytest.mark.parametrize(
    ("topic", "reason"),
    [
        (TopicFilter(("fr",)), "other_language"),
        (TopicFilter((), read_topic("zeppelins")), "no_match"),
        (TopicFilter(("en",), read_topic("/[a-z]/")), ""),
    ],
)
def test_articles_about_something_else_are_dropped(
    tmp_path: Path, topic: TopicFilter, reason: str
) -> None:
    with open_crawl(tmp_path) as crawl:
        place(crawl, 0)
        pipeline = ArticlePipeline(crawl, PageScope(topic=topic))
        if not reason:
            assert len(extract_all(crawl, pipeline)) == 1
            return
        with pytest.raises(NoArticle) as dropped:
            extract_all(crawl, pipeline)
        assert dropped.value.reason == reason


def test_pages_of_other_kinds_about_something_else_are_dropped(tmp_path: Path) -> None:
    with open_crawl(tmp_path, kinds=("page",)) as crawl:
        place(crawl, 0)
        topic = TopicFilter((), read_topic("zeppelins"))
        pipeline = ArticlePipeline(crawl, PageScope(topic=topic))
        with pytest.raises(NoArticle) as dropped:
            extract_all(crawl, pipeline)
        assert dropped.value.reason == "no_match"


def test_an_article_of_another_date_is_not_searched_for_a_topic(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        item = article_page(0)
        item.entry = Entry("A title", published="2020-03-01T10:00:00Z")
        assert crawl.spool.add(spool_page(item))
        dates = DateRange(datetime(2021, 1, 1, tzinfo=UTC))
        topic = TopicFilter((), read_topic("zeppelins"))
        pipeline = ArticlePipeline(crawl, PageScope(dates, topic=topic))
        with pytest.raises(NoArticle) as dropped:
            extract_all(crawl, pipeline)
        assert dropped.value.reason == "too_old"


def test_other_items_are_passed_on(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        pipeline = ArticlePipeline(crawl)
        assert asyncio.run(pipeline.process_item({"price": 1})) == {"price": 1}
