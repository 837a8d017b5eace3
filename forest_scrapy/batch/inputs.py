"""Reading stored pages: HTML files, folders, gzip and zip files, WARC and WACZ files, JSON lines,
MHTML and HAR files.

Pages come one at a time, in the order of the paths; folders are read in the order of names.
What cannot be read (a file, an entry of an archive, a record, a line) is a page with an ``error``,
and the rest is read.
"""

import gzip
import json
import logging
import re
import stat
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from pathlib import Path
from struct import unpack_from
from typing import IO, Any
from zipfile import ZipFile, ZipInfo
from zlib import crc32

from forest_scrapy.batch.decompression import check_ratio
from forest_scrapy.batch.find_files import (
    HAR,
    KNOWN,
    LINES,
    MHTML,
    WACZ,
    WARC,
    InputFile,
    find_files,
    show_path,
)
from forest_scrapy.batch.har import read_har
from forest_scrapy.batch.html_files import begins_as_html, may_be_html
from forest_scrapy.batch.mhtml import read_mhtml
from forest_scrapy.batch.raw_page import RawPage, damaged_page, error_line
from forest_scrapy.batch.wacz import read_wacz
from forest_scrapy.batch.warc import is_warc, read_warc
from forest_scrapy.core.moments import read_iso
from forest_scrapy.input_files import open_file

logger = logging.getLogger(__name__)

#: What the names of a line's URL and HTML may be, the first that is there is used.
_URL_NAMES = ("url", "link")
_HTML_NAMES = ("html", "raw_html", "body", "content")
#: Fields of articles that were extracted.  Their HTML is the content only; taken for the page, it
#: would stand in the place of the whole one, which is then a duplicate.
_EXTRACTED = {"template_id", "sources"}
#: JSON may need six bytes for a character.
_LINE_RATIO = 8
#: Values in a line of JSON.
_MAX_VALUES = 100_000
#: Texts in a line of JSON, in which commas and brackets count for nothing.
_TEXTS = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_NO_MARKS = bytes(set(range(256)) - set(b",[{"))
#: Bytes of a line that are skipped: it may come from a few bytes of gzip.
_MAX_SKIPPED = 1 << 34
#: Starts of JSON in UTF-16 and UTF-32.
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"{\0", b"\0{", b"\0\0\0{")

#: The header of an MHTML file, and the start of a HAR file.
_MHTML_START = re.compile(
    rb"(?:[\w-]{1,64}+:[^\n]{0,1000}+\n(?:[ \t][^\n]{0,1000}+\n){0,50}+){0,50}?MIME-Version:"
)
_HAR_START = re.compile(rb'(?:\xef\xbb\xbf)?\s*+\{\s*+"log"\s*+:')

#: Compressed files, by the bytes that they begin with.
_MAGIC = {b"\x1f\x8b": ".gz", b"PK\x03\x04": ".zip"}


