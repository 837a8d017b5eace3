"""The files that pages are read from, in folders with what is no file, or cannot be read."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from forest_scrapy.batch.find_files import BadInput, find_files, open_file, show_path
from forest_scrapy.batch.inputs import read_raw_pages

posix_only = pytest.mark.skipif(os.name == "nt", reason="needs the files of POSIX")


def names(folder: Path, *paths: Path) -> dict[str, str]:
    """The files, relative to the folder, with their problems."""
    found = find_files([str(path) for path in paths or (folder,)])
    return {str(Path(one.path).relative_to(folder)): one.problem for one in found}


def write(*files: Path) -> None:
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("<p>Boats")


def test_files_of_a_folder_come_before_those_of_its_folders(tmp_path: Path) -> None:
    write(tmp_path / "b.html", tmp_path / "a" / "c.HTM", tmp_path / "a.css", tmp_path / "c.warc.gz")
    write(tmp_path / "d.wacz", tmp_path / "a" / "d.MHT", tmp_path / "e.har")
    listed = ["b.html", "c.warc.gz", "d.wacz", "e.har", "a/c.HTM", "a/d.MHT"]
    assert [*names(tmp_path)] == listed
    assert names(tmp_path / "a", tmp_path / "a" / "c.HTM") == {"c.HTM": ""}


def test_what_is_written_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "a.html", tmp_path / "out.jsonl", tmp_path / "out.jsonl.job" / "b.jsonl")
    found = find_files([str(tmp_path)], [tmp_path / "out.jsonl", tmp_path / "out.jsonl.job"])
    assert [Path(one.path).name for one in found] == ["a.html"]


@posix_only
def test_links_are_followed_and_each_folder_is_read_once(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.html", tmp_path / "other" / "b.html")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "other")
    (tmp_path / "in" / "link2").symlink_to(tmp_path / "other")
    (tmp_path / "in" / "up").symlink_to(tmp_path / "in")
    (tmp_path / "other" / "up").symlink_to(tmp_path)
    (tmp_path / "in" / "file.html").symlink_to(tmp_path / "other" / "b.html")
    assert names(tmp_path / "in") == {"a.html": "", "file.html": "", "link/b.html": ""}


@posix_only
def test_what_is_no_file_is_named_and_not_opened(tmp_path: Path) -> None:
    write(tmp_path / "a.html")
    os.mkfifo(tmp_path / "b.html")
    (tmp_path / "c.html").symlink_to("/dev/zero")
    (tmp_path / "d.html").symlink_to(tmp_path / "nowhere")
    (tmp_path / "e").symlink_to(tmp_path / "e")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "f.html"))
        found = names(tmp_path)
    assert found == {
        "a.html": "",
        "b.html": "it is a named pipe, not a file",
        "c.html": "it is a device, not a file",
        "d.html": "the link leads nowhere",
        "e": "the link leads nowhere",
        "f.html": "it is a socket, not a file",
    }
    with pytest.raises(OSError, match="named pipe"):
        open_file(str(tmp_path / "b.html"))


@posix_only
def test_paths_that_are_named_and_cannot_be_read(tmp_path: Path) -> None:
    """All are named before any work is done."""
    write(tmp_path / "a.html")
    os.mkfifo(tmp_path / "b.html")
    (tmp_path / "d.html").symlink_to(tmp_path / "nowhere")
    paths = [str(tmp_path / name) for name in ("a.html", "b.html", "d.html", "e")]
    with pytest.raises(BadInput, match="pages are read from files"):
        find_files(["https://a.example/"])
    with pytest.raises(BadInput) as error:
        find_files(paths)
    assert str(error.value) == (
        f"{tmp_path}/b.html: it is a named pipe, not a file; "
        f"{tmp_path}/d.html: there is no such file or folder; "
        f"{tmp_path}/e: there is no such file or folder"
    )
    with pytest.raises(BadInput, match="and 4 more"):
        find_files(paths[-1:] * 9)


@contextmanager
def no_rights() -> Iterator[None]:
    """In here files of others cannot be read, also in tests that root runs."""
    if os.getuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@posix_only
def test_what_may_not_be_read(tmp_path: Path) -> None:
    write(tmp_path / "a.html", tmp_path / "closed" / "b.html", tmp_path / "closed.html")
    for folder in (tmp_path, *tmp_path.parents[:3]):
        if folder.stat().st_uid == os.getuid():
            folder.chmod(folder.stat().st_mode | 0o055)
    (tmp_path / "closed").chmod(0)
    (tmp_path / "closed.html").chmod(0)
    try:
        with no_rights():
            assert names(tmp_path) == {
                "a.html": "",
                "closed.html": "",  # it is named when it is opened
                "closed": "PermissionError: Permission denied",
            }
            for name in ("closed", "closed.html"):
                with pytest.raises(BadInput, match="Permission denied"):
                    find_files([str(tmp_path / name)])
            (page,) = read_raw_pages(str(tmp_path / "closed.html"), 1000)
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert page.error.startswith("PermissionError")


@posix_only
def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.html")
    write(tmp_path / name)
    (found,) = find_files([str(tmp_path)])
    assert show_path(found.path) == f"{tmp_path}/caf\\xe9.html"
    (page,) = read_raw_pages(found.path, 1000)
    assert page.source.endswith("/caf%E9.html") and page.body == b"<p>Boats"


@pytest.mark.parametrize("name", ["a.arc", "a.ARC.gz", "a.maff", "a.webarchive"])
def test_archives_that_are_not_read_are_named(tmp_path: Path, name: str) -> None:
    """Also in folders: pages must not be missed without a word."""
    (tmp_path / name).write_bytes(b"PK\x03\x04")
    for path in (tmp_path, tmp_path / name):
        (file,) = find_files([str(path)])
        assert "files are not read" in file.problem


@pytest.mark.parametrize(
    ("name", "content", "is_page"),
    [
        ("viewtopic.php?t=1", b"\n<!-- a -->\n<!DOCTYPE html><p>Owls", True),
        ("owls", b"\xef\xbb\xbf<html lang=en><p>Owls", True),
        ("owls.php", b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'><html>", True),
        ("rss", b"<?xml version='1.0'?><rss><channel><html/></channel></rss>", False),
        ("data?x=1", b'{"html": "<html>"}', False),
        ("owls.jpg", b"<html><p>Not found", False),
        ("notes", b"The tag <html> is the first one.", False),
    ],
)
def test_files_without_a_known_ending_are_looked_at(
    tmp_path: Path, name: str, content: bytes, is_page: bool
) -> None:
    (tmp_path / name).write_bytes(content)
    found = [Path(file.path).name for file in find_files([str(tmp_path)])]
    assert found == ([name] if is_page else [])
