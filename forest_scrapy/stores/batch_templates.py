"""The templates that a batch has found, and the pages that their wrappers are learned from."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from forest_scrapy.core import RecordWrapper, Wrapper
from forest_scrapy.core.records import RecordRules

__all__ = ["TEMPLATES_SCHEMA", "BatchTemplates", "NotedTemplate"]

TEMPLATES_SCHEMA = """
CREATE TABLE IF NOT EXISTS templates (
    key TEXT PRIMARY KEY, host TEXT NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL,
    cut REAL NOT NULL, cut_reason TEXT NOT NULL, digests TEXT NOT NULL, sample TEXT NOT NULL,
    wrapper TEXT, is_of_articles INTEGER NOT NULL, records TEXT, comments TEXT
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
    that its wrapper is learned from; ``is_of_articles``: False if the pages are not articles, but
    may be of another kind.  What is learned: ``id``, ``wrapper``, the wrapper for the ``records``
    of the pages, and the rules for ``comments``; ``""`` and None until then.
    """

    key: str
    host: str
    cut: tuple[float, str]
    digests: tuple[str, ...]
    sample: tuple[str, ...]
    is_of_articles: bool = True
    id: str = ""
    wrapper: Wrapper | None = None
    records: RecordWrapper | None = None
    comments: RecordRules | None = None


class BatchTemplates:
    """Templates by host and key, in the database of a ``BatchStore``, which commits."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def add(self, number: int, template: NotedTemplate) -> None:
        """Write a template; ``number``: its position among those of its host."""
        one = template
        self._database.execute(
            "INSERT OR REPLACE INTO templates"
            " VALUES (?, ?, ?, '', ?, ?, ?, ?, NULL, ?, NULL, NULL)",
            (
                *(one.key, one.host, number, *one.cut),
                *(json.dumps(one.digests), json.dumps(one.sample), one.is_of_articles),
            ),
        )

    def of_host(self, host: str) -> list[NotedTemplate]:
        """The templates of a host, in the order in which they were found."""
        rows = self._database.execute(
            "SELECT * FROM templates WHERE host = ? ORDER BY number", (host,)
        )
        return [_read(row) for row in rows]

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

    def learned(self, template: NotedTemplate) -> None:
        """Write what was learned of a template, and delete its sample."""
        one, comments = template, template.comments
        texts = (
            one.wrapper.dumps() if one.wrapper else None,
            one.records.dumps() if one.records else None,
            RecordWrapper((comments,)).dumps() if comments else None,
        )
        self._database.execute(
            "UPDATE templates SET id = ?, wrapper = ?, records = ?, comments = ? WHERE key = ?",
            (one.id, *texts, one.key),
        )
        for page in one.sample:
            self._database.execute("DELETE FROM samples WHERE key = ?", (page,))

    def get(self, key: str) -> NotedTemplate | None:
        """A template by its key."""
        row = self._one("SELECT * FROM templates WHERE key = ?", key)
        return _read(row) if row else None

    def _one(self, query: str, *values: Any) -> Any:
        return self._database.execute(query, values).fetchone()


def _read(row: Any) -> NotedTemplate:
    comments = RecordWrapper.loads(row["comments"]).rules[0] if row["comments"] else None
    return NotedTemplate(
        *(row["key"], row["host"], (row["cut"], row["cut_reason"])),
        *(tuple(json.loads(row["digests"])), tuple(json.loads(row["sample"]))),
        *(bool(row["is_of_articles"]), row["id"]),
        Wrapper.loads(row["wrapper"]) if row["wrapper"] else None,
        RecordWrapper.loads(row["records"]) if row["records"] else None,
        comments,
    )
