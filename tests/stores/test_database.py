from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from forest_scrapy.core import ForestError, TemplateRules, Wrapper
from forest_scrapy.stores import RulesStore, Spool
from forest_scrapy.stores.database import BadStore, StoreKind, open_database

from .helpers import make_fingerprint

KIND = StoreKind("CREATE TABLE IF NOT EXISTS things (name TEXT);")
REMEDY = "is the folder writable? Name another file"

Location = Callable[[Path], str]


def opened_file(location: str) -> Path:
    with closing(open_database(location, KIND)) as database:
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
    with closing(open_database(location, KIND)) as database:
        database.execute("INSERT INTO things VALUES ('net')")
    with closing(open_database(location, KIND)) as database:
        assert [row["name"] for row in database.execute("SELECT name FROM things")] == ["net"]


def test_a_commit_survives_the_process_not_the_machine(tmp_path: Path) -> None:
    with closing(open_database(str(tmp_path / "a.db"), KIND)) as database:
        assert database.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert database.execute("PRAGMA synchronous").fetchone()[0] == 1


@pytest.mark.parametrize("scheme", ["mysql", "redis", "http", "file"])
def test_an_unknown_scheme_is_refused(scheme: str) -> None:
    location = f"{scheme}://a/b.db"
    with pytest.raises(BadStore) as error:
        open_database(location, KIND)
    start = f"{location!r}: there is no store for {scheme!r}; use sqlite:///PATH, or postgresql"
    assert str(error.value).startswith(start)


def test_a_folder_is_not_a_store(tmp_path: Path) -> None:
    with pytest.raises(BadStore, match="unable to open database file") as error:
        open_database(str(tmp_path), KIND)
    assert str(tmp_path) in str(error.value)
    assert str(error.value).endswith(REMEDY)


def test_a_file_instead_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("")
    with pytest.raises(BadStore, match="folder"):
        open_database(str(tmp_path / "folder" / "a.db"), KIND)


@pytest.mark.parametrize("kind", [KIND, StoreKind(KIND.schema, is_exclusive=True)])
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        pytest.param(
            lambda path: path.write_text("no database " * 99), "damaged", id="no database"
        ),
        pytest.param(lambda path: make_other(path), "another program", id="another program"),
        pytest.param(lambda path: make_other_version(path), "another version", id="version"),
        pytest.param(lambda path: damage(path), "damaged", id="damaged"),
    ],
)
def test_an_unusable_file_is_renamed_with_a_warning(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    make: Callable[[Path], object],
    reason: str,
    kind: StoreKind,
) -> None:
    path, renamed = tmp_path / "a.db", tmp_path / "a.db.unusable-1"
    make(path)
    before = path.read_bytes()
    with closing(open_database(str(path), kind)) as database:
        database.execute("INSERT INTO things VALUES ('net')")
    assert renamed.read_bytes() == before
    (record,) = caplog.records
    assert reason in record.getMessage()
    assert str(renamed) in record.getMessage()


def test_unusable_files_do_not_replace_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    for text in ("one", "two"):
        path.write_text(text * 500)
        open_database(str(path), KIND).close()
    assert (tmp_path / "a.db.unusable-1").read_text() == "one" * 500
    assert (tmp_path / "a.db.unusable-2").read_text() == "two" * 500


def test_an_unusable_file_is_left_where_it_is_if_it_must_exist(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    make_other(path)
    with pytest.raises(BadStore, match="tables of another program"):
        RulesStore(str(path), "typed", must_exist=True)
    assert [one.name for one in tmp_path.iterdir()] == ["a.db"]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can enter (pytest's own cannot be entered)."""
    with TemporaryDirectory() as folder:
        yield Path(folder)
        Path(folder).chmod(0o755)


def test_a_store_that_cannot_be_written_is_read(open_folder: Path) -> None:
    """In a process without the rights of root."""
    path = open_folder / "a.db"
    with closing(RulesStore(str(path), "typed")) as store:
        store.save("a.example", "t", TemplateRules(Wrapper("forest")), [make_fingerprint()])
    for one in (open_folder, *open_folder.iterdir()):
        one.chmod(0o555)
    code = """
import os, sys
from forest_scrapy.core import TemplateRules, Wrapper
from forest_scrapy.stores import RulesStore
if os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
store = RulesStore(sys.argv[1], "typed")
print([one.id for one in store.load("a.example")])
store.save("a.example", "u", TemplateRules(Wrapper("forest")), [])
store.close()
"""
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=60
    )
    assert (run.returncode, run.stdout) == (0, "['t']\n"), run.stderr
    assert "can only be read" in run.stderr
    assert "Wrapper u of a.example cannot be stored" in run.stderr


def test_one_process_at_a_time(tmp_path: Path) -> None:
    location = str(tmp_path / "spool.db")
    with closing(Spool(location)), pytest.raises(BadStore, match="in use by another crawl"):
        Spool(location)
    Spool(location).close()


def make_other(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE wrappers (colour TEXT)")


def make_other_version(path: Path) -> None:
    open_database(str(path), replace(KIND, version=9)).close()


def damage(path: Path) -> None:
    with closing(open_database(str(path), KIND)) as database:
        database.execute("INSERT INTO things SELECT hex(randomblob(2000)) FROM sqlite_master")
    data = bytearray(path.read_bytes())
    data[4096:6096] = b"\xaa" * 2000
    path.write_bytes(data)


def test_a_uri_needs_three_slashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadStore):
        open_database("sqlite://folder/a.db", KIND).close()


@pytest.mark.parametrize("location", ["", "sqlite:///"])
def test_an_empty_location(location: str) -> None:
    with pytest.raises(BadStore):
        open_database(location, KIND).close()


def test_a_path_that_is_not_valid() -> None:
    with pytest.raises(BadStore):
        open_database("a\0b.db", KIND)


def test_a_bad_store_is_a_forest_error() -> None:
    assert issubclass(BadStore, ForestError)


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_what_sqlite_would_write_beside_a_file_is_no_link(tmp_path: Path, suffix: str) -> None:
    """Somebody else may have made it, in a folder that all may write to."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f"a.db{suffix}").symlink_to(victim)
    with pytest.raises(BadStore, match=f"it is a link; remove it.*a.db{suffix}"):
        open_database(str(tmp_path / "a.db"), KIND)
    assert victim.read_text() == "precious"


def test_a_temporary_database_follows_no_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("")
    (tmp_path / "a.db").symlink_to(victim)
    with closing(open_database(str(tmp_path / "a.db"), replace(KIND, is_scratch=True))) as database:
        database.execute("INSERT INTO things VALUES ('net')")
    assert victim.read_text() == "" and not (tmp_path / "a.db").is_symlink()
