"""What spools and batches know of their pages: their fingerprints; their articles and URLs, to find
duplicates among them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from forest_scrapy import core
from forest_scrapy.stores.database import read_rows

FINGERPRINTS_SCHEMA = """
CREATE TABLE IF NOT EXISTS page_fingerprints (
    host TEXT NOT NULL, digest TEXT NOT NULL, features BLOB NOT NULL,
    PRIMARY KEY (host, digest)
) WITHOUT ROWID;
"""
ARTICLES_SCHEMA = """
CREATE TABLE IF NOT EXISTS articles (
    page_key TEXT PRIMARY KEY, canonical_key TEXT NOT NULL, host TEXT NOT NULL, title TEXT NOT NULL,
    digest BLOB NOT NULL, sketch BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS articles_elsewhere (page_key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS articles_by_canonical ON articles (canonical_key);
CREATE INDEX IF NOT EXISTS articles_by_text ON articles (host, digest);
CREATE TABLE IF NOT EXISTS page_urls (
    page_key TEXT NOT NULL, url TEXT NOT NULL, PRIMARY KEY (page_key, url)
) WITHOUT ROWID;
"""

_ARTICLES = """
SELECT *, page_key IN (SELECT page_key FROM articles_elsewhere) AS is_elsewhere FROM articles
"""
_SAME_CANONICAL = f"""
{_ARTICLES}
WHERE page_key <> :page_key AND (
    page_key = :canonical_key OR canonical_key IN (:canonical_key, :page_key)
) ORDER BY page_key LIMIT 20
"""
_SAME_TEXT = f"""
{_ARTICLES} WHERE host = :host AND digest = :digest AND page_key <> :page_key
ORDER BY page_key LIMIT 20
"""
_ADD = """
INSERT OR REPLACE INTO articles
VALUES (:page_key, :canonical_key, :host, :title, :digest, :sketch)
"""


@dataclass(frozen=True)
class ArticleIdentity:
    """An article of the crawl.

    ``page_key``, ``canonical_key``: of its page and of the URL that this declares (the page's own
    if it declares none); ``host``: without ``www.``; ``title``: its words; ``digest``, ``sketch``:
    of its text, see ``TextSummary``; ``is_elsewhere``: whether the canonical URL is on another
    site.
    """

    page_key: str
    canonical_key: str
    host: str
    title: str
    digest: bytes
    sketch: bytes
    is_elsewhere: bool = False


class ArticleTable:
    """Articles and URLs in a spool's database; ``writing``: the context to write in."""

    def __init__(
        self, database: sqlite3.Connection, writing: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._database = database
        self._writing = writing

    def add(self, article: ArticleIdentity) -> None:
        """Store an article; one of the same page is replaced."""
        with self._writing():
            self._database.execute(_ADD, vars(article))
            if article.is_elsewhere:
                query = "INSERT OR IGNORE INTO articles_elsewhere VALUES (?)"
            else:
                query = "DELETE FROM articles_elsewhere WHERE page_key = ?"
            self._database.execute(query, (article.page_key,))

    def has(self, page_key: str) -> bool:
        """Whether the page has given an article."""
        query = "SELECT 1 FROM articles WHERE page_key = ?"
        return bool(read_rows(self._database, query, (page_key,)))

    def remove(self, page_key: str) -> None:
        """Delete the article of a page, if there is one."""
        with self._writing():
            query = "DELETE FROM articles WHERE page_key = ?"
            self._database.execute(query, (page_key,))

    def with_canonical(self, article: ArticleIdentity) -> list[ArticleIdentity]:
        """Articles of other pages that have the same canonical URL, have this page as theirs, or
        are the page that it names; at most 20."""
        return self._find(_SAME_CANONICAL, article)

    def with_text(self, article: ArticleIdentity) -> list[ArticleIdentity]:
        """Articles of other pages of the host with the same text; at most 20."""
        return self._find(_SAME_TEXT, article)

    def add_url(self, page_key: str, url: str) -> None:
        """Store a URL of a page."""
        with self._writing():
            query = "INSERT OR IGNORE INTO page_urls VALUES (?, ?)"
            self._database.execute(query, (page_key, url))

    def urls(self, page_key: str) -> list[str]:
        """The URLs that were stored for a page, sorted."""
        query = "SELECT url FROM page_urls WHERE page_key = ? ORDER BY url"
        rows = read_rows(self._database, query, (page_key,))
        return [row["url"] for row in rows]

    def _find(self, query: str, article: ArticleIdentity) -> list[ArticleIdentity]:
        articles = []
        for row in read_rows(self._database, query, vars(article)):
            values = dict(row)
            values["is_elsewhere"] = bool(values["is_elsewhere"])
            articles.append(ArticleIdentity(**values))
        return articles


class FingerprintTable:
    """Fingerprints by host and digest, each stored once."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def add(self, host: str, fingerprint: core.Fingerprint) -> None:
        """Store a fingerprint; one that is stored already stays as it is."""
        query = "INSERT OR IGNORE INTO page_fingerprints VALUES (?, ?, ?)"
        values = (host, fingerprint.digest, fingerprint.to_bytes())
        self._database.execute(query, values)

    def find(self, host: str, digest: str) -> core.Fingerprint | None:
        """The fingerprint with this digest; None if no page of the host has it."""
        query = "SELECT features FROM page_fingerprints WHERE host = ? AND digest = ?"
        rows = read_rows(self._database, query, (host, digest))
        if not rows:
            return None
        return core.Fingerprint.from_bytes(rows[0]["features"])

    def get(self, host: str, digest: str) -> core.Fingerprint:
        """The fingerprint with this digest; raises ``KeyError`` if no page of the host has it."""
        fingerprint = self.find(host, digest)
        if fingerprint is None:
            raise KeyError(digest)
        return fingerprint
