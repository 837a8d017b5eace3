"""What the components of one crawl share."""

import logging
import os
from asyncio import sleep
from collections.abc import Awaitable, Callable, Collection
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Self

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.page.urls import split_port
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.failure import DiskFailure
from forest_scrapy.crawl.feed_history import HistoryOptions
from forest_scrapy.crawl.history import CrawlHistory
from forest_scrapy.crawl.learner import Learner
from forest_scrapy.crawl.outcomes import InFlight, Ledger, OutstandingRequests
from forest_scrapy.crawl.recovery import CommitTimer, recover_job
from forest_scrapy.crawl.scope import PageScope, scope_of
from forest_scrapy.crawl.templates import PagePlacer
from forest_scrapy.crawl.unfetched import MadeRequests, UnfetchedRequests
from forest_scrapy.feeds.schedule import Interval
from forest_scrapy.input_files import open_file
from forest_scrapy.responses.background import in_thread
from forest_scrapy.responses.probe import Probe
from forest_scrapy.settings import BadSetting, ForestSettings, read_settings
from forest_scrapy.stores import BadStore, HistoryStore, RulesStore, Spool
from forest_scrapy.stores.database import StoreLost, read_location, store_exists

logger = logging.getLogger(__name__)

_AGAIN = (
    "the next crawl with only_new would emit the same articles again; repair it, put a copy in its"
    " place, or name another file in FOREST_HISTORY"
)
#: The crawler's attribute.  A table of crawlers, even with weak keys, would keep every crawler
#: alive, because the stats refer to the crawler.
_ATTRIBUTE = "_forest_context"


@dataclass(frozen=True)
class CrawlEnd:
    """How a crawl has ended: Scrapy's reason, the summary in the log, and what has failed; ``""``
    if nothing has."""

    reason: str
    summary: str
    failure: str = ""


@dataclass(frozen=True, eq=False)
class CrawlContext:
    """The settings, stats and stores of a crawl, and the state of its pages.

    - ``templates``: the templates that were met, in which pages are placed; ``learner``: gives them
      their rules.
    - ``scope``: what the spider wants of its pages; None for a project's own spider.
    - ``on_ready``: called when a page that was held is ready.
    - ``at_end``: called one after the other when all is recorded, while the stores are still open.
    """

    settings: ForestSettings
    stats: StatsCollector
    spool: Spool
    rules: RulesStore
    in_flight: InFlight
    ledger: Ledger
    templates: PagePlacer
    learner: Learner
    history: CrawlHistory
    failure: DiskFailure
    probe: Probe
    outstanding: OutstandingRequests
    scope: PageScope | None = None
    unfetched: UnfetchedRequests = field(default_factory=UnfetchedRequests)
    made: MadeRequests = field(default_factory=MadeRequests)
    on_ready: list[Callable[[], None]] = field(default_factory=list)
    at_end: list[Callable[[CrawlEnd], Awaitable[None]]] = field(default_factory=list)

    @classmethod
    def create(
        cls,
        settings: ForestSettings,
        stats: StatsCollector,
        spool: Spool,
        rules: RulesStore,
        history: HistoryStore,
        failure: DiskFailure | None = None,
        scope: PageScope | None = None,
    ) -> Self:
        """The context of a crawl with these stores; ``templates.recall`` counts the pages that are
        in the spool."""
        failure = failure or DiskFailure(stats)
        in_flight = InFlight(spool)
        ledger = Ledger(spool, stats, in_flight, failure, settings.pages)
        outstanding = OutstandingRequests()
        templates = PagePlacer(settings, spool, rules, stats, ledger, outstanding)
        keeps_rules = scope is not None and scope.keeps_rules
        learner = Learner(settings, stats, spool, rules, templates, keeps_rules)
        history_options = HistoryOptions(
            only_new=settings.only_new,
            interval=Interval(settings.poll_least, settings.poll_greatest),
            recheck_hours=tuple(settings.recheck_hours),
        )
        crawl_history = CrawlHistory(history, stats, history_options, is_replay=keeps_rules)
        templates.on_decision = lambda decision: history.decisions.add(decision, crawl_history.now)
        return cls(
            settings=settings,
            stats=stats,
            spool=spool,
            rules=rules,
            in_flight=in_flight,
            ledger=ledger,
            templates=templates,
            learner=learner,
            history=crawl_history,
            failure=failure,
            probe=Probe(settings.page_seconds, settings.options),
            outstanding=outstanding,
            scope=scope,
        )

    @property
    def stores(self) -> tuple[HistoryStore, RulesStore]:
        """The stores that other crawls use too."""
        return self.history.store, self.rules

    async def close_in_thread(self) -> None:
        """As ``close``; stores that may have to be waited for do not block the event loop."""
        try:
            await in_thread(self._close_stores)
        finally:
            self._close_spool()

    def close(self) -> None:
        """Close the stores.  After a failure the run counts as killed, so that it is recovered."""
        try:
            self._close_stores()
        finally:
            self._close_spool()

    def _close_stores(self) -> None:
        waits = not isinstance(self.failure.error, StoreLost)
        for store in self.stores:
            store.close(waits)
        for store in self.stores:
            for event, number in store.database.counts().items():
                self.stats.inc_value(f"forest/store/{event}", number)

    def _close_spool(self) -> None:
        with closing(self.probe):
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
        if settings.only_new and not history.database.can_be_written:
            raise BadStore(f"{history.database.name} cannot be written: {_AGAIN}")
        spool = _open_spool(crawler, history)
        opened.pop_all()
    for store in (rules, history):
        store.database.begin_crawl()
    failure = DiskFailure(crawler.stats, crawler)
    context = CrawlContext.create(
        settings,
        crawler.stats,
        spool,
        rules,
        history,
        failure,
        scope_of(crawler.spider),
    )
    CommitTimer(crawler, spool, history, failure)
    return context


