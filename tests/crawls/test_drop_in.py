"""An existing project: with the add-on and three changed lines it exports articles."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from demo import DemoServer

from .helpers import Project, Run

SPIDERS = """
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from shop.items import Story, Topic


class Gazette(CrawlSpider):
    name = "gazette"
    rules = [
        Rule(LinkExtractor(allow=r"/news/[a-z-]+[.]html"), callback="parse_story"),
        Rule(LinkExtractor(allow=r"/topics/"), callback="parse_topic", follow=True),
    ]

    def __init__(self, start="", **options):
        super().__init__(**options)
        self.start_urls = [start]

    def parse_story(self, response):
        yield Story(url=response.url, title=response.css("h1::text").get())

    def parse_topic(self, response):
        yield Topic(url=response.url, name=response.css("h1::text").get())
"""

CHANGES = {
    "from shop.items import Story, Topic": (
        "from forest_scrapy import ArticlePage\nfrom shop.items import Topic"
    ),
    'yield Story(url=response.url, title=response.css("h1::text").get())': (
        "yield ArticlePage.from_response(response)"
    ),
}

ITEMS = """
from dataclasses import dataclass

from scrapy import Field, Item


class Topic(Item):
    url = Field()
    name = Field()


@dataclass
class Story:
    url: str
    title: str
"""

PARTS = """
from scrapy.exceptions import DropItem
from scrapy.exporters import JsonLinesItemExporter
from scrapy.pipelines import ItemPipelineManager


class Count:
    def __init__(self, stats):
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler.stats)

    def process_item(self, item):
        self.stats.inc_value(f"own/piped/{type(item).__name__}")
        return item

    def close_spider(self):
        self.stats.set_value("own/closed", True)


class NoFerry:
    def process_item(self, item):
        if "ferry" in item.url if hasattr(item, "url") else False:
            raise DropItem("no ferries")
        return item


class Manager(ItemPipelineManager):
    async def process_item_async(self, item):
        self.crawler.stats.inc_value("own/managed")
        return await super().process_item_async(item)


class Lines(JsonLinesItemExporter):
    def export_item(self, item):
        super().export_item({**vars(item), "own": 1} if hasattr(item, "html") else item)
"""

SETTINGS: dict[str, Any] = {
    "SPIDER_MODULES": ["shop.spiders"],
    "ITEM_PIPELINES": {"shop.parts.Count": 300},
    "ITEM_PROCESSOR": "shop.parts.Manager",
    "FEED_EXPORTERS": {"jsonl": "shop.parts.Lines"},
}


def make_project(folder: Path, changed: bool, **settings: Any) -> Project:
    spiders = SPIDERS
    for before, after in CHANGES.items() if changed else ():
        assert spiders.count(before) == 1
        spiders = spiders.replace(before, after)
    modules = {
        "shop/__init__.py": "",
        "shop/spiders.py": spiders,
        "shop/items.py": ITEMS,
        "shop/parts.py": PARTS,
    }
    addons: dict[str, Any] = {} if changed else {"ADDONS": {}}
    return Project(folder, modules, **{**SETTINGS, **addons, **settings})


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory, demo: DemoServer) -> Run:
    project = make_project(tmp_path_factory.mktemp("before"), changed=False)
    return project.crawl("gazette", f"start={demo.url}/")


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory, demo: DemoServer) -> Run:
    project = make_project(tmp_path_factory.mktemp("after"), changed=True)
    return project.crawl("gazette", f"start={demo.url}/")


def topics(run: Run) -> list[dict[str, Any]]:
    found = [item for item in run.items if "/topics/" in item["url"]]
    return sorted(found, key=lambda item: str(item["url"]))


def stories(run: Run) -> list[dict[str, Any]]:
    return [item for item in run.items if "/news/" in item["url"]]


def test_no_complaints(before: Run, after: Run) -> None:
    assert (before.status, before.complaints) == (0, [])
    assert (after.status, after.complaints) == (0, [])


def test_article_pages_are_exported_as_articles(before: Run, after: Run, demo: DemoServer) -> None:
    gold = {article.path: article for article in demo.site.articles}
    assert len(stories(before)) == 16
    assert {s["url"] for s in stories(after)} == {s["url"] for s in stories(before)}
    for item in stories(after):
        wanted = gold[urlsplit(item["url"]).path]
        assert item["method"] == "trained"
        assert item["title"] == wanted.title
        assert wanted.text.splitlines()[-1] in item["text"]
    assert after.stat("templates/learned") == 1


def test_own_items_are_exported_unchanged(before: Run, after: Run) -> None:
    assert len(topics(before)) > 0
    assert topics(after) == topics(before)
    assert len(after.items) == len(before.items)


def test_all_items_pass_the_components_of_the_project(before: Run, after: Run) -> None:
    assert before.stats["own/piped/Story"] == after.stats["own/piped/Article"] == 16
    assert before.stats["own/piped/Topic"] == after.stats["own/piped/Topic"]
    assert before.stats["own/managed"] == after.stats["own/managed"]
    assert after.stats["own/closed"] is True
    assert "own/piped/ArticlePage" not in after.stats
    assert all(item["own"] == 1 for item in stories(after))


def test_articles_that_a_pipeline_drops_are_counted(tmp_path: Path, demo: DemoServer) -> None:
    pipelines = {"shop.parts.Count": 300, "shop.parts.NoFerry": 400}
    project = make_project(tmp_path / "p", changed=True, ITEM_PIPELINES=pipelines)
    run = project.crawl("gazette", f"start={demo.url}/")
    assert run.counted("dropped") == {"by_pipeline": 1}
    assert len(stories(run)) == 15
    assert run.counted("articles") == {"trained": 15}


def test_own_spider_with_our_name_takes_precedence(tmp_path: Path, demo: DemoServer) -> None:
    spider = SPIDERS.replace('"gazette"', '"feeds"')
    project = make_project(tmp_path / "p", changed=True)
    project.write("shop/spiders.py", spider)
    run = project.crawl("feeds", f"start={demo.url}/")
    assert "own/piped/Story" in run.stats
