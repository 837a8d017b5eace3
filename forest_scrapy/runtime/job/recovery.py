"""Recovery after a killed run, before the crawl is resumed."""

from __future__ import annotations

import logging
from pathlib import Path
from shutil import rmtree

from scrapy.settings import BaseSettings

from forest_scrapy.runtime.job.exports import configured_exports, read_tail
from forest_scrapy.runtime.job.outcomes import Outcome
from forest_scrapy.runtime.pages.responses import page_key
from forest_scrapy.stores import Spool

__all__ = ["recover_job"]

logger = logging.getLogger(__name__)

#: The outcome of pages whose article was exported but not recorded; the method is not known.
_RECOVERED = Outcome.article("recovered")


def recover_job(jobdir: Path, settings: BaseSettings, spool: Spool) -> None:
    """Make a job ready to be resumed whose last run was killed, or whose spool was lost.

    The request queue, which a kill leaves unreadable, is deleted, and the table of seen requests
    with it: what was requested and not fetched is requested again.  Pages in the spool are not
    fetched again.  Articles that were exported but not recorded are recorded.
    """
    logger.info(
        "%s; resuming from the pages in the spool",
        "The spool was lost" if spool.was_lost else "The previous run of this job was killed",
    )
    rmtree(jobdir / "requests.queue", ignore_errors=True)
    (jobdir / "requests.seen").unlink(missing_ok=True)
    exports = configured_exports(settings) if spool.was_lost else spool.run.exports()
    for export in exports:
        for url in read_tail(export):
            key = page_key(url)
            if spool.is_pending(key) or not spool.knows(key):
                spool.finish(key, _RECOVERED.kind, _RECOVERED.detail)
    spool.run.recover()
