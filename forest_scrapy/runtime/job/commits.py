"""When the spool's writes are committed: some at a time."""

from __future__ import annotations

from scrapy.crawler import Crawler
from scrapy.utils.asyncio import call_later

from forest_scrapy.runtime.job.disk_failure import DiskFailure
from forest_scrapy.runtime.job.exports import open_exports
from forest_scrapy.stores import Spool, StoreFailed

__all__ = ["CommitTimer"]

#: Seconds from the first write of a transaction to its commit.  A page that is fetched and done
#: within them is not written to the disk at all.
DELAY = 0.05


class CommitTimer:
    """Commits the spool's writes a moment after the first one.

    If the process is killed before, the pages of that moment are requested again when the crawl
    is resumed, as if they had not been fetched; articles exported in it are found in the export,
    whose size is written with the outcomes.
    """

    def __init__(self, crawler: Crawler, spool: Spool, failure: DiskFailure) -> None:
        self._crawler, self._spool, self._failure = crawler, spool, failure
        spool.on_begin = self.start

    def start(self) -> None:
        """A transaction has begun."""
        call_later(DELAY, self.commit)

    def commit(self) -> None:
        """Commit now, if something was written.  A failure ends the crawl."""
        if self._failure.error or not self._spool.is_writing:
            return
        try:
            self._spool.commit(open_exports(self._crawler))
        except (StoreFailed, OSError) as error:
            self._failure.report(error)
