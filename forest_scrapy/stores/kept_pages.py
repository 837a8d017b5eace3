"""The pages of hosts whose templates have too few of them yet: they are kept in the database of the
rules until there are enough to learn from."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress

from forest_scrapy import core
from forest_scrapy.core import BadRules
from forest_scrapy.core.page.urls import host_with_port, split_port
from forest_scrapy.stores.database import Database, Row, StoreFailed, StoreUnavailable
from forest_scrapy.stores.spool import SpooledPage, compress

KEPT_PAGES_SCHEMA = """
CREATE TABLE IF NOT EXISTS kept_pages (
    host TEXT NOT NULL, distance TEXT NOT NULL, key TEXT NOT NULL, fetched_at TEXT NOT NULL,
    features BLOB NOT NULL, page TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (host, distance, key)
);
"""
#: What reading a row raises whose values are not those that were written.
UNREADABLE = (
    BadRules,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    zlib.error,
)
#: Pages of a host that are kept, the latest.
_MAX_PAGES = 20
#: Bytes of a page that is kept.
_MAX_BYTES = 1_000_000

_OF_HOST = "host = ? AND distance = ?"
_LOAD = "SELECT features, page, body FROM kept_pages WHERE host IN (?, ?) AND distance = ?"
_INSERT = """
INSERT INTO kept_pages (host, distance, key, fetched_at, features, page, body)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_DELETE = "DELETE FROM kept_pages WHERE host IN (?, ?) AND distance = ? AND key = ?"
_DELETE_OLD = f"""
DELETE FROM kept_pages WHERE {_OF_HOST} AND key NOT IN (
    SELECT key FROM kept_pages WHERE {_OF_HOST} ORDER BY fetched_at DESC, key LIMIT {_MAX_PAGES}
)
"""


class KeptPages:
    """The kept pages by host and port, with their fingerprints.  ``distance``: the kind of these.

    Pages that were stored when ports were not are those of the host alone.
    """

    def __init__(self, database: Database, distance: str) -> None:
        self._database = database
        self._distance = distance

    def load(self, host: str) -> list[tuple[core.Fingerprint, SpooledPage]]:
        """The pages of a host, by sample key; none while a shared store is unavailable.  Raises
        ``StoreFailed``."""
        try:
            name, _ = split_port(host)
            rows = self._database.rows(_LOAD, (host, name, self._distance))
        except StoreUnavailable:
            return []
        pages = []
        for row in rows:
            with suppress(*UNREADABLE):  # the page is missing in a sample
                fingerprint = core.Fingerprint.from_bytes(row["features"])
                page = _read_page(row)
                if host_with_port(page.url) == host:
                    pages.append((fingerprint, page))
        return sorted(pages, key=lambda pair: (pair[1].sample_key, pair[1].key))

    def keep(self, pages: Iterable[tuple[core.Fingerprint, SpooledPage]]) -> None:
        """Keep pages; those of a host beyond the latest are deleted.  If they cannot be written,
        the next crawl has fewer pages to learn from."""
        small_pages = []
        hosts = set()
        for fingerprint, page in pages:
            if len(page.body) <= _MAX_BYTES:
                small_pages.append((fingerprint, page))
                hosts.add(page.host)

        def keep() -> None:
            for fingerprint, page in small_pages:
                self._insert(fingerprint, page)
            for host in sorted(hosts):
                self._database.execute(_DELETE_OLD, (host, self._distance) * 2)

        self._database.write(keep, failed=_ignore)

    def delete(self, host: str, keys: Sequence[str]) -> None:
        """Delete pages that a wrapper was learned from, if the store can be written."""
        if not keys:
            return

        def delete() -> None:
            for key in keys:
                self._delete(host, key)

        self._database.write(delete, failed=_ignore)

    def _insert(self, fingerprint: core.Fingerprint, page: SpooledPage) -> None:
        self._delete(page.host, page.key)
        values = (
            page.host,
            self._distance,
            page.key,
            page.fetched_at,
            fingerprint.to_bytes(),
            _write_page(page),
            compress(page.body),
        )
        self._database.execute(_INSERT, values)

    def _delete(self, host: str, key: str) -> None:
        name, _ = split_port(host)
        self._database.execute(_DELETE, (host, name, self._distance, key))


def _write_page(page: SpooledPage) -> str:
    """The page without its body and its template, as JSON."""
    return json.dumps({**page.to_row(), "body": "", "template_key": ""})


def _read_page(row: Row) -> SpooledPage:
    values = json.loads(row["page"])
    values["body"] = row["body"]
    values["is_compressed"] = True
    return SpooledPage.from_row(values)


def _ignore(error: StoreFailed) -> None:
    """What cannot be kept is missing in a sample."""
