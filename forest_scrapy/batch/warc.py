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
    MAX_HEADER_SIZE,
    BadMessage,
    Message,
    decode_text,
    is_whole_html,
    read_message,
)
from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.core.moments import read_moment
from forest_scrapy.core.plurals import count

#: Bytes that are read, and decompressed, at a time.
_PIECE_SIZE = 1 << 18
#: Bytes that are looked at around an end.
_SMALL_SIZE = 1 << 10
#: Bytes of a record's header.
_MAX_HEAD = 1 << 16
#: Bytes of the dictionary of a file.
_MAX_DICTIONARY = 1 << 24
#: Bytes that a member is read for its first output: blocks of LZ4 have 4 MB.
_MAX_BEFORE_OUTPUT = 1 << 23
#: Times that members are read again because a record above the bound does not end as it says;
#: later the lengths of such records are not relied on.
_MAX_READ_AGAIN = 8
#: Bytes that are read of what may be members after a damaged one.
_MAX_TRIED = 1 << 28
#: Bytes that each of them counts at least.
_MIN_TRIED = 1 << 14
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
#: The kinds of members by the endings of files.
_KINDS = {
    ".gz": "gzip",
    ".zst": "zstd",
    ".lz4": "lz4",
}
_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
#: The frame with the dictionary of a ``.warc.zst`` file.
_DICTIONARY = b"\x5d\x2a\x4d\x18"


def is_warc(start: bytes | bytearray) -> bool:
    """Whether a file that starts like this is a WARC file."""
    return start.startswith(_MAGIC)


def read_warc(
    stream: IO[bytes],
    name: str,
    max_bytes: int,
) -> Iterator[RawPage]:
    """The pages of a WARC file: responses with HTML and status 200, decoded, and resources that are
    HTML, as converters of folders write them; revisits, redirects and other records are left out.
    A damaged record is a page with an ``error``.

    ``stream``: can be sought.  The source of a page is ``name@offset``, in bytes of the file; of a
    record within a member ``name@offset+position``, in bytes of what is decompressed.
    """
    for record in _Reader(stream, name, max_bytes):
        source = f"{name}@{record.place}"
        if record.error:
            yield RawPage(record.field(b"WARC-Target-URI"), b"", source, error=record.error)
        elif record.field(b"WARC-Type").lower() in ("response", "resource"):
            yield from _read_response(record, source, max_bytes)


def scan_records(
    stream: IO[bytes],
    name: str,
    max_bytes: int,
    start: int = 0,
) -> Iterator["WarcRecord"]:
    """All records of a WARC file from an offset on, at which one begins; of what is damaged, one
    with an ``error``.  Raises ``BadData`` for a dictionary that cannot be read, and ``OSError``."""
    return iter(_Reader(stream, name, max_bytes, start))


def _read_response(
    record: "WarcRecord",
    source: str,
    max_bytes: int,
) -> Iterator[RawPage]:
    """The page of a response or a resource; nothing if it is none."""
    url = record.field(b"WARC-Target-URI").strip("<> ")
    fetched_at = _read_date(record)
    try:
        message = _read_message(record)
    except BadMessage as error:
        yield RawPage(url, b"", source, fetched_at=fetched_at, error=str(error))
        return
    if message is None or not message.is_page():
        return

    body = b""
    problem = ""
    if record.is_large:
        problem = "too_large"
    else:
        try:
            body = message.decode(max_bytes + 1)
        except BadMessage as error:
            problem = str(error)
    if not problem and not is_whole_html(body):
        problem = "truncated" if record.field(b"WARC-Truncated") else record.doubt
    yield RawPage(
        url,
        b"" if problem else body,
        source,
        headers=message.content_headers(),
        status=message.status,
        fetched_at=fetched_at,
        error=problem,
    )


def _read_message(record: "WarcRecord") -> Message | None:
    """The HTTP response of a record, or what a resource would be as one; None if it is of another
    protocol, DNS say, or no HTML.  Raises ``BadMessage``."""
    content_type = record.field(b"Content-Type")
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type in HTML_TYPES:
        return Message(200, {"Content-Type": content_type}, record.block)
    is_http = media_type in ("", "application/http")
    is_response = record.field(b"WARC-Type").lower() == "response"
    return read_message(record.block) if is_http and is_response else None


def _read_date(record: "WarcRecord") -> str:
    """The date of a record in UTC; ``""`` if it is not known."""
    moment = read_moment(record.field(b"WARC-Date"))
    if moment is None:
        return ""
    try:
        return moment.astimezone(UTC).isoformat(timespec="seconds")
    except OverflowError:
        return ""


