"""The add-on's settings."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from forest_scrapy.addon import Addon
from forest_scrapy.crawl.article_pipeline import ArticlePipeline
from forest_scrapy.crawl.item_processor import ForestItemProcessor
from forest_scrapy.crawl.middlewares import TemplateMiddleware
from forest_scrapy.exporters import NEW_FORMATS, REPLACED_FORMATS
from forest_scrapy.settings import BadSetting


def updated(settings: dict[str, Any]) -> Settings:
    found = Settings(settings, priority="project")
    Addon.update_pre_crawler_settings(found)
    Addon().update_settings(found)
    return found


def test_components_are_added() -> None:
    settings = updated({"ITEM_PROCESSOR": "own.Processor"})
    assert settings["SPIDER_MIDDLEWARES"][TemplateMiddleware] == 100
    assert settings["ITEM_PIPELINES"][ArticlePipeline] == 100
    assert settings["ITEM_PROCESSOR"] is ForestItemProcessor
    assert settings["FOREST_ITEM_PROCESSOR"] == "own.Processor"
    assert settings["SPIDER_MODULES"] == ["forest_scrapy.spiders"]
    assert settings.getint("CONCURRENT_ITEMS") == 16
    exporters = settings.getwithbase("FEED_EXPORTERS")
    assert exporters["jsonl"] == exporters["jl"] == REPLACED_FORMATS["jl"][1]
    assert {name: exporters[name] for name in NEW_FORMATS} == NEW_FORMATS


def test_the_settings_of_the_project_take_precedence() -> None:
    own = {
        "SPIDER_MIDDLEWARES": {TemplateMiddleware: 7},
        "ITEM_PIPELINES": {"forest_scrapy.pipelines.article_pipeline.ArticlePipeline": None},
        "FEED_EXPORTERS": {"jsonl": "own.Exporter"},
        "SPIDER_MODULES": ["own.spiders"],
        "FOREST_SPIDERS": False,
        "CONCURRENT_ITEMS": 50,
    }
    settings = updated(own)
    assert settings.getint("CONCURRENT_ITEMS") == 50
    assert settings["SPIDER_MIDDLEWARES"][TemplateMiddleware] == 7
    assert list(settings["ITEM_PIPELINES"].values()) == [None]
    assert settings.getwithbase("FEED_EXPORTERS")["jsonl"] == "own.Exporter"
    assert settings["SPIDER_MODULES"] == ["own.spiders"]


def test_spiders_of_the_project_come_last_so_that_they_take_precedence() -> None:
    modules = updated({"SPIDER_MODULES": ["own.spiders"]})["SPIDER_MODULES"]
    assert modules == ["forest_scrapy.spiders", "own.spiders"]


def test_an_invalid_setting_is_refused() -> None:
    with pytest.raises(BadSetting, match="FOREST_PAGES"):
        updated({"FOREST_PAGES": "abc"})


_START = """
import sys
from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess

class Nothing(Spider):
    name = "nothing"

    async def start(self):
        for request in ():
            yield request

process = AsyncCrawlerProcess({"ADDONS": {"forest_scrapy.Addon": 500}, "LOG_LEVEL": "ERROR"})
process.crawl(Nothing)
process.start()
print(*sys.modules)
"""


def test_a_crawl_starts_without_what_it_does_not_use_yet(tmp_path: Path) -> None:
    """Each of these takes 20 to 500 ms to import."""
    done = subprocess.run(
        [sys.executable, "-c", _START], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    late = {"fasttext", "dateparser", "jinja2", "ftfy", "feedparser", "playwright", "sqlalchemy"}
    late |= {"pyarrow", "price_parser", "snowballstemmer", "stopwordsiso"}
    assert done.stderr == ""
    assert late.intersection(done.stdout.split()) == set()


class _Cycle:
    def __init__(self) -> None:
        self.itself = self


def test_what_a_project_has_loaded_before_is_still_collected() -> None:
    were_frozen = gc.get_freeze_count()
    gc.unfreeze()
    try:
        cycle = _Cycle()
        reference = weakref.ref(cycle)
        updated({})
        del cycle
        gc.collect()
        assert reference() is None
    finally:
        if were_frozen:
            gc.freeze()