class Inputs:
    """The pages below ``paths``.  ``max_bytes``: of a page that is longer only the start is read,
    so that it is known to be too long.  ``ignored``: paths that are left out of folders, with all
    that is in them: what is being written.

    The files are looked for once, and each has the same number of pages each time that the pages
    are iterated: the numbers of pages do not change when a file does.  Of a file whose size or time
    has changed since, pages that are not the same any more have an ``error``.

    ``changed``: the names of these files.
    """

    def __init__(
        self,
        paths: Sequence[str],
        max_bytes: int,
        ignored: Collection[Path] = (),
    ) -> None:
        self.paths = tuple(paths)
        self._max_bytes = max_bytes
        self._ignored = ignored
        #: The numbers of pages of the files that were read.
        self._counts = array("Q")
        #: The checksums of all their pages.
        self._checksums = array("I")
        self.changed: list[str] = []

    @cached_property
    def files(self) -> list[InputFile]:
        """The files.  Raises ``BadInput``."""
        return find_files(self.paths, self._ignored)

    def describe(self) -> list[list[Any]]:
        """Names, sizes and times of the files: other values mean that the input was changed."""
        return [[file.path, file.size, file.changed, file.problem] for file in self.files]

    def __iter__(self) -> Iterator[RawPage]:
        first = 0  # the number of the file's first page
        for number, file in enumerate(self.files):
            if number < len(self._counts):
                count = self._counts[number]
                yield from self._read_again(file, first, count)
                first += count
                continue

            count = 0
            del self._checksums[first:]  # of an iteration that was not ended
            for page in self._read(file):
                self._checksums.append(_checksum(page))
                yield page
                count += 1
            self._is_changed(file)
            if number == len(self._counts):
                self._counts.append(count)
            first += count

    def _read(self, file: InputFile) -> Iterator[RawPage]:
        problem = file.problem
        if not file.size and not problem:
            if file.path.lower().endswith(LINES):
                logger.warning("%s is empty: there are no pages in it", show_path(file.path))
                return iter(())
            problem = "empty"
        if problem:
            return iter([damaged_page(show_path(file.path), problem)])
        return read_raw_pages(file.path, self._max_bytes)

    def _read_again(
        self,
        file: InputFile,
        first: int,
        count: int,
    ) -> Iterator[RawPage]:
        """As many pages as the file had before.  A file that changes while it is read is named
        only."""
        is_changed = self._is_changed(file)
        pages = self._read(file)
        number = first
        for page in islice(pages, count):
            if is_changed and not page.error and _checksum(page) != self._checksums[number]:
                yield replace(page, body=b"", error=_CHANGED)
            else:
                yield page
            number += 1

        name = show_path(file.path)
        for _ in range(first + count - number):
            yield damaged_page(name, _CHANGED)
        if next(pages, None):
            logger.warning("%s has more pages now; they are left out", name)
        self._is_changed(file)

    def _is_changed(self, file: InputFile) -> bool:
        """Whether a file is not any more as it was found; then it is named."""
        if file.problem:
            return False
        if _is_as_found(file):
            return False
        name = show_path(file.path)
        if name not in self.changed:
            self.changed.append(name)
            logger.warning("%s was changed or removed while it was read", name)
        return True


#: The error of a page of a file that has changed since it was read first.
_CHANGED = "the file was changed or removed meanwhile"


def _is_as_found(file: InputFile) -> bool:
    try:
        state = Path(file.path).stat()
    except OSError:
        return False
    return state.st_size == file.size and state.st_mtime_ns == file.changed


def _checksum(page: RawPage) -> int:
    """A checksum of a page.  15 microseconds for 50 KB."""
    body = page.body
    if isinstance(body, str):
        body = body.encode("utf-8", "replace")
    url = page.url.encode("utf-8", "replace")
    checksum_of_url = crc32(url)
    return crc32(body, checksum_of_url)


def read_raw_pages(path: str, max_bytes: int) -> Iterator[RawPage]:
    """The pages of a file.  One that is damaged gives the pages before the damage, and then one
    with an ``error``."""
    name = show_path(path)
    lower_path = path.lower()
    try:
        with open_file(path) as stream:
            if lower_path.endswith(WARC):
                yield from read_warc(stream, name, max_bytes)
            elif lower_path.endswith(WACZ):
                yield from read_wacz(name, stream, max_bytes)
            elif lower_path.endswith(".zip"):
                yield from read_zip(name, stream, max_bytes)
            else:
                fetched_at = _write_time(Path(path).stat().st_mtime)
                yield from _read_stream(path, stream, fetched_at, max_bytes)
    except Exception as error:  # of any library that reads archives; one file must not end the run
        logger.debug("%s cannot be read", name, exc_info=True)
        yield damaged_page(name, error_line(error))


def read_zip(
    name: str,
    stream: IO[bytes],
    max_bytes: int,
) -> Iterator[RawPage]:
    """The pages of the entries of a zip file, in the order of their names."""
    try:
        archive = ZipFile(stream)
    except UnicodeDecodeError:
        archive = ZipFile(_ReadableNames(stream))
    with archive:
        entries = sorted(archive.infolist(), key=lambda entry: entry.filename)
        for entry in entries:
            if entry.filename.lower().endswith(KNOWN) or _is_html(archive, entry):
                yield from _read_entry(f"{name}/{entry.filename}", archive, entry, max_bytes)


