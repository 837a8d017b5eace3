"""Reading WACZ files: zip files with WARC files in their folder ``archive`` (WACZ 1.1.1).

A WACZ stores its WARC files without compressing them again.  They are read in place; one that is
compressed is copied to a temporary file first, since a WARC file is not read from start to end.
"""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import copyfileobj
from struct import unpack
from tempfile import TemporaryFile
from typing import IO
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from forest_scrapy.batch.decompression import check_ratio
from forest_scrapy.batch.find_files import WARC
from forest_scrapy.batch.raw_page import RawPage, damaged_page, error_line
from forest_scrapy.batch.warc import read_warc

logger = logging.getLogger(__name__)

_FOLDER = "archive/"
#: The header of an entry: its bytes, its first ones, and where the lengths of the name and of the
#: extra field are.
_HEADER_SIZE = 30
_HEADER_START = b"PK\x03\x04"
_LENGTHS = slice(26, 30)


def read_wacz(
    name: str,
    stream: IO[bytes],
    max_bytes: int,
) -> Iterator[RawPage]:
    """The pages of the WARC files in a WACZ file, in the order of their names, as ``read_warc``
    gives them; a WARC file that cannot be read is a page with an ``error``.

    ``stream``: can be sought.  Raises ``BadZipFile``, and ``ValueError`` if there is no WARC file.
    """
    with ZipFile(stream) as archive:
        entries = sorted(archive.infolist(), key=lambda entry: entry.filename)
        warc_entries = [entry for entry in entries if _is_warc_entry(entry)]
        if not warc_entries:
            raise ValueError(f"there are no WARC files in its folder {_FOLDER}")
        for entry in warc_entries:
            entry_name = f"{name}/{entry.filename}"
            try:
                with _open_entry(archive, stream, entry) as warc:
                    yield from read_warc(warc, entry_name, max_bytes)
            except Exception as error:  # of the zip file's library; the others are still read
                logger.debug("%s cannot be read", entry_name, exc_info=True)
                yield damaged_page(entry_name, error_line(error))


def _is_warc_entry(entry: ZipInfo) -> bool:
    path = entry.filename.lower()
    return path.startswith(_FOLDER) and path.endswith(WARC)


@contextmanager
def _open_entry(
    archive: ZipFile,
    stream: IO[bytes],
    entry: ZipInfo,
) -> Iterator[IO[bytes]]:
    """An entry as a file that can be sought at once."""
    if entry.compress_type == ZIP_STORED:
        archive.open(entry).close()  # raises an error if its header is damaged, or it is encrypted
        start = _find_data(stream, entry)
        yield io.BufferedReader(_Part(stream, start, entry.file_size))
        return
    check_ratio(entry.file_size, entry.compress_size)
    with TemporaryFile() as copy, archive.open(entry) as packed:
        copyfileobj(packed, copy)
        copy.seek(0)
        yield copy


def _find_data(stream: IO[bytes], entry: ZipInfo) -> int:
    """The offset of an entry's data, which follow its header.  Raises ``BadZipFile``."""
    stream.seek(entry.header_offset)
    header = stream.read(_HEADER_SIZE)
    if len(header) < _HEADER_SIZE or not header.startswith(_HEADER_START):
        raise BadZipFile("the header of the entry is damaged")
    name_length, extra_length = unpack("<2H", header[_LENGTHS])
    start: int = entry.header_offset + _HEADER_SIZE + name_length + extra_length
    return start


class _Part(io.RawIOBase):
    """Some bytes of a file, as a file of their own; it ends early if the file does."""

    def __init__(self, stream: IO[bytes], start: int, size: int) -> None:
        self._stream = stream
        self._start = start
        self._size = size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        origins = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}
        self._position = max(origins[whence] + offset, 0)
        return self._position

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]  # a Buffer, from Python 3.12
        size = min(len(buffer), max(self._size - self._position, 0))
        self._stream.seek(self._start + self._position)
        data = self._stream.read(size)
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)
