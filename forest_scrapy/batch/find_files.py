"""The files that pages are read from: those named, and those in folders.

A folder is read with all that links lead to, each folder once.  What cannot be read in it is listed
with the reason: only files are opened, since a pipe or a device may give bytes for ever, or none.
"""

import os
import stat
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from forest_scrapy.core import ForestError

HTML = (".html", ".htm", ".xhtml", ".shtml")
LINES = (".jsonl", ".ndjson", ".jl")
WARC = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4")
KNOWN = (*HTML, *LINES, *WARC, ".zip", ".gz")
#: Archives of pages that are not read, with what to do: what is in them must not be missed.
_UNREAD = {
    ".wacz": "unpack it, and name its folder archive",
    ".arc": "convert it to WARC, with warcio recompress for example",
    ".arc.gz": "convert it to WARC, with warcio recompress for example",
    ".mht": "save the page as HTML",
    ".mhtml": "save the page as HTML",
    ".maff": "unpack it, and name its folder",
    ".webarchive": "save the page as HTML",
}
#: The packages that some kinds need.
_PACKAGES = {".zst": "zstandard", ".lz4": "lz4"}
#: Paths that a message names, at most.
_MOST_NAMED = 5
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class BadInput(ForestError):
    """A path cannot be read; the message names it and says why."""


@dataclass(frozen=True)
class FoundFile:
    """A file; ``changed``: when, in nanoseconds; ``problem``: why it, or a folder, cannot be
    read."""

    path: str
    size: int = 0
    changed: int = 0
    problem: str = ""


def find_files(paths: Sequence[str], ignored: Collection[Path] = ()) -> list[FoundFile]:
    """The files of the paths: those named, and those in folders whose ending is known, in the order
    of their names, but for what is ``ignored`` in folders.  Raises ``BadInput`` for a path that is
    named and cannot be read, or needs a package."""
    problems = [f"{show_path(path)}: {why}" for path in paths if (why := _try(path))]
    if problems:
        more = len(problems) - _MOST_NAMED
        named = "; ".join(problems[:_MOST_NAMED])
        raise BadInput(f"{named}; and {more} more" if more > 0 else named)
    ignored_paths = {one.resolve() for one in ignored}
    found: list[FoundFile] = []
    seen: set[tuple[int, int]] = set()
    for path in paths:
        one = _describe(path)
        found += [one] if one else _walk(path, ignored_paths, seen)
    for ending, package in _PACKAGES.items():
        if find_spec(package) is None and any(one.path.lower().endswith(ending) for one in found):
            raise BadInput(f"files that end in {ending} need pip install {package}")
    return found


def open_file(path: str) -> IO[bytes]:
    """The file, for reading.  Raises ``OSError``, also for what is no file: a pipe is not waited
    for."""
    stream = open(path, "rb", opener=_open)  # noqa: SIM115
    if problem := _problem(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise OSError(problem)
    return stream


def show_path(path: str) -> str:
    r"""The path as text: bytes that are not UTF-8 are written as ``\xe9``.

    >>> show_path(b"caf\xe9.html".decode("utf-8", "surrogateescape"))
    'caf\\xe9.html'
    """
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _try(path: str) -> str:
    """Why a path that is named cannot be read."""
    try:
        if Path(path).is_dir():
            os.scandir(path).close()
        else:
            open_file(path).close()
    except FileNotFoundError:
        if urlsplit(path).scheme in ("http", "https"):
            return "pages are read from files; scrapy crawl site, or feeds, requests them"
        return "there is no such file or folder"
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)
    return ""


def _walk(folder: str, ignored: Collection[Path], seen: set[tuple[int, int]]) -> list[FoundFile]:
    """The files of a folder, then those of the folders in it."""
    found: list[FoundFile] = []
    waiting, ignored_names = [folder], {one.name for one in ignored}
    while waiting:
        place = waiting.pop()
        try:
            state = Path(place).stat()
            names = sorted(os.listdir(place))  # noqa: PTH208 - as text, with bytes that are not
        except OSError as error:
            found.append(FoundFile(place, problem=_reason(error)))
            continue
        if (state.st_dev, state.st_ino) in seen:  # by another link
            continue
        seen.add((state.st_dev, state.st_ino))
        folders = []
        for name in names:
            path = str(Path(place, name))
            if name in ignored_names and Path(path).resolve() in ignored:
                continue
            one = _describe(path)
            if one is None:
                folders.append(path)
            elif one.problem or name.lower().endswith(KNOWN):
                found.append(one)
        waiting += reversed(folders)
    return found


def _describe(path: str) -> FoundFile | None:
    """A file, or why it cannot be read; None for a folder."""
    try:
        state = Path(path).stat()
    except OSError as error:
        is_link = Path(path).is_symlink()
        return FoundFile(path, problem="the link leads nowhere" if is_link else _reason(error))
    if stat.S_ISDIR(state.st_mode):
        return None
    problem = _problem(state.st_mode) or _why_unread(path)
    return FoundFile(path, state.st_size, state.st_mtime_ns, problem)


def _why_unread(path: str) -> str:
    """Why an archive of pages is not read; ``""`` for other files."""
    for ending, remedy in _UNREAD.items():
        if path.lower().endswith(ending):
            return f"{ending} files are not read; {remedy}"
    return ""


def _problem(mode: int) -> str:
    kind = _KINDS.get(stat.S_IFMT(mode), "of another kind")
    return "" if stat.S_ISREG(mode) else f"it is {kind}, not a file"


def _reason(error: OSError) -> str:
    return f"{type(error).__name__}: {error.strerror or error}"
