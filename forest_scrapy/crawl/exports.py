"""The exports of a crawl, as the outcomes of its pages depend on them."""

from asyncio import Event

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, FileFeedStorage


class WatchedFeedExporter(FeedExporter):
    """Scrapy's exporter, which tells when its items are on the disk.

    The item processor asks it: until then, the articles of a crawl do not count as seen.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._closed = Event()

    @property
    def holds_articles(self) -> bool:
        """Whether an export that is open has items that are not written at once: they are in
        buffers, or are stored when the crawl closes."""
        return any(not is_flushed(slot) for slot in self.slots)

    async def close_spider(self, spider: Spider) -> None:
        try:
            await super().close_spider(spider)
        finally:
            self._closed.set()

    async def wait_closed(self) -> None:
        """Wait until all exports are stored, or have failed."""
        await self._closed.wait()


def is_flushed(slot: FeedSlot) -> bool:
    """Whether each item is on the disk when it is announced."""
    is_local = isinstance(slot.storage, FileFeedStorage)
    if not is_local or "postprocessing" in slot.feed_options:
        return False
    exporter = slot.exporters[slot.format]
    return bool(getattr(exporter, "is_flushed", False))
