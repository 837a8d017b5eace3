from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from forest_scrapy.core import ForestError, Wrapper
from forest_scrapy.stores import Spool, WrapperStore
from forest_scrapy.stores.database import BadStore, open_database

from .helpers import make_fingerprint

SCHEMA = "CREATE TABLE IF NOT EXISTS things (name TEXT);"
REMEDY = "Move it away, or name another file"

Location = Callable[[Path], str]


def opened_file(location: str) -> Path:
    with closing(open_database(location, SCHEMA)) as database:
        return Path(database.execute("PRAGMA database_list").fetchone()["file"])


@pytest.mark.parametrize(
    "location",
    [
        pytest.param(lambda path: str(path), id="path"),
        pytest.param(lambda path: f"sqlite:///{path}", id="absolute URI"),
        pytest.param(lambda path: f"sqlite:///{path}".replace(" ", "%20"), id="escaped URI"),
        pytest.param(lambda path: "sqlite:///some%20folder/a.db", id="relative URI"),
        pytest.param(lambda path: "some folder/a.db", id="relative path"),
    ],
)
def test_folders_are_created(
    location: Location, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "some folder" / "a.db"
    assert opened_file(location(path)) == path
    assert path.is_file()


def test_written_rows_are_there_when_it_is_opened_again(tmp_path: Path) -> None:
    location = str(tmp_path / "a.db")
    with closing(open_database(location, SCHEMA)) as database:
        database.execute("INSERT INTO things VALUES ('net')")
    with closing(open_database(location, SCHEMA)) as database:
        assert [row["name"] for row in database.execute("SELECT name FROM things")] == ["net"]


def test_a_commit_survives_the_process_not_the_machine(tmp_path: Path) -> None:
    with closing(open_database(str(tmp_path / "a.db"), SCHEMA)) as database:
        assert database.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert database.execute("PRAGMA synchronous").fetchone()[0] == 1


@pytest.mark.parametrize("scheme", ["mysql", "postgresql", "http", "file"])
def test_an_unknown_scheme_is_refused(scheme: str) -> None:
    location = f"{scheme}://a/b.db"
    with pytest.raises(BadStore) as error:
        open_database(location, SCHEMA)
    assert str(error.value) == f"{location!r}: there is no store for {scheme!r}; use sqlite:///PATH"


def test_a_folder_is_not_a_store(tmp_path: Path) -> None:
    with pytest.raises(BadStore, match="unable to open database file") as error:
        open_database(str(tmp_path), SCHEMA)
    assert str(tmp_path) in str(error.value)
    assert str(error.value).endswith(REMEDY)


def test_a_file_that_is_not_a_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no database " * 100)
    with pytest.raises(BadStore, match="file is not a database") as error:
        open_database(str(path), SCHEMA)
    assert str(path) in str(error.value)
    assert path.read_text() == "no database " * 100


def test_a_file_instead_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("")
    with pytest.raises(BadStore, match="folder"):
        open_database(str(tmp_path / "folder" / "a.db"), SCHEMA)


def test_a_database_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE pages (number INTEGER)")
    with pytest.raises(BadStore, match="tables of another program"):
        Spool(str(path))


def test_a_spool_of_an_older_version(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    Spool(str(path)).close()
    with closing(sqlite3.connect(path)) as database:
        database.executescript("DROP TABLE pages; CREATE TABLE pages (key TEXT, outcome TEXT);")
    with pytest.raises(BadStore, match="of another program or version"):
        Spool(str(path))


def test_the_wrappers_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE wrappers (colour TEXT)")
    with pytest.raises(BadStore):
        WrapperStore(str(path), "typed").load("a.example")


def test_both_stores_in_one_file(tmp_path: Path) -> None:
    location = str(tmp_path / "a.db")
    with closing(Spool(location)), closing(WrapperStore(location, "typed")) as wrappers:
        wrappers.save("a.example", "t", Wrapper("forest"), [make_fingerprint()])
        assert len(wrappers.load("a.example")) == 1


def test_a_uri_needs_three_slashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadStore):
        open_database("sqlite://folder/a.db", SCHEMA).close()


@pytest.mark.parametrize("location", ["", "sqlite:///"])
def test_an_empty_location(location: str) -> None:
    with pytest.raises(BadStore):
        open_database(location, SCHEMA).close()


def test_a_path_that_is_not_valid() -> None:
    with pytest.raises(BadStore):
        open_database("a\0b.db", SCHEMA)


def test_a_bad_store_is_a_forest_error() -> None:
    assert issubclass(BadStore, ForestError)
