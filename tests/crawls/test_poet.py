"""A crawl with page objects that depend on our article."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo import DemoServer

from .helpers import Project

pytest.importorskip("scrapy_poet")

SPIDER = """
import attrs
from scrapy import Spider
from scrapy_poet import callback_for
from web_poet import ItemPage, field

from forest_scrapy import Article


@attrs.define
class StoryPage(ItemPage[dict]):
    article: Article

    @field
    def title(self):
        return self.article.title

    @field
    def url(self):
        return self.article.url

    @field
    def text(self):
        return self.article.text

    @field
    def method(self):
        return self.article.method


class PoetSpider(Spider):
    name = "poet"
    parse = callback_for(StoryPage)

    def __init__(self, url, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [url]
"""
ADDONS = {"forest_scrapy.Addon": 500, "scrapy_poet.Addon": 300}
PROVIDERS = {"forest_scrapy.integrations.poet.ArticleProvider": 500}


PAGES = """
from scrapy import Spider
from scrapy_poet import DummyResponse

from forest_scrapy import Article, WebPage


class PageSpider(Spider):
    name = "pages"

    def __init__(self, url, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [url]

    def parse(self, response: DummyResponse, article: Article, page: WebPage):
        yield page
        yield article
"""


def test_the_text_of_any_page(tmp_path: Path) -> None:
    """Of one that is an article, too."""
    settings = {"SPIDER_MODULES": ["pages"], "ADDONS": ADDONS, "SCRAPY_POET_PROVIDERS": PROVIDERS}
    project = Project(tmp_path, {"pages/spider.py": PAGES, "pages/__init__.py": ""}, **settings)
    with DemoServer() as server:
        gold = server.site.articles[0]
        run = project.crawl("pages", f"url={server.url}{gold.path}")
    assert (run.status, run.complaints) == (0, [])
    page, article = run.items
    assert page["title"] == article["title"] == gold.title
    assert gold.text.split("\n")[0] in page["text"]
    assert (run.stat("poet/page"), run.stat("poet/single")) == (1, 1)


@pytest.mark.parametrize(("is_stored", "method"), [(False, "single"), (True, "trained")])
def test_a_page_object_gets_the_article(is_stored: bool, method: str, tmp_path: Path) -> None:
    settings = {"SPIDER_MODULES": ["stories"], "ADDONS": ADDONS, "SCRAPY_POET_PROVIDERS": PROVIDERS}
    project = Project(
        tmp_path, {"stories/spider.py": SPIDER, "stories/__init__.py": ""}, **settings
    )
    with DemoServer() as server:
        if is_stored:
            project.crawl("feeds", f"feeds={server.feed_url}")
        gold = server.site.articles[0]
        run = project.crawl("poet", f"url={server.url}{gold.path}")
    assert (run.status, run.complaints) == (0, [])
    (item,) = run.items
    assert (item["title"], item["method"]) == (gold.title, method)
    assert gold.text.split("\n")[0] in item["text"]
    assert run.stat(f"poet/{method}") == 1
