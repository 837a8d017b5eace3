"""Files that are read as a whole or as streams: only regular files, so that reading one comes to an
end.  Opening a named pipe would wait for a writer, and a device may give bytes for ever."""

import errno
import os
import stat
from pathlib import Path
from typing import IO

#: Names of streams of this process: who names one waits for it.
STREAMS = ("/dev/std", "/dev/fd/", "/proc/self/fd/")
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


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
