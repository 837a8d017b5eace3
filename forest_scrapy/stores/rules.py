"""Learned rules by host, with the fingerprints that recognise the pages of their templates; their
versions, and the corrections that can be undone."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from forest_scrapy import core
from forest_scrapy.core import BadRules
from forest_scrapy.core.codec import from_json, to_json
from forest_scrapy.core.page.urls import join_port, split_port
from forest_scrapy.stores.database import PATIENCE, Row, StoreFailed, StoreUnavailable
from forest_scrapy.stores.kept_pages import KEPT_PAGES_SCHEMA, UNREADABLE, KeptPages
from forest_scrapy.stores.named_pages import NAMED_PAGES_SCHEMA, NamedPages
from forest_scrapy.stores.opening import open_store
from forest_scrapy.stores.schemas import Migration, StoreSchema

logger = logging.getLogger(__name__)

#: Host without its port, id of the template, distance.
_Key = tuple[str, str, str]

_TABLES = f"""
CREATE TABLE IF NOT EXISTS template_rules (
    host TEXT NOT NULL, template TEXT NOT NULL, distance TEXT NOT NULL, rules TEXT NOT NULL,
    fit TEXT NOT NULL, port INTEGER, PRIMARY KEY (host, template, distance)
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
#: Rules that were stored before have no port: they are used for any.
_PORTS = Migration(("ALTER TABLE template_rules ADD COLUMN port INTEGER",))
RULES_SCHEMA = StoreSchema(
    name="rules",
    tables=_TABLES,
    migrations=(_PORTS,),
    rescued_tables=(
        "template_rules",
        "wrapper_fingerprints",
        "rules_versions",
        "corrected_rules",
        "named_pages",
    ),
)
_KEY = "host = ? AND template = ? AND distance = ?"
_SAVE_RULES = """
INSERT INTO template_rules (host, template, distance, rules, fit, port)
VALUES (?, ?, ?, ?, '', ?)
ON CONFLICT (host, template, distance) DO UPDATE SET rules = excluded.rules
"""
_KEEP_CORRECTED = f"""
INSERT INTO corrected_rules (host, template, distance, number, rules, saved_at)
SELECT host, template, distance, ?, rules, ? FROM template_rules WHERE {_KEY} AND rules <> ?
"""
_SAVE_FINGERPRINT = """
INSERT INTO wrapper_fingerprints (host, template, distance, features) VALUES (?, ?, ?, ?)
"""
_SAVE_VERSION = """
INSERT INTO rules_versions (host, template, distance, version, rules, saved_at, reason)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (host, template, distance, version) DO UPDATE SET rules = excluded.rules
"""
#: The port of rules for the default port of the scheme.
_DEFAULT_PORT = 0
#: Corrections of a template that can be undone, the latest.
_MAX_CORRECTIONS = 20
#: Versions of rules that are kept, the latest: a site may change its layout to and fro.
_MAX_VERSIONS = 20


@dataclass(frozen=True)
class RulesVersion:
    """The rules of a template as they were stored, from version 1 on.  ``saved_at``: ISO 8601, UTC;
    ``reason``: why they were learned."""

    version: int
    rules: core.TemplateRules
    saved_at: str
    reason: str

    @property
    def wrapper(self) -> core.Wrapper:
        """The wrapper that takes the text of the pages."""
        return self.rules.text_wrapper


class RulesStore:
    """The rules of all hosts.

    A host may have a port, see ``host_with_port``: rules are stored with it, and sites on two ports
    of one host have none in common.  The ids of templates are those of a host, whatever the port.
    ``distance`` names the kind of the fingerprints.  Rules stored with another kind are not loaded,
    because fingerprints of different kinds cannot be compared.
    """

    def __init__(
        self,
        location: str,
        distance: str,
        must_exist: bool = False,
        seconds: float = PATIENCE,
    ) -> None:
        """Open or create the store.  Raises ``BadStore``, also if it ``must_exist`` and does
        not.  ``seconds``: how long it may be unavailable."""
        missing = "no wrappers are stored here yet; a crawl stores them" if must_exist else ""
        self.database = open_store(location, RULES_SCHEMA, missing, seconds=seconds)
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

    def kept_pages_for(self, kinds: Iterable[str]) -> KeptPages:
        """The kept pages of crawls for these kinds, see ``kinds_apart``."""
        if not kinds:
            return self.kept_pages
        return KeptPages(self.database, f"{self._distance} {' '.join(kinds)}")

    def load(self, host: str) -> list[core.Template]:
        """The templates for the pages of a host, by id: those of its port, and those stored when
        ports were not; none while a shared store is unavailable.  Rules that cannot be read (edited
        by hand, written by another version) are skipped with a warning that names them.  Raises
        ``StoreFailed``."""
        name, host_port = split_port(host)
        port = host_port or _DEFAULT_PORT
        templates = []
        try:
            for row in self._rows_of(name):
                if row["port"] in (None, port):
                    templates.append(self._read(host, row))
        except StoreUnavailable:
            logger.info("The wrappers of %s are not known, because the store is away", host)
            return []
        return [template for template in templates if template]

    def load_named(self, host: str) -> list[core.Template]:
        """As ``load``, for a host that a person has named: without a port, the templates of all its
        ports, each with its own."""
        name, port = split_port(host)
        if port is not None:
            return self.load(host)
        templates = []
        for row in self._rows_of(name):
            row_host = join_port(name, row["port"])
            templates.append(self._read(row_host, row))
        return [template for template in templates if template]

    def _rows_of(self, name: str) -> Sequence[Row]:
        """The rows of a host's templates, whatever their ports."""
        query = (
            "SELECT template, rules, fit, port FROM template_rules"
            " WHERE host = ? AND distance = ? ORDER BY template"
        )
        return self.database.rows(query, (name, self._distance))

    def save(
        self,
        host: str,
        id: str,
        rules: core.TemplateRules,
        fingerprints: Iterable[core.Fingerprint] | None = None,
        reason: str = "new template",
    ) -> int:
        """Store the rules of a template in place of the previous ones, which stay as an older
        version if they take other text; the number of the version, 0 if the store is unavailable.
        ``fingerprints``: None leaves those that are stored.  If it cannot be written, or could not
        be read again, there is a warning, and the crawl goes on with the rules."""
        key = self._key(host, id)
        text = rules.dumps()
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
            self._insert(host, key, text)
            if fingerprints is not None:
                self._save_fingerprints(key, fingerprints)
            self._save_version(key, rules, reason)
            # A crawl replaces no edited rules: what was corrected was undone, or forgotten.
            self.database.execute(f"DELETE FROM corrected_rules WHERE {_KEY}", key)

        is_saved = self._write(save, f"Wrapper {id} of {host} cannot be stored")
        return number if is_saved else 0

    def save_edited(
        self,
        host: str,
        id: str,
        rules: core.TemplateRules,
    ) -> None:
        """Store edited rules, to which a crawl has added something, in place of a template's; its
        versions, those that crawls have learned, stay.  Raises ``StoreFailed``."""
        key = self._key(host, id)
        text = rules.dumps()
        self.database.write(lambda: self._replace(key, text))

    def save_correction(
        self,
        host: str,
        id: str,
        rules: core.TemplateRules,
    ) -> None:
        """Store rules that a person has edited in place of a template's, and keep those before them
        for ``undo_correction``; the versions stay.  Raises ``StoreFailed``."""
        key = self._key(host, id)
        text = rules.dumps()

        self.database.write(lambda: self._correct(key, text))

    def save_imported(
        self,
        host: str,
        id: str,
        learned: core.TemplateRules,
        imported: core.TemplateRules,
        fingerprints: Iterable[core.Fingerprint],
    ) -> None:
        """Store rules that come from elsewhere as the correction of those that were learned on the
        same pages, with ``undo_correction`` and versions as of any template: both, or none of them.
        Raises ``StoreFailed``."""
        key = self._key(host, id)

        def save() -> None:
            self._insert(host, key, learned.dumps())
            self._save_fingerprints(key, fingerprints)
            self._save_version(key, learned, "learned on an import")
            self._correct(key, imported.dumps())

        self.database.write(save)

    def undo_correction(self, host: str, id: str) -> core.TemplateRules | None:
        """Store the rules again that the last correction of a template has replaced, or, if they
        are not kept, those that a crawl has learned; None if the template has no correction.
        Raises ``BadRules`` if they cannot be read, and ``StoreFailed``."""
        key = self._key(host, id)
        query = f"SELECT rules FROM template_rules WHERE {_KEY}"
        current = self._first_row(query, key)
        last = self._last_correction(key)
        previous = last or self._newest_version(key)
        if previous is None or current is None:
            return None
        text = previous["rules"]
        if last is None and text == current["rules"]:
            return None
        rules = core.TemplateRules.loads(text)

        def undo() -> None:
            self._replace(key, text)
            if last is not None:
                query = f"DELETE FROM corrected_rules WHERE {_KEY} AND number = ?"
                self.database.execute(query, (*key, last["number"]))

        self.database.write(undo)
        return rules

    def _insert(self, host: str, key: _Key, text: str) -> None:
        """Write the row of a template: the first one, at which two writers wait for each other."""
        _, port = split_port(host)
        self.database.execute(
            _SAVE_RULES,
            (*key, text, port or _DEFAULT_PORT),
        )

    def _correct(self, key: _Key, text: str) -> None:
        """Put edited rules in place of a template's, and keep those before them."""
        last = self._last_correction(key)
        number = int(last["number"]) + 1 if last else 1
        self.database.execute(
            _KEEP_CORRECTED,
            (number, _now(), *key, text),
        )
        oldest = number - _MAX_CORRECTIONS
        query = f"DELETE FROM corrected_rules WHERE {_KEY} AND number <= ?"
        self.database.execute(query, (*key, oldest))
        self._replace(key, text)

    def _last_correction(self, key: _Key) -> Row | None:
        query = f"SELECT * FROM corrected_rules WHERE {_KEY} ORDER BY number DESC LIMIT 1"
        return self._first_row(query, key)

    def _first_row(self, query: str, key: _Key) -> Row | None:
        rows = self.database.rows(query, key)
        return rows[0] if rows else None

    def _replace(self, key: _Key, text: str) -> None:
        query = f"UPDATE template_rules SET rules = ? WHERE {_KEY}"
        self.database.execute(query, (text, *key))

    def save_fit(
        self,
        host: str,
        id: str,
        fit: core.TemplateFit,
    ) -> None:
        """Store how a template's rules have fitted so far, if the store can be written."""
        key = self._key(host, id)
        text = json.dumps(to_json(fit))
        query = f"UPDATE template_rules SET fit = ? WHERE {_KEY}"
        self._write(lambda: self.database.execute(query, (text, *key)))

    def versions(self, host: str, id: str) -> list[RulesVersion]:
        """The versions of a template's rules, the oldest first; those that cannot be read are left
        out."""
        query = f"SELECT * FROM rules_versions WHERE {_KEY} ORDER BY version"
        versions = []
        for row in self.database.rows(query, self._key(host, id)):
            with suppress(*UNREADABLE):  # of another format
                version = RulesVersion(
                    version=row["version"],
                    rules=core.TemplateRules.loads(row["rules"]),
                    saved_at=row["saved_at"],
                    reason=row["reason"],
                )
                versions.append(version)
        return versions

    def delete(self, host: str, id: str) -> None:
        """Delete a template's rules and their corrections; the versions stay.  Raises
        ``StoreFailed``."""

        key = self._key(host, id)

        def delete() -> None:
            for table in ("template_rules", "wrapper_fingerprints", "corrected_rules"):
                self.database.execute(f"DELETE FROM {table} WHERE {_KEY}", key)

        self.database.write(delete)

    def close(self, waits: bool = True) -> None:
        """Close the store.  ``waits``: see ``Database.finish``."""
        if not waits:
            unwritten = self.database.finish(waits)
            if unwritten:
                self.database.lose(unwritten)
        self.database.close()

    def _key(self, host: str, id: str) -> _Key:
        name, _ = split_port(host)
        return name, id, self._distance

    def _write(self, function: Callable[[], object], warning: str = "") -> bool:
        """Write in one transaction, now or later; False if that has failed, with the warning."""
        errors = []

        def failed(error: StoreFailed) -> None:
            errors.append(error)
            if warning:  # other writes come after one that had a warning
                logger.warning("%s: %s", warning, error)

        self.database.write(function, failed)
        return not errors

    def _save_fingerprints(self, key: _Key, fingerprints: Iterable[core.Fingerprint]) -> None:
        self.database.execute(f"DELETE FROM wrapper_fingerprints WHERE {_KEY}", key)
        unique_features = {fingerprint.to_bytes() for fingerprint in fingerprints}
        for features in sorted(unique_features):
            self.database.execute(_SAVE_FINGERPRINT, (*key, features))

    def _save_version(
        self,
        key: _Key,
        rules: core.TemplateRules,
        reason: str,
    ) -> None:
        """Add a version, or update the newest if that takes the same text."""
        number = self._next_version(key, rules)
        self.database.execute(
            _SAVE_VERSION,
            (*key, number, rules.dumps(), _now(), reason),
        )
        oldest = number - _MAX_VERSIONS
        query = f"DELETE FROM rules_versions WHERE {_KEY} AND version <= ?"
        self.database.execute(query, (*key, oldest))

    def _next_version(self, key: _Key, rules: core.TemplateRules) -> int:
        """The number of the newest version if that takes the same text; else the next one."""
        newest = self._newest_version(key)
        if newest is None:
            return 1
        number = int(newest["version"])
        if _takes_same_text(newest["rules"], rules):
            return number
        return number + 1

    def _newest_version(self, key: _Key) -> Row | None:
        query = f"SELECT * FROM rules_versions WHERE {_KEY} ORDER BY version DESC LIMIT 1"
        return self._first_row(query, key)

    def _read(self, host: str, row: Row) -> core.Template | None:
        try:
            return self._read_template(host, row)
        except UNREADABLE as error:
            logger.warning(
                "Stored wrapper %s of %s: %s; it is not used, and crawls learn it again",
                row["template"],
                host,
                error,
            )
            return None

    def _read_template(self, host: str, row: Row) -> core.Template:
        id = row["template"]
        key = self._key(host, id)
        rules = core.TemplateRules.loads(row["rules"])
        newest = self._newest_version(key)
        fit = json.loads(row["fit"] or "{}")
        return core.Template(
            key=f"{host} {id}",
            host=host,
            id=id,
            rules=rules,
            fingerprints=self._read_fingerprints(key),
            is_stored=True,
            may_be_articles=not rules.are_of_others,
            is_edited=newest is not None and newest["rules"] != row["rules"],
            fit=from_json(core.TemplateFit, fit, ignore_unknown=True),
        )

    def _read_fingerprints(self, key: _Key) -> tuple[core.Fingerprint, ...]:
        query = f"SELECT features FROM wrapper_fingerprints WHERE {_KEY} ORDER BY features"
        rows = self.database.rows(query, key)
        return tuple(core.Fingerprint.from_bytes(row["features"]) for row in rows)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _takes_same_text(stored: str, rules: core.TemplateRules) -> bool:
    try:
        return core.TemplateRules.loads(stored).text_wrapper.id == rules.text_wrapper.id
    except UNREADABLE:
        return False
