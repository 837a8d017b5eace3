"""Stores of earlier releases are opened with all that is in them."""

from __future__ import annotations

import json
import logging
import runpy
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.support.postgres import PostgresServer
from forest_scrapy.archive.page_archive import ARCHIVE_SCHEMA
from forest_scrapy.core import TemplateRules, Wrapper
from forest_scrapy.stores import BadStore, HistoryStore, RulesStore, history, versions
from forest_scrapy.stores.database import NewerStore, lasting_kind, open_database
from forest_scrapy.stores.history import HISTORY_SCHEMA
from forest_scrapy.stores.opening import open_store
from forest_scrapy.stores.rules import RULES_SCHEMA
from forest_scrapy.stores.schemas import Migration, StoreSchema, read_tables, tables_of

from .helpers import make_fingerprint

RELEASES = Path(__file__).with_name("releases")
#: The tables of each version of each store, as they were released.
RECORDED = json.loads((RELEASES / "tables.json").read_text(encoding="utf-8"))
SCHEMAS = (RULES_SCHEMA, HISTORY_SCHEMA, ARCHIVE_SCHEMA)
HOST = "127.0.0.1"

NOTES = Migration(("ALTER TABLE template_rules ADD COLUMN note TEXT NOT NULL DEFAULT 'none'",))
NEXT_RULES = replace(
    RULES_SCHEMA,
    tables=RULES_SCHEMA.tables.replace(
        "fit TEXT NOT NULL, port INTEGER, PRIMARY KEY",
        "fit TEXT NOT NULL, port INTEGER, note TEXT NOT NULL DEFAULT 'none', PRIMARY KEY",
    ),
    migrations=(*RULES_SCHEMA.migrations, NOTES),
)


def describe(schema: StoreSchema) -> dict[str, Any]:
    tables = tables_of(schema.tables)
    return {
        table: {name: asdict(column) for name, column in columns.items()}
        for table, columns in tables.items()
    }


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.name)
def test_a_table_changes_with_a_migration_only(schema: StoreSchema) -> None:
    """Whoever changes a table adds a migration, and the tables of the new version here."""
    versions = RECORDED[schema.name]
    assert len(versions) == schema.version
    assert versions[-1] == describe(schema)


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.name)
def test_migrations_lead_from_each_version_to_the_newest(
    schema: StoreSchema, tmp_path: Path
) -> None:
    for number, tables in enumerate(RECORDED[schema.name], start=1):
        path = tmp_path / f"{number}.db"
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA application_id = 0x66727374")
            database.execute(f"PRAGMA user_version = {number}")
            for table, columns in tables.items():
                declared = [column["name"] + " " + column["type"] for column in columns.values()]
                database.execute(f"CREATE TABLE {table} ({', '.join(declared)})")
        with closing(open_database(str(path), lasting_kind(schema), must_fit="no")) as database:
            names = {table: columns.keys() for table, columns in read_tables(database).items()}
        newest = tables_of(schema.tables)
        assert names == {table: columns.keys() for table, columns in newest.items()}


