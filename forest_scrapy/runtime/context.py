"""What the components of one crawl share."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from forest_scrapy.runtime.in_flight import InFlight
from forest_scrapy.runtime.outcomes import Ledger
from forest_scrapy.runtime.recovery import recover_job
from forest_scrapy.runtime.templates import Templates
from forest_scrapy.settings import BadSetting, ForestSettings, read_settings
from forest_scrapy.stores import Spool, WrapperStore

__all__ = ["CrawlContext", "context_of", "open_wrappers"]

#: The crawler's attribute.  A table of crawlers, even with weak keys, would keep every crawler
#: alive, because the stats refer to the crawler.
_ATTRIBUTE = "_forest_context"


@dataclass(frozen=True, eq=False)
class CrawlContext:
    """The settings, stats and stores of a crawl, and the state of its pages."""

    settings: ForestSettings
    stats: StatsCollector
    spool: Spool
    wrappers: WrapperStore
    in_flight: InFlight
    ledger: Ledger
    templates: Templates

    @classmethod
    def create(
        cls, settings: ForestSettings, stats: StatsCollector, spool: Spool, wrappers: WrapperStore
    ) -> Self:
        """The context of a crawl with these stores; recalls the pages in the spool."""
        in_flight = InFlight(spool)
        ledger = Ledger(spool, stats, in_flight, settings.pages)
        templates = Templates(settings, spool, wrappers, stats, ledger)
        return cls(settings, stats, spool, wrappers, in_flight, ledger, templates)

    def close(self) -> None:
        """Close the stores."""
        try:
            self.wrappers.close()
        finally:
            self.spool.close()


def context_of(crawler: Crawler) -> CrawlContext:
    """The context of a crawler; its stores are opened on the first call.

    Raises ``BadSetting`` and ``BadStore``, which name the remedy.
    """
    context = getattr(crawler, _ATTRIBUTE, None)
    if context is None:
        context = _create_context(crawler)
        setattr(crawler, _ATTRIBUTE, context)
    return context


def _create_context(crawler: Crawler) -> CrawlContext:
    if not is_asyncio_available():
        reactor = crawler.settings["TWISTED_REACTOR"]
        raise BadSetting("TWISTED_REACTOR", reactor, "Scrapy's default, the asyncio reactor")
    settings = read_settings(crawler.settings)
    assert crawler.stats is not None
    wrappers = open_wrappers(settings)
    try:
        spool = _open_spool(crawler)  # last: a spool that is not closed counts as a killed run
    except BaseException:
        wrappers.close()
        raise
    return CrawlContext.create(settings, crawler.stats, spool, wrappers)


def open_wrappers(settings: ForestSettings, must_exist: bool = False) -> WrapperStore:
    """The store that ``FOREST_STORE`` names.  Raises ``BadStore``."""
    location = settings.store if "://" in settings.store else data_path(settings.store)
    return WrapperStore(location, settings.distance, must_exist)


def _open_spool(crawler: Crawler) -> Spool:
    """The spool in JOBDIR, kept for the next run; without one, a temporary file of this process
    under the data path."""
    if jobdir := job_dir(crawler.settings):
        spool = Spool(str(Path(jobdir, "forest", "spool.db")))
        if spool.was_killed:
            recover_job(Path(jobdir), crawler.settings, spool)
        return spool
    folder = Path(data_path("forest"))
    for old in folder.glob("spool-*"):
        if not _is_running(old.name.split("-")[1]):
            old.unlink(missing_ok=True)  # of a killed crawl that cannot be resumed
    return Spool(str(folder / f"spool-{os.getpid()}-{id(crawler):x}.db"), temporary=True)


def _is_running(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, ValueError):
        return True
    return True
