"""Calls of Scrapy's engine and its scraper, for some of which there is no public way.

The scraper processes responses: it calls their callbacks, and the pipelines with their items.
"""

import logging
from collections.abc import Sequence
from typing import Any

from scrapy.core.scraper import Scraper
from scrapy.crawler import Crawler
from scrapy.http import Request, Response
from scrapy.utils.job import job_dir
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

logger = logging.getLogger(__name__)


def is_open(crawler: Crawler) -> bool:
    """Whether responses may be enqueued from outside of callbacks: nothing may be added after the
    last page of a crawl that closes."""
    scraper = _scraper_of(crawler)
    if scraper is None or scraper.slot is None:
        return False
    return scraper.slot.closing is None


def enqueue(crawler: Crawler, response: Response) -> Deferred[None]:
    """Hand a response to the callback of its request; fires when its output is processed."""
    scraper = _scraper_of(crawler)
    assert scraper is not None and response.request is not None
    return scraper.enqueue_scrape(response, response.request)


def enqueue_empty(
    crawler: Crawler,
    request: Request,
    flags: Sequence[str] = (),
    status: int = 200,
) -> None:
    """Hand a response without body to the request's callback, which passes on the page: its feed
    entry may describe it.  ``flags``: why there is no body; ``status``: 0 if there was no
    response."""
    request = request.copy()  # Scrapy may be busy with the request itself
    request.meta["handle_httpstatus_all"] = True
    response = Response(request.url, status=status, request=request, flags=list(flags))
    enqueue(crawler, response)


def enqueue_failure(crawler: Crawler, request: Request, error: Exception) -> None:
    """Hand an error to the errback of a request that was not sent; without one it is logged."""
    scraper = _scraper_of(crawler)
    assert scraper is not None
    if request.errback is None:
        logger.error("%s is not requested: %s", request.url, error)
        return
    failure = Failure(error)  # type: ignore[no-untyped-call]
    failure.request = request  # type: ignore[attr-defined]
    scraper.enqueue_scrape(failure, request)


async def process_item(crawler: Crawler, item: Any, response: Response) -> None:
    """Hand an item to the pipelines while the crawl closes; before, such an item would make a
    crawl that closes meanwhile hang."""
    scraper = _scraper_of(crawler)
    assert scraper is not None
    await scraper.start_itemproc_async(item, response=response)


def takes_requests(crawler: Crawler) -> bool:
    """Whether requests are still made, or kept for the next run of a job."""
    if is_open(crawler):
        return True
    if crawler.engine is None:
        return False
    return bool(job_dir(crawler.settings))


def send_request(crawler: Crawler, request: Request) -> None:
    """Schedule a request from outside of callbacks."""
    assert crawler.engine is not None
    crawler.engine.crawl(request)


def has_requests(crawler: Crawler) -> bool:
    """Whether the queue has requests."""
    slot = getattr(crawler.engine, "_slot", None)
    return slot is not None and bool(slot.scheduler.has_pending_requests())


def wake(crawler: Crawler) -> None:
    """Make the engine check now whether it is idle, which it does every 5 seconds by itself."""
    slot = getattr(crawler.engine, "_slot", None)
    if slot is not None:
        slot.nextcall.schedule()


def _scraper_of(crawler: Crawler) -> Scraper | None:
    if not crawler.engine:
        return None
    return crawler.engine.scraper
