"""The add-on: one line in a project's settings turns everything on.

Every command of Scrapy loads this module.  What a crawl needs is loaded when a crawl is made.
"""

import logging
import os
from typing import Any

from scrapy.extensions.feedexport import FeedExporter
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.misc import load_object

from forest_scrapy.crawl.log_filters import shorten_errors
from forest_scrapy.exporters import (
    REPLACED_FORMATS,
    add_formats,
    check_packages,
    is_by_site,
)
from forest_scrapy.settings import describe_environment, read_settings

logger = logging.getLogger(__name__)

#: Close to the engine, so that the project's own spider middlewares see the pages first.
MIDDLEWARE_ORDER = 100
#: Next to the spider: after the last of Scrapy's (900), which drop requests.
WATCH_ORDER = 1000
#: Before the project's own pipelines, so that they receive articles.
PIPELINE_ORDER = 100
#: Next to the downloader: after the last of Scrapy's (900).
KEEP_ORDER = 950
PROGRESS_ORDER = 500
REPORT_ORDER = 500
HEALTH_ORDER = 500
_SPIDERS = "forest_scrapy.spiders"
_SPIDER_LOADER = f"{_SPIDERS}.loader.ForestSpiderLoader"
#: Scrapy starts so many tasks for each response, whatever the number of its items, and a response
#: has one page.  Scrapy's default, 100, takes 1 ms of processor time.
_CONCURRENT_ITEMS = 16


class Addon:
    """``ADDONS = {"forest_scrapy.Addon": 500}``.  The project's own settings take precedence."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Add our spiders to ``scrapy crawl``; a spider of the project with the same name takes
        precedence."""
        modules = settings.getlist("SPIDER_MODULES")
        # An invalid value is reported by update_settings, in the log.
        value = str(settings.get("FOREST_SPIDERS", True))
        is_wanted = value.lower() not in ("0", "false")
        if _SPIDERS not in modules and is_wanted:
            settings.set("SPIDER_MODULES", [_SPIDERS, *modules], priority="project")
        settings.set("SPIDER_LOADER_CLASS", _SPIDER_LOADER, priority="addon")
        shorten_errors()

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components; raises ``BadSetting``."""
        from forest_scrapy.crawl.article_pipeline import ArticlePipeline
        from forest_scrapy.crawl.middlewares import RequestWatch, TemplateMiddleware
        from forest_scrapy.crawl.progress import Progress
        from forest_scrapy.responses.downloads import CODEC_ORDER, CodecMiddleware

        forest = read_settings(settings)
        warning = describe_environment(os.environ)
        if warning:
            logger.warning("%s", warning)
        settings.set("CONCURRENT_ITEMS", _CONCURRENT_ITEMS, priority="addon")
        settings.setdefault_in_component_priority_dict(
            "SPIDER_MIDDLEWARES", TemplateMiddleware, MIDDLEWARE_ORDER
        )
        settings.setdefault_in_component_priority_dict(
            "SPIDER_MIDDLEWARES", RequestWatch, WATCH_ORDER
        )
        settings.setdefault_in_component_priority_dict(
            "DOWNLOADER_MIDDLEWARES", CodecMiddleware, CODEC_ORDER
        )
        settings.setdefault_in_component_priority_dict(
            "ITEM_PIPELINES", ArticlePipeline, PIPELINE_ORDER
        )
        settings.setdefault_in_component_priority_dict("EXTENSIONS", Progress, PROGRESS_ORDER)
        if forest.render != "never":
            from forest_scrapy.rendering.middleware import add_browser

            add_browser(settings)
        if forest.warc:
            from forest_scrapy.archive.keep import KeepPages

            settings.setdefault_in_component_priority_dict(
                "DOWNLOADER_MIDDLEWARES", KeepPages, KEEP_ORDER
            )
        if forest.health:
            from forest_scrapy.report.health import HealthDigest

            settings.setdefault_in_component_priority_dict("EXTENSIONS", HealthDigest, HEALTH_ORDER)
        if forest.report:
            # Imported here, since it takes long and most crawls write no report.
            from forest_scrapy.report.crawl_report import CrawlReport

            settings.setdefault_in_component_priority_dict("EXTENSIONS", CrawlReport, REPORT_ORDER)
        _wrap_item_processor(settings)
        _add_exporters(settings)


def _wrap_item_processor(settings: BaseSettings) -> None:
    """Put our item processor around that of the project."""
    from forest_scrapy.crawl.item_processor import ForestItemProcessor

    project_processor: Any = settings["ITEM_PROCESSOR"]
    if project_processor is ForestItemProcessor:
        return
    settings.set("FOREST_ITEM_PROCESSOR", project_processor, priority="addon")
    project_priority = settings.getpriority("ITEM_PROCESSOR") or 0
    priority = max(project_priority, SETTINGS_PRIORITIES["addon"])
    settings.set("ITEM_PROCESSOR", ForestItemProcessor, priority=priority)


def _add_exporters(settings: BaseSettings) -> None:
    """Add our formats, and replace exporters of Scrapy: a page counts as done when its line is
    written, so lines must not stay in a buffer.  Exporters of the project are kept."""
    exporters = settings["FEED_EXPORTERS"]
    enabled_exporters = settings.getwithbase("FEED_EXPORTERS")
    for name, (scrapy_exporter, forest_exporter) in REPLACED_FORMATS.items():
        if enabled_exporters.get(name) == scrapy_exporter:
            exporters.set(name, forest_exporter, priority="addon")

    add_formats(settings)
    check_packages(settings)
    if _exports_feeds(settings):
        settings.set_in_component_priority_dict("EXTENSIONS", FeedExporter, None)
        exporter = _choose_exporter(settings)
        settings.setdefault_in_component_priority_dict("EXTENSIONS", exporter, 0)


def _choose_exporter(settings: BaseSettings) -> type[FeedExporter]:
    if is_by_site(settings):
        from forest_scrapy.exporters.by_site import SiteFeedExporter

        return SiteFeedExporter
    from forest_scrapy.exporters.guarded import GuardedFeedExporter

    return GuardedFeedExporter


def _exports_feeds(settings: BaseSettings) -> bool:
    """Whether Scrapy's own exporter is enabled."""
    for extension, order in settings.getwithbase("EXTENSIONS").items():
        if load_object(extension) is FeedExporter and order is not None:
            return True
    return False
