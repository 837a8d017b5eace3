"""The pages that a person has named, as articles or as none: what is said of one holds for the
pages of its template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from forest_scrapy import core
from forest_scrapy.core.page.urls import host_with_port, split_port
from forest_scrapy.stores.database import Database, Row, StoreUnavailable

NAMED_PAGES_SCHEMA = """
CREATE TABLE IF NOT EXISTS named_pages (
    host TEXT NOT NULL, distance TEXT NOT NULL, url TEXT NOT NULL, is_article INTEGER NOT NULL,
    features BLOB NOT NULL, PRIMARY KEY (host, distance, url)
) WITHOUT ROWID;
"""
_DELETE = "DELETE FROM named_pages WHERE host = ? AND distance = ? AND url = ?"
_INSERT = """
INSERT INTO named_pages (host, distance, url, is_article, features) VALUES (?, ?, ?, ?, ?)
"""


@dataclass(frozen=True)
class NamedPage:
    """A page that a person has named; ``fingerprint``: that by which others like it are found."""

    host: str
    url: str
    is_article: bool
    fingerprint: core.Fingerprint


class NamedPages:
    """The named pages in the database of the rules, by host; the URLs tell the ports.
    ``distance``: the kind of the fingerprints."""

    def __init__(self, database: Database, distance: str) -> None:
        self._database = database
        self._distance = distance

    def load(self, host: str) -> list[NamedPage]:
        """The named pages of a host and its port, by URL; none while a shared store is unavailable.
        Raises ``StoreFailed``."""
        name, _ = split_port(host)
        query = "SELECT * FROM named_pages WHERE host = ? AND distance = ? ORDER BY url"
        try:
            rows = self._database.rows(query, (name, self._distance))
        except StoreUnavailable:
            return []
        return [page for page in _read(rows) if host_with_port(page.url) == host]

    def save(self, page: NamedPage) -> None:
        """Store a named page, in place of what was said of it before.  Raises ``StoreFailed``."""
        name, _ = split_port(page.host)
        key = (name, self._distance, page.url)
        is_article = int(page.is_article)
        features = page.fingerprint.to_bytes()

        def save() -> None:
            self._database.execute(_DELETE, key)
            self._database.execute(_INSERT, (*key, is_article, features))

        self._database.write(save)

    def delete(self, host: str, urls: list[str]) -> None:
        """Forget what was said of pages.  Raises ``StoreFailed``."""

        for url in urls:
            name, _ = split_port(host)
            key = (name, self._distance, url)
            self._database.write(partial(self._database.execute, _DELETE, key))


def _read(rows: Sequence[Row]) -> Iterator[NamedPage]:
    for row in rows:
        with suppress(TypeError, ValueError):  # not as it was written
            fingerprint = core.Fingerprint.from_bytes(row["features"])
            is_article = bool(row["is_article"])
            yield NamedPage(
                host=host_with_port(row["url"]),
                url=row["url"],
                is_article=is_article,
                fingerprint=fingerprint,
            )
