"""Only regular files are read."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from forest_scrapy.input_files import open_file, read_bytes, read_text


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (os.mkfifo, "it is a named pipe, not a file"),
        (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a file"),
        (lambda path: path.symlink_to(path.name), "Too many levels of symbolic links"),
        (lambda path: path.symlink_to("nowhere"), "No such file"),
        (Path.mkdir, "Is a directory"),
        (make_socket, "No such device or address"),
    ],
)
def test_what_is_no_file_is_an_error_that_names_it(
    tmp_path: Path, make: Callable[[Path], object], said: str
) -> None:
    path = tmp_path / "a.json"
    make(path)
    for read in (open_file, read_bytes, read_text):
        with pytest.raises(OSError, match=said) as error:
            read(path)
        assert error.value.strerror and str(error.value.filename) == str(path)


def test_files_and_streams_of_this_process(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("é", "utf-8")
    (tmp_path / "link").symlink_to(path)
    assert read_text(tmp_path / "link") == "é" and read_bytes(str(path)) == "é".encode()
    reading, writing = os.pipe()
    os.write(writing, b"from a stream")
    os.close(writing)
    assert read_text(f"/dev/fd/{reading}") == "from a stream"
    os.close(reading)
