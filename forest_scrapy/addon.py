"""The add-on: one line in a project's settings turns everything on."""

from __future__ import annotations

import logging
from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from forest_scrapy.exporters import FlushedJsonLinesItemExporter
from forest_scrapy.item_processor import ForestItemProcessor
from forest_scrapy.middlewares import TemplateMiddleware
from forest_scrapy.pipelines.article_pipeline import ArticlePipeline
from forest_scrapy.runtime.downloads import CodecMiddleware
from forest_scrapy.settings import BadSetting, read_settings
from forest_scrapy.spiders.arguments import BadArgument
from forest_scrapy.stores.database import BadStore

__all__ = ["Addon"]

#: Close to the engine, so that the project's own spider middlewares see the pages first.
MIDDLEWARE_ORDER = 100
#: Before the project's own pipelines, so that they receive articles.
PIPELINE_ORDER = 100
#: After the body is decompressed (590), before it is searched for redirects (580).
CODEC_ORDER = 585
_SPIDERS = "forest_scrapy.spiders"
_EXPORTER = "scrapy.exporters.JsonLinesItemExporter"


class Addon:
    """``ADDONS = {"forest_scrapy.Addon": 500}``.  The project's own settings take precedence."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Add our spiders to ``scrapy crawl``; a spider of the project with the same name takes
        precedence.  (``scrapy list`` shows them if the project's settings list the module.)"""
        modules = settings.getlist("SPIDER_MODULES")
        if _SPIDERS not in modules and settings.getbool("FOREST_SPIDERS", True):
            settings.set("SPIDER_MODULES", [_SPIDERS, *modules], priority="project")
        logging.getLogger("asyncio").addFilter(shorten_usage_errors)

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the middleware, the pipeline and the item processor; raises ``BadSetting``."""
        read_settings(settings)
        settings.setdefault_in_component_priority_dict(
            "SPIDER_MIDDLEWARES", TemplateMiddleware, MIDDLEWARE_ORDER
        )
        settings.setdefault_in_component_priority_dict(
            "DOWNLOADER_MIDDLEWARES", CodecMiddleware, CODEC_ORDER
        )
        settings.setdefault_in_component_priority_dict(
            "ITEM_PIPELINES", ArticlePipeline, PIPELINE_ORDER
        )
        _wrap_item_processor(settings)
        _flush_exports(settings)


def shorten_usage_errors(record: logging.LogRecord) -> bool:
    """A logging filter for asyncio, which logs the exception that ends a crawl: if it is about a
    setting, an argument or a store, only its message is logged, which names the remedy.  (With
    another reactor Twisted logs the traceback before the message.)"""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, BadSetting | BadArgument | BadStore):
        record.msg, record.args, record.exc_info = str(error), (), None
    return True


def _wrap_item_processor(settings: BaseSettings) -> None:
    inner: Any = settings["ITEM_PROCESSOR"]
    if inner is not ForestItemProcessor:
        settings.set("FOREST_ITEM_PROCESSOR", inner, priority="addon")
        own = settings.getpriority("ITEM_PROCESSOR") or 0
        priority = max(own, SETTINGS_PRIORITIES["addon"])
        settings.set("ITEM_PROCESSOR", ForestItemProcessor, priority=priority)


def _flush_exports(settings: BaseSettings) -> None:
    """A page counts as done when its line is written, so lines must not stay in a buffer."""
    base = settings.getwithbase("FEED_EXPORTERS")
    for name in ("jsonlines", "jsonl", "jl"):
        if base.get(name) == _EXPORTER:
            settings["FEED_EXPORTERS"].set(name, FlushedJsonLinesItemExporter, priority="addon")
