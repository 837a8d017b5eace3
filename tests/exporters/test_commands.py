"""``scrapy crawl`` of a project."""

from __future__ import annotations

from argparse import Namespace

import pytest
from scrapy.crawler import CrawlerRunner
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from forest_scrapy.exporters.commands import Crawl


@pytest.mark.parametrize("word", ["https://a.example/feed", "--feeds=https://a.example/feed"])
def test_a_url_behind_the_spider_is_told_as_an_argument(word: str) -> None:
    modules = ["forest_scrapy.spiders"]
    settings = Settings({"ADDONS": {"forest_scrapy.Addon": 500}, "SPIDER_MODULES": modules})
    command = Crawl()
    command.settings = settings
    command.crawler_process = CrawlerRunner(settings)  # type: ignore[assignment]
    with pytest.raises(UsageError, match=r"crawl feeds -a feeds=https://a\.example/feed$"):
        command.run(["feeds", word], Namespace(spargs={}))
