"""A backup has all rows of the stores, and restores them wherever they are."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.support.postgres import PostgresServer
from forest_scrapy.stores import BadStore, HistoryStore, PageVersion, RulesStore
from forest_scrapy.stores.backup import Store, open_backup, restore_backup, write_backup
from forest_scrapy.stores.database import Database, NewerStore, StoreFailed
from forest_scrapy.stores.history import HISTORY_SCHEMA
from forest_scrapy.stores.rules import RULES_SCHEMA
from forest_scrapy.stores.schemas import tables_of

from .test_schemas import HOST, NEXT_RULES, RELEASES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RELEASES / "0.1.0", tmp_path / "stores"))


class Stores:
    """The rules and the history in a folder, or on a server."""

    def __init__(self, rules: str, history: str) -> None:
        self.rules = RulesStore(rules, "typed")
        self.history = HistoryStore(history)

    @property
    def all(self) -> list[Store]:
        return [(RULES_SCHEMA, self.rules.database), (HISTORY_SCHEMA, self.history.database)]

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        rows = {}
        for schema, database in self.all:
            for table, columns in tables_of(schema.tables).items():
                rows[table] = read_table(database, table, list(columns))
        return rows

    def close(self) -> None:
        self.rules.close()
        self.history.close()


def read_table(database: Database, table: str, names: list[str]) -> list[tuple[Any, ...]]:
    rows = database.rows(f"SELECT {', '.join(names)} FROM {table}")
    values = [tuple(row[name] for name in names) for row in rows]
    return sorted(values, key=repr)


def in_folder(folder: Path) -> Stores:
    return Stores(str(folder / "rules.db"), str(folder / "history.db"))


@pytest.fixture
def stores(folder: Path) -> Iterator[Stores]:
    with closing(in_folder(folder)) as stores:
        yield stores


def test_a_restored_store_has_all_rows(stores: Stores, tmp_path: Path) -> None:
    backup = str(tmp_path / "deep/backup.db")
    counts = write_backup(backup, stores.all)
    assert (counts["template_rules"], counts["corrected_rules"], counts["pages"]) == (2, 1, 30)
    with closing(in_folder(tmp_path / "new")) as restored:
        assert restore_backup(backup, restored.all) == counts
        assert restored.rows() == stores.rows()
        assert [template.is_edited for template in restored.rules.load(HOST)].count(True) == 1
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["backup.db"]


def test_versions_of_articles_are_taken_along(stores: Stores, tmp_path: Path) -> None:
    backup = str(tmp_path / "backup.db")
    page = next(stores.history.host_pages(HOST))
    values = {"url": page.url, "title": "A title", "text": "A text"}
    version = PageVersion(page.key, 1, 2, "changed", values=values, digest=b"1")
    stores.history.save(page, version=version)
    assert write_backup(backup, stores.all)["versions"] == 1
    with closing(in_folder(tmp_path / "new")) as restored:
        restore_backup(backup, restored.all)
        assert restored.history.versions.of_page(page.key) == (version,)


def test_a_backup_replaces_an_earlier_one(stores: Stores, tmp_path: Path) -> None:
    backup = str(tmp_path / "backup.db")
    write_backup(backup, stores.all)
    stores.rules.delete(HOST, stores.rules.load(HOST)[0].id)
    assert write_backup(backup, stores.all)["template_rules"] == 1


@pytest.mark.parametrize("place", ["/proc/x", "/proc/nodir/x"])
def test_a_place_where_no_file_can_be_made_is_named(stores: Stores, place: str) -> None:
    folder = place.removesuffix("/x")
    with pytest.raises(BadStore) as raised:
        write_backup(place, stores.all)
    assert str(raised.value) == (
        f"{place} cannot be written: no file can be made in {folder}"
        " (No such file or directory); name a file in another folder"
    )


def test_stores_that_are_not_empty_are_replaced_only_if_that_is_said(
    stores: Stores, tmp_path: Path
) -> None:
    backup = str(tmp_path / "backup.db")
    write_backup(backup, stores.all)
    before = stores.rows()
    stores.rules.delete(HOST, stores.rules.load(HOST)[0].id)
    changed = stores.rows()
    with pytest.raises(BadStore, match=r"rules\.db is not empty: name --replace"):
        restore_backup(backup, stores.all)
    assert stores.rows() == changed
    restore_backup(backup, stores.all, replaces=True)
    assert stores.rows() == before


def test_a_backup_of_an_earlier_release_is_restored(stores: Stores, tmp_path: Path) -> None:
    backup = str(tmp_path / "backup.db")
    write_backup(backup, stores.all)
    path = tmp_path / "new.db"
    with closing(in_folder(tmp_path / "new")) as restored:
        database = restored.rules.database
        for statement in NEXT_RULES.migrations[-1].statements:
            database.execute(statement)
        restore_backup(backup, [(NEXT_RULES, database)])
        notes = {row["note"] for row in database.rows("SELECT note FROM template_rules")}
        assert notes == {"none"}
        write_backup(str(path), [(NEXT_RULES, database)])
        with pytest.raises(NewerStore, match=r"new\.db: .* upgrade forest-scrapy"):
            restore_backup(str(path), restored.all, replaces=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no such file; scrapy forest backup writes one"),
        (b"", "is no backup: it is empty"),
        (b"text" * 999, "is no backup: it is a text"),
        (b'{"url": "http://a.example/"}\n', "is no backup: it is JSON"),
        (b"\x1f\x8b\x08" + bytes(99), "is no backup: it is compressed by gzip"),
        (b"PK\x03\x04" + bytes(99), "is no backup: it is a zip archive"),
        (bytes(range(256)), "is no backup: it is a file of an unknown kind"),
        (b"SQLite format 3\0" + bytes(99), "is no backup, or is damaged"),
    ],
)
def test_what_is_no_backup_changes_nothing(
    stores: Stores, tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "backup.db"
    if content is not None:
        path.write_bytes(content)
    before = stores.rows()
    with pytest.raises(BadStore, match=message):
        restore_backup(str(path), stores.all, replaces=True)
    assert stores.rows() == before


def test_a_store_is_no_backup(stores: Stores, folder: Path) -> None:
    with pytest.raises(BadStore, match="is no backup: it is a store of forest-scrapy"):
        restore_backup(str(folder / "rules.db"), stores.all, replaces=True)


def test_a_database_of_another_program_is_no_backup(stores: Stores, tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE owls (name)")
    with pytest.raises(BadStore, match="is no backup: it is a database of another program"):
        restore_backup(str(path), stores.all)


def test_what_the_file_is_matters_more_than_what_the_stores_have(
    stores: Stores, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Owls")
    with pytest.raises(BadStore, match="is no backup: it is a text"):
        restore_backup(str(path), stores.all)
    with pytest.raises(BadStore, match="is a folder"):
        restore_backup(str(tmp_path), stores.all)


def test_a_damaged_backup_is_told_before_a_store_is_open(stores: Stores, tmp_path: Path) -> None:
    path = tmp_path / "backup.db"
    write_backup(str(path), stores.all)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 20_000] = bytes(20_000)
    path.write_bytes(content)
    schemas = [schema for schema, _ in stores.all]
    with pytest.raises(BadStore, match="is a backup, but damaged"), open_backup(str(path), schemas):
        pass
    path.write_bytes(content[:middle])
    with pytest.raises(BadStore, match="damaged"), open_backup(str(path), schemas):
        pass


def test_a_restore_that_fails_changes_nothing(stores: Stores, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    write_backup(str(backup), stores.all)
    with closing(sqlite3.connect(backup)) as database:
        database.execute("DROP TABLE named_pages")
        database.execute("CREATE TABLE named_pages (host, distance, url, is_article, features)")
        database.execute("INSERT INTO named_pages VALUES ('a', NULL, 'b', 1, x'00')")
        database.commit()
    before = stores.rows()
    with pytest.raises(BadStore):
        restore_backup(str(backup), stores.all, replaces=True)
    assert stores.rows() == before


@pytest.mark.slow
def test_a_backup_of_files_is_restored_on_a_server(
    postgres: PostgresServer, uri: str, stores: Stores, tmp_path: Path
) -> None:
    backup = str(tmp_path / "backup.db")
    again = str(tmp_path / "again.db")
    write_backup(backup, stores.all)
    with closing(Stores(uri, uri)) as shared:
        counts = restore_backup(backup, shared.all)
        assert shared.rows() == stores.rows()
        known = next(shared.history.host_pages(HOST))
        shared.history.save(replace(known, key="ab" * 8, host="new.example"))
        assert shared.history.count_pages("new.example") == 1
        assert write_backup(again, shared.all)["pages"] == counts["pages"] + 1


@pytest.mark.parametrize("name", ["rules.db", "history.db", "history.db-wal", "link", "other.db"])
def test_a_backup_does_not_replace_a_store(
    stores: Stores, folder: Path, tmp_path: Path, name: str
) -> None:
    (folder / "link").hardlink_to(folder / "rules.db")
    with closing(HistoryStore(str(folder / "other.db"))):
        pass
    before = stores.rows()
    with pytest.raises(BadStore, match="is a store of forest-scrapy"):
        write_backup(str(folder / name), stores.all)
    stores.close()
    with closing(in_folder(folder)) as again:
        assert again.rows() == before


def test_a_restore_that_stops_half_way_tells_which_stores_are_written(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = str(tmp_path / "backup.db")
    write_backup(backup, stores.all)

    def write(function: object, failed: object = None) -> None:
        raise StoreFailed("the disk is full")

    with closing(in_folder(tmp_path / "new")) as new:
        monkeypatch.setattr(new.history.database, "write", write)
        with pytest.raises(StoreFailed, match=r"restored is the rules in .*rules\.db"):
            restore_backup(backup, new.all)
        monkeypatch.undo()
        monkeypatch.setattr(new.rules.database, "write", write)
        with pytest.raises(StoreFailed, match="the stores are as they were"):
            restore_backup(backup, new.all, replaces=True)
        monkeypatch.undo()


def test_a_store_that_goes_away_is_not_restored(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store on a server writes later then, when the backup is not open any more."""
    backup = str(tmp_path / "backup.db")
    write_backup(backup, stores.all)
    waiting: list[object] = []

    def write(function: object, failed: object = None) -> None:
        waiting.append(function)

    def finish(waits: bool = True) -> list[object]:
        unwritten = list(waiting)
        waiting.clear()
        return unwritten

    with closing(in_folder(tmp_path / "new")) as new:
        monkeypatch.setattr(new.history.database, "write", write)
        monkeypatch.setattr(new.history.database, "unwritten", lambda: list(waiting))
        monkeypatch.setattr(new.history.database, "finish", finish)
        with pytest.raises(StoreFailed, match=r"history\.db is away"):
            restore_backup(backup, new.all)
        assert waiting == []
        monkeypatch.undo()


def test_a_server_that_goes_away_is_not_restored(
    postgres: PostgresServer, uri: str, stores: Stores, tmp_path: Path
) -> None:
    backup = str(tmp_path / "backup.db")
    write_backup(backup, stores.all)
    with closing(Stores(uri, uri)) as shared:
        postgres.stop()
        try:
            with pytest.raises(StoreFailed, match="is away; the stores are as they were"):
                restore_backup(backup, shared.all, replaces=True)
        finally:
            postgres.start()
    with closing(Stores(uri, uri)) as shared:
        assert shared.history.hosts() == {}
        assert restore_backup(backup, shared.all)["pages"] == 30
