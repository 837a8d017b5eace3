"""The health digest of a crawl: written at its end, as JSON and as a page, and handed on if
something needs a person."""

import json
import logging
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Self

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.project import data_path

from forest_scrapy.core import BadRules, ForestError
from forest_scrapy.core.codec import from_json, read_object, to_json
from forest_scrapy.core.health.coherence import Coherence, measure_coherence
from forest_scrapy.core.health.digest import (
    DeadLink,
    Digest,
    SourceHealth,
    describe_coherence,
)
from forest_scrapy.core.health.doubts import Doubts
from forest_scrapy.core.health.troubles import (
    HEALTH_FIELDS,
    FeedState,
    LostEntries,
    SourceRun,
    Trouble,
    Usual,
    find_troubles,
    is_dead,
    longest_pause,
    mark_new,
    not_seen,
)
from forest_scrapy.core.page.urls import host_with_port, is_entry_url
from forest_scrapy.crawl.context import CrawlContext, CrawlEnd, context_of
from forest_scrapy.crawl.outcomes import Outcome, found_nothing
from forest_scrapy.input_files import read_text
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.output_files import follow_links, locked, replacing
from forest_scrapy.responses.background import in_thread
from forest_scrapy.responses.conversion import was_fetched
from forest_scrapy.settings import ForestSettings, crawl_command
from forest_scrapy.stores import FeedRecord

logger = logging.getLogger(__name__)

#: Outcomes of pages that have an article although it is not emitted, and of those that are not
#: pages of their own.
_WITH_ARTICLE = ("unchanged", "joined", "too_old", "too_new", "other_language", "no_match")
_NO_PAGE = ("duplicate",)
#: Seconds to wait for another crawl that writes its digest at the same moment.
LOCK_TIMEOUT = 5.0
NOTHING_FETCHED = "nothing could be fetched"


@dataclass
class _Counts:
    """What is counted of a source."""

    pages: int = 0
    articles: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    lengths: list[int] = field(default_factory=list)
    fields: Counter[str] = field(default_factory=Counter)

    def freeze(self, source: str, failed: Counter[str]) -> SourceRun:
        fields = {}
        for name in HEALTH_FIELDS:
            if self.fields[name]:
                fields[name] = self.fields[name]
        characters = int(median(self.lengths)) if self.lengths else 0
        dropped = sorted(self.dropped.items())
        sorted_failed = sorted(failed.items())
        return SourceRun(
            source=source,
            pages=self.pages,
            articles=self.articles,
            dropped=dict(dropped),
            failed=dict(sorted_failed),
            characters=characters,
            fields=fields,
        )


class BadDigest(ForestError):
    """The file of the digest cannot be read; the message names it."""


