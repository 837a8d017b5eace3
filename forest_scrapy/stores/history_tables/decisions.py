"""How pages were told to be articles, or not, when no feed said so: for ``scrapy forest why``.

A table of the history: some 150 bytes a page, of the latest ``MOST_DECISIONS`` pages.
"""

from contextlib import suppress
from dataclasses import dataclass

from forest_scrapy.stores.database import Database

DECISIONS_SCHEMA = """
CREATE TABLE IF NOT EXISTS decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE, decided INTEGER NOT NULL,
    is_article INTEGER NOT NULL, decided_by TEXT NOT NULL, chance INTEGER, reasons TEXT NOT NULL,
    pages INTEGER NOT NULL
);
"""
#: Pages whose decision is kept, the latest; and those that are added between two looks.
MOST_DECISIONS, _LOOK = 10_000, 1_000

_INSERT = """
INSERT INTO decisions (key, decided, is_article, decided_by, chance, reasons, pages)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_DELETE = "DELETE FROM decisions WHERE key = ?"
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
        self._database, self._added = database, 0

    def find(self, key: str) -> Decision | None:
        """The latest decision on a page; None if there is none.  Raises ``StoreFailed``."""
        rows = self._database.rows("SELECT * FROM decisions WHERE key = ?", (bytes.fromhex(key),))
        for row in rows:
            with suppress(TypeError, ValueError):  # not as it was written
                return Decision(
                    key,
                    bool(row["is_article"]),
                    str(row["decided_by"]),
                    None if row["chance"] is None else int(row["chance"]) / 1000,
                    str(row["reasons"]),
                    int(row["pages"]),
                    int(row["decided"]),
                )
        return None

    def add(self, decision: Decision, now: int) -> None:
        """Write a decision, in place of an earlier one on the page.  If it cannot be written, it is
        not known later."""
        key, chance = bytes.fromhex(decision.key), decision.chance
        values = (
            *(key, now, int(decision.is_article), decision.decided_by),
            *(None if chance is None else round(1000 * chance), decision.reasons, decision.pages),
        )

        def add() -> None:
            self._database.execute(_DELETE, (key,))
            self._database.execute(_INSERT, values)

        self._database.write(add, failed=lambda error: None)
        self._added += 1
        if self._added % _LOOK == 0:
            self._database.write(self.prune, failed=lambda error: None)

    def prune(self) -> None:
        """Delete all but the latest; called in a transaction."""
        self._database.execute(_PRUNE, (MOST_DECISIONS,))
