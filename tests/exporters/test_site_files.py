"""Files of which only some are open."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from forest_scrapy.exporters.by_site import site_file_name
from forest_scrapy.exporters.site_files import MAX_NAME, OpenFiles, site_file


def count_open() -> int:
    """The number of open files of this process."""
    return len(list(Path("/dev/fd").iterdir()))


def test_many_files_are_written_in_turn_with_two_open(tmp_path: Path) -> None:
    files = OpenFiles(2)
    streams = [files.open(tmp_path / str(number), is_new=True) for number in range(9)]
    for line in (b"one\n", b"two\n"):
        for stream in streams:
            stream.write(line)
            stream.flush()
    before = count_open()
    for stream in streams:
        stream.close()
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {b"one\ntwo\n"}
    assert before - count_open() == 2


@pytest.mark.parametrize(("is_new", "content"), [(True, b"new"), (False, b"oldnew")])
def test_a_file_is_emptied_only_when_it_is_opened_first(
    tmp_path: Path, is_new: bool, content: bytes
) -> None:
    files = OpenFiles(1)
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with closing(files.open(path, is_new)) as stream:
        assert stream.tell() == (0 if is_new else 3)
        stream.write(b"n")
        stream.flush()
        with closing(files.open(tmp_path / "b", is_new=True)) as other:
            other.write(b"b")
        stream.write(b"ew")
    assert path.read_bytes() == content


def test_a_file_that_was_replaced_while_it_was_closed_is_an_error(tmp_path: Path) -> None:
    files = OpenFiles(1)
    path = tmp_path / "a"
    stream = files.open(path, is_new=True)
    closing_other = files.open(tmp_path / "b", is_new=True)
    path.rename(tmp_path / "c")
    path.write_bytes(b"of another program")
    stream.write(b"a")
    with pytest.raises(OSError, match="replaced by another program"):
        stream.flush()
    closing_other.close()
    file = site_file(stream)
    assert file
    assert not file.is_in_place
    with pytest.raises(OSError, match="replaced"):
        stream.close()
    assert path.read_bytes() == b"of another program"


def test_what_was_pointed_at_the_null_device_is_not_written_later(tmp_path: Path) -> None:
    """As exporters do after a part of an item was written to a full disk."""
    files = OpenFiles(1)
    path = tmp_path / "a"
    with closing(files.open(path, is_new=True)) as stream:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
        with closing(files.open(tmp_path / "b", is_new=True)) as other:
            other.write(b"b")
        stream.write(b"the rest of an item")
    assert path.read_bytes() == b""


@pytest.mark.parametrize(
    "host",
    [
        "%(x)s.example",
        "a" * 266,
        "..",
        "a/../b",
        "a\0b",
        "\u00fc" * 200,
        "u" * 300 + ":p@h",
        "[",
        "",
    ],
)
def test_the_name_of_any_host_is_a_short_name_of_a_file(host: str) -> None:
    name = site_file_name({"url": f"http://{host}/1"})
    assert 0 < len(name.encode()) <= MAX_NAME
    assert name.strip(".") and not set(name) & set("/\0%:@")


def test_different_hosts_have_different_names() -> None:
    hosts = ("a b.example", "a_b.example", "a%b.example", "x" * 200, "x" * 201)
    names = {site_file_name({"url": f"http://{host}/"}) for host in hosts}
    assert len(names) == len(hosts)
