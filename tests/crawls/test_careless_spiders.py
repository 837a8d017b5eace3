"""A spider that takes lists for articles does no harm to the crawls after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo import DemoServer

from .helpers import Project

_SPIDER = """
import scrapy
from forest_scrapy import ArticlePage

class CarelessSpider(scrapy.Spider):
    name = "careless"

    def parse(self, response):
        yield ArticlePage.from_response(response, extra={"list": response.meta["list"]})

    async def start(self):
        for number, url in enumerate(self.urls.split(",")):
            yield scrapy.Request(url, meta={"list": number})
"""


@pytest.mark.slow
def test_lists_that_were_named_as_articles(tmp_path: Path, demo: DemoServer) -> None:
    articles = {article.path for article in demo.site.articles}
    lists = sorted(path for path in demo.site.pages if path not in articles and "/topics/" in path)
    assert len(lists) > 3
    project = Project(tmp_path / "own", {"own.py": _SPIDER}, SPIDER_MODULES=["own"])
    urls = f"urls={','.join(demo.url + path for path in lists[:2])}"
    careless = project.crawl("careless", urls)
    assert len(careless.items) == 2
    assert sorted(item["extra"]["list"] for item in careless.items) == [0, 1]
    run = project.crawl("site", f"url={demo.url}/", "feed=no")
    assert (run.status, run.paths) == (0, sorted(articles))
    again = project.crawl("careless", urls)  # who names them still gets them
    assert len(again.items) == 2
