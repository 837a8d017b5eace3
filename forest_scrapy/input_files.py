"""Files that are read as a whole or as streams: only regular files, so that reading one comes to an
end.  Opening a named pipe would wait for a writer, and a device may give bytes for ever."""

import errno
import os
import stat
from pathlib import Path
from typing import IO

#: Names of streams of this process: who names one waits for it.
STREAMS = ("/dev/std", "/dev/fd/", "/proc/self/fd/")
#: Bytes of a file by which ``describe_start`` recognises it.
START_SIZE = 4096
#: Bytes of the longest character of UTF-8.
_MAX_CHARACTER = 4
_KNOWN_STARTS = {
    b"\x1f\x8b": "compressed by gzip",
    b"PK\x03\x04": "a zip archive",
    b"(\xb5/\xfd": "compressed by zstd",
    b"PAR1": "a Parquet file",
    b"%PDF": "a PDF document",
}
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def open_file(path: str | Path) -> IO[bytes]:
    """The file, for reading.  Raises ``OSError``, also for what is no file: a pipe is not waited
    for."""
    stream = open(path, "rb", opener=_open)  # noqa: SIM115
    if problem := file_problem(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise OSError(errno.EINVAL, problem, str(path))
    return stream


def read_bytes(path: str | Path) -> bytes:
    """The bytes of a file, or of a stream of this process, as ``/dev/stdin``.  Raises
    ``OSError``."""
    if str(path).startswith(STREAMS):
        return Path(path).read_bytes()
    with open_file(path) as file:
        return file.read()


def read_text(path: str | Path) -> str:
    """The text of a file in UTF-8, or of a stream of this process.  Raises ``OSError`` and
    ``UnicodeDecodeError``."""
    return read_bytes(path).decode("utf-8")


def file_problem(mode: int) -> str:
    """Why something with this mode is not read; ``""`` for a regular file.

    >>> file_problem(stat.S_IFIFO), file_problem(stat.S_IFREG)
    ('it is a named pipe, not a file', '')
    """
    if stat.S_ISREG(mode):
        return ""
    kind = _KINDS.get(stat.S_IFMT(mode), "of another kind")
    return f"it is {kind}, not a file"


def describe_start(start: bytes) -> str:
    """What a file is whose first ``START_SIZE`` bytes are these.

    >>> describe_start(b"%PDF-1.7"), describe_start(b'{"a": 1}'), describe_start(b"a\\0")
    ('a PDF document', 'JSON, such as an export', 'a file of an unknown kind')
    """
    if not start:
        return "empty"
    for magic, name in _KNOWN_STARTS.items():
        if start.startswith(magic):
            return name
    try:
        text = start[:-_MAX_CHARACTER].decode() if len(start) == START_SIZE else start.decode()
    except UnicodeDecodeError:
        return "a file of an unknown kind"
    if "\0" in text:
        return "a file of an unknown kind"
    if text.lstrip()[:1] in ("{", "["):
        return "JSON, such as an export"
    return "a text"


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
