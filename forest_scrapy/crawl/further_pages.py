"""The further pages of the articles of spiders that are not ours."""

from collections.abc import Iterator
from types import MethodType
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from forest_scrapy.core.page.urls import host_with_port
from forest_scrapy.crawl.context import CrawlContext, context_of
from forest_scrapy.crawl.engine import send_request, takes_requests
from forest_scrapy.crawl.scope import Follow
from forest_scrapy.crawl.unfetched import failure_reason, failure_stat
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.notes import PageNotes

#: The names of the callback and the errback.  They are methods of the spider, since only these
#: survive ``JOBDIR``.
_CALLBACK = "forest_parse_further_page"
_ERRBACK = "forest_further_page_failed"


def follow_pages_of(crawler: Crawler, crawl: CrawlContext) -> Follow | None:
    """What requests the further pages of the articles of a project's own spider; None if that must
    not be: the spider has ``follows_pages = False``."""
    spider = crawler.spider
    if spider is None or not getattr(spider, "follows_pages", True):
        return None
    return FurtherPages(crawler, crawl).follow


class FurtherPages:
    """Requests further pages for a spider, as if it had requested them itself: Scrapy's duplicate
    filter and downloader middlewares see the requests, and ``DEPTH_LIMIT`` holds."""

    def __init__(self, crawler: Crawler, crawl: CrawlContext) -> None:
        self._crawler = crawler
        self._crawl = crawl
        spider = crawler.spider
        setattr(spider, _CALLBACK, MethodType(_parse, spider))
        setattr(spider, _ERRBACK, MethodType(_failed, spider))
        crawler.signals.connect(self._resume, signal=signals.spider_opened)

    def follow(self, url: str, notes: PageNotes) -> bool:
        """Request a page; whether requests are still made."""
        max_depth = self._crawler.settings.getint("DEPTH_LIMIT")
        is_too_deep = max_depth and notes.depth > max_depth
        if is_too_deep or not takes_requests(self._crawler):
            return False
        self._crawl.outstanding.add(url)
        spider = self._crawler.spider
        meta = {**notes.to_meta(), "depth": notes.depth}
        request = Request(
            url,
            callback=getattr(spider, _CALLBACK),
            errback=getattr(spider, _ERRBACK),
            meta=meta,
        )
        send_request(self._crawler, request)
        return True

    def _resume(self) -> None:
        """Request again the pages that a run that was killed may have lost."""
        spool = self._crawl.spool
        if not spool.run.was_recovered:
            return
        for key in spool.held_pages.ends():
            item = spool.held_pages.read(key)
            next_page = item["next_page"]
            if item["type"] != "article" or not next_page:
                continue
            notes = PageNotes(was_article=True, number=2)
            self.follow(next_page, notes)


def _parse(spider: Spider, response: Response) -> Iterator[Any]:
    """The page."""
    yield ArticlePage.from_response(response)


def _failed(spider: Spider, failure: Failure) -> None:
    """Count and log a page that could not be fetched: its article has ``next_page``."""
    request: Request = failure.request  # type: ignore[attr-defined]
    crawl = context_of(spider.crawler)
    crawl.outstanding.remove(request)
    crawl.stats.inc_value(failure_stat(failure))

    url = request.url
    reason = failure_reason(failure)
    crawl.unfetched.add("page", url, reason, host_with_port(url))
    spider.logger.info("Page %s cannot be fetched: %s", url, reason)