@dataclass(frozen=True)
class WarcRecord:
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
        match = _field_pattern(name).search(self.head)
        value = match[1].strip() if match else b""
        return decode_text(value)


@cache
def _field_pattern(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"^" + name + rb"[ \t]*:([^\r\n]*)", re.IGNORECASE | re.MULTILINE)


class _Reader:
    """The records of a file, in order; of what is damaged, one with an ``error``."""

    def __init__(
        self,
        stream: IO[bytes],
        name: str,
        max_bytes: int,
        start: int = 0,
    ) -> None:
        self._stream = stream
        self._max_length = max_bytes + MAX_HEADER_SIZE
        self._kind = _kind_of(stream, name)
        self._dictionary = _read_dictionary(stream) if self._kind == "zstd" else b""
        if self._kind:
            self._pieces = _read_members(stream, self._kind, self._dictionary, start)
        else:
            self._pieces = _read_plain(stream, start)
        #: What was read and is not used yet.
        self._buffer = bytearray()
        #: The offset of the member in which the buffer begins, and of the one in which it ends.
        self._member = 0
        self._last_member = 0
        #: Where the buffer begins, in its member or in a plain file.
        self._position = 0 if self._kind else start
        self._times_read_again = 0
        #: Where what is in the buffer ends: a member with a new record, or an error.
        self._next: _Piece | None = None

    def __iter__(self) -> Iterator[WarcRecord]:
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
                self._member = piece.offset
                self._last_member = piece.offset
                self._position = 0
                if piece.error:
                    yield WarcRecord(self._place(), error=piece.error)

    def _read_record(self) -> WarcRecord:
        """The record that the buffer begins with, which is taken from it."""
        if not _VERSION.match(self._buffer) and not self._begins_after_fill():
            return self._damaged(1, b"", "no record begins here")
        start = self._find_end_of_head()
        head = bytes(self._buffer[: start or _MAX_HEAD])
        if not start:
            return self._damaged(1, head, "its header is cut, or too long")
        digits = WarcRecord("", head).field(b"Content-Length")
        is_number = digits.isascii() and digits.isdigit()
        if not is_number or len(digits) >= 19:
            return self._damaged(start, head, f"its length is not a number: {digits[:40]!r}")
        length = int(digits)
        if length > self._max_length:
            return self._read_large(head, length)

        end = start + length
        while len(self._buffer) < end:
            if not self._fill():
                size = len(self._buffer) - start
                return self._damaged(start, head, f"it is cut: {size} of {length} bytes")
        block = bytes(self._buffer[start:end])
        doubt = self._find_doubt(end)
        is_ended = self._buffer.startswith(_AFTER_RECORD, end)
        if doubt and (not is_ended or self._error()):
            return self._damaged(start, head, doubt)
        record = WarcRecord(self._place(), head, block, doubt=doubt)
        self._drop(end)
        return record

    def _read_large(self, head: bytes, length: int) -> WarcRecord:
        """A record above the bound, which is skipped.  In a plain file its end is looked at first;
        members are read, and read again if it does not end there."""
        head_size = len(head)
        while len(self._buffer) < head_size + MAX_HEADER_SIZE and self._fill():
            pass
        block = bytes(self._buffer[head_size : head_size + MAX_HEADER_SIZE])
        record = WarcRecord(self._place(), head, block, is_large=True)
        start = self._position
        end = start + head_size + length
        doubt = f"it does not end after {count(length, 'byte')}"
        if self._kind and self._times_read_again < _MAX_READ_AGAIN:
            doubt = "it is cut" if self._skip_to(end) else self._find_doubt(0)
            if doubt:
                self._times_read_again += 1
                self._read_again(start)
        elif not self._kind and self._is_end_of_plain(end):
            self._buffer.clear()
            self._position = end
            self._pieces = _read_plain(self._stream, end)
            doubt = ""
        if doubt:
            return self._damaged(head_size, head, doubt)
        return record

    def _damaged(
        self,
        size: int,
        head: bytes,
        reason: str,
    ) -> WarcRecord:
        """Names a record, and goes to the next one that begins after ``size`` bytes."""
        error = self._error()
        if error:  # it is named by this
            reason = error
            self._next = None
        record = WarcRecord(self._place(), head, error=f"damaged record: {reason}")
        self._skip_to_record(size)
        return record

    def _skip_to_record(self, size: int) -> None:
        """Drop what comes before the next record, and at least ``size`` bytes."""
        self._drop(size - 1)  # the end of the line before
        while True:
            match = _BEGINS.search(self._buffer)
            if match:
                self._drop(match.start(1))
                if self._is_head():
                    return
            else:
                self._drop(max(len(self._buffer) - _SMALL_SIZE, 0))
                if not self._fill():
                    self._drop(len(self._buffer))
                    return

    def _is_head(self) -> bool:
        """Whether the header of a record begins here."""
        while len(self._buffer) < _MAX_HEAD and self._fill():
            pass
        match = _HEAD.match(self._buffer, 0, _MAX_HEAD)
        if not match:
            return False
        record_type = _TYPE.search(self._buffer, 0, match.end())
        return record_type is not None

    def _find_end_of_head(self) -> int:
        """Where the block of the record begins; 0 if its header has no end."""
        search_from = 0
        while True:
            match = _HEAD_END.search(self._buffer, search_from, _MAX_HEAD)
            if match:
                return match.end()
            search_from = max(len(self._buffer) - 3, 0)
            if len(self._buffer) > _MAX_HEAD or not self._fill():
                return 0

    def _skip_to(self, position: int) -> int:
        """Drop what comes before a position; how many bytes of it are missing."""
        while self._position < position:
            missing = position - self._position
            self._drop(min(missing, len(self._buffer)))
            if not self._buffer and not self._fill():
                break
        return position - self._position

    def _read_again(self, position: int) -> None:
        """Read the record's members again from a position on."""
        self._pieces = _read_members(
            self._stream,
            self._kind,
            self._dictionary,
            self._member,
        )
        self._next = None
        self._position = 0
        self._buffer[:] = next(self._pieces).data
        self._skip_to(position)

    def _find_doubt(self, end: int) -> str:
        """Why the record may not end there; ``""`` if the next one follows, or its members or the
        file end."""
        while True:
            start = _end_of_padding(self._buffer, end)
            following = self._buffer[start : start + len(_MAGIC)]
            if len(following) == len(_MAGIC) or start - end > _SMALL_SIZE:
                return "" if is_warc(following) else "what follows is no record"
            if not self._fill():
                return self._error() or ("what follows is no record" if following else "")

    def _is_end_of_plain(self, end: int) -> bool:
        """Whether a record of a plain file may end there."""
        stream = self._stream
        position = stream.tell()
        size = stream.seek(0, SEEK_END)
        stream.seek(min(end, size))
        following = stream.read(_SMALL_SIZE)
        following = following[_end_of_padding(following) :]
        stream.seek(position)
        return end <= size and (not following or is_warc(following))

    def _begins_after_fill(self) -> bool:
        """Whether the buffer begins with a record, of which only a part may have been read."""
        while len(self._buffer) < _SMALL_SIZE and self._fill():
            pass
        return bool(_VERSION.match(self._buffer))

    def _fill(self) -> bool:
        """Read a piece more; False at the end of the file, or of this record's members."""
        if self._next is not None:
            return False
        piece = next(self._pieces, None)
        if piece is None:
            return False
        begins_record = piece.begins and is_warc(piece.data)
        if piece.error or begins_record:
            self._next = piece
            return False
        self._buffer += piece.data
        self._last_member = piece.offset
        return True

    def _error(self) -> str:
        """What is wrong with the last member in the buffer."""
        if self._next is None or self._next.offset != self._last_member:
            return ""
        return self._next.error

    def _drop_line_ends(self) -> None:
        while True:
            self._drop(_end_of_padding(self._buffer))
            if self._buffer or not self._fill():
                return

    def _drop(self, size: int) -> None:
        del self._buffer[:size]
        self._position += size

    def _place(self) -> str:
        if not self._kind:
            return str(self._position)
        if self._position:
            return f"{self._member}+{self._position}"
        return str(self._member)


