"""What the components of one crawl share."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from forest_scrapy.runtime.history import CrawlHistory
from forest_scrapy.runtime.in_flight import InFlight
from forest_scrapy.runtime.outcomes import Ledger
from forest_scrapy.runtime.recovery import recover_job
from forest_scrapy.runtime.templates import Templates
from forest_scrapy.settings import BadSetting, ForestSettings, read_settings
from forest_scrapy.stores import HistoryStore, Spool, WrapperStore

__all__ = ["CrawlContext", "context_of", "open_history", "open_wrappers"]

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
    history: CrawlHistory

    @classmethod
    def create(
        cls,
        settings: ForestSettings,
        stats: StatsCollector,
        spool: Spool,
        wrappers: WrapperStore,
        history: HistoryStore,
    ) -> Self:
        """The context of a crawl with these stores; recalls the pages in the spool."""
        in_flight = InFlight(spool)
        ledger = Ledger(spool, stats, in_flight, settings.pages)
        templates = Templates(settings, spool, wrappers, stats, ledger)
        known = CrawlHistory(history, stats, settings.only_new)
        return cls(settings, stats, spool, wrappers, in_flight, ledger, templates, known)

    def close(self) -> None:
        """Close the stores."""
        with closing(self.spool), closing(self.history), closing(self.wrappers):
            pass


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
    with ExitStack() as opened:
        wrappers = opened.enter_context(closing(open_wrappers(settings)))
        history = opened.enter_context(closing(open_history(settings)))
        spool = _open_spool(crawler)  # last: a spool that is not closed counts as a killed run
        opened.pop_all()
    return CrawlContext.create(settings, crawler.stats, spool, wrappers, history)


def open_wrappers(settings: ForestSettings, must_exist: bool = False) -> WrapperStore:
    """The store that ``FOREST_STORE`` names.  Raises ``BadStore``."""
    return WrapperStore(_locate(settings.store), settings.distance, must_exist)


def open_history(settings: ForestSettings, must_exist: bool = False) -> HistoryStore:
    """The store that ``FOREST_HISTORY`` names.  Raises ``BadStore``."""
    return HistoryStore(_locate(settings.history), must_exist)


def _locate(location: str) -> str:
    return location if "://" in location else data_path(location)


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
