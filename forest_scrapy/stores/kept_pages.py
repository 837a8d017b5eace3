"""Pages of templates with too few pages to learn from, for the next crawls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress

from forest_scrapy.core import Fingerprint
from forest_scrapy.stores.database import Database, Row, StoreAway, StoreFailed
from forest_scrapy.stores.spooled_page import SpooledPage, compress

__all__ = ["KEPT_PAGES_SCHEMA", "KeptPages"]

KEPT_PAGES_SCHEMA = """
CREATE TABLE IF NOT EXISTS kept_pages (
    host TEXT NOT NULL, distance TEXT NOT NULL, key TEXT NOT NULL, fetched_at TEXT NOT NULL,
    features BLOB NOT NULL, page TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (host, distance, key)
);
"""
#: Pages of a host that are kept, the latest; and the largest, in bytes.
_MOST, _LARGEST = 20, 1_000_000
_HOST = "host = ? AND distance = ?"


class KeptPages:
    """The kept pages by host, with their fingerprints."""

    def __init__(self, database: Database, distance: str) -> None:
        self._database, self._distance = database, distance

    def load(self, host: str) -> list[tuple[Fingerprint, SpooledPage]]:
        """The pages of a host, by sample key; none while a shared store is away.  Raises
        ``StoreFailed``."""
        try:
            rows = self._database.rows(
                f"SELECT features, page, body FROM kept_pages WHERE {_HOST}", (host, self._distance)
            )
        except StoreAway:
            return []
        found = [(Fingerprint.from_bytes(row["features"]), _read_page(row)) for row in rows]
        return sorted(found, key=lambda one: (one[1].sample_key, one[1].key))

    def keep(self, pages: Iterable[tuple[Fingerprint, SpooledPage]]) -> None:
        """Keep pages; those of a host beyond the latest are deleted.  If they cannot be written,
        the next crawl has fewer pages to learn from."""
        given = [one for one in pages if len(one[1].body) <= _LARGEST]

        def keep() -> None:
            for fingerprint, page in given:
                self._delete(page.host, [page.key])
                key = (page.host, self._distance, page.key, page.fetched_at)
                self._database.execute(
                    "INSERT INTO kept_pages VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (*key, fingerprint.to_bytes(), _write_page(page), compress(page.body)),
                )
            for host in sorted({page.host for _, page in given}):
                self._database.execute(
                    f"DELETE FROM kept_pages WHERE {_HOST} AND key NOT IN ("
                    f"SELECT key FROM kept_pages WHERE {_HOST}"
                    f" ORDER BY fetched_at DESC, key LIMIT {_MOST})",
                    (host, self._distance) * 2,
                )

        with suppress(StoreFailed):
            self._database.write(keep)

    def delete(self, host: str, keys: Sequence[str]) -> None:
        """Delete pages that a wrapper was learned from, if the store can be written."""
        if not keys:
            return
        with suppress(StoreFailed):
            self._database.write(lambda: self._delete(host, keys))

    def _delete(self, host: str, keys: Sequence[str]) -> None:
        for key in keys:
            self._database.execute(
                f"DELETE FROM kept_pages WHERE {_HOST} AND key = ?", (host, self._distance, key)
            )


def _write_page(page: SpooledPage) -> str:
    """The page without its body and its template, as JSON."""
    return json.dumps({**page.to_row(), "body": "", "template_key": ""})


def _read_page(row: Row) -> SpooledPage:
    body = {"body": row["body"], "is_compressed": True}
    return SpooledPage.from_row({**json.loads(row["page"]), **body})
