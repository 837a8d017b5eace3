"""Requests for the next pages of threads, in crawls that come upon threads."""

from __future__ import annotations

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.job import job_dir

from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.spiders.base import ArticleSpider

__all__ = ["NextPages"]


class NextPages:
    """Requests pages as the crawl's spider does: within its scope, and each once.  Other spiders
    than ours do not follow threads."""

    def __init__(self, crawler: Crawler, crawl: CrawlContext) -> None:
        self._crawler, self._crawl = crawler, crawl
        crawler.signals.connect(self._resume, signal=signals.spider_opened)

    def request(self, url: str, number: int, is_article: bool = False) -> None:
        """Request the page of a thread with this number, from 2 on; ``is_article``: whether the
        page before it was known to be a page that is wanted."""
        spider, engine = self._crawler.spider, self._crawler.engine
        if not isinstance(spider, ArticleSpider) or not spider.follows_threads:
            return
        if engine is None or not self._may_request():
            return
        for request in spider.page_requests(url, was_article=is_article):
            request.meta["forest"]["number"] = number
            engine.crawl(request)
            self._crawl.stats.inc_value("forest/threads/followed")

    def _may_request(self) -> bool:
        """Whether requests are still made, or kept for the next run."""
        scraper = self._crawler.engine.scraper if self._crawler.engine else None
        is_open = scraper is not None and scraper.slot is not None and not scraper.slot.closing
        return is_open or bool(job_dir(self._crawler.settings))

    def _resume(self) -> None:
        """Request again what a run that was killed may have lost."""
        threads = self._crawl.spool.threads
        for key in threads.ends() if self._crawl.spool.run.was_recovered else ():
            if url := threads.read(key).get("next_page"):
                self.request(url, 2)
