"""Reading WARC files: plain ones, and those of gzip, Zstandard or LZ4 members.

Archives are cut, joined and damaged on their way.  So each record is checked before it is used: it
ends where its length says, and there the next one begins, or the file ends.  Where this is not so,
the record is named as damaged, and the next one is looked for: at the start of the next member in
which a record begins, or, within a member, at the next line where the header of a record begins.

Nothing is read whole: of a record at most ``max_bytes`` and what its headers need, of a member a
piece at a time.
"""

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from datetime import UTC
from functools import cache
from os import SEEK_END
from pathlib import PurePath
from typing import IO

from forest_scrapy.batch.decompression import BadData, Decompressor, check_ratio, decompress
from forest_scrapy.batch.http_message import (
    HTML_TYPES,
    MOST_HEADER,
    BadMessage,
    Message,
    decode_text,
    is_whole,
    read_message,
)
from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.core.moments import read_moment

#: Bytes that are read, and decompressed, at a time; and those that are looked at around an end.
_PIECE, _SMALL = 1 << 18, 1 << 10
#: Bytes of a record's header, and of the dictionary of a file, at most.
_MOST_HEAD, _MOST_DICTIONARY = 1 << 16, 1 << 24
#: Bytes that a member is read for its first output, at most: blocks of LZ4 have 4 MB.
_MOST_BEFORE = 1 << 23
#: Times that members are read again because a record above the bound does not end as it says;
#: later the lengths of such records are not relied on.
_MOST_AGAIN = 8
#: Bytes that are read of what may be members after a damaged one, at most; and those that each of
#: them counts at least.
_MOST_TRIED, _LEAST_TRIED = 1 << 28, 1 << 14
_MAGIC = b"WARC/"
_VERSION = re.compile(rb"WARC/\d{1,3}\.\d{1,3}[ \t]*\r?\n")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_AFTER_RECORD = (b"\r\n\r\n", b"\n\n")
#: What may be between two records, or before the first: line ends, and what tools add to them.
_LINE_ENDS = re.compile(rb"(?:[\r\n\0 \t]|\xef\xbb\xbf)*+")
#: A line in which a record may begin, and the header of one that begins.
_BEGINS = re.compile(rb"\n(?:[\0 \t]|\xef\xbb\xbf)*+(WARC/\d)")
_HEAD = re.compile(_VERSION.pattern + rb"(?:[!-9;-~]{1,256}+:[^\n]*+\n|[ \t][^\n]*+\n)*+\r?\n")
_TYPE = re.compile(rb"\nWARC-Type[ \t]*:", re.IGNORECASE)
#: The starts of members, and of frames that only have metadata (Zstandard, LZ4).
_MEMBERS = {
    "gzip": re.compile(rb"\x1f\x8b\x08[\x00-\x1f]"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "lz4": re.compile(rb"\x04\x22\x4d\x18"),
}
_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
#: The frame with the dictionary of a ``.warc.zst`` file.
_DICTIONARY = b"\x5d\x2a\x4d\x18"


def is_warc(start: bytes | bytearray) -> bool:
    """Whether a file that starts like this is a WARC file."""
    return start.startswith(_MAGIC)


def read_warc(stream: IO[bytes], name: str, max_bytes: int) -> Iterator[RawPage]:
    """The responses of a WARC file with HTML and status 200, decoded; revisits, redirects and other
    records are left out.  A damaged record is a page with an ``error``.

    ``stream``: can be sought.  The source of a page is ``name@offset``, in bytes of the file; of a
    record within a member ``name@offset+position``, in bytes of what is decompressed.
    """
    for record in _Reader(stream, name, max_bytes):
        source = f"{name}@{record.place}"
        if record.error:
            yield RawPage(record.field(b"WARC-Target-URI"), b"", source, error=record.error)
        elif record.field(b"WARC-Type").lower() == "response":
            yield from _read_response(record, source, max_bytes)


def scan_records(
    stream: IO[bytes], name: str, max_bytes: int, start: int = 0
) -> Iterator["Record"]:
    """All records of a WARC file from an offset on, at which one begins; of what is damaged, one
    with an ``error``.  Raises ``BadData`` for a dictionary that cannot be read, and ``OSError``."""
    return iter(_Reader(stream, name, max_bytes, start))


def _read_response(record: "Record", source: str, max_bytes: int) -> Iterator[RawPage]:
    """The page of a response; nothing if it is none."""
    kind = record.field(b"Content-Type").partition(";")[0].strip().lower()
    url, when = record.field(b"WARC-Target-URI").strip("<> "), _read_date(record)
    if kind in HTML_TYPES:
        message = Message(200, {"Content-Type": kind}, record.block)
    elif kind and kind != "application/http":  # of DNS, say
        return
    else:
        try:
            message = read_message(record.block)
        except BadMessage as error:
            yield RawPage(url, b"", source, fetched_at=when, error=str(error))
            return
    if not message.is_page():
        return
    body, problem = b"", "too_large" if record.is_large else ""
    try:
        body = b"" if problem else message.decode(max_bytes + 1)
    except BadMessage as error:
        problem = str(error)
    if not problem and not is_whole(body):
        problem = "truncated" if record.field(b"WARC-Truncated") else record.doubt
    headers = message.content_headers()
    yield RawPage(url, b"" if problem else body, source, headers, message.status, when, problem)


def _read_date(record: "Record") -> str:
    """The date of a record in UTC; ``""`` if it is not known."""
    moment = read_moment(record.field(b"WARC-Date"))
    if moment is None:
        return ""
    try:
        return moment.astimezone(UTC).isoformat(timespec="seconds")
    except OverflowError:
        return ""


@dataclass(frozen=True)
class Record:
    """``place``: its offset; ``head``: its header; ``block``: what follows, only the start of one
    that ``is_large``; ``doubt``: why it may not end where it says; ``error``: what is wrong with
    it."""

    place: str
    head: bytes = b""
    block: bytes = b""
    is_large: bool = False
    doubt: str = ""
    error: str = ""

    def field(self, name: bytes) -> str:
        """The value of a field of the header; ``""`` if it is not there."""
        found = _field_pattern(name).search(self.head)
        value = found[1].strip() if found else b""
        return decode_text(value)


@cache
def _field_pattern(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"^" + name + rb"[ \t]*:([^\r\n]*)", re.IGNORECASE | re.MULTILINE)


class _Reader:
    """The records of a file, in order; of what is damaged, one with an ``error``."""

    def __init__(self, stream: IO[bytes], name: str, max_bytes: int, start: int = 0) -> None:
        self._stream, self._most = stream, max_bytes + MOST_HEADER
        self._kind = _kind_of(stream, name)
        self._dictionary = _read_dictionary(stream) if self._kind == "zstd" else b""
        self._pieces = (
            _read_members(stream, self._kind, self._dictionary, start) if self._kind
            else _read_plain(stream, start)
        )  # fmt: skip
        #: What was read and is not used yet; where its first byte is, and its last member.
        self._buffer, self._member, self._last = bytearray(), 0, 0
        self._position = 0 if self._kind else start
        self._times_again = 0
        #: Where what is in the buffer ends: a member with a new record, or an error.
        self._next: _Piece | None = None

    def __iter__(self) -> Iterator[Record]:
        while True:
            self._drop_line_ends()
            piece = self._next
            if self._buffer:
                yield self._read_record()
            elif piece is None:
                return
            else:
                self._next = None
                self._buffer += piece.data
                self._member = self._last = piece.offset
                self._position = 0
                if piece.error:
                    yield Record(self._place(), error=piece.error)

    def _read_record(self) -> Record:
        """The record that the buffer begins with, which is taken from it."""
        if not _VERSION.match(self._buffer) and not self._begins_after_fill():
            return self._damaged(1, b"", "no record begins here")
        end = self._find_end_of_head()
        head = bytes(self._buffer[: end or _MOST_HEAD])
        if not end:
            return self._damaged(1, head, "its header is cut, or too long")
        given = Record("", head).field(b"Content-Length")
        if not (given.isascii() and given.isdigit() and len(given) < 19):
            return self._damaged(end, head, f"its length is not a number: {given[:40]!r}")
        length = int(given)
        if length > self._most:
            return self._read_large(head, length)
        while len(self._buffer) < end + length:
            if not self._fill():
                size = len(self._buffer) - end
                return self._damaged(end, head, f"it is cut: {size} of {length} bytes")
        block, doubt = self._buffer[end : end + length], self._find_doubt(end + length)
        is_ended = self._buffer.startswith(_AFTER_RECORD, end + length)
        if doubt and (not is_ended or self._error()):
            return self._damaged(end, head, doubt)
        record = Record(self._place(), head, bytes(block), doubt=doubt)
        self._drop(end + length)
        return record

    def _read_large(self, head: bytes, length: int) -> Record:
        """A record above the bound, which is skipped.  In a plain file its end is looked at first;
        members are read, and read again if it does not end there."""
        while len(self._buffer) < len(head) + MOST_HEADER and self._fill():
            pass
        block = bytes(self._buffer[len(head) : len(head) + MOST_HEADER])
        record = Record(self._place(), head, block, is_large=True)
        start, end = self._position, self._position + len(head) + length
        doubt = f"it does not end after {length} bytes"
        if self._kind and self._times_again < _MOST_AGAIN:
            doubt = "it is cut" if self._skip_to(end) else self._find_doubt(0)
            if doubt:
                self._times_again += 1
                self._read_again(start)
        elif not self._kind and self._is_end_of_plain(end):
            self._buffer.clear()
            self._position, self._pieces = end, _read_plain(self._stream, end)
            doubt = ""
        return self._damaged(len(head), head, doubt) if doubt else record

    def _damaged(self, start: int, head: bytes, reason: str) -> Record:
        """Names a record, and goes to the next one that begins after ``start`` bytes."""
        if error := self._error():  # it is named by this
            reason, self._next = error, None
        record = Record(self._place(), head, error=f"damaged record: {reason}")
        self._skip_to_record(start)
        return record

    def _skip_to_record(self, start: int) -> None:
        """Drop what comes before the next record, and at least ``start`` bytes."""
        self._drop(start - 1)  # the end of the line before
        while True:
            found = _BEGINS.search(self._buffer)
            self._drop(found.start(1) if found else max(len(self._buffer) - _SMALL, 0))
            if found and self._is_head():
                break
            if not found and not self._fill():
                self._drop(len(self._buffer))
                break

    def _is_head(self) -> bool:
        """Whether the header of a record begins here."""
        while len(self._buffer) < _MOST_HEAD and self._fill():
            pass
        found = _HEAD.match(self._buffer, 0, _MOST_HEAD)
        return bool(found and _TYPE.search(self._buffer, 0, found.end()))

    def _find_end_of_head(self) -> int:
        """Where the block of the record begins; 0 if its header has no end."""
        search = 0
        while True:
            if found := _HEAD_END.search(self._buffer, search, _MOST_HEAD):
                return found.end()
            search = max(len(self._buffer) - 3, 0)
            if len(self._buffer) > _MOST_HEAD or not self._fill():
                return 0

    def _skip_to(self, position: int) -> int:
        """Drop what comes before a position; how many bytes of it are missing."""
        while self._position < position:
            self._drop(min(position - self._position, len(self._buffer)))
            if not self._buffer and not self._fill():
                break
        return position - self._position

    def _read_again(self, position: int) -> None:
        """Read the record's members again from a position on."""
        self._pieces = _read_members(self._stream, self._kind, self._dictionary, self._member)
        self._next, self._position = None, 0
        self._buffer[:] = next(self._pieces).data
        self._skip_to(position)

    def _find_doubt(self, end: int) -> str:
        """Why the record may not end there; ``""`` if the next one follows, or its members or the
        file end."""
        while True:
            found = _LINE_ENDS.match(self._buffer, end)
            assert found
            rest = self._buffer[found.end() : found.end() + len(_MAGIC)]
            if len(rest) == len(_MAGIC) or found.end() - end > _SMALL:
                return "" if is_warc(rest) else "what follows is no record"
            if not self._fill():
                return self._error() or ("what follows is no record" if rest else "")

    def _is_end_of_plain(self, end: int) -> bool:
        """Whether a record of a plain file may end there."""
        before = self._stream.tell()
        size = self._stream.seek(0, SEEK_END)
        self._stream.seek(min(end, size))
        rest = self._stream.read(_SMALL)
        rest = rest[_padding(rest) :]
        self._stream.seek(before)
        return end <= size and (not rest or is_warc(rest))

    def _begins_after_fill(self) -> bool:
        """Whether the buffer begins with a record, of which only a part may have been read."""
        while len(self._buffer) < _SMALL and self._fill():
            pass
        return bool(_VERSION.match(self._buffer))

    def _fill(self) -> bool:
        """Read a piece more; False at the end of the file, or of this record's members."""
        if self._next is None:
            piece = next(self._pieces, None)
            if piece is None:
                return False
            if not piece.error and not (piece.begins and is_warc(piece.data)):
                self._buffer += piece.data
                self._last = piece.offset
                return True
            self._next = piece
        return False

    def _error(self) -> str:
        """What is wrong with the last member in the buffer."""
        is_last = self._next is not None and self._next.offset == self._last
        return self._next.error if self._next and is_last else ""

    def _drop_line_ends(self) -> None:
        while True:
            found = _LINE_ENDS.match(self._buffer)
            assert found
            self._drop(found.end())
            if self._buffer or not self._fill():
                return

    def _drop(self, size: int) -> None:
        del self._buffer[:size]
        self._position += size

    def _place(self) -> str:
        if not self._kind:
            return str(self._position)
        return f"{self._member}+{self._position}" if self._position else str(self._member)


@dataclass(frozen=True)
class _Piece:
    """Some bytes of a file, decompressed.  ``offset``: where their member is in the file;
    ``begins``: whether they are its first; ``error``: why there are no more of it."""

    data: bytes
    offset: int = 0
    begins: bool = False
    error: str = ""


def _padding(data: bytes) -> int:
    """How many bytes come before a record."""
    found = _LINE_ENDS.match(data)
    return found.end() if found else 0


def _kind_of(stream: IO[bytes], name: str) -> str:
    """The kind of the members; ``""`` if the file is plain."""
    stream.seek(0)
    start = stream.read(_SMALL)
    if is_warc(start[_padding(start) :]):
        return ""
    named = {".gz": "gzip", ".zst": "zstd", ".lz4": "lz4"}.get(PurePath(name.lower()).suffix, "")
    kinds = (kind for kind, pattern in _MEMBERS.items() if pattern.match(start))
    return next(kinds, named)


def _read_plain(stream: IO[bytes], offset: int) -> Iterator[_Piece]:
    stream.seek(offset)
    while data := stream.read(_PIECE):
        yield _Piece(data)


def _read_members(
    stream: IO[bytes], kind: str, dictionary: bytes, start: int = 0
) -> Iterator[_Piece]:
    """The members of a compressed file.  One that is damaged ends with an error; the next is the
    first after it in which a record begins."""
    source = _Source(stream, start)
    while first := source.peek():
        offset = source.offset
        if first.startswith(b"\0"):  # padding
            source.skip(len(first) - len(first.lstrip(b"\0")))
        elif kind != "gzip" and _SKIPPABLE.match(first):
            end = offset + 8 + int.from_bytes(first[4:8], "little")
            if _is_end_of_frame(source, end, kind):
                continue
            # Its length is damaged, or the frame is cut: what follows may still be there.
            reason = f"a frame of metadata does not end after {end - offset - 8} bytes"
            yield _Piece(b"", offset, error=f"{kind} data are damaged: {reason}")
            found = _find_member(source, kind, dictionary, offset + 8)
            if found < 0:
                return
            source.seek(found)
        elif error := (yield from _read_member(source, kind, dictionary)):
            yield _Piece(b"", offset, error=error)
            found = _find_member(source, kind, dictionary, offset + 1)
            if found < 0:
                return
            source.seek(found)


def _is_end_of_frame(source: "_Source", end: int, kind: str) -> bool:
    """Whether a frame that is skipped ends there: at the end of the file, or where another one, or
    padding, begins.  If so, that is read next."""
    if end > source.size:
        return False
    source.seek(end)
    following = source.peek()
    return (
        not following
        or following.startswith(b"\0")
        or bool(_SKIPPABLE.match(following) or _MEMBERS[kind].match(following))
    )


def _read_member(source: "_Source", kind: str, dictionary: bytes) -> Generator[_Piece, None, str]:
    """The pieces of the member that begins here; returns what is wrong with it."""
    one, offset = Decompressor(kind, dictionary), source.offset
    begins, size, output = True, 0, b""
    while not one.is_done:
        data = source.read(one.chunk)
        try:
            more, rest = one.feed(data, _PIECE)
            check_ratio(size + len(more), source.offset - offset)
        except BadData as error:
            return f"{kind} data are damaged: {error}"
        source.skip(-len(rest))
        if not data and not more:
            return f"{kind} data are cut"
        size, output = size + len(more), output + more
        if not size and source.offset - offset > _MOST_BEFORE:
            return f"{kind} data are damaged: they have no beginning"
        if len(output) >= len(_MAGIC) or one.is_done:
            yield _Piece(output, offset, begins)
            begins, output = False, b""
    return ""


def _find_member(source: "_Source", kind: str, dictionary: bytes, offset: int) -> int:
    """Where the next member is in which a record begins; -1 if there is none."""
    tried = 0
    while True:
        source.seek(offset)
        data = source.read(_PIECE)
        for found in _MEMBERS[kind].finditer(data):
            start = offset + found.start()
            source.seek(start)
            first = next(_read_member(source, kind, dictionary), None)
            if first and is_warc(first.data):
                return start
            tried += max(source.offset - start, _LEAST_TRIED)
            if tried > _MOST_TRIED:
                return -1
        if len(data) < 4:
            return -1
        offset += len(data) - 3


def _read_dictionary(stream: IO[bytes]) -> bytes:
    """The dictionary of a ``.warc.zst`` file, which may be compressed itself; mostly there is
    none.  That of a frame that is cut is not used: the frame is named when it is met.  Raises
    ``BadData``."""
    stream.seek(0)
    head = stream.read(8)
    if not head.startswith(_DICTIONARY):
        return b""
    length = int.from_bytes(head[4:], "little")
    data = stream.read(min(length, _MOST_DICTIONARY))
    if len(data) < length:
        return b""
    if not _MEMBERS["zstd"].match(data):
        return data
    dictionary, is_whole = decompress("zstd", data, _MOST_DICTIONARY)
    if not is_whole:
        raise BadData("the dictionary is cut")
    return dictionary


class _Source:
    """A file with what was read ahead; ``offset``: of what is read next."""

    def __init__(self, stream: IO[bytes], offset: int) -> None:
        self._stream = stream
        self.seek(offset)

    @property
    def offset(self) -> int:
        return self._start + self._used

    @property
    def size(self) -> int:
        """The size of the file."""
        before = self._stream.tell()
        size = self._stream.seek(0, SEEK_END)
        self._stream.seek(before)
        return size

    def seek(self, offset: int) -> None:
        self._stream.seek(offset)
        self._buffer, self._start, self._used = b"", offset, 0

    def skip(self, size: int) -> None:
        """Go forward, or back."""
        if 0 <= self._used + size <= len(self._buffer):
            self._used += size
        else:
            self.seek(self.offset + size)

    def peek(self) -> bytes:
        """Some bytes, at least eight if there are so many."""
        if len(self._buffer) - self._used < 8:
            self._start += self._used
            self._buffer = self._buffer[self._used :] + self._stream.read(_PIECE)
            self._used = 0
        return self._buffer[self._used : self._used + _SMALL]

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes; none at the end of the file."""
        if self._used == len(self._buffer):
            self._start += self._used
            self._buffer, self._used = self._stream.read(_PIECE), 0
        data = self._buffer[self._used : self._used + size]
        self._used += len(data)
        return data
