"""What the spiders use of the context of their crawl."""

from __future__ import annotations

from scrapy.crawler import Crawler

from forest_scrapy.runtime.context import context_of
from forest_scrapy.runtime.history.crawl_history import CrawlHistory
from forest_scrapy.runtime.job.outstanding import OutstandingRequests
from forest_scrapy.runtime.pages.downloads import GuardedSpider

__all__ = ["ContextSpider"]


class ContextSpider(GuardedSpider):
    """Base of spiders that count stats and use the history."""

    crawler: Crawler

    def count(self, stat: str, n: int = 1) -> None:
        """Increment a stat."""
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(stat, n)

    @property
    def outstanding(self) -> OutstandingRequests:
        """The requests of this crawl that have no outcome yet."""
        return context_of(self.crawler).outstanding

    @property
    def history(self) -> CrawlHistory:
        """What earlier crawls know about the pages and feeds."""
        return context_of(self.crawler).history
