"""The spool: every page that was fetched as a possible article, and its outcome.

A page is written here before anything else is done with it.  Its row stays, so that a resumed
crawl knows which pages it has seen.  Its body is deleted when the page is done, except for the
few pages of each template that wrappers are learned from.

A page is *waiting* until its template is known, then *ready* to be released, and *done* once
it has an outcome; waiting and ready pages are *pending*.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from forest_scrapy.core import Fingerprint
from forest_scrapy.core.clustering.page_types import Signals
from forest_scrapy.stores.database import open_database
from forest_scrapy.stores.fingerprints import FINGERPRINTS_SCHEMA, FingerprintTable
from forest_scrapy.stores.run_state import STATE_SCHEMA, mark_closed, mark_open
from forest_scrapy.stores.spooled_page import SpooledPage

__all__ = ["Spool"]

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS pages (
    key TEXT PRIMARY KEY, host TEXT NOT NULL, url TEXT NOT NULL, fingerprint TEXT NOT NULL,
    is_article INTEGER NOT NULL, entry TEXT, fetched_at TEXT NOT NULL, sample_key TEXT NOT NULL,
    template_key TEXT NOT NULL, signals TEXT, meta TEXT NOT NULL, status INTEGER NOT NULL,
    headers TEXT NOT NULL, encoding TEXT, body BLOB,
    ready INTEGER NOT NULL DEFAULT 0, outcome TEXT, outcome_detail TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS pages_pending ON pages (ready, key) WHERE outcome IS NULL;
CREATE INDEX IF NOT EXISTS pages_by_fingerprint ON pages (host, fingerprint);
CREATE INDEX IF NOT EXISTS pages_to_learn_from ON pages (template_key, sample_key)
    WHERE body IS NOT NULL;
{FINGERPRINTS_SCHEMA}
{STATE_SCHEMA}
"""

_ADD = """
INSERT OR IGNORE INTO pages (key, host, url, fingerprint, is_article, entry, fetched_at,
    sample_key, template_key, signals, meta, status, headers, encoding, body)
VALUES (:key, :host, :url, :fingerprint, :is_article, :entry, :fetched_at,
    :sample_key, :template_key, :signals, :meta, :status, :headers, :encoding, :body)
"""

#: Deletes the bodies of a template's pages that are done, except for the first ones.
_DELETE_BODIES = """
UPDATE pages SET body = NULL
WHERE template_key = :template_key AND body IS NOT NULL AND outcome IS NOT NULL
    AND key NOT IN (
        SELECT key FROM pages WHERE template_key = :template_key AND body IS NOT NULL
        ORDER BY sample_key, key LIMIT :keep
    )
"""