@dataclass(frozen=True)
class _Piece:
    """Some bytes of a file, decompressed.  ``offset``: where their member is in the file;
    ``begins``: whether they are its first; ``error``: why there are no more of it."""

    data: bytes
    offset: int = 0
    begins: bool = False
    error: str = ""


def _end_of_padding(data: bytes | bytearray, start: int = 0) -> int:
    """Where what comes between two records, or before the first, ends."""
    match = _LINE_ENDS.match(data, start)
    if match:
        return match.end()
    return start


def _kind_of(stream: IO[bytes], name: str) -> str:
    """The kind of the members; ``""`` if the file is plain."""
    stream.seek(0)
    start = stream.read(_SMALL_SIZE)
    if is_warc(start[_end_of_padding(start) :]):
        return ""
    for kind, pattern in _MEMBERS.items():
        if pattern.match(start):
            return kind
    ending = PurePath(name.lower()).suffix
    return _KINDS.get(ending, "")


def _read_plain(stream: IO[bytes], offset: int) -> Iterator[_Piece]:
    stream.seek(offset)
    while data := stream.read(_PIECE_SIZE):
        yield _Piece(data)


def _read_members(
    stream: IO[bytes],
    kind: str,
    dictionary: bytes,
    start: int = 0,
) -> Iterator[_Piece]:
    """The members of a compressed file.  One that is damaged ends with an error; the next is the
    first after it in which a record begins."""
    source = _Source(stream, start)
    while first := source.peek():
        offset = source.offset
        if first.startswith(b"\0"):  # padding
            source.skip(len(first) - len(first.lstrip(b"\0")))
            continue
        if kind != "gzip" and _SKIPPABLE.match(first):
            length = int.from_bytes(first[4:8], "little")
            content = offset + 8
            if _is_end_of_frame(source, content + length, kind):
                continue
            # Its length is damaged, or the frame is cut: what follows may still be there.
            reason = f"a frame of metadata does not end after {count(length, 'byte')}"
            error = f"{kind} data are damaged: {reason}"
            search_from = content
        else:
            error = yield from _read_member(source, kind, dictionary)
            search_from = offset + 1
        if not error:
            continue

        yield _Piece(b"", offset, error=error)
        member = _find_member(source, kind, dictionary, search_from)
        if member < 0:
            return
        source.seek(member)


