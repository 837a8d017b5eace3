"""What a crawl tells its user: the progress line, and the summary at its end."""

import logging
import sys
from asyncio import TimerHandle, get_running_loop
from collections.abc import Iterable, Mapping
from time import monotonic
from typing import Any, Self, TextIO

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from forest_scrapy.core.items import OTHER_ITEMS
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.context import context_of
from forest_scrapy.crawl.log_filters import escape_log
from forest_scrapy.output_files import INTERVAL, TerminalLine

#: What was not read because earlier crawls have read it: the stat, the noun, and the reason.
_UNREAD = (
    ("feeds_not_modified", "feed", "not modified"),
    ("not_modified", "page", "not modified"),
    ("skipped", "known page", "not requested"),
)

#: Why a crawl has written nothing.
_NOTHING_NEW = (
    "nothing is new or has changed since the last crawl; without only_new all is written again"
)


def summarize_crawl(
    stats: Mapping[str, Any],
    wants_records: bool = False,
    unfetched: str = "",
    only_new: bool = False,
    method: str = "auto",
) -> str:
    """The outcomes of the pages and the number of wrappers, from the ``forest/`` stats.  The
    pages are those fetched in this run, and those of the previous run that had no outcome.
    ``wants_records``: whether pages become items of other kinds than articles; ``unfetched``: what
    could not be fetched; ``only_new``: whether what is known is left out; ``method``: as
    ``FOREST_METHOD`` names it.

    >>> summarize_crawl({"forest/articles/forest": 9, "forest/dropped/not_article": 2,
    ...            "forest/templates/learned": 1, "forest/pages/spooled": 11})
    '9 articles (forest 9) of 11 pages; 2 dropped (not_article 2); 1 wrapper learned, 0 reused'
    >>> summarize_crawl({"forest/articles/thread": 2, "forest/records/thread": 1,
    ...            "forest/pages/spooled": 2})
    '2 items (thread 2) of 2 pages; 0 dropped; 1 wrapper learned, 0 reused'
    >>> summarize_crawl({"forest/dropped/other_kind": 1, "forest/pages/spooled": 1}, True)
    '0 items of 1 page; 1 dropped (other_kind 1); 0 wrappers learned, 0 reused'
    >>> summarize_crawl({"forest/articles/thread": 1, "forest/dropped/joined": 2,
    ...            "forest/pages/spooled": 3})
    '1 item (thread 1) of 3 pages; 2 joined; 0 dropped; 0 wrappers learned, 0 reused'
    >>> summarize_crawl({"forest/history/feeds_not_modified": 1})
    '0 articles of 0 pages; 0 dropped; 0 wrappers learned, 0 reused; 1 feed not modified'
    >>> summarize_crawl({"forest/form/probes": 9, "forest/form/records": 1})
    '1 record of 9 probes of a form'
    >>> summarize_crawl({"forest/form/probes": 0})
    '0 records of 0 probes of a form'
    """
    probes = stats.get("forest/form/probes")
    if probes is not None:
        records = count(stats.get("forest/form/records", 0), "record")
        return f"{records} of {count(probes, 'probe')} of a form"

    fetched = _sum(stats, ("pages/spooled", "pages/recalled", "dropped/duplicate"))
    items = count_stage(stats, "articles")
    item_count = sum(items.values())
    noun = "item" if wants_records and not items else item_noun(items)
    parts = [f"{count(item_count, noun)}{_list(items)} of {count(fetched, 'page')}"]

    if method != "auto":
        # Imported here, since few crawls name a method.
        from forest_scrapy.core.methods.substitutes import describe_substitutes

        substitutes = describe_substitutes(method, items)
        parts += [substitutes] if substitutes else []

    dropped = count_stage(stats, "dropped")
    joined_count = dropped.pop("joined", 0)
    if joined_count:
        parts.append(f"{joined_count} joined")
    dropped_count = sum(dropped.values())
    parts.append(f"{dropped_count} dropped{_list(dropped)}")

    pages_left = stats.get("forest/pages/left", 0)
    if pages_left:
        parts.append(f"{pages_left} left for the next run")

    record_templates = [f"records/{kind}" for kind in OTHER_ITEMS]
    learned = _sum(stats, ("templates/learned", *record_templates))
    loaded = stats.get("forest/templates/loaded", 0)
    parts.append(f"{count(learned, 'wrapper')} learned, {loaded} reused")

    is_read_before = bool(dropped.get("unchanged"))
    for stat, unread_noun, reason in _UNREAD:
        unread_count = stats.get(f"forest/history/{stat}", 0)
        if unread_count:
            is_read_before = True
            parts.append(f"{count(unread_count, unread_noun)} {reason}")
    if unfetched:
        parts.append(unfetched)
    if only_new and is_read_before and not items:
        parts.append(_NOTHING_NEW)
    return "; ".join(parts)


