"""What the components of one crawl share."""

import os
from asyncio import sleep
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from forest_scrapy.crawl.failure import DiskFailure
from forest_scrapy.crawl.history import CrawlHistory
from forest_scrapy.crawl.outcomes import InFlight, Ledger, OutstandingRequests
from forest_scrapy.crawl.recovery import CommitTimer, recover_job
from forest_scrapy.crawl.templates import Templates
from forest_scrapy.feeds.schedule import Interval
from forest_scrapy.responses.probe import Probe
from forest_scrapy.settings import BadSetting, ForestSettings, read_settings
from forest_scrapy.stores import HistoryStore, RulesStore, Spool

#: The crawler's attribute.  A table of crawlers, even with weak keys, would keep every crawler
#: alive, because the stats refer to the crawler.
_ATTRIBUTE = "_forest_context"


@dataclass(frozen=True, eq=False)
class CrawlContext:
    """The settings, stats and stores of a crawl, and the state of its pages."""

    settings: ForestSettings
    stats: StatsCollector
    spool: Spool
    rules: RulesStore
    in_flight: InFlight
    ledger: Ledger
    templates: Templates
    history: CrawlHistory
    failure: DiskFailure
    probe: Probe
    outstanding: OutstandingRequests

    @classmethod
    def create(
        cls,
        settings: ForestSettings,
        stats: StatsCollector,
        spool: Spool,
        rules: RulesStore,
        history: HistoryStore,
        failure: DiskFailure | None = None,
    ) -> Self:
        """The context of a crawl with these stores; ``templates.recall`` counts the pages that are
        in the spool."""
        failure = failure or DiskFailure(stats)
        in_flight = InFlight(spool)
        ledger = Ledger(spool, stats, in_flight, failure, settings.pages)
        outstanding = OutstandingRequests()
        templates = Templates(settings, spool, rules, stats, ledger, outstanding)
        interval = Interval(settings.poll_least, settings.poll_greatest)
        known = CrawlHistory(history, stats, settings.only_new, interval=interval)
        probe = Probe(settings.page_seconds, settings.options)
        return cls(
            *(settings, stats, spool, rules, in_flight, ledger, templates, known, failure),
            *(probe, outstanding),
        )

    def close(self) -> None:
        """Close the stores.  After a failure the run counts as killed, so that it is recovered."""
        try:
            with closing(self.history), closing(self.rules), closing(self.probe):
                pass
            for store in (self.history.store, self.rules):
                for event, number in store.database.counts().items():
                    self.stats.inc_value(f"forest/store/{event}", number)
        finally:
            self.spool.close(ended=self.failure.error is None)


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
        rules = opened.enter_context(closing(open_rules(settings)))
        history = opened.enter_context(closing(open_history(settings)))
        spool = _open_spool(crawler)
        opened.pop_all()
    failure = DiskFailure(crawler.stats, crawler)
    context = CrawlContext.create(settings, crawler.stats, spool, rules, history, failure)
    CommitTimer(crawler, spool, failure)
    return context


def open_rules(settings: ForestSettings, must_exist: bool = False) -> RulesStore:
    """The store that ``FOREST_STORE`` names.  Raises ``BadStore``."""
    return RulesStore(_locate(settings.store), settings.distance, must_exist)


def open_history(settings: ForestSettings, must_exist: bool = False) -> HistoryStore:
    """The store that ``FOREST_HISTORY`` names.  Raises ``BadStore``."""
    return HistoryStore(_locate(settings.history), must_exist)


def _locate(location: str) -> str:
    return location if "://" in location else data_path(location)


def _open_spool(crawler: Crawler) -> Spool:
    """The spool in JOBDIR, kept for the next run; without one, a temporary file."""
    if jobdir := job_dir(crawler.settings):
        spool = Spool(str(Path(jobdir, "forest", "spool.db")))
        if spool.run.was_killed or spool.was_lost:
            recover_job(Path(jobdir), crawler.settings, spool)
        return spool
    name = f"spool-{os.getpid()}-{id(crawler):x}.db"
    return Spool(data_path(f"forest/{name}"), temporary=True)


#: Seconds between two looks.
_LOOK = 0.2


async def wait_for_stores(crawl: CrawlContext) -> None:
    """Wait until the stores can be read, but for at most ``store_seconds`` of an outage: then the
    crawl goes on without them."""
    for store in (crawl.history.store, crawl.rules):
        while (seconds := store.database.seconds_away()) is not None:
            if seconds > crawl.settings.store_seconds:
                break
            await sleep(_LOOK)
