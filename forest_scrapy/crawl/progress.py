"""What a crawl tells its user: the progress line, and the summary at its end."""

import logging
import sys
from asyncio import TimerHandle, get_running_loop
from collections.abc import Mapping
from shutil import get_terminal_size
from time import monotonic
from typing import Any, Self, TextIO

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from forest_scrapy.core.items import OTHER_ITEMS
from forest_scrapy.core.page.text import printable
from forest_scrapy.crawl.context import context_of
from forest_scrapy.crawl.log_filters import escape_log

#: What was not read because it is known: the stat, the noun, and what is said of it.
_KNOWN = (
    ("feeds_not_modified", "feed", "not modified"),
    ("not_modified", "page", "not modified"),
    ("skipped", "known page", "not requested"),
)


def summarize_crawl(
    stats: Mapping[str, Any], wants_records: bool = False, unfetched: str = ""
) -> str:
    """The outcomes of the pages and the number of wrappers, from the ``forest/`` stats.  The
    pages are those fetched in this run, and those of the previous run that had no outcome.
    ``wants_records``: whether pages become items of other kinds than articles; ``unfetched``: what
    could not be fetched.

    >>> summarize_crawl({"forest/articles/forest": 9, "forest/dropped/not_article": 2,
    ...            "forest/templates/learned": 1, "forest/pages/spooled": 11})
    '9 articles (forest 9) of 11 pages; 2 dropped (not_article 2); 1 wrapper learned, 0 reused'
    >>> summarize_crawl({"forest/articles/thread": 2, "forest/records/thread": 1,
    ...            "forest/pages/spooled": 2})
    '2 items (thread 2) of 2 pages; 0 dropped; 1 wrapper learned, 0 reused'
    >>> summarize_crawl({"forest/dropped/other_kind": 1, "forest/pages/spooled": 1}, True)
    '0 items of 1 pages; 1 dropped (other_kind 1); 0 wrappers learned, 0 reused'
    >>> summarize_crawl({"forest/history/feeds_not_modified": 1})
    '0 articles of 0 pages; 0 dropped; 0 wrappers learned, 0 reused; 1 feed not modified'
    """
    pages = ("pages/spooled", "pages/recalled", "dropped/duplicate")
    fetched = sum(stats.get(f"forest/{name}", 0) for name in pages)
    left = stats.get("forest/pages/left", 0)
    items, dropped = count_stage(stats, "articles"), count_stage(stats, "dropped")
    records = sum(stats.get(f"forest/records/{kind}", 0) for kind in OTHER_ITEMS)
    noun = "item" if wants_records and not items else item_noun(items)
    learned = stats.get("forest/templates/learned", 0) + records
    loaded = stats.get("forest/templates/loaded", 0)
    known = [
        f"; {_count(number, noun)} {what}"
        for stat, noun, what in _KNOWN
        if (number := stats.get(f"forest/history/{stat}", 0))
    ]
    return (
        f"{sum(items.values())} {noun}s{_list(items)}"
        f" of {fetched} pages;"
        f" {sum(dropped.values())} dropped{_list(dropped)};"
        f"{f' {left} left for the next run;' if left else ''}"
        f" {learned} wrapper{'s' * (learned != 1)} learned, {loaded} reused{''.join(known)}"
        f"{'; ' * bool(unfetched)}{unfetched}"
    )


def item_noun(items: Mapping[str, int]) -> str:
    """What the items are called, by ``count_stage(stats, "articles")``."""
    return "item" if items.keys() & set(OTHER_ITEMS) else "article"


def count_stage(stats: Mapping[str, Any], stage: str) -> dict[str, int]:
    """The stats under ``forest/<stage>/``, in the order of their names."""
    start = f"forest/{stage}/"
    return {name[len(start) :]: n for name, n in sorted(stats.items()) if name.startswith(start)}


def _list(parts: Mapping[str, int]) -> str:
    return f" ({', '.join(f'{name} {n}' for name, n in parts.items())})" if parts else ""


#: Seconds between two updates.
INTERVAL = 0.5
#: Moves to the start of the line and erases it.
_ERASE = "\r\x1b[K"


class TerminalLine:
    """A line at the bottom of a terminal, each text written over the one before."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def show(self, text: str) -> None:
        self.stream.write(_ERASE + printable(text)[: get_terminal_size().columns - 1])
        self.stream.flush()

    def erase(self) -> None:
        self.show("")


class Progress:
    """Extension: keeps a line with the state of the crawl at the bottom of the terminal.

    Log records that are written to the same terminal erase the line first.  Not configured if
    standard error is not a terminal, or ``FOREST_PROGRESS`` is False; control characters in the log
    are escaped also then.
    """

    def __init__(self, crawler: Crawler, stream: TextIO) -> None:
        self._crawler, self._line = crawler, TerminalLine(stream)
        self._start = monotonic()
        self._timer: TimerHandle | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawler.signals.connect(escape_log, signal=signals.spider_opened)
        if not crawler.settings.getbool("FOREST_PROGRESS", True) or not sys.stderr.isatty():
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
        handlers = logging.getLogger().handlers
        return [one for one in handlers if getattr(one, "stream", None) is self._line.stream]

    def _erase(self, record: logging.LogRecord) -> bool:
        self._line.erase()
        return True

    def _update(self) -> None:
        stats = self._crawler.stats.get_stats() if self._crawler.stats else {}
        feeds_left = context_of(self._crawler).outstanding.feeds_left
        text = describe_progress(stats, monotonic() - self._start, feeds_left)
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
    templates = stats.get("forest/templates/found", 0) + stats.get("forest/templates/loaded", 0)
    items = count_stage(stats, "articles")
    parts = [
        _count(pages, "page"),
        _count(sum(items.values()), item_noun(items)),
        f"{sum(count_stage(stats, 'dropped').values())} dropped",
        _count(templates, "template"),
        f"{60 * pages / seconds if seconds else 0:.0f} pages/min",
        *([f"{_count(feeds, 'feed')} left"] if feeds else ()),
    ]
    return ", ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
