"""What the latest crawls have found of each source, to tell what is unusual.

A table of the history: some 200 bytes for a crawl of a source, the latest ``MAX_RUNS`` of each and
its first one.
"""

import json
from collections.abc import Sequence

from forest_scrapy.core import BadRules
from forest_scrapy.core.codec import from_json, to_json
from forest_scrapy.core.health.troubles import MAX_RUNS, SourceRun
from forest_scrapy.stores.database import Database

SOURCE_RUNS_SCHEMA = """
CREATE TABLE IF NOT EXISTS source_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL, ended INTEGER NOT NULL,
    run TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS source_runs_by_source ON source_runs (source, id);
"""
_INSERT = "INSERT INTO source_runs (source, ended, run) VALUES (?, ?, ?)"
_PRUNE = """
DELETE FROM source_runs WHERE source = :source AND id NOT IN (
    SELECT id FROM source_runs WHERE source = :source ORDER BY id DESC LIMIT :max_runs
) AND id > (SELECT MIN(id) FROM source_runs WHERE source = :source)
"""
_FIRST = "SELECT MIN(ended) AS first FROM source_runs WHERE source = ?"
_READ = "SELECT run FROM source_runs WHERE source = ? ORDER BY id DESC LIMIT ?"


class SourceRunTable:
    """The crawls of each source in the history's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, source: str) -> list[SourceRun]:
        """The latest crawls of a source, the last one first; rows that cannot be read are left
        out.  Raises ``StoreFailed``."""
        runs = []
        for row in self._database.rows(_READ, (source, MAX_RUNS)):
            try:
                values = json.loads(row["run"])
                runs.append(from_json(SourceRun, values, ignore_unknown=True))
            except (BadRules, TypeError, ValueError):
                continue  # written by another version
        return runs

    def first(self, source: str) -> int | None:
        """When the first known crawl of a source ended, in seconds since 1970; None if there was
        none.  Raises ``StoreFailed``."""
        (row,) = self._database.rows(_FIRST, (source,))
        if row["first"] is None:
            return None
        return int(row["first"])

    def add(self, runs: Sequence[SourceRun], ended: int) -> None:
        """Write one crawl of some sources, which ended then, in seconds since 1970; the oldest
        crawls of these are deleted.  Raises ``StoreFailed``."""

        def add() -> None:
            for run in runs:
                text = json.dumps(to_json(run))
                self._database.execute(_INSERT, (run.source, ended, text))
                limits = {"source": run.source, "max_runs": MAX_RUNS}
                self._database.execute(_PRUNE, limits)

        self._database.write(add)

    def forget(self, before: int) -> None:
        """Delete what ended before a time; called in a transaction."""
        self._database.execute("DELETE FROM source_runs WHERE ended < ?", (before,))
