"""The history: every URL that was requested as an article, and every feed, from crawl to crawl.

One row for each URL, some 900 bytes.  Of the latest articles the texts are kept, to show what was
changed in them; of the others there are digests, and the versions that were told, as far as there
is room for them.
"""

import logging
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from forest_scrapy.core.plurals import count
from forest_scrapy.stores.database import (
    PATIENCE,
    Database,
    Row,
    StoreFailed,
    StoreUnavailable,
    ValueRefused,
    Values,
)
from forest_scrapy.stores.decisions import DECISIONS_SCHEMA, DecisionTable
from forest_scrapy.stores.feed_claims import FeedClaims
from forest_scrapy.stores.history_rows import (
    MAX_FAILURES,
    FeedRecord,
    PageRecord,
    feed_of_row,
    page_of_row,
    row_of_page,
    text_of_row,
    write_feed,
)
from forest_scrapy.stores.latest_articles import LATEST_SCHEMA, LatestArticle, LatestTable
from forest_scrapy.stores.opening import open_store
from forest_scrapy.stores.schemas import Migration, StoreSchema
from forest_scrapy.stores.source_runs import SOURCE_RUNS_SCHEMA, SourceRunTable
from forest_scrapy.stores.versions import (
    MAX_BYTES,
    MAX_VERSIONS,
    VERSIONS_SCHEMA,
    PageVersion,
    VersionTable,
)

logger = logging.getLogger(__name__)

#: Texts that are kept, the latest; some 2 KB each.
MAX_TEXTS = 4000

#: Articles of a source that are kept for a rolling feed.
FEED_ITEMS = 50

_T = TypeVar("_T")

#: ``PageRecord.is_failing``, for the index of these pages.
_IS_FAILING = f"(outcome = '' OR pages.failures > 0) AND pages.failures < {MAX_FAILURES}"
_TABLES = f"""
CREATE TABLE IF NOT EXISTS hosts (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS pages (
    key BLOB NOT NULL UNIQUE, host INTEGER NOT NULL, url TEXT NOT NULL,
    first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, fetched INTEGER,
    status INTEGER NOT NULL, failures INTEGER NOT NULL, outcome TEXT NOT NULL,
    etag TEXT NOT NULL, last_modified TEXT NOT NULL, page_digest BLOB NOT NULL,
    entry_digest BLOB NOT NULL, text BLOB NOT NULL, published INTEGER,
    published_source TEXT NOT NULL, modified INTEGER, modified_source TEXT NOT NULL,
    feed INTEGER, entry_id TEXT NOT NULL, template TEXT NOT NULL, wrapper TEXT NOT NULL,
    method TEXT NOT NULL, fingerprint BLOB NOT NULL, fields TEXT NOT NULL DEFAULT '{{}}'
);
CREATE INDEX IF NOT EXISTS pages_by_host ON pages (host);
CREATE INDEX IF NOT EXISTS pages_by_feed ON pages (feed, published);
CREATE INDEX IF NOT EXISTS pages_to_fetch ON pages (feed)
    WHERE {_IS_FAILING.replace("pages.", "")};
CREATE TABLE IF NOT EXISTS texts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE, text BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS feeds (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, etag TEXT NOT NULL DEFAULT '',
    last_modified TEXT NOT NULL DEFAULT '', status INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0, polled INTEGER, read INTEGER, due INTEGER,
    hints TEXT NOT NULL DEFAULT '{{}}', dates BLOB NOT NULL DEFAULT x''
);
{LATEST_SCHEMA}
{SOURCE_RUNS_SCHEMA}
{DECISIONS_SCHEMA}
{VERSIONS_SCHEMA}
"""
#: Version 2: what is known of the fields of articles, and their versions.  The text stays as it is
#: when ``VERSIONS_SCHEMA`` changes: later steps start from these tables.
_VERSIONS_OF_ARTICLES = Migration(
    (
        "ALTER TABLE pages ADD COLUMN fields TEXT NOT NULL DEFAULT '{}'",
        """
CREATE TABLE IF NOT EXISTS versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL, first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL, kind TEXT NOT NULL, status INTEGER NOT NULL,
    change TEXT NOT NULL, fields TEXT NOT NULL, text_digest BLOB NOT NULL, digest BLOB NOT NULL,
    content BLOB NOT NULL, size INTEGER NOT NULL
)""",
        "CREATE INDEX IF NOT EXISTS versions_by_key ON versions (key, id)",
        "CREATE INDEX IF NOT EXISTS versions_by_age ON versions (last_seen, id, size)",
    )
)
HISTORY_SCHEMA = StoreSchema(
    name="history",
    tables=_TABLES,
    migrations=(_VERSIONS_OF_ARTICLES,),
    rescued_tables=(
        "hosts",
        "pages",
        "texts",
        "feeds",
        "latest",
        "source_runs",
        "decisions",
        "versions",
    ),
)
_SELECT = """
SELECT pages.*, hosts.name AS host_name, COALESCE(feeds.url, '') AS feed_url
FROM pages JOIN hosts ON hosts.id = pages.host LEFT JOIN feeds ON feeds.id = pages.feed
"""
#: A feed that answers 304 still lists the pages that it listed when it was read last.
_PRUNE_PAGES = """
DELETE FROM pages WHERE last_seen < :before AND NOT EXISTS (
    SELECT 1 FROM feeds
    WHERE feeds.id = pages.feed AND feeds.polled >= :before AND feeds.read <= pages.last_seen
)
"""
_PRUNE_FEEDS = """
DELETE FROM feeds WHERE COALESCE(polled, 0) < :before
    AND id NOT IN (SELECT feed FROM pages WHERE feed IS NOT NULL)
"""