@pytest.fixture(params=sorted(path.name for path in RELEASES.iterdir() if path.is_dir()))
def release(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the stores that a release has written: a crawl of the demo, one correction by hand,
    a page that a person has named, and what was decided on a page."""
    return Path(shutil.copytree(RELEASES / request.param, tmp_path / "stores"))


def test_rules_of_earlier_releases_are_used(
    release: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(RulesStore(str(release / "rules.db"), "typed", must_exist=True)) as store:
        templates = store.load(HOST)
        assert [template.is_edited for template in templates].count(True) == 1
        (edited,) = (template for template in templates if template.is_edited)
        assert edited.rules is not None
        assert edited.rules.wrapper.keep == ("//article",)
        assert len(store.versions(HOST, edited.id)) == 1
        (named,) = store.named_pages.load(HOST)
        assert not named.is_article
        undone = store.undo_correction(HOST, edited.id)
        assert undone is not None
        assert undone.wrapper.keep != ("//article",)
    assert caplog.text == ""


def test_a_history_of_earlier_releases_is_used(
    release: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(HistoryStore(str(release / "history.db"), must_exist=True)) as store:
        pages = list(store.host_pages(HOST))
        assert len(pages) == 30
        assert all(page.outcome == "article" for page in pages)
        (feed,) = store.feeds.all()
        assert feed.polled
        decisions = [store.decisions.find(page.key) for page in pages]
        assert [decision.decided_by for decision in decisions if decision] == ["person"]
        assert sum(store.text(page.key) is not None for page in pages) == 4
    assert caplog.text == ""


def test_a_migration_keeps_everything(release: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = release / "rules.db"
    before = read_all(path)
    with caplog.at_level(logging.INFO):
        open_store(str(path), NEXT_RULES, must_fit="no").close()
    after = read_all(path)
    for row in after["template_rules"]:
        assert row.pop("note") == "none"
        assert row.pop("port") is None
    assert after == before
    assert read_all(Path(f"{path}.version-1")) == before
    assert "its tables are changed from version 1 to 3; a copy of it as it was" in caplog.text
    caplog.clear()
    open_store(str(path), NEXT_RULES, must_fit="no").close()
    assert caplog.text == ""


def test_a_migration_that_fails_changes_nothing(release: Path) -> None:
    path = release / "rules.db"
    before = read_all(path)
    failing = Migration((*NOTES.statements, "INSERT INTO no_table VALUES (1)"))
    with pytest.raises(BadStore, match=r"no such table: no_table.* it is as it was"):
        open_store(str(path), replace(NEXT_RULES, migrations=(failing,)), must_fit="no")
    assert read_all(path) == before
    assert read_version(path) < 2
    with closing(RulesStore(str(path), "typed")) as store:
        assert len(store.load(HOST)) == 2


@pytest.mark.parametrize(
    ("store", "name"),
    [
        (lambda path: RulesStore(path, "typed"), "rules.db"),
        (lambda path: HistoryStore(path, must_fit="name another one"), "history.db"),
    ],
)
def test_a_store_of_a_newer_release_is_left_as_it_is(
    release: Path, store: Callable[[str], Any], name: str
) -> None:
    path = release / name
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 9")
    before = path.read_bytes()
    with pytest.raises(NewerStore, match=r"its tables have version 9, .*: upgrade forest-scrapy"):
        store(str(path))
    assert path.read_bytes() == before
    assert [file.name for file in release.iterdir() if name in file.name] == [name]


@pytest.mark.parametrize("declared", ["mine TEXT", "mine INTEGER NOT NULL DEFAULT 7"])
def test_a_column_more_is_no_obstacle(release: Path, declared: str) -> None:
    """Such as one that a later release has added without need."""
    path = release / "rules.db"
    tables = ("template_rules", "wrapper_fingerprints", "rules_versions", "corrected_rules")
    with closing(sqlite3.connect(path)) as database:
        for table in (*tables, "kept_pages", "named_pages"):
            database.execute(f"ALTER TABLE {table} ADD COLUMN {declared}")
    with closing(RulesStore(str(path), "typed", must_exist=True)) as store:
        templates = store.load(HOST)
        assert len(templates) == 2
        rules = TemplateRules(Wrapper("forest", ("//p",)))
        assert store.save("a.example", "t", rules, [make_fingerprint()])
        store.save_correction(HOST, templates[0].id, rules)
    assert not list(release.glob("*.unusable*"))


def test_a_column_that_is_missing_is_added(release: Path) -> None:
    path = release / "history.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("ALTER TABLE feeds DROP COLUMN due")
    with closing(HistoryStore(str(path), must_fit="no")) as store:
        (feed,) = store.feeds.all()
        assert (feed.due, bool(feed.polled)) == (None, True)
        assert store.count_pages(HOST) == 30
    assert (release / "history.db.version-1").exists()


def test_what_a_person_has_said_is_taken_over_from_a_damaged_file(
    release: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Only the table of fingerprints is damaged here, and all else is still known."""
    path = release / "rules.db"
    with closing(sqlite3.connect(path)) as database:
        (page_size,) = database.execute("PRAGMA page_size").fetchone()
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'wrapper_fingerprints'"
        (number,) = database.execute(query).fetchone()
    data = bytearray(path.read_bytes())
    data[(number - 1) * page_size : number * page_size] = b"\xff" * page_size
    path.write_bytes(data)
    with closing(RulesStore(str(path), "typed")) as store:
        templates = store.load(HOST)
        assert [template.is_edited for template in templates].count(True) == 1
        assert len(store.named_pages.load(HOST)) == 1
    assert "rules.db.unusable-1" in caplog.text
    assert "taken over" in caplog.text
    assert "1 of corrected_rules, 1 of named_pages" in caplog.text


def test_nothing_is_taken_over_from_another_program(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "rules.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE named_pages (host, distance, url, is_article, features)")
        database.execute("INSERT INTO named_pages VALUES ('a', 'typed', 'b', 1, x'00')")
        database.commit()
    with closing(RulesStore(str(path), "typed")) as store:
        assert store.database.rows("SELECT * FROM named_pages") == []
    assert "taken over" not in caplog.text


def test_a_store_on_a_server_is_changed_in_one_transaction(
    postgres: PostgresServer, uri: str
) -> None:
    rules = TemplateRules(Wrapper("forest", ("//p",)))
    with closing(RulesStore(uri, "typed")) as store:
        store.save(HOST, "t", rules, [make_fingerprint()])
        # As before versions.
        store.database.execute("DELETE FROM forest.store_versions")
        store.database.execute("ALTER TABLE forest.template_rules DROP COLUMN port")
    failing = Migration((*NOTES.statements, "INSERT INTO no_table VALUES (1)"))
    with pytest.raises(BadStore, match="no_table"):
        open_store(uri, replace(NEXT_RULES, migrations=(failing,)))
    with closing(RulesStore(uri, "typed")) as store:
        assert len(store.load(HOST)) == 1
    with closing(open_store(uri, NEXT_RULES)) as database:
        (row,) = database.rows("SELECT note FROM template_rules")
        assert row["note"] == "none"
        with pytest.raises(NewerStore, match="its tables have version 3"):
            RulesStore(uri, "typed")
        HistoryStore(uri).close()  # another store in the same database
        database.execute("DROP SCHEMA forest CASCADE")


def read_version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as database:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        return int(version)


def read_all(path: Path) -> dict[str, list[dict[str, Any]]]:
    """All rows by table."""
    rows = {}
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        for table in read_tables(database):
            rows[table] = [dict(row) for row in database.execute(f"SELECT * FROM {table}")]
    return rows


def test_a_step_between_versions_stays_as_it_was_when_a_table_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A step to version 3 will add the column to the tables of version 2."""
    monkeypatch.setattr(
        versions,
        "VERSIONS_SCHEMA",
        versions.VERSIONS_SCHEMA.replace(
            "size INTEGER NOT NULL", "size INTEGER NOT NULL, new TEXT"
        ),
    )
    later = runpy.run_path(str(history.__file__), run_name="later_history")["HISTORY_SCHEMA"]
    assert "new TEXT" in later.tables
    assert later.migrations[0] == HISTORY_SCHEMA.migrations[0]
