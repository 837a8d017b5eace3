"""What happens when the disk is full or cannot be written, or a shared store cannot be used."""

import logging
from asyncio import Task, create_task
from collections.abc import Iterator
from contextlib import contextmanager

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncio import call_later

from forest_scrapy.core.errors import ForestError
from forest_scrapy.stores.database import (
    SharedStoreFailed,
    StoreFailed,
    StoreLost,
    StoreUnavailable,
)

logger = logging.getLogger(__name__)

#: The reason with which the crawl is closed, and what is logged.
_DISK = (
    "forest_disk_failure",
    "The disk cannot be written, so the crawl ends (%s). Free some space and start the crawl again;"
    " it is resumed if it has a JOBDIR",
)
_SHARED_STORE = (
    "forest_store_failure",
    "The shared store cannot be used, so the crawl ends (%s). Check its tables and the rights of"
    " its user, and start the crawl again; it is resumed if it has a JOBDIR",
)
_LOST_STORE = (
    "forest_store_failure",
    "A store cannot be used, so the crawl ends (%s). End the program that has locked the file, or"
    " see to its server, and start the crawl again; it is resumed if it has a JOBDIR",
)
_EXPORT = (
    "forest_export_failure",
    "Items cannot be exported, so the crawl ends (%s). Start it again when that is repaired; it is"
    " resumed if it has a JOBDIR",
)
#: Seconds after which a crawl that has not started yet is closed.
_RETRY = 0.1


class ExportFailed(ForestError):
    """An export cannot be opened or stored; the message names it."""


class DiskFailure:
    """The first failure to write the spool or an export, or to use a store; it ends the crawl.

    ``error``: None as long as nothing has failed; afterwards the spool is not written.
    ``in_export``: whether articles could not be exported; afterwards none is.  ``has_refused``:
    whether some could not, which does not end the crawl, but the exit status is 1.
    """

    def __init__(self, stats: StatsCollector, crawler: Crawler | None = None) -> None:
        self._stats, self._crawler = stats, crawler
        self._closing: Task[None] | None = None
        self._reason = ""
        self.error: Exception | None = None
        self.in_export = self.has_refused = False
        #: Why items were not exported, by their identity, until that is recorded.
        self._refused: dict[int, Exception] = {}

    def refuse(self, item: object, error: Exception) -> None:
        """Note that an item was not exported."""
        self.has_refused = True
        self._refused[id(item)] = error

    def take_refused(self, item: object) -> Exception | None:
        """Why an item was not exported; None if it was.  To be asked when it is announced."""
        return self._refused.pop(id(item), None)

    def describe(self) -> str:
        """What has failed, on one line; ``""`` if nothing has."""
        if self.error is not None:
            return " ".join(str(self.error).split()) or type(self.error).__name__
        return "some items could not be exported" if self.has_refused else ""

    def report(self, error: Exception, in_export: bool = False) -> None:
        """Log the failure and close the spider; later failures are counted only."""
        kind, end = _kind_of(error)
        self._stats.inc_value(f"forest/{kind}/failed")
        self.in_export |= in_export
        if self.error is not None:
            return
        self.error = error
        self._reason, message = end
        logger.error(message, error)
        self._close()

    def take(self, error: BaseException | None) -> bool:
        """Whether the error is that of a store; then it is reported."""
        if not isinstance(error, StoreFailed):
            return False
        self.report(error)
        return True

    @contextmanager
    def guard(self, *further_kinds: type[Exception]) -> Iterator[None]:
        """A block that ends where a store fails, or where an error of the ``further_kinds`` is
        raised, which is reported::

            with failure.guard():
                return spool.pending()
            return 0  # it could not be read
        """
        kinds: tuple[type[Exception], ...] = (StoreFailed, *further_kinds)
        try:
            yield
        except kinds as error:
            self.report(error)

    def _close(self) -> None:
        engine = self._crawler.engine if self._crawler else None
        if engine and engine.running:
            self._closing = create_task(engine.close_spider_async(reason=self._reason))
        elif engine and engine.spider:  # if it is closed while it starts, the exit status is 0
            call_later(_RETRY, self._close)


def _kind_of(error: Exception) -> tuple[str, tuple[str, str]]:
    """What has failed, as stats name it, and how the crawl ends then."""
    if isinstance(error, ExportFailed):
        return "export", _EXPORT
    if isinstance(error, StoreLost | StoreUnavailable):
        return "store", _LOST_STORE
    if isinstance(error, SharedStoreFailed):
        return ("store", _SHARED_STORE)
    return ("disk", _DISK)
