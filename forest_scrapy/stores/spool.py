"""The spool: every page that was fetched as a candidate, until it is an article or dropped.

A page is written here before anything else is done with it.  Its row stays, so that a crawl
that is started again knows what it has seen; its body is deleted when the page is done, but
for the few of each template that wrappers are learned from.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forest_scrapy.core import Entry, Fingerprint
from forest_scrapy.core.clustering.page_types import Signals
from forest_scrapy.stores.database import open_database

__all__ = ["Spool", "SpooledPage"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS pages (
    key TEXT PRIMARY KEY, host TEXT NOT NULL, url TEXT NOT NULL, digest TEXT NOT NULL,
    is_article INTEGER NOT NULL, entry TEXT, fetched_at TEXT NOT NULL, sample_key TEXT NOT NULL,
    template TEXT NOT NULL DEFAULT '', ready INTEGER NOT NULL DEFAULT 0, outcome TEXT,
    signals TEXT, meta TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL, encoding TEXT,
    body BLOB
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS waiting ON pages (ready, key) WHERE outcome IS NULL;
CREATE INDEX IF NOT EXISTS by_host ON pages (host, digest);
CREATE INDEX IF NOT EXISTS samples ON pages (template, sample_key) WHERE body IS NOT NULL;
CREATE TABLE IF NOT EXISTS page_fingerprints (
    host TEXT NOT NULL, digest TEXT NOT NULL, features BLOB NOT NULL,
    PRIMARY KEY (host, digest)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
"""

#: Compression level of bodies: level 1 costs 2 ms for a page of 170 KB, level 6 six.
_LEVEL = 1


@dataclass(frozen=True)
class SpooledPage:
    """A fetched page as it lies in the spool.

    ``key`` identifies it in the crawl; ``meta`` holds what of the request's meta can be
    written as JSON; ``encoding`` is the one the response was decoded with; ``sample_key`` sorts
    the pages of a template for learning; ``signals``, of a page that is not known as an
    article, what it looks like.
    """

    key: str
    host: str
    url: str
    fingerprint: str
    is_article: bool
    entry: Entry | None
    fetched_at: str
    sample_key: str
    meta: dict[str, Any]
    status: int
    headers: list[tuple[str, str]]
    encoding: str | None
    body: bytes
    template: str = ""
    signals: Signals | None = None


