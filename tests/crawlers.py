"""Crawlers that no crawl is started with, as tests of components need them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import default_settings
from scrapy.utils.reactor import install_reactor
from scrapy.utils.test import get_crawler

_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"


def make_crawler(
    spider_class: type[Spider] | None = None, settings: Mapping[str, Any] | None = None
) -> Crawler:
    """A crawler of a spider's class.

    Versions of Scrapy that have no mode without a reactor make none before one is installed, which
    a test that runs alone, or first in its process, has not done.
    """
    needs_reactor = not hasattr(default_settings, "TWISTED_REACTOR_ENABLED")
    if needs_reactor and "twisted.internet.reactor" not in sys.modules:
        install_reactor(_REACTOR)
    return get_crawler(spider_class, dict(settings) if settings is not None else None)
