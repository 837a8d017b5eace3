"""``scrapy forest backup`` and ``restore``."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from crawls.helpers import Project
from sqlalchemy import create_engine, text

from benchmarks.support.postgres import PostgresServer
from forest_scrapy.stores import HistoryStore, PageRecord
from forest_scrapy.stores.backup import write_backup

from .conftest import Run


def settings_of(folder: Path) -> dict[str, str]:
    return {
        "FOREST_STORE": str(folder / "wrappers.db"),
        "FOREST_HISTORY": str(folder / "history.db"),
    }


def test_what_was_backed_up_is_restored_in_another_place(
    run: Run, project: Project, tmp_path: Path
) -> None:
    backup = tmp_path / "backup.db"
    old = settings_of(project.folder / ".scrapy/forest")
    new = settings_of(tmp_path)
    done = run("backup", str(backup), **old)
    assert (done.status, done.err) == (0, "")
    assert "wrappers: 2, corrections: 0, named pages: 0, pages in the history: 30" in done.out
    restored = run("restore", str(backup), **new)
    assert (restored.status, restored.err) == (0, "")
    assert restored.out.partition(": ")[2] == done.out.partition(": ")[2]
    assert run("show", **new).out == run("show", **old).out
    again = run("restore", str(backup), **new)
    assert again.status == 1
    assert "wrappers.db is not empty: name --replace" in again.err
    assert run("restore", str(backup), "--replace", **new).status == 0


def test_what_is_no_backup_is_refused(run: Run, tmp_path: Path) -> None:
    new = settings_of(tmp_path)
    done = run("restore", str(tmp_path / "missing.db"), **new)
    assert done.status == 1
    assert "there is no such file; scrapy forest backup writes one" in done.err
    assert list(tmp_path.iterdir()) == []
    folder = run("backup", str(tmp_path), **new)
    assert folder.status == 1
    assert "is a folder; name a file in it" in folder.err


@pytest.mark.parametrize("damage", ["text", "cut", "rows"])
def test_a_bad_backup_leaves_no_stores(
    run: Run, project: Project, tmp_path: Path, damage: str
) -> None:
    backup = tmp_path / "backup.db"
    run("backup", str(backup), **settings_of(project.folder / ".scrapy/forest"))
    if damage == "text":
        backup.write_text("Owls")
    elif damage == "cut":
        backup.write_bytes(backup.read_bytes()[:50_000])
    else:
        with closing(sqlite3.connect(backup)) as database:
            database.execute("DROP TABLE named_pages")
            database.execute("CREATE TABLE named_pages (host, distance, url, is_article, features)")
            database.execute("INSERT INTO named_pages VALUES ('a', NULL, 'b', 1, x'00')")
            database.commit()
    new = tmp_path / "new"
    done = run("restore", str(backup), **settings_of(new))
    assert done.status == 1
    assert str(backup) in done.err
    assert not new.exists() or list(new.iterdir()) == []


def test_a_backup_in_a_new_folder_says_that_it_was_made(
    run: Run, project: Project, tmp_path: Path
) -> None:
    backup = tmp_path / "deep/er/backup.db"
    done = run("backup", str(backup), **settings_of(project.folder / ".scrapy/forest"))
    assert (done.status, done.err) == (0, "")
    assert f"the folder {backup.parent} was made" in done.out
    assert backup.is_file()


def test_a_backup_does_not_take_the_place_of_the_history(
    run: Run, project: Project, tmp_path: Path
) -> None:
    history = project.folder / ".scrapy/forest/history.db"
    done = run("backup", str(history), **settings_of(history.parent))
    assert done.status == 1
    assert "is a store of forest-scrapy" in done.err


def make_newer(folder: Path, *names: str) -> None:
    for name in names:
        with closing(sqlite3.connect(folder / name)) as database:
            database.execute("PRAGMA user_version = 99")


def test_after_an_upgrade_the_older_version_restores_its_backup(
    run: Run, project: Project, tmp_path: Path
) -> None:
    backup = tmp_path / "before-upgrade.forest"
    run("backup", str(backup), **settings_of(project.folder / ".scrapy/forest"))
    stores = settings_of(tmp_path / "stores")
    run("restore", str(backup), **stores)
    shown = run("show", **stores).out
    make_newer(tmp_path / "stores", "wrappers.db", "history.db")
    refused = run("restore", str(backup), **stores)
    assert refused.status == 1
    assert "newer version" in refused.err
    restored = run("restore", str(backup), "--replace", **stores)
    assert (restored.status, restored.err) == (0, "")
    assert "pages in the history: 30" in restored.out
    assert f"it is now named {tmp_path / 'stores' / 'history.db.version-99'}" in restored.out
    assert run("show", **stores).out == shown
    with closing(sqlite3.connect(tmp_path / "stores/history.db.version-99")) as database:
        assert database.execute("SELECT COUNT(*) FROM pages").fetchone() == (30,)


def test_a_newer_store_keeps_its_name_if_nothing_is_restored(
    run: Run, project: Project, tmp_path: Path
) -> None:
    backup = tmp_path / "backup.db"
    run("backup", str(backup), **settings_of(project.folder / ".scrapy/forest"))
    folder = tmp_path / "stores"
    stores = settings_of(folder)
    run("restore", str(backup), **stores)
    make_newer(folder, "wrappers.db")
    (folder / "history.db").unlink()
    (folder / "history.db").mkdir()
    failed = run("restore", str(backup), "--replace", **stores)
    assert failed.status == 1
    assert sorted(path.name for path in folder.iterdir()) == ["history.db", "wrappers.db"]


def test_without_stores_nothing_is_backed_up_and_none_are_made(run: Run, tmp_path: Path) -> None:
    done = run("backup", str(tmp_path / "backup.db"), **settings_of(tmp_path / "stores"))
    assert done.status == 1
    assert "there is nothing to back up" in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_is_not_there_is_not_made(run: Run, project: Project, tmp_path: Path) -> None:
    stores = settings_of(project.folder / ".scrapy/forest")
    stores["FOREST_HISTORY"] = str(tmp_path / "none/history.db")
    done = run("backup", str(tmp_path / "backup.db"), **stores)
    assert done.status == 0
    assert "wrappers: 2, corrections: 0, named pages: 0, pages in the history: 0" in done.out
    assert not (tmp_path / "none").exists()


def test_a_store_that_a_crawl_makes_meanwhile_stays(
    run: Run, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = tmp_path / "history.db"
    stores = settings_of(project.folder / ".scrapy/forest") | {"FOREST_HISTORY": str(history)}

    def write_beside_crawl(*arguments: Any) -> dict[str, int]:
        with closing(HistoryStore(str(history))) as store:
            store.save(PageRecord("aa", "a.example", "http://a.example/", 1, 1))
        return write_backup(*arguments)

    monkeypatch.setattr("forest_scrapy.commands.backup.write_backup", write_beside_crawl)
    done = run("backup", str(tmp_path / "backup.db"), **stores)
    assert (done.status, done.err) == (0, "")
    with closing(HistoryStore(str(history))) as store:
        assert store.hosts() == {"a.example": 1}


def test_a_backup_does_not_take_the_place_of_a_store_to_come(
    run: Run, project: Project, tmp_path: Path
) -> None:
    path = str(tmp_path / "history.db")
    stores = settings_of(project.folder / ".scrapy/forest") | {"FOREST_HISTORY": path}
    done = run("backup", path, **stores)
    assert done.status == 1
    assert "is where crawls write a store" in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_newer_schema_on_a_server_is_set_aside(
    run: Run, project: Project, tmp_path: Path, postgres: PostgresServer
) -> None:
    backup = str(tmp_path / "backup.db")
    run("backup", backup, **settings_of(project.folder / ".scrapy/forest"))
    shared = {"FOREST_STORE": postgres.uri, "FOREST_HISTORY": postgres.uri}
    assert run("restore", backup, **shared).status == 0
    make_schema_newer(postgres.uri)
    try:
        refused = run("restore", backup, **shared)
        assert refused.status == 1
        assert "newer version" in refused.err

        failed = run("restore", backup, "--replace", **shared | {"FOREST_HISTORY": str(tmp_path)})
        assert failed.status == 1
        assert "newer version" in run("show", **shared).err  # it has its name again

        restored = run("restore", backup, "--replace", **shared)
        assert (restored.status, restored.err) == (0, "")
        assert "pages in the history: 30" in restored.out
        assert "the schema forest was written by a newer version" in restored.out
        assert "it is now named forest_version_99" in restored.out
        assert run("show", **shared).status == 0
    finally:
        make_schema_newer(postgres.uri, "DROP SCHEMA IF EXISTS forest, forest_version_99 CASCADE")


def make_schema_newer(
    uri: str, statement: str = "UPDATE forest.store_versions SET version = 99"
) -> None:
    engine = create_engine(uri.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()