class FeedTable:
    """The feeds of the history, by URL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, url: str) -> FeedRecord | None:
        """The feed with this URL; None if it was never polled, or while the store is
        unavailable."""
        for save in _unwritten(self._database):
            if save.feed and save.feed.url == url:
                return save.feed
        query = "SELECT * FROM feeds WHERE url = ?"
        rows = _rows_if_there(self._database, query, (url,))
        return next(_read_rows(rows, feed_of_row), None)

    def all(self) -> Iterator[FeedRecord]:
        """All feeds, by URL."""
        rows = self._database.rows("SELECT * FROM feeds ORDER BY url")
        return _read_rows(rows, feed_of_row)

    def save(self, feed: FeedRecord) -> None:
        """Write a feed in place of the previous record."""
        _replace_row(self._database, "feeds", "url", write_feed(feed))


@dataclass(frozen=True)
class _Save:
    """Writes pages, a feed, the text of the last page, the article for the rolling feed, and its
    version."""

    store: "HistoryStore"
    pages: tuple[PageRecord, ...]
    feed: FeedRecord | None
    text: str
    latest: LatestArticle | None = None
    version: PageVersion | None = None
    seen_again: int | None = None

    def __call__(self) -> None:
        for page in self.pages:
            self.store.save_page(page)
        if self.feed:
            self.store.feeds.save(self.feed)
        if self.text:
            self.store.save_text(self.pages[-1].key, self.text)
        if self.latest:
            self.store.latest.save(self.latest)
        if self.version:
            self._save_version(self.version)
        if self.seen_again is not None:
            page = self.pages[-1]
            is_gone = page.outcome == "gone"
            self.store.versions.touch(page.key, self.seen_again, page.text.digest, is_gone)
        for page in self.pages:
            if page.outcome == "gone":
                self.store.latest.remove(page.key)

    def _save_version(self, version: PageVersion) -> None:
        if version.kind == "unchanged":
            self.store.versions.extend(version)
        else:
            self.store.versions.save(version)


class HistoryStore:
    """The history of all hosts.  What cannot be read raises ``StoreFailed``; while the store is
    unavailable, ``find``, ``feed_pages``, ``has_failing_pages`` and ``text`` know nothing but what
    waits to be written.  Values of a row that cannot be read count as unknown."""

    def __init__(
        self,
        location: str,
        must_exist: bool = False,
        must_fit: str = "",
        seconds: float = PATIENCE,
        aside: str = "",
        feed_items: int = FEED_ITEMS,
        max_versions: int = MAX_VERSIONS,
        max_version_bytes: int = MAX_BYTES,
    ) -> None:
        """Open or create the store; see ``open_store``.  ``aside``: the file for what a crawl could
        not write to a server that was unavailable at its end, which is written now; for a store in
        a file, it is beside that.  ``feed_items``: see ``LatestTable``; ``max_versions``,
        ``max_version_bytes``: see ``VersionTable``.  Raises ``BadStore``, also if the store
        ``must_exist`` and does not."""
        missing = "there is no history here yet; a crawl writes it" if must_exist else ""
        self.database = open_store(location, HISTORY_SCHEMA, missing, must_fit, seconds)
        self.feeds = FeedTable(self.database)
        self.latest = LatestTable(self.database, feed_items)
        self.versions = VersionTable(self.database, max_versions, max_version_bytes)
        self.runs = SourceRunTable(self.database)
        self.decisions = DecisionTable(self.database)
        self._has_warned = False
        if location.startswith("postgresql"):
            self._aside = aside
            self._claims = FeedClaims("")
        else:
            self._aside = f"{self.database.name}.unwritten"
            self._claims = FeedClaims(f"{self.database.name}.feeds")
        if Path(self._aside).is_file() and self.database.can_be_written and not must_exist:
            self._recall(self._aside)

    def find(self, key: str, is_needed: bool = False) -> PageRecord | None:
        """The page with this key; None if it was never requested.  Takes some 50 microseconds.
        If it ``is_needed``, raises ``StoreUnavailable`` while the store is unavailable."""
        for save in _unwritten(self.database):
            for page in save.pages:
                if page.key == key:
                    return page
        query = f"{_SELECT} WHERE pages.key = ?"
        values = (bytes.fromhex(key),)
        if is_needed:
            rows = self.database.rows(query, values)
        else:
            rows = _rows_if_there(self.database, query, values)
        return next(_read_rows(rows, page_of_row), None)

    def host_pages(self, host: str) -> Iterator[PageRecord]:
        """The pages of a host, those first seen last first, then by URL; one in memory at a time.
        The store must not be used for anything else meanwhile."""
        query = f"{_SELECT} WHERE hosts.name = ? ORDER BY first_seen DESC, pages.url"
        rows = self.database.stream(query, (host,))
        yield from _read_rows(rows, page_of_row)

    def count_pages(self, host: str) -> int:
        """The number of the host's pages."""
        query = "SELECT COUNT(*) AS n FROM pages JOIN hosts ON hosts.id = host WHERE name = ?"
        (row,) = self.database.rows(query, (host,))
        return int(row["n"])

    def feed_pages(self, feed: str, published_since: int) -> Iterator[PageRecord]:
        """The articles that this feed has listed, published since then, by URL."""
        query = (
            f"{_SELECT} WHERE feeds.url = ? AND published >= ? AND outcome = 'article'"
            " ORDER BY pages.url"
        )
        rows = _rows_if_there(self.database, query, (feed, published_since))
        return _read_rows(rows, page_of_row)

    def pages_first_seen_since(self, feed: str, first_seen: int) -> Iterator[PageRecord]:
        """The articles that this feed has listed, known since then at most, by URL."""
        query = (
            f"{_SELECT} WHERE feeds.url = ? AND first_seen >= ? AND outcome = 'article'"
            " ORDER BY pages.url"
        )
        rows = _rows_if_there(self.database, query, (feed, first_seen))
        return _read_rows(rows, page_of_row)

    def failing_pages(self, feed: str) -> Iterator[PageRecord]:
        """The pages that this feed has listed and that are still to be fetched, by URL."""
        query = f"{_SELECT} WHERE feeds.url = ? AND {_IS_FAILING} ORDER BY pages.url"
        rows = _rows_if_there(self.database, query, (feed,))
        return _read_rows(rows, page_of_row)

    def hosts(self) -> dict[str, int]:
        """The hosts, sorted, with the number of their pages."""
        rows = self.database.rows(
            "SELECT name, COUNT(*) AS n FROM hosts JOIN pages ON pages.host = hosts.id"
            " GROUP BY name ORDER BY name"
        )
        return {str(row["name"]): int(row["n"]) for row in rows}

    def save(
        self,
        *pages: PageRecord,
        feed: FeedRecord | None = None,
        text: str = "",
        latest: LatestArticle | None = None,
        version: PageVersion | None = None,
        seen_again: int | None = None,
    ) -> None:
        """Write pages, and a feed, in place of their previous records, in one transaction; of the
        last page also the text, the article and its version, or when it was seen as it was.

        If the store cannot be written, there is a warning, the first time: a crawl does not need
        it.
        """
        save = _Save(self, pages, feed, text, latest, version, seen_again)
        self.database.write(save, failed=self._warn)

    def _warn(self, error: StoreFailed) -> None:
        if isinstance(error, ValueRefused):
            logger.warning("%s; the next crawl will request this page or feed again", error)
        elif not self._has_warned:
            self._has_warned = True
            logger.warning(
                "The history cannot be written: %s; the next crawl will not know this one", error
            )

    def forget_wrapper(self, host: str, template: str) -> None:
        """Forget what the articles of a template were extracted with, because a person has changed
        its rules: the next crawl requests those that are still listed, and compares their texts.
        Raises ``StoreFailed``."""
        is_of_template = "host = (SELECT id FROM hosts WHERE name = ?) AND template = ?"

        def forget() -> None:
            self.database.execute(
                "UPDATE pages SET wrapper = '', entry_digest = ?, etag = '', last_modified = ''"
                f" WHERE outcome = 'article' AND {is_of_template}",
                (b"", host, template),
            )
            self.database.execute(
                "UPDATE feeds SET etag = '', last_modified = ''"
                f" WHERE id IN (SELECT feed FROM pages WHERE {is_of_template})",
                (host, template),
            )

        self.database.write(forget)

    def withdraw(self, page: PageRecord, is_alone: bool) -> None:
        """Take the article of a page, and unless it ``is_alone`` those of its template, out of the
        rolling feed, because a person has said that they are none.  Raises ``StoreFailed``."""

        def remove() -> None:
            self.latest.remove(page.key)
            if page.template and not is_alone:
                self.database.execute(
                    "DELETE FROM latest WHERE key IN (SELECT key FROM pages WHERE template = ?"
                    " AND host = (SELECT id FROM hosts WHERE name = ?))",
                    (page.template, page.host),
                )

        self.database.write(remove)

    def has_failing_pages(self, feed: str) -> bool:
        """Whether the feed has listed pages that are still to be fetched."""
        is_of_feed = "feed = (SELECT id FROM feeds WHERE url = ?)"
        query = f"SELECT 1 FROM pages WHERE {is_of_feed} AND {_IS_FAILING} LIMIT 1"
        return bool(_rows_if_there(self.database, query, (feed,)))

    def text(self, key: str) -> str | None:
        """The text of an article; None if it is not kept any more."""
        query = "SELECT text FROM texts WHERE key = ?"
        rows = _rows_if_there(self.database, query, (bytes.fromhex(key),))
        return next(_read_rows(rows, text_of_row), None)

    def find_version(self, key: str) -> PageVersion | None:
        """The article of a page as it was told last; None if no version of it is kept, or while the
        store is unavailable."""
        try:
            return self.versions.latest_article(key)
        except StoreUnavailable:
            return None

    def claim_feed(self, url: str) -> bool:
        """Whether no other process has claimed this feed; it is claimed until the store is closed.
        Where files cannot be locked, and for a store on a server, always."""
        return self._claims.claim(url)

    def prune(self, before: int) -> int:
        """Delete the pages last seen before a time, except for those still in a feed, and the
        feeds last polled before it; the number of pages."""

        def prune() -> int:
            number = self.database.execute(_PRUNE_PAGES, {"before": before})
            self.database.execute(_PRUNE_FEEDS, {"before": before})
            self.runs.forget(before)
            self.database.execute("DELETE FROM decisions WHERE decided < ?", (before,))
            for table in ("texts", "latest", "versions"):
                query = f"DELETE FROM {table} WHERE key NOT IN (SELECT key FROM pages)"
                self.database.execute(query)
            return number

        return self.database.write(prune) or 0

    def compact(self) -> None:
        """Give the space of deleted rows back to the file system."""
        self.database.compact()

    def close(self, waits: bool = True) -> None:
        """Close the store; keeps the latest ``MAX_TEXTS`` texts.  What cannot be written is kept
        for the next crawl, if there is a place for it.  ``waits``: see ``Database.finish``."""
        if waits and not self.database.unwritten():  # a store that cannot be written had a warning
            self.database.write(self._shorten, failed=lambda error: None)
        unwritten = self.database.finish(waits)
        saves = [write for write in unwritten if isinstance(write, _Save)]
        if saves and not self._keep_aside(saves):
            self.database.lose(saves)
        self.database.close()
        self._claims.close()

    def _shorten(self) -> None:
        """Delete all but the latest rows of the tables that keep these only, in a transaction of
        ``write``."""
        query = "DELETE FROM texts WHERE id <= (SELECT MAX(id) FROM texts) - ?"
        self.database.execute(query, (MAX_TEXTS,))
        self.latest.prune()
        self.versions.prune()
        self.decisions.prune()

    def _keep_aside(self, saves: Sequence[_Save]) -> bool:
        """Write what could not be written to a file, for the next crawl; False if there is none."""
        if not self._aside:
            return False
        try:
            with closing(HistoryStore(self._aside)) as store:

                def save_all() -> None:
                    for save in saves:
                        replace(save, store=store)()

                store.database.write(save_all)
        except StoreFailed as error:
            logger.error("What could not be written cannot be kept either: %s", error)
            return False
        logger.warning(
            "The history cannot be written: %s in %s, for the next crawl",
            count(len(saves), "write is kept", "writes are kept"),
            self._aside,
        )
        return True

    def _recall(self, aside: str) -> None:
        """Write what the last crawl could not, unless another one has written it since then."""
        with closing(HistoryStore(aside)) as store:
            saves = []
            versions: list[PageVersion] = []
            latest = {article.key: article for article in store.latest.read(MAX_TEXTS)}
            for host in store.hosts():
                for page in list(store.host_pages(host)):
                    text = store.text(page.key) or ""
                    latest_article = latest.get(page.key)
                    save = _Save(self, (page,), None, text, latest_article)
                    saves.append(save)
                versions += store.versions.of_host(host)
            feeds = list(store.feeds.all())

        def recall() -> None:
            for save in saves:
                (page,) = save.pages
                stored_page = self.find(page.key)
                if stored_page is None or stored_page.last_seen <= page.last_seen:
                    save()
            for version in versions:
                self.versions.recall(version)
            for feed in feeds:
                stored_feed = self.feeds.find(feed.url)
                if stored_feed is None or _polled(stored_feed) <= _polled(feed):
                    self.feeds.save(feed)

        self.database.write(recall)
        if self.database.unwritten():  # the server is unavailable again: the next crawl does it
            return
        for suffix in ("", "-wal", "-shm"):
            Path(aside + suffix).unlink(missing_ok=True)
        logger.warning(
            "The history has by now what the last crawl could not write: %s",
            count(len(saves), "page"),
        )

    def save_page(self, page: PageRecord) -> None:
        """Write a page, in a transaction of ``write``."""
        host = _id_of(self.database, "hosts", "name", page.host)
        feed = _id_of(self.database, "feeds", "url", page.feed) if page.feed else None
        row = {**row_of_page(page), "host": host, "feed": feed}
        _replace_row(self.database, "pages", "key", row)

    def save_text(self, key: str, text: str) -> None:
        """Write the text of a page, in a transaction of ``write``."""
        packed_key = bytes.fromhex(key)
        packed_text = zlib.compress(text.encode("utf-8", "replace"))
        self.database.execute("DELETE FROM texts WHERE key = ?", (packed_key,))  # for a new id
        query = "INSERT INTO texts (key, text) VALUES (?, ?)"
        self.database.execute(query, (packed_key, packed_text))


