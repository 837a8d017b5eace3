"""Files that a command writes: complete or not there, and by one process at a time; and the line at
the bottom of a terminal."""

import errno
import fcntl
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import IO, TextIO

from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.page.text import printable
from forest_scrapy.input_files import file_problem

#: Seconds between two attempts to be the process that writes a file.
_RETRY = 0.05
#: Names of streams of this process, also if they are redirected to a file.
_STREAMS = ("/dev/std", "/dev/fd/", "/proc/")


class InUse(ForestError):
    """Another process writes the same file or folder; the message names it and the remedy."""


class BadOutput(ForestError):
    """A file cannot be written; the message names it and says why."""


def open_standard_streams() -> None:
    """Open those of standard input, output and error that were closed when the process started
    (``>&-``), before another file gets their number, and is written to in their place.  What is
    written to standard output then fails; what is written to standard error is left out."""
    for number, mode, name in ((0, "r", "stdin"), (1, "w", "stdout"), (2, "w", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)
            stream = open(number, mode, closefd=False)  # noqa: SIM115
            stream.buffer.raw.name = f"<{name}>"  # type: ignore[attr-defined]
            setattr(sys, name, stream)


def is_stream(name: str) -> bool:
    """Whether what is written to the path goes on elsewhere: a device, a FIFO, a stream of this
    process.

    >>> is_stream("/dev/null"), is_stream("/dev/stdout"), is_stream("articles.jsonl")
    (True, True, False)
    """
    try:
        mode = Path(name).stat().st_mode
    except OSError:
        return name.startswith(_STREAMS)
    return name.startswith(_STREAMS) or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def output_file(name: str) -> Path:
    """The file to write: that which a symbolic link names; its folder is made if it is missing.
    Raises ``BadOutput``."""
    try:
        path = follow_links(name)
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise BadOutput(f"{name} cannot be written: {error}") from error
    if path.is_symlink():
        raise BadOutput(f"{name} is a loop of links; name another file")
    if path.is_dir():
        raise BadOutput(f"{name} is a folder; name a file")
    return path


def follow_links(name: str | Path) -> Path:
    """The absolute path that symbolic links lead to; where they are a loop, one of them, so that
    opening it raises ``OSError``.  Raises ``ValueError`` for a name with NUL."""
    return Path(os.path.realpath(name))  # Path.resolve raises RuntimeError for a loop


def lock_of(path: Path) -> Path:
    """The file that ``locked`` makes: in a folder, beside a file."""
    if path.is_dir():
        return path / ".lock"
    return path.with_name(f"{path.name}.lock")


@contextmanager
def locked(path: Path, seconds: float = 0) -> Iterator[None]:
    """Be the only process that writes the file or folder; waits so many ``seconds`` for another.

    The lock is one of the system on a file, ``lock_of``: it ends with its process, however that
    ends.  Raises ``InUse``, and ``BadOutput`` if nothing can be written there.
    """
    lock = lock_of(path)
    try:
        file = _wait_for(lock, seconds)
    except BlockingIOError:
        message = f"{path} is being written by another process; wait for its end, or name another"
        raise InUse(message) from None
    except OSError as error:
        raise BadOutput(f"{path} cannot be written: {error}") from error
    try:
        yield
    finally:
        with suppress(OSError):  # what is left is an empty file, which the next run uses
            if not lock.stat().st_size:  # else it is a file of somebody else
                lock.unlink()
        os.close(file)


def _wait_for(lock: Path, seconds: float) -> int:
    end = monotonic() + seconds
    while True:
        try:
            return _take(lock)
        except BlockingIOError:
            if monotonic() >= end:
                raise
            sleep(_RETRY)


def _take(lock: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    while True:
        file = os.open(lock, flags, 0o666)
        try:
            if problem := file_problem(os.fstat(file).st_mode):
                raise OSError(errno.EINVAL, problem, str(lock))
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file), lock.stat()):
                    return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # deleted by the process that had the lock


def part_of(path: Path) -> Path:
    """The file that ``replacing`` makes; the name is none that a user gives to a file, and the same
    each time, so that what a killed process left is removed."""
    return path.with_name(f".{path.name}.forest-part")


@contextmanager
def replacing(path: Path, is_synced: bool = True) -> Iterator[IO[bytes]]:
    """A new file for the body to write, which then takes the place of ``path``; if the body fails,
    ``path`` stays as it was.  ``is_synced``: it survives a power cut, too, which takes some ms.
    Whoever writes holds the lock.  Raises ``OSError``, also if something else than a file has the
    name: a device must not be replaced."""
    part = part_of(path)
    with naming(path):
        _check_replaceable(path)
        number = create_file(part)
    try:
        with naming(path):
            with os.fdopen(number, "wb") as file:
                yield file
                file.flush()
                if is_synced:
                    os.fsync(number)
            part.replace(path)
            if is_synced:
                _sync_folder(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def _check_replaceable(path: Path) -> None:
    """Raises ``OSError`` if a path is there and is neither a file nor a link."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISLNK(mode) and (problem := file_problem(mode)):
        raise OSError(errno.EINVAL, f"{problem}; remove it, or name another", str(path))


def create_file(path: Path, mode: int = 0o666) -> int:
    """Create a file to write, and return its descriptor.  What has its name is removed, and so is
    a link: in a folder that others may write to it could lead to any file.  Raises ``OSError``."""
    path.unlink(missing_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)


def write_text_file(name: str, text: str) -> None:
    """Write a file as a whole, or to a stream.  Raises ``ForestError`` and ``OSError``."""
    if is_stream(name):
        with naming(Path(name)), Path(name).open("a", encoding="utf-8") as stream:
            stream.write(text)
        return
    path = output_file(name)
    with locked(path), replacing(path) as part:
        part.write(text.encode("utf-8"))


def move_into_place(source: Path, target: Path) -> None:
    """Move a file, which then survives also a power cut.  From another file system it is copied
    first, so that the target is complete or not there."""
    sync(source)
    try:
        source.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with replacing(target) as part, source.open("rb") as content:
            shutil.copyfileobj(content, part)
        source.unlink()
    _sync_folder(target)


def _sync_folder(path: Path) -> None:
    """Wait until the name of a file is on the disk."""
    with suppress(OSError):  # it is there; not every file system can do this for folders
        sync(path.parent)


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors of the system in here name the path, if they name none."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = str(path)
        raise


#: Seconds between two updates.
INTERVAL = 0.5
#: Moves to the start of the line and erases it.
_ERASE = "\r\x1b[K"


class TerminalLine:
    """A line at the bottom of a terminal, each text written over the one before."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def show(self, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        line = printable(text)[:width]
        self.stream.write(f"{_ERASE}{line}")
        self.stream.flush()

    def erase(self) -> None:
        self.show("")