def _is_end_of_frame(
    source: "_Source",
    end: int,
    kind: str,
) -> bool:
    """Whether a frame that is skipped ends there: at the end of the file, or where another one, or
    padding, begins.  If so, that is read next."""
    if end > source.size:
        return False
    source.seek(end)
    following = source.peek()
    if not following or following.startswith(b"\0"):
        return True
    return bool(_SKIPPABLE.match(following) or _MEMBERS[kind].match(following))


def _read_member(
    source: "_Source",
    kind: str,
    dictionary: bytes,
) -> Generator[_Piece, None, str]:
    """The pieces of the member that begins here; returns what is wrong with it."""
    member = Decompressor(kind, dictionary)
    offset = source.offset
    begins = True
    size = 0
    output = b""
    while not member.is_done:
        data = source.read(member.chunk_size)
        try:
            decompressed, unused = member.feed(data, _PIECE_SIZE)
            size += len(decompressed)
            check_ratio(size, source.offset - offset)
        except BadData as error:
            return f"{kind} data are damaged: {error}"
        source.skip(-len(unused))
        if not data and not decompressed:
            return f"{kind} data are cut"
        output += decompressed
        if not size and source.offset - offset > _MAX_BEFORE_OUTPUT:
            return f"{kind} data are damaged: they have no beginning"
        if len(output) >= len(_MAGIC) or member.is_done:
            yield _Piece(output, offset, begins)
            begins = False
            output = b""
    return ""


def _find_member(
    source: "_Source",
    kind: str,
    dictionary: bytes,
    offset: int,
) -> int:
    """Where the next member is in which a record begins; -1 if there is none."""
    tried = 0
    while True:
        source.seek(offset)
        data = source.read(_PIECE_SIZE)
        for match in _MEMBERS[kind].finditer(data):
            start = offset + match.start()
            source.seek(start)
            first = next(_read_member(source, kind, dictionary), None)
            if first and is_warc(first.data):
                return start
            tried += max(source.offset - start, _MIN_TRIED)
            if tried > _MAX_TRIED:
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
    data = stream.read(min(length, _MAX_DICTIONARY))
    if len(data) < length:
        return b""
    if not _MEMBERS["zstd"].match(data):
        return data
    dictionary, is_complete = decompress("zstd", data, _MAX_DICTIONARY)
    if not is_complete:
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
        position = self._stream.tell()
        size = self._stream.seek(0, SEEK_END)
        self._stream.seek(position)
        return size

    def seek(self, offset: int) -> None:
        self._stream.seek(offset)
        #: What was read, where in the file it begins, and how many bytes of it were taken.
        self._buffer = b""
        self._start = offset
        self._used = 0

    def skip(self, size: int) -> None:
        """Go forward, or back."""
        if 0 <= self._used + size <= len(self._buffer):
            self._used += size
        else:
            self.seek(self.offset + size)

    def peek(self) -> bytes:
        """Some bytes, at least eight if there are so many."""
        if len(self._buffer) - self._used < 8:
            unused = self._buffer[self._used :]
            self._start += self._used
            self._buffer = unused + self._stream.read(_PIECE_SIZE)
            self._used = 0
        return self._buffer[self._used : self._used + _SMALL_SIZE]

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes; none at the end of the file."""
        if self._used == len(self._buffer):
            self._start += self._used
            self._buffer = self._stream.read(_PIECE_SIZE)
            self._used = 0
        data = self._buffer[self._used : self._used + size]
        self._used += len(data)
        return data