def _polled(feed: FeedRecord) -> int:
    return feed.polled or 0


def _unwritten(database: Database) -> Iterator[_Save]:
    """What waits to be written, the latest first."""
    for write in reversed(database.unwritten()):
        if isinstance(write, _Save):
            yield write


def _rows_if_there(
    database: Database,
    query: str,
    values: Values,
) -> Sequence[Row]:
    """The rows of a query; none while the store is unavailable."""
    try:
        return database.rows(query, values)
    except StoreUnavailable:
        return ()


def _read_rows(
    rows: Iterable[Row],
    read_row: Callable[[Row], _T],
) -> Iterator[_T]:
    """What is read from each row; rows that cannot be read are left out, with a warning."""
    for row in rows:
        try:
            yield read_row(row)
        except (TypeError, ValueError, AttributeError, OverflowError, zlib.error) as error:
            logger.warning("A row of the history cannot be read, and is not used: %s", error)


def _replace_row(
    database: Database,
    table: str,
    key: str,
    row: Mapping[str, Any],
) -> None:
    """Write a row in place of the one with the same value of the column ``key``."""
    database.execute(_write_upsert(table, key, tuple(row)), row)


@cache
def _write_upsert(table: str, key: str, names: tuple[str, ...]) -> str:
    columns = ", ".join(names)
    values = ", ".join(f":{name}" for name in names)
    changes = ", ".join(f"{name} = :{name}" for name in names if name != key)
    return (
        f"INSERT INTO {table} ({columns}) VALUES ({values})"
        f" ON CONFLICT ({key}) DO UPDATE SET {changes}"
    )


def _id_of(
    database: Database,
    table: str,
    column: str,
    value: str,
) -> int:
    """The id of the row with this value, which is added if it is new."""
    query = f"SELECT id FROM {table} WHERE {column} = ?"
    rows = database.rows(query, (value,))
    if not rows:
        insertion = f"INSERT INTO {table} ({column}) VALUES (?) ON CONFLICT DO NOTHING"
        database.execute(insertion, (value,))
        rows = database.rows(query, (value,))
    return int(rows[0]["id"])