def _sum(stats: Mapping[str, Any], names: Iterable[str]) -> int:
    """The sum of these stats, whose names begin with ``forest/``."""
    return sum(stats.get(f"forest/{name}", 0) for name in names)


def item_noun(items: Mapping[str, int]) -> str:
    """What the items are called, by ``count_stage(stats, "articles")``."""
    if items.keys() & set(OTHER_ITEMS):
        return "item"
    return "article"


def count_stage(stats: Mapping[str, Any], stage: str) -> dict[str, int]:
    """The stats under ``forest/<stage>/``, in the order of their names."""
    start = f"forest/{stage}/"
    counts = {}
    for name, number in sorted(stats.items()):
        if name.startswith(start):
            counts[name.removeprefix(start)] = number
    return counts


def _list(counts: Mapping[str, int]) -> str:
    """The counts in parentheses, as `` (forest 9, trained 1)``; ``""`` if there are none."""
    if not counts:
        return ""
    texts = [f"{name} {number}" for name, number in counts.items()]
    return f" ({', '.join(texts)})"


class Progress:
    """Extension: keeps a line with the state of the crawl at the bottom of the terminal.

    Log records that are written to the same terminal erase the line first.  Not configured if
    standard error is not a terminal, or ``FOREST_PROGRESS`` is False; control characters in the log
    are escaped also then.
    """

    def __init__(self, crawler: Crawler, stream: TextIO) -> None:
        self._crawler = crawler
        self._line = TerminalLine(stream)
        self._start = monotonic()
        self._timer: TimerHandle | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawler.signals.connect(escape_log, signal=signals.spider_opened)
        is_wanted = crawler.settings.getbool("FOREST_PROGRESS", True)
        if not is_wanted or not sys.stderr.isatty():
            raise NotConfigured
        progress = cls(crawler, sys.stderr)
        crawler.signals.connect(progress.start, signal=signals.spider_opened)
        crawler.signals.connect(progress.stop, signal=signals.spider_closed)
        return progress

    def start(self) -> None:
        """Begin to update the line."""
        for handler in self._handlers():
            handler.addFilter(self._erase)
        self._update()

    def stop(self) -> None:
        """Erase the line; the crawl's summary is in the log."""
        if self._timer:
            self._timer.cancel()
        for handler in self._handlers():
            handler.removeFilter(self._erase)
        self._line.erase()

    def _handlers(self) -> list[logging.Handler]:
        """The log handlers that write to the terminal."""
        handlers = []
        for handler in logging.getLogger().handlers:
            if getattr(handler, "stream", None) is self._line.stream:
                handlers.append(handler)
        return handlers

    def _erase(self, record: logging.LogRecord) -> bool:
        self._line.erase()
        return True

    def _update(self) -> None:
        stats = self._crawler.stats.get_stats() if self._crawler.stats else {}
        seconds = monotonic() - self._start
        feeds_left = context_of(self._crawler).outstanding.feeds_left
        text = describe_progress(stats, seconds, feeds_left)
        self._line.show(text)
        self._timer = get_running_loop().call_later(INTERVAL, self._update)


def describe_progress(stats: Mapping[str, Any], seconds: float, feeds: int) -> str:
    """The state of a crawl in one line, from its ``forest/`` stats; ``feeds``: feeds left.

    >>> stats = {"forest/pages/spooled": 90, "forest/articles/trained": 60,
    ...          "forest/dropped/not_article": 5, "forest/templates/found": 2}
    >>> describe_progress(stats, 30, 1)
    '90 pages, 60 articles, 5 dropped, 2 templates, 180 pages/min, 1 feed left'
    """
    pages = stats.get("forest/pages/spooled", 0)
    items = count_stage(stats, "articles")
    item_count = sum(items.values())
    dropped_count = sum(count_stage(stats, "dropped").values())
    templates = _sum(stats, ("templates/found", "templates/loaded"))
    pages_per_minute = 60 * pages / seconds if seconds else 0
    parts = [
        count(pages, "page"),
        count(item_count, item_noun(items)),
        f"{dropped_count} dropped",
        count(templates, "template"),
        f"{pages_per_minute:.0f} pages/min",
    ]
    if feeds:
        parts.append(f"{count(feeds, 'feed')} left")
    return ", ".join(parts)
