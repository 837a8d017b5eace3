"""Files that are complete or not there, and written by one process at a time."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from forest_scrapy.output_files import (
    BadOutput,
    InUse,
    lock_of,
    locked,
    move_into_place,
    output_file,
    part_of,
    replacing,
)


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with locked(path):
            os.write(writing, b"x")
            os.kill(os.getpid(), 9)
    os.read(reading, 1)
    os.waitpid(child, 0)
    assert [one.name for one in tmp_path.iterdir()] == ["a.jsonl.lock"]
    with locked(path):
        with pytest.raises(InUse, match=r"a\.jsonl is being written by another process"):
            locked(path).__enter__()
        with locked(tmp_path / "b.jsonl"):
            pass
    assert list(tmp_path.iterdir()) == []
    os.close(reading)
    os.close(writing)


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for text in ("one", "two"):
        with replacing(path) as part:
            part.write(text.encode())
        assert path.read_text() == text
    with pytest.raises(ZeroDivisionError), replacing(path) as part:
        part.write(b"half")
        1 / 0  # noqa: B018
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("a.txt", "two")]


def test_a_file_of_the_user_beside_it_stays(tmp_path: Path) -> None:
    (tmp_path / "a.txt.part").write_text("mine")
    with replacing(tmp_path / "a.txt") as part:
        part.write(b"new")
    assert (tmp_path / "a.txt.part").read_text() == "mine"


def test_the_lock_of_a_folder_is_inside(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    folder.mkdir()
    with locked(folder):
        assert [one.name for one in tmp_path.iterdir()] == ["report"]
        with pytest.raises(InUse):
            locked(folder).__enter__()
    assert list(folder.iterdir()) == []


def test_names_of_outputs(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("new/file")
    assert output_file(str(tmp_path / "link")) == tmp_path / "new" / "file"
    assert (tmp_path / "new").is_dir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "text").touch()
    for name in ("new", "text/below", "loop"):
        with pytest.raises(BadOutput, match=name):
            output_file(str(tmp_path / name))


def test_a_temporary_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    """Somebody else may have made it, in a folder that all may write to."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    path = tmp_path / "a.txt"
    part_of(path).symlink_to(victim)
    with replacing(path) as part:
        part.write(b"new")
    assert (victim.read_text(), path.read_text()) == ("precious", "new")
    assert not path.is_symlink() and not part_of(path).exists()


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("x")])
def test_a_lock_that_is_no_file_is_named(tmp_path: Path, make: Callable[[Path], object]) -> None:
    path = tmp_path / "a.txt"
    make(lock_of(path))
    with pytest.raises(BadOutput, match=r"a\.txt\.lock"), locked(path):
        pass
    assert not (tmp_path / "x").exists()


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    os.mkfifo(path)
    with pytest.raises(OSError, match="a named pipe, not a file; remove it"), replacing(path):
        pass
    assert path.is_fifo() and [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_a_temporary_file_that_is_a_folder_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    part_of(path).mkdir()
    with pytest.raises(OSError, match="forest-part"), replacing(path):
        pass


def test_a_file_of_another_file_system_is_copied_as_a_whole(tmp_path: Path) -> None:
    memory, target = Path("/dev/shm"), tmp_path / "a.jsonl"
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is one file system only")
    with TemporaryDirectory(dir=memory) as folder:
        source = Path(folder, "made")
        source.write_text("all of it", encoding="utf-8")
        move_into_place(source, target)
        assert list(Path(folder).iterdir()) == []
    assert [one.read_text(encoding="utf-8") for one in tmp_path.iterdir()] == ["all of it"]
