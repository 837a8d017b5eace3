"""What becomes of the pages of a batch: items, threads of several pages, duplicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector

from forest_scrapy.batch.extracting import Extracted
from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.crawl.duplicates import Duplicates
from forest_scrapy.crawl.records import RecordItem
from forest_scrapy.crawl.threads import JOINED, ThreadJoiner
from forest_scrapy.items import Article
from forest_scrapy.stores import BatchStore

__all__ = ["HELD", "Outcome", "Outcomes"]

#: The reason for a page whose posts are in the item that comes with another page, or at the end.
HELD = JOINED.detail


@dataclass(frozen=True)
class Outcome:
    """The outcome of one page: its ``item``, or the ``reason`` why it has none.  A thread that is
    not complete comes after all pages, as a page of its own."""

    raw: RawPage
    reason: str
    item: Article | RecordItem | None = None


class Outcomes:
    """Decides on the pages of a batch, in their order.  ``notes_pages``: whether the store has a
    row for each page, so that no URL comes twice."""

    def __init__(self, store: BatchStore, thread_pages: int, notes_pages: bool) -> None:
        self._store, self._notes_pages = store, notes_pages
        self._duplicates = Duplicates(store.articles, MemoryStatsCollector(Crawler(Spider)))
        self._joiner = ThreadJoiner(store.threads, thread_pages)

    def of(self, raw: RawPage, result: Extracted) -> Outcome:
        """The outcome of a page."""
        if result.article and result.found:
            is_new = self._notes_pages or not self._store.articles.has(result.found.page_key)
            article, urls = result.article, (result.article.url,)
            is_new = is_new and not self._duplicates.is_known(result.found, article, urls)
            return Outcome(raw, "", article) if is_new else Outcome(raw, "duplicate")
        if result.reason:
            return Outcome(raw, result.reason)
        if not self._store.add_record(result.key):
            return Outcome(raw, "duplicate")
        if result.thread_page is None:
            return Outcome(raw, "", result.record)
        thread = self._joiner.add(result.thread_page)
        return Outcome(raw, "", thread) if thread else Outcome(raw, HELD)

    def rest(self) -> Iterator[Outcome]:
        """The threads that are not complete, as far as they are there.  What is written between
        two of them belongs to the first."""
        while keys := self._store.threads.ends():
            for key in keys:
                with self._store.writing():
                    thread = self._joiner.join(key)
                    yield Outcome(RawPage(thread.url, b""), "", thread)
