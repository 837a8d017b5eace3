"""The outcome of each page, and the ledger that records it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal, Self

from scrapy.statscollectors import StatsCollector

from forest_scrapy.runtime.in_flight import InFlight
from forest_scrapy.stores import Spool

__all__ = ["Ledger", "Outcome"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Outcome:
    """How a page ended.

    ``detail``: the method that found the article, the reason for the drop, or the name of the
    error.
    """

    kind: Literal["article", "dropped", "error"]
    detail: str

    @classmethod
    def article(cls, method: str) -> Self:
        """The page went through all pipelines."""
        return cls("article", method)

    @classmethod
    def dropped(cls, reason: str) -> Self:
        """The page is not an article, or a component of the project dropped it."""
        return cls("dropped", reason)

    @classmethod
    def error(cls, error: BaseException | None) -> Self:
        """A pipeline failed on the page."""
        return cls("error", type(error).__name__)

    @property
    def is_article(self) -> bool:
        """Whether the page has an article, wanted or not."""
        return self.kind == "article" or self.detail == "unchanged"

    @property
    def stat(self) -> str:
        """The stat that counts such outcomes.

        >>> Outcome.article("trained").stat, Outcome.dropped("no_content").stat
        ('forest/articles/trained', 'forest/dropped/no_content')
        >>> Outcome.error(ValueError("no")).stat
        'forest/dropped/error'
        """
        if self.kind == "article":
            return f"forest/articles/{self.detail}"
        return f"forest/dropped/{'error' if self.kind == 'error' else self.detail}"


class Ledger:
    """Records the outcome of each page in the stats, in the spool and in the log.

    ``pages``: the number of bodies that the spool keeps of each template, to learn from.
    """

    def __init__(
        self, spool: Spool, stats: StatsCollector, in_flight: InFlight, pages: int
    ) -> None:
        self._spool, self._stats, self._in_flight, self._pages = spool, stats, in_flight, pages

    def record(self, key: str, outcome: Outcome, url: str = "") -> None:
        """Record the outcome of the page with this key; the page is done."""
        self._count(outcome, url or key)
        self._in_flight.remove(key)
        keep = self._pages if outcome.is_article else 0
        self._spool.finish(key, outcome.kind, outcome.detail, keep)

    def record_duplicate(self, url: str) -> None:
        """Record a page that was fetched before, under another URL or in an earlier run; the
        spool keeps the outcome of the first."""
        self._count(Outcome.dropped("duplicate"), url)

    def _count(self, outcome: Outcome, name: str) -> None:
        self._stats.inc_value(outcome.stat)
        if outcome.kind != "article":  # Scrapy logs the articles
            logger.debug("Dropped %s: %s", name, outcome.detail)
