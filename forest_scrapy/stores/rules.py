"""Learned rules by host, with the fingerprints that recognise the pages of their templates, and the
pages that are kept until there are enough to learn from."""

import json
import logging
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from forest_scrapy.core import BadRules, Fingerprint, Template, TemplateRules, Wrapper
from forest_scrapy.core.codec import from_json, to_json
from forest_scrapy.core.templates.redesigns import TemplateFit
from forest_scrapy.stores.database import PATIENCE, Database, Row, StoreAway, StoreFailed
from forest_scrapy.stores.named_pages import NAMED_PAGES_SCHEMA, NamedPages
from forest_scrapy.stores.opening import open_store
from forest_scrapy.stores.spool import SpooledPage, compress

KEPT_PAGES_SCHEMA = """
CREATE TABLE IF NOT EXISTS kept_pages (
    host TEXT NOT NULL, distance TEXT NOT NULL, key TEXT NOT NULL, fetched_at TEXT NOT NULL,
    features BLOB NOT NULL, page TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (host, distance, key)
);
"""
#: Pages of a host that are kept, the latest; and the largest, in bytes.
_MOST, _LARGEST = 20, 1_000_000
_HOST = "host = ? AND distance = ?"


class KeptPages:
    """The kept pages by host, with their fingerprints."""

    def __init__(self, database: Database, distance: str) -> None:
        self._database, self._distance = database, distance

    def load(self, host: str) -> list[tuple[Fingerprint, SpooledPage]]:
        """The pages of a host, by sample key; none while a shared store is away.  Raises
        ``StoreFailed``."""
        try:
            rows = self._database.rows(
                f"SELECT features, page, body FROM kept_pages WHERE {_HOST}", (host, self._distance)
            )
        except StoreAway:
            return []
        found = []
        for row in rows:
            with suppress(*_UNREADABLE):  # the page is missing in a sample
                found.append((Fingerprint.from_bytes(row["features"]), _read_kept(row)))
        return sorted(found, key=lambda one: (one[1].sample_key, one[1].key))

    def keep(self, pages: Iterable[tuple[Fingerprint, SpooledPage]]) -> None:
        """Keep pages; those of a host beyond the latest are deleted.  If they cannot be written,
        the next crawl has fewer pages to learn from."""
        given = [one for one in pages if len(one[1].body) <= _LARGEST]

        def keep() -> None:
            for fingerprint, page in given:
                self._delete(page.host, [page.key])
                key = (page.host, self._distance, page.key, page.fetched_at)
                self._database.execute(
                    "INSERT INTO kept_pages VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (*key, fingerprint.to_bytes(), _write_kept(page), compress(page.body)),
                )
            for host in sorted({page.host for _, page in given}):
                self._database.execute(
                    f"DELETE FROM kept_pages WHERE {_HOST} AND key NOT IN ("
                    f"SELECT key FROM kept_pages WHERE {_HOST}"
                    f" ORDER BY fetched_at DESC, key LIMIT {_MOST})",
                    (host, self._distance) * 2,
                )

        self._database.write(keep, failed=lambda error: None)

    def delete(self, host: str, keys: Sequence[str]) -> None:
        """Delete pages that a wrapper was learned from, if the store can be written."""
        if not keys:
            return
        self._database.write(lambda: self._delete(host, keys), failed=lambda error: None)

    def _delete(self, host: str, keys: Sequence[str]) -> None:
        for key in keys:
            self._database.execute(
                f"DELETE FROM kept_pages WHERE {_HOST} AND key = ?", (host, self._distance, key)
            )


def _write_kept(page: SpooledPage) -> str:
    """The page without its body and its template, as JSON."""
    return json.dumps({**page.to_row(), "body": "", "template_key": ""})


def _read_kept(row: Row) -> SpooledPage:
    body = {"body": row["body"], "is_compressed": True}
    return SpooledPage.from_row({**json.loads(row["page"]), **body})


logger = logging.getLogger(__name__)