def open_rules(settings: ForestSettings, must_exist: bool = False) -> RulesStore:
    """The store that ``FOREST_STORE`` names.  Raises ``BadStore``."""
    place = _locate(settings.store)
    return RulesStore(place, settings.fingerprint_kind, must_exist, settings.store_seconds)


def open_history(settings: ForestSettings, must_exist: bool = False) -> HistoryStore:
    """The store that ``FOREST_HISTORY`` names.  Raises ``BadStore``, also if it cannot be used and
    only new articles are wanted: all would be new."""
    place = _locate(settings.history)
    must_fit = _AGAIN if settings.only_new else ""
    aside = _place_aside(place)
    return HistoryStore(
        place,
        must_exist,
        must_fit,
        settings.store_seconds,
        aside,
        settings.feed_items,
        settings.versions,
        settings.versions_bytes,
    )


def find_rules(settings: ForestSettings) -> RulesStore | None:
    """As ``open_rules``; None if there is no store yet."""
    if has_store(settings.store):
        return open_rules(settings)
    return None


def find_history(settings: ForestSettings) -> HistoryStore | None:
    """As ``open_history``; None if there is no store yet."""
    if has_store(settings.history):
        return open_history(settings)
    return None


def has_store(location: str) -> bool:
    """Whether there is a store that ``FOREST_STORE`` or ``FOREST_HISTORY`` names so.  Raises
    ``BadStore``."""
    place = _locate(location)
    return place.startswith("postgresql") or store_exists(place)


def store_file(location: str) -> Path | None:
    """The file of a store; None for one on a server.  Raises ``BadStore``."""
    place = _locate(location)
    if place.startswith("postgresql"):
        return None
    return Path(read_location(place))


def request_again(settings: ForestSettings, pages: Collection[str]) -> None:
    """Have the pages with these keys requested by the next crawl that finds them listed, if a
    history knows them, since a person has said something of them.  Raises ``StoreFailed``."""
    history = find_history(settings)
    if history is None:
        return
    with closing(history):
        for key in sorted(pages):
            record = history.find(key)
            if record is not None and record.outcome != "article":
                history.save(replace(record, outcome="", failures=0, entry_digest=b""))


def withdraw_articles(settings: ForestSettings, pages: Collection[str], is_alone: bool) -> None:
    """Take the articles of the pages with these keys, and unless ``is_alone`` those of their
    templates, out of the rolling feed, since a person has said that they are none.  Raises
    ``StoreFailed``."""
    history = find_history(settings)
    if history is None:
        return
    with closing(history):
        for key in sorted(pages):
            record = history.find(key)
            if record is not None:
                history.withdraw(record, is_alone)


