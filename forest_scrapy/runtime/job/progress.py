"""The progress line of a crawl on a terminal."""

from __future__ import annotations

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

from forest_scrapy.runtime.job.summary import count_stage, item_noun

__all__ = ["Progress", "describe_progress"]

#: Seconds between two updates.
_INTERVAL = 0.5
#: Moves to the start of the line and erases it.
_ERASE = "\r\x1b[K"


class Progress:
    """Extension: keeps a line with the state of the crawl at the bottom of the terminal.

    Log records that are written to the same terminal erase the line first.  Not configured if
    standard error is not a terminal, or ``FOREST_PROGRESS`` is False.
    """

    def __init__(self, crawler: Crawler, stream: TextIO) -> None:
        self._crawler, self._stream = crawler, stream
        self._start = monotonic()
        self._timer: TimerHandle | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
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
        self._write(_ERASE)

    def _handlers(self) -> list[logging.Handler]:
        """The log handlers that write to the terminal."""
        handlers = logging.getLogger().handlers
        return [one for one in handlers if getattr(one, "stream", None) is self._stream]

    def _erase(self, record: logging.LogRecord) -> bool:
        self._write(_ERASE)
        return True

    def _update(self) -> None:
        stats = self._crawler.stats.get_stats() if self._crawler.stats else {}
        feeds = max(getattr(self._crawler.spider, "feeds_left", 0), 0)  # a resumed crawl: negative
        line = describe_progress(stats, monotonic() - self._start, feeds)
        self._write(_ERASE + line[: get_terminal_size().columns - 1])
        self._timer = get_running_loop().call_later(_INTERVAL, self._update)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


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