#: What reading a row raises whose values are not those that were written.
_UNREADABLE = (
    BadRules,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    zlib.error,
)

#: Host, id of the template, distance.
_Key = tuple[str, str, str]

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS template_rules (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, rules TEXT NOT NULL,
    fit TEXT NOT NULL, PRIMARY KEY (host, template, distance)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wrapper_fingerprints (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, features BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS fingerprints_by_template
    ON wrapper_fingerprints (host, template, distance);
CREATE TABLE IF NOT EXISTS rules_versions (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL,
    version INTEGER NOT NULL, rules TEXT NOT NULL, saved_at TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (host, template, distance, version)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS corrected_rules (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL,
    number INTEGER NOT NULL, rules TEXT NOT NULL, saved_at TEXT NOT NULL,
    PRIMARY KEY (host, template, distance, number)
) WITHOUT ROWID;
{KEPT_PAGES_SCHEMA}
{NAMED_PAGES_SCHEMA}
"""
_KEY = "host = ? AND template = ? AND distance = ?"
#: Corrections of a template that can be undone, the latest.
_MOST_UNDONE = 20
#: Versions of rules that are kept, the latest: a site may change its layout to and fro.
_MOST_VERSIONS = 20


@dataclass(frozen=True)
class RulesVersion:
    """The rules of a template as they were stored, from version 1 on.  ``saved_at``: ISO 8601, UTC;
    ``reason``: why they were learned."""

    version: int
    rules: TemplateRules
    saved_at: str
    reason: str

    @property
    def wrapper(self) -> Wrapper:
        """The wrapper that takes the text of the pages."""
        return self.rules.text_wrapper


class RulesStore:
    """The rules of all hosts.

    ``distance`` names the kind of the fingerprints.  Rules stored with another kind are not loaded,
    because fingerprints of different kinds cannot be compared.
    """

    def __init__(
        self, location: str, distance: str, must_exist: bool = False, seconds: float = PATIENCE
    ) -> None:
        """Open or create the store.  Raises ``BadStore``, also if it ``must_exist`` and does
        not.  ``seconds``: how long it may be away."""
        missing = "no wrappers are stored here yet; a crawl stores them"
        self.database = open_store(
            location, _SCHEMA, missing if must_exist else "", seconds=seconds
        )
        self.kept_pages = KeptPages(self.database, distance)
        self.named_pages = NamedPages(self.database, distance)
        self._distance = distance

    def hosts(self) -> dict[str, int]:
        """The hosts, sorted, with the number of their templates."""
        rows = self.database.rows(
            "SELECT host, COUNT(*) AS templates FROM template_rules WHERE distance = ? "
            "GROUP BY host ORDER BY host",
            (self._distance,),
        )
        return {str(row["host"]): int(row["templates"]) for row in rows}

    def load(self, host: str) -> list[Template]:
        """The templates of a host, by id; none while a shared store is away.  Rules that cannot be
        read (edited by hand, written by another version) are skipped with a warning that names
        them.  Raises ``StoreFailed``."""
        try:
            rows = self.database.rows(
                "SELECT template, rules, fit FROM template_rules WHERE host = ? AND distance = ? "
                "ORDER BY template",
                (host, self._distance),
            )
            found = [self._read(host, row) for row in rows]
        except StoreAway:
            logger.info("The wrappers of %s are not known, because the store is away", host)
            return []
        return [one for one in found if one]

    def save(
        self,
        host: str,
        id: str,
        rules: TemplateRules,
        fingerprints: Iterable[Fingerprint] | None = None,
        reason: str = "new template",
    ) -> int:
        """Store the rules of a template in place of the previous ones, which stay as an older
        version if they take other text; the number of the version, 0 if the store is away.
        ``fingerprints``: None leaves those that are stored.  If it cannot be written, or could not
        be read again, there is a warning, and the crawl goes on with the rules."""
        key, text = (host, id, self._distance), rules.dumps()
        try:
            rules.check()
        except BadRules as error:
            logger.warning("Wrapper %s of %s is not stored: %s", id, host, error)
            return 0
        try:
            number = self._next_version(key, rules)
        except StoreFailed:  # that it cannot be written is said below
            number = 0

        def save() -> None:
            # First the row that two writers wait for each other at.
            self.database.execute(
                "INSERT INTO template_rules VALUES (?, ?, ?, ?, '') ON CONFLICT"
                " (host, template, distance) DO UPDATE SET rules = excluded.rules",
                (*key, text),
            )
            if fingerprints is not None:
                self._save_fingerprints(key, fingerprints)
            self._save_version(key, rules, reason)
            # A crawl replaces no edited rules: what was corrected was undone, or forgotten.
            self.database.execute(f"DELETE FROM corrected_rules WHERE {_KEY}", key)

        return number if self._write(save, f"Wrapper {id} of {host} cannot be stored") else 0

    def save_edited(self, host: str, id: str, rules: TemplateRules) -> None:
        """Store edited rules, to which a crawl has added something, in place of a template's; its
        versions, those that crawls have learned, stay.  Raises ``StoreFailed``."""
        self.database.write(lambda: self._replace((host, id, self._distance), rules.dumps()))

    def save_correction(self, host: str, id: str, rules: TemplateRules) -> None:
        """Store rules that a person has edited in place of a template's, and keep those before them
        for ``undo_correction``; the versions stay.  Raises ``StoreFailed``."""
        key, text = (host, id, self._distance), rules.dumps()

        def save() -> None:
            last = self._last_correction(key)
            number = int(last["number"]) + 1 if last else 1
            self.database.execute(
                "INSERT INTO corrected_rules SELECT host, template, distance, ?, rules, ?"
                f" FROM template_rules WHERE {_KEY} AND rules <> ?",
                (number, _now(), *key, text),
            )
            self.database.execute(
                f"DELETE FROM corrected_rules WHERE {_KEY} AND number <= ?",
                (*key, number - _MOST_UNDONE),
            )
            self._replace(key, text)

        self.database.write(save)

    def undo_correction(self, host: str, id: str) -> TemplateRules | None:
        """Store the rules again that the last correction of a template has replaced, or, if they
        are not kept, those that a crawl has learned; None if the template has no correction.
        Raises ``BadRules`` if they cannot be read, and ``StoreFailed``."""
        key = (host, id, self._distance)
        last = self._last_correction(key)
        before = last or self._newest(key)
        current = self.database.rows(f"SELECT rules FROM template_rules WHERE {_KEY}", key)
        if before is None or not current or (not last and before["rules"] == current[0]["rules"]):
            return None
        rules = TemplateRules.loads(before["rules"])

        def undo() -> None:
            self._replace(key, before["rules"])
            if last:
                self.database.execute(
                    f"DELETE FROM corrected_rules WHERE {_KEY} AND number = ?",
                    (*key, last["number"]),
                )

        self.database.write(undo)
        return rules

    def _last_correction(self, key: _Key) -> Row | None:
        query = f"SELECT * FROM corrected_rules WHERE {_KEY} ORDER BY number DESC LIMIT 1"
        return next(iter(self.database.rows(query, key)), None)

    def _replace(self, key: _Key, text: str) -> None:
        self.database.execute(f"UPDATE template_rules SET rules = ? WHERE {_KEY}", (text, *key))

    def save_fit(self, host: str, id: str, fit: TemplateFit) -> None:
        """Store how a template's rules have fitted so far, if the store can be written."""
        text, key = json.dumps(to_json(fit)), (host, id, self._distance)
        query = f"UPDATE template_rules SET fit = ? WHERE {_KEY}"
        self._write(lambda: self.database.execute(query, (text, *key)))

    def versions(self, host: str, id: str) -> list[RulesVersion]:
        """The versions of a template's rules, the oldest first; those that cannot be read are left
        out."""
        rows = self.database.rows(
            f"SELECT * FROM rules_versions WHERE {_KEY} ORDER BY version",
            (host, id, self._distance),
        )
        found = []
        for row in rows:
            with suppress(*_UNREADABLE):  # of another format
                rules = TemplateRules.loads(row["rules"])
                found.append(RulesVersion(row["version"], rules, row["saved_at"], row["reason"]))
        return found

    def delete(self, host: str, id: str) -> None:
        """Delete a template's rules and their corrections; the versions stay.  Raises
        ``StoreFailed``."""

        def delete() -> None:
            for table in ("template_rules", "wrapper_fingerprints", "corrected_rules"):
                self.database.execute(
                    f"DELETE FROM {table} WHERE {_KEY}", (host, id, self._distance)
                )

        self.database.write(delete)

    def close(self, waits: bool = True) -> None:
        """Close the store.  ``waits``: see ``Database.finish``."""
        if not waits and (left := self.database.finish(waits)):
            self.database.lose(left)
        self.database.close()

    def _write(self, function: Callable[[], object], warning: str = "") -> bool:
        """Write in one transaction, now or later; False if that has failed, with the warning."""
        errors = []

        def failed(error: StoreFailed) -> None:
            errors.append(error)
            if warning:  # other writes come after one that had a warning
                logger.warning("%s: %s", warning, error)

        self.database.write(function, failed)
        return not errors

    def _save_fingerprints(self, key: _Key, fingerprints: Iterable[Fingerprint]) -> None:
        self.database.execute(f"DELETE FROM wrapper_fingerprints WHERE {_KEY}", key)
        for features in sorted({fingerprint.to_bytes() for fingerprint in fingerprints}):
            self.database.execute(
                "INSERT INTO wrapper_fingerprints VALUES (?, ?, ?, ?)", (*key, features)
            )

    def _save_version(self, key: _Key, rules: TemplateRules, reason: str) -> None:
        """Add a version, or update the newest if that takes the same text."""
        number = self._next_version(key, rules)
        self.database.execute(
            "INSERT INTO rules_versions VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT"
            " (host, template, distance, version) DO UPDATE SET rules = excluded.rules",
            (*key, number, rules.dumps(), _now(), reason),
        )
        oldest = (*key, number - _MOST_VERSIONS)
        self.database.execute(f"DELETE FROM rules_versions WHERE {_KEY} AND version <= ?", oldest)

    def _next_version(self, key: _Key, rules: TemplateRules) -> int:
        """The number of the newest version if that takes the same text; else the next one."""
        newest = self._newest(key)
        number = int(newest["version"]) if newest else 0
        is_same = newest is not None and _takes_same_text(newest["rules"], rules)
        return number if is_same else number + 1

    def _newest(self, key: _Key) -> Row | None:
        rows = self.database.rows(
            f"SELECT * FROM rules_versions WHERE {_KEY} ORDER BY version DESC LIMIT 1", key
        )
        return rows[0] if rows else None

    def _read(self, host: str, row: Row) -> Template | None:
        try:
            return self._read_template(host, row)
        except _UNREADABLE as error:
            logger.warning(
                "Stored wrapper %s of %s: %s; it is not used, and crawls learn it again",
                *(row["template"], host, error),
            )
            return None

    def _read_template(self, host: str, row: Row) -> Template:
        id, key = row["template"], (host, row["template"], self._distance)
        rules, newest = TemplateRules.loads(row["rules"]), self._newest(key)
        features = self.database.rows(
            f"SELECT features FROM wrapper_fingerprints WHERE {_KEY} ORDER BY features", key
        )
        return Template(
            f"{host} {id}",
            host,
            id,
            rules,
            tuple(Fingerprint.from_bytes(one["features"]) for one in features),
            is_stored=True,
            is_edited=newest is not None and newest["rules"] != row["rules"],
            fit=from_json(TemplateFit, json.loads(row["fit"] or "{}"), ignore_unknown=True),
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _takes_same_text(stored: str, rules: TemplateRules) -> bool:
    try:
        return TemplateRules.loads(stored).text_wrapper.id == rules.text_wrapper.id
    except _UNREADABLE:
        return False