class HealthDigest:
    """Extension: counts what becomes of the pages of each source, and writes the digest.  Not
    configured if ``FOREST_HEALTH`` is ``""``."""

    def __init__(self, crawl: CrawlContext, spider: str) -> None:
        self._crawl = crawl
        self._spider = spider
        self._started = crawl.history.now
        self._counts: defaultdict[str, _Counts] = defaultdict(_Counts)
        self._doubts = Doubts()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = context_of(crawler)
        if not crawl.settings.health:
            raise NotConfigured
        digest = cls(crawl, str(crawler.spidercls.name))
        crawl.ledger.listeners.append(digest.count)
        crawl.at_end.append(digest.finish)
        return digest

    def count(
        self,
        outcome: Outcome,
        url: str,
        page: ArticlePage | None,
    ) -> None:
        """Count the outcome of a page."""
        if outcome.detail in _NO_PAGE:
            return
        if page is not None and not was_fetched(page) and not is_entry_url(page.url):
            return  # it is counted among those that have failed, whatever its entry has given
        entry = page.entry if page else None
        feed = entry.feed if entry else ""
        source = feed or host_with_port(url)
        counts = self._counts[source]
        counts.pages += 1
        has_article = outcome.kind == "article" or outcome.detail in _WITH_ARTICLE
        if not has_article:
            reason = outcome.detail if outcome.kind == "dropped" else "error"
            counts.dropped[reason] += 1
            return
        counts.articles += 1
        item = page.item if page else None
        if item is not None:
            text = getattr(item, "text", "")
            confidence = getattr(item, "confidence", 0.0)
            counts.lengths.append(len(text))
            self._doubts.add(url, confidence)
        if isinstance(item, Article):
            names = [name for name in HEALTH_FIELDS if getattr(item, name)]
            counts.fields.update(names)

    async def finish(self, end: CrawlEnd) -> None:
        """Write the digest, unless the crawl was fine and had no source, and hand it on; a failure
        is logged, and harms nothing."""
        settings = self._crawl.settings
        path = health_file(settings)
        before: Digest | None = None
        try:
            before = read_digest(settings)
        except BadDigest as error:
            logger.warning("%s", error)
        try:
            digest = self._digest(end, before)
            if digest.sources or digest.status:
                await in_thread(_write, digest, path, settings)
        except (OSError, ForestError) as error:
            self._crawl.stats.inc_value("forest/health/failed")
            logger.error("The health digest cannot be written to %s: %s", path, error)
            return
        self._crawl.stats.set_value("forest/health/troubles", len(digest.troubles))
        if digest.troubles:
            _warn_of_troubles(digest.troubles)
        await self._hand_on(digest)

    async def _hand_on(self, digest: Digest) -> None:
        """Tell a person what is new, and what could not be told after earlier crawls."""
        settings = self._crawl.settings
        if not settings.on_trouble:
            return
        from forest_scrapy.report.handing_on import hand_on  # few crawls need it

        is_news = bool(digest.new_troubles) or digest.is_new_failure
        told_digest = digest if is_news else None
        folder = untold_folder(settings)
        await in_thread(hand_on, told_digest, settings.on_trouble, folder)

    def _digest(self, end: CrawlEnd, before: Digest | None) -> Digest:
        crawl = self._crawl
        now = crawl.history.now
        command = crawl_command()
        stored_runs = crawl.history.store.runs
        feeds = {} if end.failure else self._read_feeds()
        failed: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for (source, reason), number in crawl.unfetched.by_source().items():
            failed[source][reason] += number

        sources = []
        runs = []
        names = {*self._counts, *feeds, *failed}
        for name in sorted(names):
            series = self._series(name)
            feed = feeds.get(name)
            run = self._counts[name].freeze(name, failed[name])
            usual = Usual()
            if not end.failure:
                earlier_runs = stored_runs.read(series)
                usual = Usual.of(earlier_runs)
            source_troubles = find_troubles(run, usual, feed, now, command)
            source_health = SourceHealth(run, usual, feed, source_troubles)
            sources.append(source_health)
            if run.pages:
                runs.append(replace(run, source=series))
        if runs and not end.failure:
            stored_runs.add(runs, now)

        all_troubles = [trouble for source in sources for trouble in source.troubles]
        earlier = (*before.troubles, *before.not_seen) if before else ()
        troubles = mark_new(all_troubles, earlier)
        polled_sources = () if end.failure else [source.run.source for source in sources]
        failure = end.failure
        if not failure and found_nothing(crawl.stats.get_stats()):
            failure = NOTHING_FETCHED
        dead_links: list[DeadLink] = []
        unfetched: list[DeadLink] = []
        for row in crawl.unfetched.rows():
            link = DeadLink(row.url, row.reason)
            if is_dead(row.reason):
                dead_links.append(link)
            else:
                unfetched.append(link)
        dead_count = len(dead_links)
        unfetched_count = len(unfetched)
        for reason, number in crawl.unfetched.left_out().items():
            if is_dead(reason):
                dead_count += number
            else:
                unfetched_count += number
        failure_before = before.failure if before else ""
        return Digest(
            status=_status_of(failure, troubles),
            spider=self._spider,
            started=_iso(self._started),
            ended=_iso(now),
            finish_reason=end.reason,
            failure=failure,
            summary=end.summary,
            troubles=troubles,
            sources=tuple(sources),
            redesigns=tuple(crawl.learner.redesigns),
            dead_links=tuple(dead_links),
            not_seen=not_seen(earlier, polled_sources, all_troubles),
            doubts=self._doubts.worst,
            doubtful=self._doubts.count,
            unfetched=tuple(unfetched),
            dead_count=dead_count,
            unfetched_count=unfetched_count,
            is_new_failure=bool(failure) and failure != failure_before,
            coherence=self._measure_coherence(),
        )

    def _measure_coherence(self) -> Coherence:
        """When the items of the crawl were valid at once, with the URLs of those that were not."""
        history = self._crawl.history
        coherence = measure_coherence(list(history.looks))
        urls = []
        for key in coherence.breaking:
            page = history.store.find(key)
            if page is not None:
                urls.append(page.url)
        stats = self._crawl.stats
        if coherence.items or coherence.unknown:
            stats.set_value("forest/coherence/items", coherence.items)
            stats.set_value("forest/coherence/valid", coherence.valid)
            stats.set_value("forest/coherence/unknown", coherence.unknown)
        if coherence.items:
            stats.set_value("forest/coherence/seconds", coherence.end - coherence.start)
        return replace(coherence, breaking=tuple(sorted(urls)))

    def _read_feeds(self) -> dict[str, FeedState]:
        """The feeds that this crawl has polled."""
        failures = {}
        for row in self._crawl.unfetched.rows():
            if row.kind == "feed":
                failures[row.url] = row.reason

        history = self._crawl.history
        states = {}
        for feed in history.store.feeds.all():
            if feed.polled is None or feed.polled < self._started:
                continue
            series = self._series(feed.url)
            first_run = history.store.runs.first(series)
            failure = failures.get(feed.url, "")
            state = _state_of(feed, failure, first_run)
            gap = history.feeds.gaps.get(feed.url)
            if gap is not None:
                lost = LostEntries(
                    gap.missed,
                    gap.is_counted,
                    _iso(gap.since),
                )
                state = replace(state, lost=lost)
            states[feed.url] = state
        return states

    def _series(self, source: str) -> str:
        """The name under which a source's runs are stored: only those of the same spider, for the
        same kinds of items, can be compared."""
        return " ".join((source, self._spider, *self._crawl.settings.kinds))


