"""Crawlers that no crawl is started with, as tests of components need them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.utils.reactor import install_reactor
from scrapy.utils.test import get_crawler

_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"


def make_crawler(
    spider_class: type[Spider] | None = None, settings: Mapping[str, Any] | None = None
) -> Crawler:
    """A crawler of a spider's class.

    Some versions of Scrapy make none before a reactor is installed, which a test that runs
    alone, or first in its process, has not done.
    """
    install_reactor(_REACTOR)
    return get_crawler(spider_class, dict(settings) if settings is not None else None)
