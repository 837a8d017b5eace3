"""From a fetched page in the spool to a placed one."""

from __future__ import annotations

import logging

from forest_scrapy.core.templates.fingerprints import MANY_FEATURES
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.crawl.templates import Placement, read_features
from forest_scrapy.items import ArticlePage
from forest_scrapy.stores import SpooledPage, StoreFailed

__all__ = ["place_page", "refuse_spooled"]

logger = logging.getLogger(__name__)


async def place_page(crawl: CrawlContext, item: ArticlePage, page: SpooledPage) -> Placement:
    """Read and place a page that was spooled as fetched.  It is in flight meanwhile, and stays
    so if it may be passed on at once.

    A page that takes too long is refused.  One that cannot be read is recorded as an error, and
    harms no other page.
    """
    crawl.in_flight.add(page.key)
    try:
        if await crawl.probe.is_too_slow(item.response):
            return refuse_spooled(crawl, item, page, "too_slow")
        features = await read_features(item, crawl.settings.distance)
        is_unusual = len(features.fingerprint.features) > MANY_FEATURES
        if is_unusual and await crawl.probe.is_too_slow(item.response, is_unusual):
            return refuse_spooled(crawl, item, page, "too_slow")
    except StoreFailed:
        raise
    except Exception as error:
        logger.warning("Page %s cannot be read: %s: %s", page.url, type(error).__name__, error)
        crawl.ledger.record(page.key, Outcome.error(error), page.url)
        return Placement()
    item.fingerprint = features.fingerprint.digest
    placement = crawl.templates.place(page, features, crawl.history.known(item.response))
    if placement.template is None:
        crawl.in_flight.remove(page.key)
    return placement


def refuse_spooled(
    crawl: CrawlContext, item: ArticlePage, page: SpooledPage, reason: str
) -> Placement:
    """Drop a page that cannot be read.  If a feed entry describes it, it is made ready instead,
    and in flight.  Its body is deleted, so that it is not parsed in another way or run."""
    crawl.stats.inc_value(f"forest/refused/{reason}")
    if reason == "too_slow":
        seconds = crawl.settings.page_seconds
        logger.info("%s is not read: it takes too long (FOREST_PAGE_SECONDS=%s)", page.url, seconds)
    item.response = item.response.replace(body=b"")
    if page.entry is None:
        crawl.ledger.record(page.key, Outcome.dropped(reason), page.url)
        return Placement()
    crawl.spool.make_ready(page.key, "")
    crawl.in_flight.add(page.key)
    return Placement(is_described=True)
