"""The latest articles of each source, as they were emitted, for a rolling feed.

A table of the history: an article is there as soon as the history knows it.
"""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from forest_scrapy.stores.database import Database, Row

LATEST_SCHEMA = """
CREATE TABLE IF NOT EXISTS latest (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE, source TEXT NOT NULL,
    moment INTEGER NOT NULL, updated INTEGER, article BLOB NOT NULL
);
"""
#: Articles that are kept of all sources together; some 4 KB each.
MAX_ARTICLES = 10_000
#: Articles that are added between two looks at how many there are.
_PRUNE_INTERVAL = 500
#: Level of compression: the time is a crawl's.
_LEVEL = 1

_SAVE = """
INSERT INTO latest (key, source, moment, updated, article)
VALUES (:key, :source, :moment, :updated, :article) ON CONFLICT (key)
"""
_REPLACE = """
DO UPDATE SET source = excluded.source, updated = excluded.updated, article = excluded.article
"""
_PRUNE = """
DELETE FROM latest WHERE id NOT IN (
    SELECT id FROM (
        SELECT id, ROW_NUMBER() OVER (PARTITION BY source ORDER BY moment DESC, id DESC) AS n
        FROM latest
    ) AS numbered WHERE n <= :of_source ORDER BY id DESC LIMIT :all
)
"""
_READ = """
SELECT * FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY source ORDER BY moment DESC, id DESC) AS n
    FROM latest
) AS numbered WHERE n <= ? ORDER BY moment DESC, id DESC
"""


@dataclass(frozen=True)
class LatestArticle:
    """An article of a feed.  Times are seconds since 1970, UTC.

    ``source``: the feed that listed it, or its host; ``moment``: when it was published, or else
    found, which stays when it is corrected; ``updated``: when it was corrected last; ``values``:
    fields of the item; ``replaces``: whether it takes the place of what is stored.
    """

    key: str
    source: str
    moment: int
    updated: int | None = None
    values: dict[str, Any] = field(default_factory=dict, repr=False)
    replaces: bool = True


class LatestTable:
    """The latest articles in the history's database.  ``save`` and ``remove`` are called in a
    transaction of ``write``."""

    def __init__(self, database: Database, max_of_source: int) -> None:
        """``max_of_source``: how many are kept of a source; 0: none is stored."""
        self._database = database
        self._max_of_source = max_of_source
        self._added = 0

    def save(self, article: LatestArticle) -> None:
        """Store an article."""
        if not self._max_of_source:
            return
        if article.replaces or not self._has(article.key):
            self._write(article)
        self._added += 1
        if self._added % _PRUNE_INTERVAL == 0:
            self.prune()

    def _write(self, article: LatestArticle) -> None:
        text = json.dumps(article.values).encode()
        row = {
            "key": bytes.fromhex(article.key),
            "source": article.source,
            "moment": article.moment,
            "updated": article.updated,
            "article": zlib.compress(text, _LEVEL),
        }
        on_conflict = _REPLACE if article.replaces else "DO NOTHING"
        self._database.execute(_SAVE + on_conflict, row)

    def _has(self, key: str) -> bool:
        query = "SELECT 1 FROM latest WHERE key = ?"
        return bool(self._database.rows(query, (bytes.fromhex(key),)))

    def remove(self, key: str) -> None:
        """Delete an article that does not exist any more."""
        self._database.execute("DELETE FROM latest WHERE key = ?", (bytes.fromhex(key),))

    def prune(self) -> None:
        """Delete the articles beyond those that are kept, the oldest."""
        if self._added:
            limits = {"of_source": self._max_of_source, "all": MAX_ARTICLES}
            self._database.execute(_PRUNE, limits)

    def read(self, max_of_source: int) -> Iterator[LatestArticle]:
        """The latest articles of each source, at most so many of each, the newest first.  Rows that
        cannot be read are left out."""
        for row in self._database.rows(_READ, (max_of_source,)):
            article = _read(row)
            if article is not None:
                yield article


def _read(row: Row) -> LatestArticle | None:
    try:
        values = json.loads(zlib.decompress(row["article"]))
    except (TypeError, ValueError, zlib.error):
        return None
    source = row["source"]
    moment = row["moment"]
    updated = row["updated"]
    is_article = isinstance(values, dict) and isinstance(values.get("url"), str)
    has_times = isinstance(moment, int) and isinstance(updated, int | None)
    if not is_article or not has_times or not isinstance(source, str):
        return None
    return LatestArticle(row["key"].hex(), source, moment, updated, values)
