"""The spool: every page that was fetched as a possible article, and its outcome.

A page is written here before anything else is done with it, as it was received.  Its row stays,
so that a resumed crawl knows which pages it has seen.  Its content is deleted when the page is
done, except for the few pages of each template that wrappers are learned from.

A page is *fetched*, then *placed* once it was read and its template is looked for, *ready* to be
released once it has one, and *done* once it has an outcome (``PageState``).  Pages that are not
done are *pending*.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from forest_scrapy.core import Fingerprint
from forest_scrapy.core.clustering.page_types import Signals
from forest_scrapy.stores.database import open_database
from forest_scrapy.stores.fingerprints import FingerprintTable
from forest_scrapy.stores.page_queries import PageQueries
from forest_scrapy.stores.run_state import mark_closed, mark_open
from forest_scrapy.stores.spool_schema import ADD_CONTENT, ADD_PAGE, OUT_OF_SAMPLE, SCHEMA
from forest_scrapy.stores.spooled_page import SpooledPage, compress

__all__ = ["Spool"]


class Spool(PageQueries):
    """The pages of one crawl, in the file ``location``; a ``temporary`` file is deleted on close.

    ``was_killed``: whether the last run that used the file did not close it.
    """

    def __init__(self, location: str, temporary: bool = False) -> None:
        self._temporary = temporary
        super().__init__(open_database(location, SCHEMA))
        self.fingerprints = FingerprintTable(self._database)
        self.was_killed = mark_open(self._database)
        self._database.execute("UPDATE pages SET state = 'placed' WHERE state = 'ready'")

    def add(self, page: SpooledPage) -> bool:
        """Write a fetched page; False, and nothing is written, if there is one with its key."""
        row = page.to_row()
        with self._database:
            self._database.execute("BEGIN")
            is_new = self._database.execute(ADD_PAGE, row).rowcount == 1
            if is_new:
                self._database.execute(ADD_CONTENT, row)
        return is_new

    def place(self, key: str, fingerprint: Fingerprint, signals: Signals | None = None) -> None:
        """Write what was read from a fetched page, which then waits for its template."""
        found = json.dumps(signals.to_dict()) if signals else None
        with self._database:
            self._database.execute("BEGIN")
            page = self.one("SELECT host FROM pages WHERE key = ?", key)
            self.fingerprints.add(page["host"], fingerprint)
            self._database.execute(
                "UPDATE pages SET state = 'placed', fingerprint = ?, signals = ?"
                " WHERE key = ? AND state = 'fetched'",
                (fingerprint.digest, found, key),
            )

    def compress(self, key: str) -> None:
        """Compress the body of a page, which may wait for long."""
        row = self.one("SELECT body FROM contents WHERE key = ? AND NOT is_compressed", key)
        if row:
            self._database.execute(
                "UPDATE contents SET body = ?, is_compressed = 1 WHERE key = ?",
                (compress(row["body"]), key),
            )

    def make_ready(self, key: str, template_key: str) -> None:
        """Assign a template to a pending page, which is then ready."""
        self._database.execute(
            "UPDATE pages SET state = 'ready', template_key = ? WHERE key = ? AND state <> 'done'",
            (template_key, key),
        )

    def make_all_ready(self, host: str, digests: Sequence[str], template_key: str) -> int:
        """Make all waiting pages with these fingerprints ready; the number of pages."""
        marks = ", ".join("?" * len(digests))
        done = self._database.execute(
            "UPDATE pages SET state = 'ready', template_key = ?"
            f" WHERE host = ? AND fingerprint IN ({marks}) AND state = 'placed'",
            (template_key, host, *digests),
        )
        return done.rowcount

    def finish(self, key: str, kind: str, detail: str, keep: int = 0) -> None:
        """Write a page's outcome.  If its template keeps pages to learn from, the ``keep``
        first ones by sample key stay; with 0, the page's own content is deleted."""
        with self._database:
            self._database.execute("BEGIN")
            self._database.execute(
                "UPDATE pages SET state = 'done', outcome = ?, outcome_detail = ?, signals = NULL"
                " WHERE key = ?",
                (kind, detail, key),
            )
            row = self.one("SELECT template_key FROM pages WHERE key = ?", key)
            may_keep = row and row["template_key"] and keep
            out = self._out_of_sample(row["template_key"], keep) if may_keep else [key]
            self._delete_contents(out)

    def close(self) -> None:
        """Close the file, and mark it as closed."""
        mark_closed(self._database)
        file = self.one("PRAGMA database_list")["file"]
        self._database.close()
        if self._temporary:
            Path(file).unlink()

    def _out_of_sample(self, template_key: str, keep: int) -> list[str]:
        rows = self._database.execute(OUT_OF_SAMPLE, {"template_key": template_key, "keep": keep})
        return [row["key"] for row in rows]

    def _delete_contents(self, keys: Sequence[str]) -> None:
        for key in keys:
            self._database.execute("DELETE FROM contents WHERE key = ?", (key,))
            self._database.execute("UPDATE pages SET has_content = 0 WHERE key = ?", (key,))
