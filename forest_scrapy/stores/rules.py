"""Learned wrappers by host, with the fingerprints that recognise the pages of their templates."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from forest_scrapy.core import BadRules, Fingerprint, RecordWrapper, Wrapper
from forest_scrapy.core.records import RecordRules
from forest_scrapy.core.templates.redesigns import TemplateFit
from forest_scrapy.stores.database import Database, Row, StoreAway, StoreFailed
from forest_scrapy.stores.kept_pages import KEPT_PAGES_SCHEMA, KeptPages
from forest_scrapy.stores.opening import open_store

__all__ = ["StoredWrapper", "WrapperStore", "WrapperVersion"]

#: The tables: the wrappers for threads, and the rules for the comments on articles.
RECORD_TABLES = ("record_wrappers", "comment_rules")
RECORDS_SCHEMA = "".join(
    f"""CREATE TABLE IF NOT EXISTS {table} (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, wrapper TEXT NOT NULL,
    PRIMARY KEY (host, template, distance)
) WITHOUT ROWID;
"""
    for table in RECORD_TABLES
)


class RecordTable:
    """One of ``RECORD_TABLES``; ``distance``: that of the store."""

    def __init__(self, database: Database, table: str, distance: str) -> None:
        self._database, self._table, self._distance = database, table, distance

    def save(self, host: str, template_id: str, wrapper: RecordWrapper | None) -> None:
        """Store the rules for a template, or delete them (None), if the store can be written."""
        key = (host, template_id, self._distance)

        def save() -> None:
            if wrapper is None:
                self._database.execute(f"DELETE FROM {self._table} WHERE {_KEY}", key)
                return
            self._database.execute(
                f"INSERT INTO {self._table} VALUES (?, ?, ?, ?) ON CONFLICT"
                " (host, template, distance) DO UPDATE SET wrapper = excluded.wrapper",
                (*key, wrapper.dumps()),
            )

        with suppress(StoreFailed):  # the wrapper of the template had a warning
            self._database.write(save)

    def load(self, host: str, template_id: str) -> RecordWrapper | None:
        """The rules for a template; None if there are none.  Raises ``BadRules``."""
        rows = self._database.rows(
            f"SELECT wrapper FROM {self._table} WHERE {_KEY}", (host, template_id, self._distance)
        )
        return RecordWrapper.loads(rows[0]["wrapper"]) if rows else None


VERSIONS_SCHEMA = """
CREATE TABLE IF NOT EXISTS wrapper_versions (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL,
    version INTEGER NOT NULL, wrapper TEXT NOT NULL, saved_at TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (host, template, distance, version)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class WrapperVersion:
    """A wrapper as it was stored, from version 1 on.  ``saved_at``: ISO 8601, UTC; ``reason``: why
    it was learned."""

    version: int
    wrapper: Wrapper
    saved_at: str
    reason: str


class VersionTable:
    """The versions of each template's wrapper."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, key: _Key, wrapper: Wrapper, reason: str) -> int:
        """Add a version, or update the newest if that has the same rules; its number."""
        newest = self._newest(key)
        number = int(newest["version"]) if newest else 0
        if newest is not None and _same_rules(newest["wrapper"], wrapper):
            self._database.execute(
                f"UPDATE wrapper_versions SET wrapper = ? WHERE {_KEY} AND version = ?",
                (wrapper.dumps(), *key, number),
            )
            return number
        saved_at = datetime.now(UTC).isoformat(timespec="seconds")
        self._database.execute(
            "INSERT INTO wrapper_versions VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*key, number + 1, wrapper.dumps(), saved_at, reason),
        )
        return number + 1

    def all(self, key: _Key) -> list[WrapperVersion]:
        """The versions that can be read, the oldest first."""
        rows = self._database.rows(
            f"SELECT * FROM wrapper_versions WHERE {_KEY} ORDER BY version", key
        )
        found = []
        for row in rows:
            with suppress(BadRules):  # of another format
                wrapper = Wrapper.loads(row["wrapper"])
                found.append(
                    WrapperVersion(row["version"], wrapper, row["saved_at"], row["reason"])
                )
        return found

    def newest_text(self, key: _Key) -> str | None:
        """The newest version as a crawl has stored it; None if there is none."""
        newest = self._newest(key)
        return None if newest is None else str(newest["wrapper"])

    def _newest(self, key: _Key) -> Row | None:
        rows = self._database.rows(
            f"SELECT * FROM wrapper_versions WHERE {_KEY} ORDER BY version DESC LIMIT 1", key
        )
        return rows[0] if rows else None


def _same_rules(stored: str, wrapper: Wrapper) -> bool:
    try:
        return Wrapper.loads(stored).id == wrapper.id
    except BadRules:
        return False


logger = logging.getLogger(__name__)

#: Host, id of the template, distance.
_Key = tuple[str, str, str]

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS wrappers (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, wrapper TEXT NOT NULL,
    PRIMARY KEY (host, template, distance)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wrapper_fingerprints (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, features BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS fingerprints_by_template
    ON wrapper_fingerprints (host, template, distance);
CREATE TABLE IF NOT EXISTS wrapper_fits (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, fit TEXT NOT NULL,
    PRIMARY KEY (host, template, distance)
) WITHOUT ROWID;
{RECORDS_SCHEMA}
{VERSIONS_SCHEMA}
{KEPT_PAGES_SCHEMA}
"""
#: The tables that have rows of a template.
_TABLES = ("wrappers", "wrapper_fingerprints", "wrapper_fits", *RECORD_TABLES)
_KEY = "host = ? AND template = ? AND distance = ?"


@dataclass(frozen=True)
class StoredWrapper:
    """A wrapper, the id of its template, and fingerprints of pages of that template.

    ``fit``: how it has fitted so far; ``is_edited``: whether a person has changed it since a crawl
    has stored it.  ``records``: the wrapper for the posts, if the template is one of threads.
    ``comments``: the rules for the comments on articles; None if none were learned.
    """

    template_id: str
    wrapper: Wrapper
    fingerprints: tuple[Fingerprint, ...]
    fit: TemplateFit = field(default_factory=TemplateFit)
    is_edited: bool = False
    records: RecordWrapper | None = None
    comments: RecordRules | None = None


class WrapperStore:
    """The wrappers of all hosts; ``records`` and ``comments``: what ``RecordTable`` has of them.

    ``distance`` names the kind of the fingerprints.  Wrappers stored with another kind are not
    loaded, because fingerprints of different kinds cannot be compared.
    """

    def __init__(self, location: str, distance: str, must_exist: bool = False) -> None:
        """Open or create the store.  Raises ``BadStore``, also if it ``must_exist`` and does
        not."""
        missing = "no wrappers are stored here yet; a crawl stores them"
        self.database = open_store(location, _SCHEMA, missing if must_exist else "")
        self._versions = VersionTable(self.database)
        self.kept_pages = KeptPages(self.database, distance)
        self.records, self.comments = (
            RecordTable(self.database, table, distance) for table in RECORD_TABLES
        )
        self._distance = distance

    def hosts(self) -> dict[str, int]:
        """The hosts, sorted, with the number of their wrappers."""
        rows = self.database.rows(
            "SELECT host, COUNT(*) AS wrappers FROM wrappers WHERE distance = ? "
            "GROUP BY host ORDER BY host",
            (self._distance,),
        )
        return {str(row["host"]): int(row["wrappers"]) for row in rows}

    def load(self, host: str) -> list[StoredWrapper]:
        """The wrappers of a host, by template id; none while a shared store is away.  A wrapper
        that cannot be read (edited by hand, written by another version) is skipped with a warning
        that names it.  Raises ``StoreFailed``."""
        try:
            rows = self.database.rows(
                "SELECT template, wrapper FROM wrappers WHERE host = ? AND distance = ? "
                "ORDER BY template",
                (host, self._distance),
            )
            found = [self._read(host, row["template"], row["wrapper"]) for row in rows]
        except StoreAway:
            logger.info("The wrappers of %s are not known, because the store is away", host)
            return []
        return [one for one in found if one]

    def save(
        self,
        host: str,
        template_id: str,
        wrapper: Wrapper,
        fingerprints: Iterable[Fingerprint],
        reason: str = "new template",
    ) -> int:
        """Store a template's wrapper in place of the previous one, which stays as an older
        version if its rules are others; the number of the version, 0 if the store is away.  If it
        cannot be written, there is a warning, and the crawl goes on with the wrapper."""
        key, text = (host, template_id, self._distance), wrapper.dumps()
        features = sorted({fingerprint.to_bytes() for fingerprint in fingerprints})

        def save() -> int:
            # First the row that two writers wait for each other at.
            self._replace("wrappers", key, text)
            self.database.execute(f"DELETE FROM wrapper_fingerprints WHERE {_KEY}", key)
            for one in features:
                self.database.execute(
                    "INSERT INTO wrapper_fingerprints VALUES (?, ?, ?, ?)", (*key, one)
                )
            return self._versions.add(key, wrapper, reason)

        try:
            return self.database.write(save) or 0
        except StoreFailed as error:
            logger.warning("Wrapper %s of %s cannot be stored: %s", template_id, host, error)
            return 0

    def save_edited(self, host: str, template_id: str, wrapper: Wrapper) -> None:
        """Store a wrapper that a person has edited in place of a template's; its versions, those
        that crawls have learned, stay.  Raises ``StoreFailed``."""
        self.database.execute(
            f"UPDATE wrappers SET wrapper = ? WHERE {_KEY}",
            (wrapper.dumps(), host, template_id, self._distance),
        )

    def save_fit(self, host: str, template_id: str, fit: TemplateFit) -> None:
        """Store how a template's wrapper has fitted so far, if the store can be written."""
        key, text = (host, template_id, self._distance), json.dumps(fit.to_dict())
        with suppress(StoreFailed):  # the wrapper had a warning
            self.database.write(lambda: self._replace("wrapper_fits", key, text))

    def versions(self, host: str, template_id: str) -> list[WrapperVersion]:
        """The versions of a template's wrapper, the oldest first; those that cannot be read are
        left out."""
        return self._versions.all((host, template_id, self._distance))

    def delete(self, host: str, template_id: str) -> None:
        """Delete a template's wrapper; its versions stay.  Raises ``StoreFailed``."""

        def delete() -> None:
            for table in _TABLES:
                self.database.execute(
                    f"DELETE FROM {table} WHERE {_KEY}", (host, template_id, self._distance)
                )

        self.database.write(delete)

    def close(self) -> None:
        self.database.close()

    def _replace(self, table: str, key: _Key, text: str) -> None:
        """Write the one row of a template, whose last column has the table's content."""
        column = "fit" if table == "wrapper_fits" else "wrapper"
        self.database.execute(
            f"INSERT INTO {table} VALUES (?, ?, ?, ?) ON CONFLICT (host, template, distance)"
            f" DO UPDATE SET {column} = excluded.{column}",
            (*key, text),
        )

    def _read(self, host: str, template_id: str, text: str) -> StoredWrapper | None:
        key = (host, template_id, self._distance)
        try:
            wrapper = Wrapper.loads(text)
            posts = self.records.load(host, template_id)
            comments = self.comments.load(host, template_id)
        except BadRules as error:
            logger.warning("Stored wrapper %s of %s: %s", template_id, host, error)
            return None
        is_edited = self._versions.newest_text(key) not in (None, text)
        if is_edited and posts:
            logger.warning(
                "Wrapper %s of %s is one of threads: that it was edited has no effect; the rules"
                " for posts are in the table record_wrappers",
                *(template_id, host),
            )
        rows = self.database.rows(
            f"SELECT features FROM wrapper_fingerprints WHERE {_KEY} ORDER BY features", key
        )
        fingerprints = tuple(Fingerprint.from_bytes(row["features"]) for row in rows)
        fits = self.database.rows(f"SELECT fit FROM wrapper_fits WHERE {_KEY}", key)
        fit = TemplateFit.from_dict(json.loads(fits[0]["fit"])) if fits else TemplateFit()
        rules = comments.rules[0] if comments and comments.rules else None
        return StoredWrapper(template_id, wrapper, fingerprints, fit, is_edited, posts, rules)
