"""What a spool says about its pages; the queries that write nothing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Container, Iterator
from typing import Any, NamedTuple

from forest_scrapy.core.clustering.page_types import Signals
from forest_scrapy.stores.database import read_rows
from forest_scrapy.stores.spool_schema import OUT_OF_SAMPLE, READ
from forest_scrapy.stores.spooled_page import SpooledPage

__all__ = ["PageQueries", "UnclassifiedPage"]


class UnclassifiedPage(NamedTuple):
    """A waiting page that is not known to be an article; ``fingerprint`` is a digest."""

    key: str
    url: str
    fingerprint: str
    signals: Signals


class PageQueries:
    """The pages in a spool's database, by their state.  What cannot be read raises
    ``StoreFailed``."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def knows(self, key: str) -> bool:
        """Whether the page was fetched, in this run or in an earlier one of the same crawl."""
        return self.one("SELECT 1 FROM pages WHERE key = ?", key) is not None

    def is_pending(self, key: str) -> bool:
        """Whether the page was fetched and has no outcome."""
        return self.one("SELECT 1 FROM pages WHERE key = ? AND state <> 'done'", key) is not None

    def url(self, key: str) -> str:
        """The URL of a page; ``""`` if its content was deleted."""
        row = self.one("SELECT url FROM contents WHERE key = ?", key)
        return row["url"] if row else ""

    def read(self, key: str) -> SpooledPage:
        """The pending page with this key; raises ``KeyError`` if there is none."""
        row = self.one(f"{READ} WHERE key = ? AND state <> 'done'", key)
        if row is None:
            raise KeyError(key)
        return SpooledPage.from_row(row)

    def fetched_keys(self, without: Container[str] = ()) -> list[str]:
        """Keys of the pages that were not read, other than ``without``."""
        rows = self.rows("SELECT key FROM pages WHERE state = 'fetched' ORDER BY key")
        return [row["key"] for row in rows if row["key"] not in without]

    def ready_keys(self, limit: int, without: Collection[str] = ()) -> list[str]:
        """Keys of at most ``limit`` ready pages, other than ``without``."""
        rows = self.rows(
            "SELECT key FROM pages WHERE state = 'ready' ORDER BY key LIMIT ?",
            limit + len(without),
        )
        return [row["key"] for row in rows if row["key"] not in without][:limit]

    def ready_templates(self) -> dict[str, str]:
        """The template keys of all ready pages by their keys, which are sorted."""
        rows = self._database.execute(
            "SELECT key, template_key FROM pages WHERE state = 'ready' ORDER BY key"
        )
        return {row["key"]: row["template_key"] for row in rows}

    def waiting_hosts(self) -> list[str]:
        """Hosts that have waiting pages."""
        rows = self.rows("SELECT DISTINCT host FROM pages WHERE state = 'placed' ORDER BY host")
        return [row["host"] for row in rows]

    def waiting_pages(self, host: str) -> list[tuple[str, str, bool]]:
        """Key, fingerprint digest and ``is_article`` of the host's waiting pages."""
        rows = self.rows(
            "SELECT key, fingerprint, is_article FROM pages"
            " WHERE state = 'placed' AND host = ? ORDER BY key",
            host,
        )
        return [(row["key"], row["fingerprint"], bool(row["is_article"])) for row in rows]

    def is_waiting(self, key: str) -> bool:
        """Whether the page was placed and is not ready."""
        return self.one("SELECT 1 FROM pages WHERE key = ? AND state = 'placed'", key) is not None

    def unclassified_pages(self, host: str) -> Iterator[UnclassifiedPage]:
        """The host's waiting pages that are not known to be articles."""
        rows = self.rows(
            "SELECT key, url, fingerprint, signals FROM pages JOIN contents USING (key)"
            " WHERE state = 'placed' AND host = ? AND signals IS NOT NULL ORDER BY key",
            host,
        )
        for row in rows:
            signals = Signals.from_dict(json.loads(row["signals"]))
            yield UnclassifiedPage(row["key"], row["url"], row["fingerprint"], signals)

    def hosts_with_feeds(self) -> list[str]:
        """Hosts with a page that has a feed entry: these come first in a sample."""
        rows = self.rows("SELECT DISTINCT host FROM pages WHERE sample_key < '1' ORDER BY host")
        return [row["host"] for row in rows]

    def pending(self) -> int:
        """The number of pending pages."""
        return int(self.one("SELECT count(*) AS n FROM pages WHERE state <> 'done'")["n"])

    def sample(self, template_key: str, limit: int) -> list[SpooledPage]:
        """The pages that the template's wrapper is learned from: the first by sample key."""
        rows = self.rows(
            f"{READ} WHERE template_key = ? AND has_content ORDER BY sample_key, key LIMIT ?",
            template_key,
            limit,
        )
        return [SpooledPage.from_row(row) for row in rows]

    def out_of_sample(self, template_key: str, keep: int) -> list[str]:
        """Keys of the template's pages that are done and have content, other than the first
        ``keep`` to learn from."""
        rows = self.rows(OUT_OF_SAMPLE, template_key, keep)
        return [row["key"] for row in rows]

    def seen_pages(self) -> Iterator[tuple[str, str, bool]]:
        """Host, fingerprint digest and ``is_article`` of every page that was read."""
        rows = self.rows(
            "SELECT host, fingerprint, is_article FROM pages WHERE fingerprint <> '' ORDER BY key"
        )
        return ((row["host"], row["fingerprint"], bool(row["is_article"])) for row in rows)

    def rows(self, query: str, *values: str | int) -> list[Any]:
        """The rows of a query."""
        return read_rows(self._database, query, values)

    def one(self, query: str, *values: str | int) -> Any:
        """The first row of a query; None if there is none."""
        return next(iter(self.rows(query, *values)), None)