class Spool:
    """The pages of one crawl, in the file ``place``; a ``temporary`` one is deleted when it is
    closed.  ``was_killed``: the run before did not close it."""

    def __init__(self, place: str, temporary: bool = False) -> None:
        self._temporary = temporary
        self._database = open_database(place, _SCHEMA)
        state = self._get_state("open")
        self.was_killed = state == "yes"
        self._set_state("open", "yes")
        self._database.execute("UPDATE pages SET ready = 0 WHERE outcome IS NULL AND ready")

    def add(self, page: SpooledPage, fingerprint: Fingerprint) -> bool:
        """Write a page down; False, and nothing is written, where its key is known."""
        with self._database:
            self._database.execute("BEGIN")
            self._database.execute(
                "INSERT OR IGNORE INTO page_fingerprints VALUES (?, ?, ?)",
                (page.host, fingerprint.digest, fingerprint.to_bytes()),
            )
            done = self._database.execute(
                "INSERT OR IGNORE INTO pages (key, host, url, digest, is_article, entry,"
                " fetched_at, sample_key, signals, meta, status, headers, encoding, body)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    page.key,
                    page.host,
                    page.url,
                    page.fingerprint,
                    page.is_article,
                    json.dumps(page.entry.to_dict()) if page.entry else None,
                    page.fetched_at,
                    page.sample_key,
                    json.dumps(page.signals.to_dict()) if page.signals else None,
                    json.dumps(page.meta),
                    page.status,
                    json.dumps(page.headers),
                    page.encoding,
                    zlib.compress(page.body, _LEVEL),
                ),
            )
        return done.rowcount == 1

    def knows(self, key: str) -> bool:
        """Whether the page was fetched, in this run or an earlier one of the same crawl."""
        return self._one("SELECT 1 FROM pages WHERE key = ?", key) is not None

    def is_pending(self, key: str) -> bool:
        """Whether the page was fetched and is not done."""
        return self._one("SELECT 1 FROM pages WHERE key = ? AND outcome IS NULL", key) is not None

    def read(self, key: str) -> SpooledPage:
        """The page with this key, which is not done yet; ``KeyError`` else."""
        row = self._one("SELECT * FROM pages WHERE key = ? AND outcome IS NULL", key)
        if row is None:
            raise KeyError(key)
        return _page(row)

    def make_ready(self, key: str, template: str) -> None:
        """Let the page go under this template."""
        self._database.execute(
            "UPDATE pages SET ready = 1, template = ? WHERE key = ? AND outcome IS NULL",
            (template, key),
        )

    def make_all_ready(self, host: str, digests: Sequence[str], template: str) -> int:
        """Let all waiting pages with these fingerprints go under a template; their number."""
        marks = ", ".join("?" * len(digests))
        done = self._database.execute(
            f"UPDATE pages SET ready = 1, template = ? WHERE host = ? AND digest IN ({marks})"
            " AND outcome IS NULL AND NOT ready",
            (template, host, *digests),
        )
        return done.rowcount

    def ready_keys(self, most: int, without: Collection[str] = ()) -> list[str]:
        """Keys of pages that are let go and not done yet, but for those named."""
        rows = self._database.execute(
            "SELECT key FROM pages WHERE outcome IS NULL AND ready = 1 ORDER BY key LIMIT ?",
            (most + len(without),),
        )
        return [row["key"] for row in rows if row["key"] not in without][:most]

    def waiting_hosts(self) -> list[str]:
        """Hosts with pages that wait for their template."""
        rows = self._database.execute(
            "SELECT DISTINCT host FROM pages WHERE outcome IS NULL AND NOT ready ORDER BY host"
        )
        return [row["host"] for row in rows]

    def waiting_pages(self, host: str) -> list[tuple[str, str, bool]]:
        """Key, fingerprint digest and whether it is known as an article, of the host's waiting
        pages."""
        rows = self._database.execute(
            "SELECT key, digest, is_article FROM pages"
            " WHERE outcome IS NULL AND NOT ready AND host = ? ORDER BY key",
            (host,),
        )
        return [(row["key"], row["digest"], bool(row["is_article"])) for row in rows]

    def waiting_signals(self, host: str, digests: Sequence[str]) -> list[Signals]:
        """The signals of the host's waiting pages with these fingerprints."""
        marks = ", ".join("?" * len(digests))
        rows = self._database.execute(
            f"SELECT signals FROM pages WHERE host = ? AND digest IN ({marks})"
            " AND outcome IS NULL AND NOT ready AND signals IS NOT NULL ORDER BY key",
            (host, *digests),
        )
        return [Signals.from_dict(json.loads(row["signals"])) for row in rows]

    def pending(self) -> int:
        """Pages that are neither an article nor dropped yet."""
        row = self._one("SELECT count(*) AS n FROM pages WHERE outcome IS NULL")
        return int(row["n"]) if row else 0

    def finish(self, key: str, outcome: str, keep: int) -> None:
        """The page is done; of its template the ``keep`` first bodies by sample key stay."""
        with self._database:
            self._database.execute("BEGIN")
            row = self._one("SELECT template FROM pages WHERE key = ?", key)
            template = row["template"] if row else ""
            self._database.execute("UPDATE pages SET outcome = ? WHERE key = ?", (outcome, key))
            if not template or outcome.startswith("dropped"):
                self._database.execute("UPDATE pages SET body = NULL WHERE key = ?", (key,))
            else:
                self._delete_bodies(template, keep)

    def sample(self, template: str, most: int) -> list[SpooledPage]:
        """The pages to learn the template's wrapper from: the first by sample key."""
        rows = self._database.execute(
            "SELECT * FROM pages WHERE template = ? AND body IS NOT NULL"
            " ORDER BY sample_key, key LIMIT ?",
            (template, most),
        )
        return [_page(row) for row in rows]

    def has_fingerprint(self, host: str, digest: str) -> bool:
        """Whether a page with this fingerprint was added."""
        query = "SELECT 1 FROM page_fingerprints WHERE host = ? AND digest = ?"
        return self._one(query, host, digest) is not None

    def fingerprint(self, host: str, digest: str) -> Fingerprint:
        """A fingerprint by its digest; it must have been added."""
        row = self._one(
            "SELECT features FROM page_fingerprints WHERE host = ? AND digest = ?", host, digest
        )
        if row is None:
            raise KeyError(digest)
        return Fingerprint.from_bytes(row["features"])

    def seen_pages(self) -> Iterator[tuple[str, str, bool]]:
        """Host, fingerprint digest, and whether it is known as an article, of every page."""
        rows = self._database.execute("SELECT host, digest, is_article FROM pages ORDER BY key")
        return ((row["host"], row["digest"], bool(row["is_article"])) for row in rows)

    def close(self) -> None:
        """Close in good order."""
        self._set_state("open", "no")
        file = self._one("PRAGMA database_list")["file"]
        self._database.close()
        if self._temporary:
            Path(file).unlink()

    def _delete_bodies(self, template: str, keep: int) -> None:
        self._database.execute(
            "UPDATE pages SET body = NULL WHERE template = :template AND body IS NOT NULL"
            " AND outcome IS NOT NULL AND key NOT IN (SELECT key FROM pages"
            " WHERE template = :template AND body IS NOT NULL ORDER BY sample_key, key"
            " LIMIT :keep)",
            {"template": template, "keep": keep},
        )

    def _one(self, query: str, *values: str) -> Any:
        return self._database.execute(query, values).fetchone()

    def _get_state(self, name: str) -> str | None:
        row = self._one("SELECT value FROM state WHERE name = ?", name)
        return row["value"] if row else None

    def _set_state(self, name: str, value: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))


def _page(row: Any) -> SpooledPage:
    return SpooledPage(
        key=row["key"],
        host=row["host"],
        url=row["url"],
        fingerprint=row["digest"],
        is_article=bool(row["is_article"]),
        entry=Entry.from_dict(json.loads(row["entry"])) if row["entry"] else None,
        fetched_at=row["fetched_at"],
        sample_key=row["sample_key"],
        meta=json.loads(row["meta"]),
        status=row["status"],
        headers=[(name, value) for name, value in json.loads(row["headers"])],
        encoding=row["encoding"],
        body=zlib.decompress(row["body"]),
        template=row["template"],
        signals=Signals.from_dict(json.loads(row["signals"])) if row["signals"] else None,
    )