def restore_articles(settings: ForestSettings, pages: Collection[str]) -> None:
    """Have the articles of the templates of the pages with these keys requested again by the next
    crawl that finds them listed: they may have been withdrawn.  Raises ``StoreFailed``."""
    history = find_history(settings)
    if history is None:
        return
    with closing(history):
        templates: set[tuple[str, str]] = set()
        for key in sorted(pages):
            record = history.find(key)
            if record is not None and record.template:
                templates.add((record.host, record.template))
        for host, template in sorted(templates):
            history.forget_wrapper(host, template)


def forget_wrapper(settings: ForestSettings, host: str, template: str) -> None:
    """Note in the history, if there is one, that a person has changed the rules of a template.
    Raises ``StoreFailed``."""
    history = find_history(settings)
    if history is None:
        return
    name, _ = split_port(host)
    with closing(history):
        history.forget_wrapper(name, template)


def _place_aside(location: str) -> str:
    """The file for what cannot be written to a history on a server."""
    return data_path(f"forest/history-{hex_digest(location, 4)}.unwritten")


def _locate(location: str) -> str:
    if "://" in location:
        return location
    return data_path(location)


def _open_spool(crawler: Crawler, history: HistoryStore) -> Spool:
    """The spool in JOBDIR, kept for the next run; without one, a temporary file."""
    jobdir = job_dir(crawler.settings)
    if jobdir:
        _check_job_files(Path(jobdir))
        spool = Spool(str(Path(jobdir, "forest", "spool.db")))
        if spool.run.was_killed or spool.was_lost:
            recover_job(Path(jobdir), crawler.settings, spool, history)
        return spool
    name = f"spool-{os.getpid()}-{id(crawler):x}.db"
    return Spool(data_path(f"forest/{name}"), temporary=True)


def _check_job_files(jobdir: Path) -> None:
    """Raises ``BadStore`` if a file that Scrapy keeps in JOBDIR cannot be read: it would wait for a
    named pipe, or end with a traceback."""
    for name in ("requests.seen", "spider.state"):
        path = jobdir / name
        try:
            open_file(path).close()
        except FileNotFoundError:
            if not path.is_symlink():
                continue
            raise BadStore(f"{path}: the link leads nowhere; remove it") from None
        except OSError as error:
            raise BadStore(
                f"{path}: {error.strerror}; remove it, or name another JOBDIR"
            ) from error


#: Seconds between two looks at a store that is unavailable.
_POLL_SECONDS = 0.2
#: Seconds between two looks at what is still to be written at the end.
_LAST_POLL_SECONDS = 0.02


async def wait_for_stores(crawl: CrawlContext) -> None:
    """Wait until the stores can be used.  Raises ``StoreLost`` if one has been unavailable for
    longer than ``store_seconds``, and ``StoreFailed`` if the history of a crawl with ``only_new``
    cannot be written.  After a failure that ends the crawl nothing is waited for."""
    for store in crawl.stores:
        while crawl.failure.error is None:
            seconds = store.database.seconds_unavailable()
            if seconds is None:
                break
            _check_patience(crawl, store, seconds)
            await sleep(_POLL_SECONDS)
    error = crawl.history.store.database.failure()
    if error is not None and crawl.settings.only_new and crawl.failure.error is None:
        raise error


async def finish_stores(crawl: CrawlContext) -> None:
    """Wait until all is written, for both stores as long as for one.  Raises ``StoreLost``."""
    start = monotonic()
    for store in crawl.stores:
        has_waited = False
        while writes := store.database.unwritten():
            waited = max(monotonic() - start, store.database.seconds_unavailable() or 0)
            _check_patience(crawl, store, waited)
            if waited > 1 and not has_waited:
                has_waited = True
                logger.warning(
                    "Waiting up to %g s for %s: %s",
                    crawl.settings.store_seconds,
                    store.database.name,
                    count(len(writes), "write is kept", "writes are kept"),
                )
            await sleep(_LAST_POLL_SECONDS)


def _check_patience(crawl: CrawlContext, store: HistoryStore | RulesStore, seconds: float) -> None:
    if seconds > crawl.settings.store_seconds:
        raise StoreLost(
            f"{store.database.name} is locked or cannot be reached for"
            f" {crawl.settings.store_seconds:g} s, FOREST_STORE_SECONDS"
        )
