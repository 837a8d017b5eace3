"""Waiting for shared stores that are away."""

from __future__ import annotations

from asyncio import sleep

from forest_scrapy.runtime.context import CrawlContext

__all__ = ["wait_for_stores"]

#: Seconds between two looks.
_LOOK = 0.2


async def wait_for_stores(crawl: CrawlContext) -> None:
    """Wait until the stores can be read, but for at most ``store_seconds`` of an outage: then the
    crawl goes on without them."""
    for store in (crawl.history.store, crawl.wrappers):
        while (seconds := store.database.seconds_away()) is not None:
            if seconds > crawl.settings.store_seconds:
                break
            await sleep(_LOOK)