def _is_html(archive: ZipFile, entry: ZipInfo) -> bool:
    """Whether an entry without a known ending is a page; one that cannot be read is none."""
    if entry.is_dir() or not may_be_html(entry.filename):
        return False
    try:
        with archive.open(entry) as stream:
            return begins_as_html(stream)
    except Exception:  # of the compression's library
        logger.debug("%s cannot be read", entry.filename, exc_info=True)
        return False


class _ReadableNames:
    """A zip file whose directory says of no name that it is UTF-8 if it is not; ``ZipFile`` refuses
    the archive for one such name, and now only its entry."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def read(self, size: int = -1) -> bytes:
        data = bytearray(self._stream.read(size))
        position = 0
        while data.startswith(b"PK\1\2", position) and position + 46 <= len(data):
            lengths = unpack_from("<3H", data, position + 28)  # of name, extra field and comment
            start = position + 46
            try:
                data[start : start + lengths[0]].decode()
            except UnicodeDecodeError:
                data[position + 9] &= ~8
            position = start + sum(lengths)
        return bytes(data)


def _read_entry(
    name: str,
    archive: ZipFile,
    entry: ZipInfo,
    max_bytes: int,
) -> Iterator[RawPage]:
    try:
        if entry.filename.lower().endswith((*WARC, WACZ, ".zip")):
            raise ValueError("an archive in an archive is not read; unpack it first")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise ValueError("it is a link, not a file")
        check_ratio(entry.file_size, entry.compress_size)
        fetched_at = _time_of(entry)
        with archive.open(entry) as stream:
            yield from _read_stream(name, stream, fetched_at, max_bytes)
    except Exception as error:  # of the compression's library; one entry must not end the others
        logger.debug("%s cannot be read", name, exc_info=True)
        yield damaged_page(name, error_line(error))


def _read_stream(
    name: str,
    stream: IO[bytes],
    fetched_at: str,
    max_bytes: int,
) -> Iterator[RawPage]:
    """The pages of a file that is, or is not, compressed: one, or one for each line."""
    packed = stream
    if name.lower().endswith(".gz"):
        name = name[:-3]
        stream = gzip.GzipFile(fileobj=packed)  # type: ignore[assignment]
    lower_name = name.lower()
    if lower_name.endswith(LINES):
        yield from read_json_lines(show_path(name), stream, max_bytes, packed)
        return
    if lower_name.endswith(HAR):
        yield from read_har(stream, show_path(name), max_bytes)
        return
    if lower_name.endswith(MHTML):
        page = read_mhtml(stream, Path(name).absolute().as_uri(), max_bytes)
        yield page if page.fetched_at else replace(page, fetched_at=fetched_at)
        return

    body = stream.read(max_bytes + 1)
    ending = _archive_ending(body)
    if ending:
        raise ValueError(f"this is no HTML: the file needs the ending {ending}")
    yield RawPage(
        url="",
        body=body,
        source=Path(name).absolute().as_uri(),
        headers={"Content-Type": _content_type(name, body)},
        fetched_at=fetched_at,
    )


def read_json_lines(
    name: str,
    stream: IO[bytes],
    max_bytes: int,
    packed: IO[bytes] | None = None,
) -> Iterator[RawPage]:
    """The pages of JSON lines.  ``packed``: the file that the stream is decompressed from."""
    max_line = _LINE_RATIO * max_bytes
    size = 0
    for number, line in enumerate(_split_lines(stream, max_line), 1):
        size += len(line)
        check_ratio(size, packed.tell() if packed else size)
        source = f"{name}:{number}"
        if len(line) == max_line and not line.endswith(b"\n"):
            _skip_line(stream, max_line)
            yield damaged_page(source, f"the line has more than {max_line:,} bytes")
        elif line.strip():
            yield read_json_line(line, source)


def _split_lines(stream: IO[bytes], max_line: int) -> Iterator[bytes]:
    """The lines, of longer ones their first ``max_line`` bytes.  Raises ``ValueError`` if the file
    begins like one of another kind."""
    line = stream.readline(max_line)
    ending = _ending_of(line)
    if ending:
        raise ValueError(f"these are no lines of JSON: the file needs the ending {ending}")
    if line.startswith(_WIDE):
        second_line = stream.readline(max_line)
        if not second_line or b"\0" in second_line:  # else the line is damaged, not the file
            raise ValueError("the text is not in UTF-8; convert it, with iconv for example")
        yield line
        line = second_line
    while line:
        yield line
        line = stream.readline(max_line)


def _ending_of(start: bytes) -> str:
    """The ending of the name that a file should have which begins like this, and has no lines of
    JSON; ``""`` if it may have them."""
    if is_warc(start):
        return ".warc or .warc.gz"
    for magic, ending in _MAGIC.items():
        if start.startswith(magic):
            return ending
    return ""


def _archive_ending(start: bytes) -> str:
    """The ending of the name that a file should have which begins like this, and is no HTML but has
    pages; ``""`` for others."""
    if is_warc(start):
        return ".warc or .warc.gz"
    if _MHTML_START.match(start):
        return ".mhtml"
    if _HAR_START.match(start):
        return ".har"
    return ""


def _skip_line(stream: IO[bytes], max_line: int) -> None:
    """Read up to the end of the line."""
    skipped = 0
    while (part := stream.readline(max_line)) and not part.endswith(b"\n"):
        skipped += len(part)
        if skipped > _MAX_SKIPPED:
            raise ValueError("a line has no end; what follows is not read")


def read_json_line(line: bytes, source: str) -> RawPage:
    """The page of a line of JSON.  Without a ``status`` it is 200; a ``fetched_at`` that is no time
    in ISO 8601 counts as unknown."""
    try:
        _check_values(line)
        values = json.loads(line)
        if not isinstance(values, dict):
            raise ValueError("the line is not an object")
        if values.keys() >= _EXTRACTED:
            raise ValueError("the line is an article of an output, not a page")
        url = _first_value(values, _URL_NAMES)
        html = _first_value(values, _HTML_NAMES)
        if not isinstance(url, str) or not isinstance(html, str) or not url:
            raise ValueError("the line needs a url and html, both text")
        status = _read_status(values.get("status"))
    except (ValueError, RecursionError) as error:
        return damaged_page(source, error_line(error))
    return RawPage(
        url,
        html,
        source,
        status=status,
        fetched_at=_read_time(values.get("fetched_at")),
    )


def _first_value(values: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The first value with one of the names that is not empty; ``""`` if there is none."""
    for name in names:
        value = values.get(name)
        if value:
            return value
    return ""


