"""The templates that a batch has found, and the pages that their wrappers are learned from."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from forest_scrapy.core import Wrapper

__all__ = ["TEMPLATES_SCHEMA", "BatchTemplates", "NotedTemplate"]

TEMPLATES_SCHEMA = """
CREATE TABLE IF NOT EXISTS templates (
    key TEXT PRIMARY KEY, host TEXT NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL,
    cut REAL NOT NULL, cut_reason TEXT NOT NULL, digests TEXT NOT NULL, sample TEXT NOT NULL,
    wrapper TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS templates_by_host ON templates (host, number);
CREATE TABLE IF NOT EXISTS samples (
    key TEXT PRIMARY KEY, head TEXT NOT NULL, body BLOB NOT NULL
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class NotedTemplate:
    """A template of a host that was found among the pages.

    ``key``: of the template in this batch; ``cut``: the distance that its host was cut at, and
    why; ``digests``: the fingerprints that it is recognised by; ``sample``: keys of the pages
    that its wrapper is learned from; ``id`` and ``wrapper``: ``""`` and None until it is learned.
    """

    key: str
    host: str
    cut: tuple[float, str]
    digests: tuple[str, ...]
    sample: tuple[str, ...]
    id: str = ""
    wrapper: Wrapper | None = None


class BatchTemplates:
    """Templates by host and key, in the database of a ``BatchStore``, which commits."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def add(self, number: int, template: NotedTemplate) -> None:
        """Write a template; ``number``: its position among those of its host."""
        one = template
        self._database.execute(
            "INSERT OR REPLACE INTO templates VALUES (?, ?, ?, '', ?, ?, ?, ?, NULL)",
            (
                *(one.key, one.host, number, *one.cut),
                *(json.dumps(one.digests), json.dumps(one.sample)),
            ),
        )

    def of_host(self, host: str) -> list[NotedTemplate]:
        """The templates of a host, in the order in which they were found."""
        rows = self._database.execute(
            "SELECT * FROM templates WHERE host = ? ORDER BY number", (host,)
        )
        return [
            NotedTemplate(
                *(row["key"], host, (row["cut"], row["cut_reason"])),
                *(tuple(json.loads(row["digests"])), tuple(json.loads(row["sample"]))),
                *(row["id"], Wrapper.loads(row["wrapper"]) if row["wrapper"] else None),
            )
            for row in rows
        ]

    def missing_samples(self) -> set[str]:
        """Keys of the pages that wrappers are learned from and that are not in ``samples``."""
        rows = self._database.execute("SELECT sample FROM templates WHERE wrapper IS NULL")
        wanted = {key for row in rows for key in json.loads(row["sample"])}
        known = self._database.execute("SELECT key FROM samples")
        return wanted - {row["key"] for row in known}

    def add_sample(self, key: str, head: Mapping[str, Any], body: bytes) -> None:
        """Copy a page to learn from; ``head``: its other values, as JSON has them."""
        self._database.execute(
            "INSERT OR REPLACE INTO samples VALUES (?, ?, ?)",
            (key, json.dumps(head), zlib.compress(body, 1)),
        )

    def sample(self, key: str) -> tuple[dict[str, Any], bytes]:
        """A page to learn from; raises ``KeyError``."""
        row = self._one("SELECT * FROM samples WHERE key = ?", key)
        if row is None:
            raise KeyError(key)
        return json.loads(row["head"]), zlib.decompress(row["body"])

    def learned(self, key: str, id: str, wrapper: Wrapper) -> None:
        """Write the wrapper of a template, and delete its sample."""
        row = self._one("SELECT sample FROM templates WHERE key = ?", key)
        self._database.execute(
            "UPDATE templates SET id = ?, wrapper = ? WHERE key = ?", (id, wrapper.dumps(), key)
        )
        for page in json.loads(row["sample"]):
            self._database.execute("DELETE FROM samples WHERE key = ?", (page,))

    def wrapper(self, key: str) -> tuple[str, Wrapper | None]:
        """The id and the wrapper of a template; ``""`` and None if it has none."""
        row = self._one("SELECT id, wrapper FROM templates WHERE key = ?", key)
        found = Wrapper.loads(row["wrapper"]) if row and row["wrapper"] else None
        return (row["id"], found) if row else ("", None)

    def _one(self, query: str, *values: Any) -> Any:
        return self._database.execute(query, values).fetchone()