def _warn_of_troubles(troubles: Sequence[Trouble]) -> None:
    first = troubles[0]
    further_count = len(troubles) - 1
    logger.warning(
        "Something needs a person: %s: %s%s; scrapy forest health shows all",
        first.source,
        first.text,
        f", and {further_count} more" if further_count else "",
    )


def _status_of(failure: str, troubles: Sequence[Trouble]) -> int:
    """1 for a crawl that failed, 3 for one with troubles, else 0: the exit status of the crawl."""
    if failure:
        return 1
    return 3 if troubles else 0


def _state_of(
    feed: FeedRecord,
    failure: str,
    first_run: int | None,
) -> FeedState:
    status = "not modified" if feed.status == 304 else "read"
    newest = max(feed.dates, default=None)
    pause = longest_pause(feed.dates)
    return FeedState(
        failure or status,
        feed.failures,
        newest,
        pause,
        first_run,
    )


def _iso(seconds: int) -> str:
    time = datetime.fromtimestamp(seconds, UTC)
    return time.isoformat()


def health_file(settings: ForestSettings) -> Path:
    """The JSON file of the digest; its page is beside the report, if there is one."""
    path = data_path(settings.health, createdir=False)
    return follow_links(path)


def untold_folder(settings: ForestSettings) -> Path:
    """The folder of digests that ``FOREST_ON_TROUBLE`` has not taken yet."""
    return health_file(settings).with_suffix(".untold")


def health_page(settings: ForestSettings) -> Path:
    """The page of the digest."""
    folder = Path(settings.report) if settings.report else health_file(settings).parent
    return folder / "health.html"


def read_digest(settings: ForestSettings) -> Digest | None:
    """The digest of the last crawl; None if there is none.  Raises ``BadDigest``."""
    path = health_file(settings)
    try:
        values = read_object(read_text(path))
        return from_json(Digest, values, ignore_unknown=True)
    except FileNotFoundError:
        return None
    except (OSError, BadRules, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", "") or error
        raise BadDigest(f"{path} cannot be read: {reason}; remove it") from error


def _write(
    digest: Digest,
    path: Path,
    settings: ForestSettings,
) -> None:
    # Imported when a crawl ends: that takes longer than all that the start of a crawl imports here.
    from forest_scrapy.report.html_pages import write_page

    path.parent.mkdir(parents=True, exist_ok=True)
    values = to_json(digest, whole=True)
    text = json.dumps(values, ensure_ascii=False, indent=2)
    page = health_page(settings)
    page.parent.mkdir(parents=True, exist_ok=True)
    with locked(path, LOCK_TIMEOUT):
        with replacing(path) as part:
            part.write(f"{text}\n".encode("utf-8", "replace"))
        values = {
            "digest": digest,
            "fields": HEALTH_FIELDS,
            "coherence": describe_coherence(digest.coherence),
        }
        write_page(page, "health.html", values)
