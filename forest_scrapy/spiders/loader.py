"""The spider loader: each of our spiders is loaded when a crawl asks for it, and no other."""

from __future__ import annotations

import builtins
from importlib import import_module

from scrapy import Request, Spider
from scrapy.settings import BaseSettings, Settings
from scrapy.spiderloader import SpiderLoader

#: The package of our spiders, as ``SPIDER_MODULES`` has it.
PACKAGE = "forest_scrapy.spiders"
#: Our spiders by name, as module and class.
_CLASSES = {
    "feeds": ("feeds_spider", "FeedsSpider"),
    "form": ("form_spider", "FormSpider"),
    "records": ("records_spider", "RecordsSpider"),
    "refresh": ("refresh_spider", "RefreshSpider"),
    "site": ("site_spider", "SiteSpider"),
}


class ForestSpiderLoader(SpiderLoader):
    """Scrapy's loader, which loads all modules of ``SPIDER_MODULES`` at once; ours only by name.  A
    spider of the project with the same name takes precedence."""

    def __init__(self, settings: BaseSettings) -> None:
        modules = settings.getlist("SPIDER_MODULES")
        self._has_ours = PACKAGE in modules
        project_settings = {
            "SPIDER_MODULES": [module for module in modules if module != PACKAGE],
            "SPIDER_LOADER_WARN_ONLY": settings.getbool("SPIDER_LOADER_WARN_ONLY"),
        }
        super().__init__(Settings(project_settings))

    def load(self, spider_name: str) -> type[Spider]:
        """The class of a spider.  Raises ``KeyError`` if there is none."""
        is_of_project = spider_name in super().list()
        if is_of_project or not self._has_ours or spider_name not in _CLASSES:
            return super().load(spider_name)
        module_name, class_name = _CLASSES[spider_name]
        module = import_module(f"{PACKAGE}.{module_name}")
        spider_class: type[Spider] = getattr(module, class_name)
        return spider_class

    def list(self) -> builtins.list[str]:
        """The names of all spiders."""
        names = super().list()
        if self._has_ours:
            names += [name for name in _CLASSES if name not in names]
        return names

    def find_by_request(self, request: Request) -> builtins.list[str]:
        """The names of the spiders that can handle the request.  Loads all of them."""
        names = []
        for name in self.list():
            if self.load(name).handles_request(request):
                names.append(name)
        return names
