"""How it was decided which pages are articles, when no feed said so: for ``scrapy forest why``.

A table of the history: some 150 bytes a page, of the latest ``MAX_DECISIONS`` pages.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from forest_scrapy.stores.database import Database, Row, StoreFailed

DECISIONS_SCHEMA = """
CREATE TABLE IF NOT EXISTS decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE, decided INTEGER NOT NULL,
    is_article INTEGER NOT NULL, decided_by TEXT NOT NULL, chance INTEGER, reasons TEXT NOT NULL,
    pages INTEGER NOT NULL
);
"""
#: Pages whose decision is kept, the latest.
MAX_DECISIONS = 10_000
#: Decisions that are added between two looks at how many there are.
_PRUNE_INTERVAL = 1_000

_INSERT = """
INSERT INTO decisions (key, decided, is_article, decided_by, chance, reasons, pages)
VALUES (:key, :decided, :is_article, :decided_by, :chance, :reasons, :pages)
"""
_DELETE = "DELETE FROM decisions WHERE key = :key"
_PRUNE = "DELETE FROM decisions WHERE id <= (SELECT MAX(id) FROM decisions) - ?"


@dataclass(frozen=True)
class Decision:
    """What a crawl has decided on a page.

    - ``key``: of the page; ``decided``: when, in seconds since 1970.
    - ``decided_by``: ``content`` (the classifier), ``template`` (that of the page has no articles,
      or too few of its pages are known to be some), ``person`` (who has named a page).
    - ``chance``: the probability that the page is an article; None if nothing was computed;
      ``reasons``: the signals that decided on its template, ``plain_share +2.1, url_date +0.8``.
    - ``pages``: the pages of the template that were decided on together.
    """

    key: str
    is_article: bool
    decided_by: str
    chance: float | None = None
    reasons: str = ""
    pages: int = 1
    decided: int = 0


class DecisionTable:
    """The decisions in the history's database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._added = 0

    def find(self, key: str) -> Decision | None:
        """The latest decision on a page; None if there is none.  Raises ``StoreFailed``."""
        query = "SELECT * FROM decisions WHERE key = ?"
        for row in self._database.rows(query, (bytes.fromhex(key),)):
            with suppress(TypeError, ValueError):  # not as it was written
                return _read(key, row)
        return None

    def add(self, decision: Decision, now: int) -> None:
        """Write a decision, in place of an earlier one on the page.  If it cannot be written, it is
        not known later."""
        row = _write(decision, now)

        def add() -> None:
            self._database.execute(_DELETE, {"key": row["key"]})
            self._database.execute(_INSERT, row)

        self._database.write(add, failed=_ignore)
        self._added += 1
        if self._added % _PRUNE_INTERVAL == 0:
            self._database.write(self.prune, failed=_ignore)

    def prune(self) -> None:
        """Delete all but the latest; called in a transaction."""
        self._database.execute(_PRUNE, (MAX_DECISIONS,))


def _read(key: str, row: Row) -> Decision:
    """Raises ``TypeError`` and ``ValueError``."""
    chance = row["chance"]
    return Decision(
        key=key,
        is_article=bool(row["is_article"]),
        decided_by=str(row["decided_by"]),
        chance=None if chance is None else int(chance) / 1000,
        reasons=str(row["reasons"]),
        pages=int(row["pages"]),
        decided=int(row["decided"]),
    )


def _write(decision: Decision, now: int) -> dict[str, Any]:
    chance = decision.chance
    return {
        "key": bytes.fromhex(decision.key),
        "decided": now,
        "is_article": int(decision.is_article),
        "decided_by": decision.decided_by,
        "chance": None if chance is None else round(1000 * chance),
        "reasons": decision.reasons,
        "pages": decision.pages,
    }


def _ignore(error: StoreFailed) -> None:
    """What cannot be written is not known later."""