class Spool:
    """The pages of one crawl, in the file ``location``; a ``temporary`` file is deleted on close.

    ``was_killed``: whether the last run that used the file did not close it.
    """

    def __init__(self, location: str, temporary: bool = False) -> None:
        self._temporary = temporary
        self._database = open_database(location, _SCHEMA)
        self.fingerprints = FingerprintTable(self._database)
        self.was_killed = mark_open(self._database)
        self._database.execute("UPDATE pages SET ready = 0 WHERE outcome IS NULL AND ready")

    def add(self, page: SpooledPage, fingerprint: Fingerprint) -> bool:
        """Write a page; False, and nothing is written, if there is one with its key."""
        with self._database:
            self._database.execute("BEGIN")
            self.fingerprints.add(page.host, fingerprint)
            done = self._database.execute(_ADD, page.to_row())
        return done.rowcount == 1

    def knows(self, key: str) -> bool:
        """Whether the page was fetched, in this run or in an earlier one of the same crawl."""
        return self._one("SELECT 1 FROM pages WHERE key = ?", key) is not None

    def is_pending(self, key: str) -> bool:
        """Whether the page was fetched and has no outcome."""
        return self._one("SELECT 1 FROM pages WHERE key = ? AND outcome IS NULL", key) is not None

    def read(self, key: str) -> SpooledPage:
        """The pending page with this key; raises ``KeyError`` if there is none."""
        row = self._one("SELECT * FROM pages WHERE key = ? AND outcome IS NULL", key)
        if row is None:
            raise KeyError(key)
        return SpooledPage.from_row(row)

    def make_ready(self, key: str, template_key: str) -> None:
        """Assign a template to a pending page, which is then ready."""
        self._database.execute(
            "UPDATE pages SET ready = 1, template_key = ? WHERE key = ? AND outcome IS NULL",
            (template_key, key),
        )

    def make_all_ready(self, host: str, digests: Sequence[str], template_key: str) -> int:
        """Make all waiting pages with these fingerprints ready; the number of pages."""
        marks = ", ".join("?" * len(digests))
        done = self._database.execute(
            "UPDATE pages SET ready = 1, template_key = ?"
            f" WHERE host = ? AND fingerprint IN ({marks}) AND outcome IS NULL AND NOT ready",
            (template_key, host, *digests),
        )
        return done.rowcount

    def ready_keys(self, limit: int, without: Collection[str] = ()) -> list[str]:
        """Keys of at most ``limit`` ready pages, other than ``without``."""
        rows = self._database.execute(
            "SELECT key FROM pages WHERE outcome IS NULL AND ready = 1 ORDER BY key LIMIT ?",
            (limit + len(without),),
        )
        return [row["key"] for row in rows if row["key"] not in without][:limit]

    def waiting_hosts(self) -> list[str]:
        """Hosts that have waiting pages."""
        rows = self._database.execute(
            "SELECT DISTINCT host FROM pages WHERE outcome IS NULL AND NOT ready ORDER BY host"
        )
        return [row["host"] for row in rows]

    def waiting_pages(self, host: str) -> list[tuple[str, str, bool]]:
        """Key, fingerprint digest and ``is_article`` of the host's waiting pages."""
        rows = self._database.execute(
            "SELECT key, fingerprint, is_article FROM pages"
            " WHERE outcome IS NULL AND NOT ready AND host = ? ORDER BY key",
            (host,),
        )
        return [(row["key"], row["fingerprint"], bool(row["is_article"])) for row in rows]

    def waiting_signals(self, host: str, digests: Sequence[str]) -> list[Signals]:
        """The signals of the host's waiting pages with these fingerprints."""
        marks = ", ".join("?" * len(digests))
        rows = self._database.execute(
            f"SELECT signals FROM pages WHERE host = ? AND fingerprint IN ({marks})"
            " AND outcome IS NULL AND NOT ready AND signals IS NOT NULL ORDER BY key",
            (host, *digests),
        )
        return [Signals.from_dict(json.loads(row["signals"])) for row in rows]

    def pending(self) -> int:
        """The number of pending pages."""
        return int(self._one("SELECT count(*) AS n FROM pages WHERE outcome IS NULL")["n"])

    def finish(self, key: str, kind: str, detail: str, keep: int = 0) -> None:
        """Write a page's outcome.  If its template keeps bodies to learn from, the ``keep``
        first ones by sample key stay; with 0, the page's own body is deleted."""
        with self._database:
            self._database.execute("BEGIN")
            self._database.execute(
                "UPDATE pages SET outcome = ?, outcome_detail = ? WHERE key = ?",
                (kind, detail, key),
            )
            row = self._one("SELECT template_key FROM pages WHERE key = ?", key)
            if row and row["template_key"] and keep:
                self._database.execute(_DELETE_BODIES, {**dict(row), "keep": keep})
            else:
                self._database.execute("UPDATE pages SET body = NULL WHERE key = ?", (key,))

    def sample(self, template_key: str, limit: int) -> list[SpooledPage]:
        """The pages that the template's wrapper is learned from: the first by sample key."""
        rows = self._database.execute(
            "SELECT * FROM pages WHERE template_key = ? AND body IS NOT NULL"
            " ORDER BY sample_key, key LIMIT ?",
            (template_key, limit),
        )
        return [SpooledPage.from_row(row) for row in rows]

    def seen_pages(self) -> Iterator[tuple[str, str, bool]]:
        """Host, fingerprint digest and ``is_article`` of every page."""
        rows = self._database.execute(
            "SELECT host, fingerprint, is_article FROM pages ORDER BY key"
        )
        return ((row["host"], row["fingerprint"], bool(row["is_article"])) for row in rows)

    def close(self) -> None:
        """Close the file, and mark it as closed."""
        mark_closed(self._database)
        file = self._one("PRAGMA database_list")["file"]
        self._database.close()
        if self._temporary:
            Path(file).unlink()

    def _one(self, query: str, *values: str) -> Any:
        return self._database.execute(query, values).fetchone()
