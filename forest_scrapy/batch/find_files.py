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
from urllib.parse import urlsplit

from forest_scrapy.batch.html_files import HTML, begins_as_html, may_be_html
from forest_scrapy.core import ForestError
from forest_scrapy.input_files import file_problem, open_file
from forest_scrapy.output_files import follow_links
from forest_scrapy.settings import crawl_command

LINES = (".jsonl", ".ndjson", ".jl")
WARC = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4")
WACZ = ".wacz"
MHTML = (".mhtml", ".mht")
HAR = ".har"
KNOWN = (*HTML, *LINES, *WARC, WACZ, *MHTML, HAR, ".zip", ".gz")
#: Archives of pages that are not read, with what to do: what is in them must not be missed.
_REMEDIES = {
    ".arc": "convert it to WARC, with warcio recompress for example",
    ".arc.gz": "convert it to WARC, with warcio recompress for example",
    ".maff": "unpack it, and name its folder",
    ".webarchive": "save the page as HTML",
}
#: The packages that files with these endings need.
_PACKAGES = {
    ".zst": "zstandard",
    ".lz4": "lz4",
}
#: Paths that a message names.
_MAX_NAMED = 5


class BadInput(ForestError):
    """A path cannot be read; the message names it and says why."""


@dataclass(frozen=True)
class InputFile:
    """A file; ``changed``: when, in nanoseconds; ``problem``: why it, or a folder, cannot be
    read."""

    path: str
    size: int = 0
    changed: int = 0
    problem: str = ""


def find_files(paths: Sequence[str], ignored: Collection[Path] = ()) -> list[InputFile]:
    """The files of the paths: those named, and those in folders whose ending is known or that begin
    as HTML, in the order of their names, but for what is ``ignored`` in folders.  Raises
    ``BadInput`` for a path that is named and cannot be read, or needs a package."""
    _check_paths(paths)
    walk = _Walk(ignored)
    files: list[InputFile] = []
    for path in paths:
        file = _describe(path)
        if file is None:
            files += walk.files_in(path)
        else:
            files.append(file)
    _check_packages(files)
    return files


def show_path(path: str) -> str:
    r"""The path as text: bytes that are not UTF-8 are written as ``\xe9``.

    >>> show_path(b"caf\xe9.html".decode("utf-8", "surrogateescape"))
    'caf\\xe9.html'
    """
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _check_paths(paths: Sequence[str]) -> None:
    """Raise ``BadInput`` for paths that cannot be read."""
    problems = []
    for path in paths:
        problem = _problem_of_path(path)
        if problem:
            problems.append(f"{show_path(path)}: {problem}")
    if not problems:
        return
    message = "; ".join(problems[:_MAX_NAMED])
    more = len(problems) - _MAX_NAMED
    if more > 0:
        message += f"; and {more} more"
    raise BadInput(message)


def _problem_of_path(path: str) -> str:
    """Why a path that is named cannot be read."""
    try:
        if Path(path).is_dir():
            os.scandir(path).close()
        else:
            open_file(path).close()
    except FileNotFoundError:
        if urlsplit(path).scheme in ("http", "https"):
            return f"pages are read from files; {crawl_command()} site, or feeds, requests them"
        return "there is no such file or folder"
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)
    return ""


def _check_packages(files: Sequence[InputFile]) -> None:
    """Raise ``BadInput`` if a file needs a package that is not installed."""
    for ending, package in _PACKAGES.items():
        is_needed = any(file.path.lower().endswith(ending) for file in files)
        if is_needed and find_spec(package) is None:
            raise BadInput(f"files that end in {ending} need pip install {package}")


class _Walk:
    """Walks through folders, through each once."""

    def __init__(self, ignored: Collection[Path]) -> None:
        self._ignored = {follow_links(path) for path in ignored}
        self._ignored_names = {path.name for path in self._ignored}
        #: The devices and numbers of the folders so far.
        self._seen: set[tuple[int, int]] = set()

    def files_in(self, folder: str) -> list[InputFile]:
        """The files of a folder, then those of the folders in it."""
        files: list[InputFile] = []
        waiting = [folder]
        while waiting:
            path = waiting.pop()
            try:
                state = Path(path).stat()
                names = os.listdir(path)  # noqa: PTH208 - as text, with bytes that are not
            except OSError as error:
                files.append(InputFile(path, problem=_describe_error(error)))
                continue
            if self._is_new(state):
                files_here, folders = self._divide(path, sorted(names))
                files += files_here
                waiting += reversed(folders)
        return files

    def _is_new(self, state: os.stat_result) -> bool:
        """Whether a folder was not read before, by another link."""
        identity = (state.st_dev, state.st_ino)
        if identity in self._seen:
            return False
        self._seen.add(identity)
        return True

    def _divide(
        self,
        folder: str,
        names: Sequence[str],
    ) -> tuple[list[InputFile], list[str]]:
        """The files with known endings and the folders of these names in a folder."""
        files = []
        folders = []
        for name in names:
            path = Path(folder, name)
            if self._is_ignored(path):
                continue
            file = _describe(str(path))
            if file is None:
                folders.append(str(path))
            elif file.problem or name.lower().endswith(KNOWN) or _is_html(str(path)):
                files.append(file)
        return files, folders

    def _is_ignored(self, path: Path) -> bool:
        return path.name in self._ignored_names and follow_links(path) in self._ignored


def _describe(path: str) -> InputFile | None:
    """A file, or why it cannot be read; None for a folder."""
    try:
        state = Path(path).stat()
    except OSError as error:
        is_link = Path(path).is_symlink()
        problem = "the link leads nowhere" if is_link else _describe_error(error)
        return InputFile(path, problem=problem)
    if stat.S_ISDIR(state.st_mode):
        return None
    problem = file_problem(state.st_mode) or _problem_of_ending(path)
    return InputFile(path, state.st_size, state.st_mtime_ns, problem)


def _is_html(path: str) -> bool:
    """Whether a file without a known ending is a page; one that cannot be opened is none."""
    if not may_be_html(path):
        return False
    try:
        with open_file(path) as stream:
            return begins_as_html(stream)
    except OSError:
        return False


def _problem_of_ending(path: str) -> str:
    """Why an archive of pages is not read; ``""`` for other files."""
    for ending, remedy in _REMEDIES.items():
        if path.lower().endswith(ending):
            return f"{ending} files are not read; {remedy}"
    return ""


def _describe_error(error: OSError) -> str:
    return f"{type(error).__name__}: {error.strerror or error}"
