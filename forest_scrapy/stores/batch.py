"""The pages of a batch: what the passes over the input note for each other, on disk.

The pages themselves stay where they are; only those that wrappers are learned from are copied.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from forest_scrapy.core import Fingerprint, Template
from forest_scrapy.core.templates.files import FilePage
from forest_scrapy.core.templates.signals import Signals
from forest_scrapy.stores.database import StoreKind, open_database
from forest_scrapy.stores.held_pages import HELD_PAGES_SCHEMA, HeldPageTable
from forest_scrapy.stores.page_compression import compress_page, decompress_page
from forest_scrapy.stores.page_tables import (
    ARTICLES_SCHEMA,
    FINGERPRINTS_SCHEMA,
    ArticleTable,
    FingerprintTable,
)

TEMPLATES_SCHEMA = """
CREATE TABLE IF NOT EXISTS templates (
    key TEXT PRIMARY KEY, host TEXT NOT NULL, number INTEGER NOT NULL,
    is_learned INTEGER NOT NULL, digests TEXT NOT NULL, template TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS templates_by_host ON templates (host, number);
CREATE TABLE IF NOT EXISTS sample_pages (
    key TEXT PRIMARY KEY, template TEXT NOT NULL, base TEXT NOT NULL, head TEXT NOT NULL,
    body BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS bases_of_samples ON sample_pages (template) WHERE base = '';
CREATE TABLE IF NOT EXISTS extracted (key TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
"""


class BatchTemplates:
    """Templates by host and key, in the database of a ``BatchStore``, which commits.  They are
    written without their fingerprints, which are in the table of the pages."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def add(self, number: int, template: Template) -> None:
        """Write a template; ``number``: its position among those of its host."""
        digests = [fingerprint.digest for fingerprint in template.fingerprints]
        values = (
            template.key,
            template.host,
            number,
            json.dumps(digests),
            _write(template),
        )
        self._database.execute("INSERT OR REPLACE INTO templates VALUES (?, ?, ?, 0, ?, ?)", values)

    def of_host(self, host: str) -> list[Template]:
        """The templates of a host, in the order in which they were found."""
        query = "SELECT template FROM templates WHERE host = ? ORDER BY number"
        rows = self._database.execute(query, (host,))
        return [_read(row) for row in rows]

    def digests(self, key: str) -> list[str]:
        """The digests of the fingerprints that a template is recognised by."""
        row = self._first_row("SELECT digests FROM templates WHERE key = ?", key)
        digests: list[str] = json.loads(row["digests"])
        return digests

    def missing_samples(self) -> set[str]:
        """Keys of the pages that rules are learned from and that are not in ``samples``."""
        needed: set[str] = set()
        for row in self._database.execute("SELECT template FROM templates WHERE NOT is_learned"):
            needed.update(_read(row).sample)
        copied = {row["key"] for row in self._database.execute("SELECT key FROM sample_pages")}
        return needed - copied

    def add_sample(
        self,
        key: str,
        head: Mapping[str, Any],
        body: bytes,
    ) -> None:
        """Copy a page to learn from; ``head``: its other values, as JSON has them.  The body is
        compressed by what it has in common with the first page of its template, its base."""
        row = self._first_row("SELECT template FROM pages WHERE key = ? AND reason = ''", key)
        template = row["template"] if row else ""
        row = self._first_row(
            "SELECT key, body FROM sample_pages WHERE template = ? AND base = ''", template
        )
        base_key = ""
        base_body = b""
        if template and row and row["key"] != key:
            base_key = row["key"]
            base_body = decompress_page(row["body"])
        packed = compress_page(body, base_body)
        values = (key, template, base_key, json.dumps(head), packed)
        self._database.execute("INSERT OR REPLACE INTO sample_pages VALUES (?, ?, ?, ?, ?)", values)

    def sample(self, key: str) -> tuple[dict[str, Any], bytes]:
        """A page to learn from; raises ``KeyError``."""
        row = self._first_row("SELECT * FROM sample_pages WHERE key = ?", key)
        if row is None:
            raise KeyError(key)
        head = json.loads(row["head"])
        if not row["base"]:
            return head, decompress_page(row["body"])
        base_row = self._first_row("SELECT body FROM sample_pages WHERE key = ?", row["base"])
        if base_row is None:
            raise KeyError(row["base"])
        base_body = decompress_page(base_row["body"])
        return head, decompress_page(row["body"], base_body)

    def learned(self, template: Template) -> None:
        """Write a template that was learned, and delete its sample."""
        query = "UPDATE templates SET template = ?, is_learned = 1 WHERE key = ?"
        self._database.execute(query, (_write(template), template.key))
        for page in template.sample:
            self._database.execute("DELETE FROM sample_pages WHERE key = ?", (page,))

    def add_extracted(self, key: str, content: bytes) -> None:
        """Write the outcome of a page that was extracted when its template was learned."""
        self._database.execute("INSERT OR REPLACE INTO extracted VALUES (?, ?)", (key, content))

    def take_extracted(self, key: str) -> bytes:
        """Delete what ``add_extracted`` wrote, and return it; raises ``KeyError``."""
        row = self._first_row("SELECT content FROM extracted WHERE key = ?", key)
        if row is None:
            raise KeyError(key)
        self._database.execute("DELETE FROM extracted WHERE key = ?", (key,))
        content: bytes = row["content"]
        return content

    def get(self, key: str) -> Template | None:
        """A template by its key."""
        row = self._first_row("SELECT template FROM templates WHERE key = ?", key)
        return _read(row) if row else None

    def _first_row(self, query: str, *values: Any) -> Any:
        return self._database.execute(query, values).fetchone()


def _write(template: Template) -> str:
    return json.dumps(template.to_dict(with_fingerprints=False))


def _read(row: Any) -> Template:
    return Template.from_dict(json.loads(row["template"]))


_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS pages (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL, host TEXT NOT NULL, url TEXT NOT NULL,
    sample_key TEXT NOT NULL, fingerprint TEXT NOT NULL, signals TEXT, file TEXT,
    template TEXT NOT NULL, reason TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS pages_by_key ON pages (key) WHERE reason = '';
CREATE INDEX IF NOT EXISTS pages_by_host ON pages (host, number);
{TEMPLATES_SCHEMA}
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
{FINGERPRINTS_SCHEMA}
{ARTICLES_SCHEMA}
{HELD_PAGES_SCHEMA}
CREATE TABLE IF NOT EXISTS records (key TEXT PRIMARY KEY) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class NotedPage:
    """What is known of a page that was read.  ``number``: its position in the input, from 0;
    ``signals``: None for a page that is known to be an article; ``file``: what else is known of one
    without a URL that is not."""

    number: int
    key: str
    host: str
    url: str
    sample_key: str
    fingerprint: Fingerprint
    signals: Signals | None = None
    file: FilePage | None = None


class BatchStore:
    """The notes of one batch, in the file ``location``.  Processes other than the one that writes
    may read it meanwhile.  Nothing is committed outside ``writing``."""

    def __init__(self, location: str) -> None:
        self._database = open_database(location, StoreKind(_SCHEMA, version=5))
        self.fingerprints = FingerprintTable(self._database)
        self.articles = ArticleTable(self._database, self.writing)
        self.templates = BatchTemplates(self._database)
        self.held_pages = HeldPageTable(self._database, self.writing)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What is written in here is committed together; inside another ``writing``, by that."""
        if self._database.in_transaction:
            yield
            return
        self._database.execute("BEGIN")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def get(self, name: str, default: Any = None) -> Any:
        """A value of ``set``."""
        row = self._first_row("SELECT value FROM state WHERE name = ?", name)
        if row:
            return json.loads(row["value"])
        return default

    def set(self, name: str, value: Any) -> None:
        """Write a JSON value."""
        query = "INSERT OR REPLACE INTO state VALUES (?, ?)"
        self._database.execute(query, (name, json.dumps(value)))

    def add(self, page: NotedPage) -> None:
        """Write a page; one whose key is known is a duplicate."""
        first = self._first_row("SELECT url FROM pages WHERE key = ? AND reason = ''", page.key)
        if first:
            if first["url"] != page.url:
                self.articles.add_url(page.key, page.url)
            self.refuse(page.number, page.url, "duplicate")
            return
        self.fingerprints.add(page.host, page.fingerprint)
        values = (
            page.number,
            page.key,
            page.host,
            page.url,
            page.sample_key,
            page.fingerprint.digest,
            json.dumps(page.signals.to_dict()) if page.signals else None,
            json.dumps(page.file.to_dict()) if page.file else None,
        )
        query = "INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', '')"
        self._database.execute(query, values)

    def refuse(
        self,
        number: int,
        url: str,
        reason: str,
    ) -> None:
        """Write that a page is not extracted."""
        query = "INSERT INTO pages VALUES (?, '', '', ?, '', '', NULL, NULL, '', ?)"
        self._database.execute(query, (number, url, reason))

    def add_record(self, key: str) -> bool:
        """Write that the page has given an item that is not an article; False if that is known."""
        query = "INSERT OR IGNORE INTO records VALUES (?)"
        return self._database.execute(query, (key,)).rowcount == 1

    def has_page(self, key: str) -> bool:
        """Whether a page with this key was read."""
        query = "SELECT 1 FROM pages WHERE key = ? AND reason = ''"
        return self._first_row(query, key) is not None

    def hosts(self) -> list[str]:
        """The hosts of the pages, sorted."""
        rows = self._database.execute(
            "SELECT DISTINCT host FROM pages WHERE reason = '' ORDER BY host"
        )
        return [row["host"] for row in rows]

    def pages_of(self, host: str) -> Iterator[NotedPage]:
        """The pages of a host that were not refused, in the order of the input."""
        rows = self._database.execute(
            "SELECT pages.*, features FROM pages JOIN page_fingerprints"
            " ON page_fingerprints.host = pages.host AND digest = fingerprint"
            " WHERE pages.host = ? AND reason = '' ORDER BY number",
            (host,),
        )
        for row in rows:
            signals = row["signals"]
            file = row["file"]
            yield NotedPage(
                number=row["number"],
                key=row["key"],
                host=row["host"],
                url=row["url"],
                sample_key=row["sample_key"],
                fingerprint=Fingerprint.from_bytes(row["features"]),
                signals=Signals.from_dict(json.loads(signals)) if signals else None,
                file=FilePage.from_dict(json.loads(file)) if file else None,
            )

    def plan_host(
        self,
        host: str,
        templates: Iterable[Template],
        assigned: Mapping[str, str],
        refused: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Write the templates of a host, and the template key of each page.  Those that are not
        ``assigned`` to one are not articles; if they are known to be some, single pages.
        ``refused``: the template keys of pages that are no articles."""
        for number, template in enumerate(templates):
            self.templates.add(number, template)
        self._database.execute(
            "UPDATE pages SET reason = 'not_article'"
            " WHERE host = ? AND reason = '' AND signals IS NOT NULL",
            (host,),
        )
        self._database.executemany(
            "UPDATE pages SET template = ?, reason = '' WHERE host = ? AND key = ?"
            " AND reason IN ('', 'not_article')",
            ((template_key, host, key) for key, template_key in assigned.items()),
        )
        self._database.executemany(
            "UPDATE pages SET template = ? WHERE host = ? AND key = ? AND reason = 'not_article'",
            ((template_key, host, key) for key, template_key in refused.items()),
        )

    def largest_templates(self, number: int) -> dict[int, int]:
        """Of the templates with most pages, articles or not: the number of their first page, and
        how many pages they have."""
        rows = self._database.execute(
            "SELECT MIN(number) AS first, COUNT(*) AS pages FROM pages"
            " WHERE template != '' AND reason IN ('', 'not_article')"
            " GROUP BY template ORDER BY pages DESC, first LIMIT ?",
            (number,),
        )
        return {row["first"]: row["pages"] for row in rows}

    def numbers_of(self, keys: Iterable[str]) -> dict[int, str]:
        """The keys of pages by their numbers."""
        query = "SELECT number, key FROM pages WHERE key = ? AND reason = ''"
        keys_by_number = {}
        for key in keys:
            row = self._first_row(query, key)
            if row:
                keys_by_number[row["number"]] = row["key"]
        return keys_by_number

    def outcomes(self, start: int, end: int) -> list[tuple[str, str, str]]:
        """Template key and reason of the pages with numbers from ``start`` up to ``end``, and the
        key for ``take_extracted``, ``""`` for pages that are still to be extracted."""
        rows = self._database.execute(
            "SELECT template, reason, COALESCE(extracted.key, '') AS extracted"
            " FROM pages LEFT JOIN extracted ON extracted.key = pages.key AND reason = ''"
            " WHERE number >= ? AND number < ? ORDER BY number",
            (start, end),
        )
        return [(row["template"], row["reason"], row["extracted"]) for row in rows]

    def close(self) -> None:
        self._database.close()

    def _first_row(self, query: str, *values: Any) -> Any:
        return self._database.execute(query, values).fetchone()