def _check_values(line: bytes) -> None:
    """Raise ``ValueError`` if there are more values in the line than a page has, outside of texts:
    each may take fifty times the memory of its text."""
    brackets = line.count(b"[") + line.count(b"{")
    if line.count(b",") <= _MAX_VALUES and brackets <= _MAX_VALUES:
        return
    marks = _TEXTS.sub(b"", line).translate(None, _NO_MARKS)
    if len(marks) > _MAX_VALUES:
        raise ValueError(f"the line has more than {_MAX_VALUES:,} values")


def _read_status(value: Any) -> int:
    try:
        status = int(value or 200)
    except (ValueError, TypeError, OverflowError):
        status = 0
    if not 100 <= status <= 999:
        raise ValueError("the status is not that of an HTTP response")
    return status


def _read_time(value: Any) -> str:
    is_time = isinstance(value, str) and read_iso(value) is not None
    return value if is_time else ""


def _write_time(seconds: float) -> str:
    """The time in ISO 8601; ``""`` if it is none."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""


def _time_of(entry: ZipInfo) -> str:
    """The time of an entry, which may be no date at all, such as the 0th of the month 0."""
    try:
        return datetime(*entry.date_time, tzinfo=UTC).isoformat(timespec="seconds")
    except ValueError:
        return ""


def _content_type(name: str, body: bytes) -> str:
    """As a server would declare the file; the charset is the page's own."""
    if name.lower().endswith(".xhtml") or body[:5] == b"<?xml":
        return "application/xhtml+xml"
    return "text/html"
