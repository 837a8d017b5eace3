"""Decompression in steps of bounded size: a few bytes may expand to more than fits into memory."""

import zlib
from typing import Any, NamedTuple, Protocol

from forest_scrapy.core import ForestError

#: Bytes that are fed at a time.
_CHUNK_SIZE = 1 << 16
#: Zstandard takes no bound of its output: it makes at most 16 MB of so many bytes.
_SMALL_CHUNK_SIZE = 512
#: The largest window of Zstandard: that of its command line tool.
_MAX_WINDOW = 1 << 27
#: Data that expand to more bytes than this, and to so many times their size, are a bomb.
_LARGE_SIZE = 1 << 28
_MAX_RATIO = 400
#: The package of a format that is not in the standard library.
_PACKAGES = {
    "br": "brotli",
    "zstd": "zstandard",
    "lz4": "lz4",
}


class BadData(Exception):
    """The data are not compressed in this way, or they are damaged."""


class _Step(NamedTuple):
    """Some output, the data that are left, and whether the end was read."""

    output: bytes
    unused: bytes
    is_done: bool


class _Format(Protocol):
    """Decompresses one member of a format."""

    def __init__(self, dictionary: bytes) -> None: ...

    def step(self, data: bytes, max_size: int) -> _Step:
        """Takes data and a bound of the output.  Raises ``BadData``."""


class Decompressor:
    """One compressed member, or frame, of ``gzip``, ``zlib``, ``deflate`` (without a header),
    ``br``, ``zstd`` or ``lz4``.

    ``dictionary``: of Zstandard.  ``chunk_size``: bytes to feed at a time, at most.  ``is_done``:
    whether its end was read.  Raises ``ForestError`` if a package is not installed.
    """

    def __init__(self, kind: str, dictionary: bytes = b"") -> None:
        try:
            self._format = _FORMATS[kind](dictionary)
        except ImportError:
            raise ForestError(f"{kind} data need pip install {_PACKAGES[kind]}") from None
        is_unbounded = kind in ("br", "zstd")
        self.chunk_size = _SMALL_CHUNK_SIZE if is_unbounded else _CHUNK_SIZE
        self.is_done = False

    def feed(self, data: bytes, max_size: int) -> tuple[bytes, bytes]:
        """Some output, and the data that are left: they are fed next, or follow the member.  Raises
        ``BadData``."""
        output, unused, self.is_done = self._format.step(data, max_size)
        return output, unused


def check_ratio(size: int, packed_size: int) -> None:
    """Raise ``BadData`` if ``packed_size`` bytes that expand to ``size`` are a bomb."""
    if size > _LARGE_SIZE and size > _MAX_RATIO * packed_size:
        raise BadData(f"they expand to more than {_MAX_RATIO} times their size")


def decompress(
    kind: str,
    data: bytes,
    max_size: int,
) -> tuple[bytes, bool]:
    """All members of the data, little more than ``max_size`` bytes of them, and whether their end,
    or so many bytes, were read.  What follows the last member is left out.  Raises ``BadData``."""
    parts = []
    size = 0
    position = 0
    member = Decompressor(kind)
    has_begun = False  # this member
    has_ended = False  # one before it
    while size < max_size:
        chunk = data[position : position + member.chunk_size]
        try:
            output, unused = member.feed(chunk, max_size - size)
        except BadData:
            if has_ended and not has_begun:  # what follows is no further member
                break
            raise
        parts.append(output)
        size += len(output)
        position += len(chunk) - len(unused)
        has_begun = has_begun or bool(output)
        if member.is_done:
            if position == len(data):
                break
            member = Decompressor(kind)
            has_begun = False
            has_ended = True
        elif not output and not chunk:
            return b"".join(parts), has_ended and not has_begun
    return b"".join(parts), True


class _Zlib:
    """Of the standard library; ``bits``: what its header is."""

    bits = 15

    def __init__(self, dictionary: bytes) -> None:
        self._decompressor = zlib.decompressobj(self.bits)

    def step(self, data: bytes, max_size: int) -> _Step:
        decompressor = self._decompressor
        try:
            output = decompressor.decompress(data, max_size)
        except zlib.error as error:
            raise BadData(str(error)) from None
        if decompressor.eof:
            return _Step(output, decompressor.unused_data, is_done=True)
        return _Step(output, decompressor.unconsumed_tail, is_done=False)


class _Gzip(_Zlib):
    bits = 31


class _Deflate(_Zlib):
    bits = -15


class _Brotli:
    def __init__(self, dictionary: bytes) -> None:
        import brotli

        self._error = brotli.error
        self._decompressor: Any = brotli.Decompressor()

    def step(self, data: bytes, max_size: int) -> _Step:
        accepts = self._decompressor.can_accept_more_data()
        accepted, unused = (data, b"") if accepts else (b"", data)
        try:
            output = self._decompressor.process(accepted, output_buffer_limit=max_size)
        except self._error as error:
            raise BadData(str(error)) from None
        return _Step(output, unused, self._decompressor.is_finished())


class _Zstandard:
    def __init__(self, dictionary: bytes) -> None:
        import zstandard

        self._error = zstandard.ZstdError
        zstd_dictionary = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        decompressor = zstandard.ZstdDecompressor(zstd_dictionary, max_window_size=_MAX_WINDOW)
        self._decompressor = decompressor.decompressobj()

    def step(self, data: bytes, max_size: int) -> _Step:
        decompressor = self._decompressor
        try:
            output = decompressor.decompress(data)
        except self._error as error:
            raise BadData(str(error)) from None
        unused = decompressor.unused_data if decompressor.eof else b""
        return _Step(output, unused, decompressor.eof)


class _Lz4:
    def __init__(self, dictionary: bytes) -> None:
        from lz4.frame import LZ4FrameDecompressor

        self._decompressor: Any = LZ4FrameDecompressor()

    def step(self, data: bytes, max_size: int) -> _Step:
        decompressor = self._decompressor
        accepted, unused = (data, b"") if decompressor.needs_input else (b"", data)
        try:
            output = decompressor.decompress(accepted, max_size)
        except RuntimeError as error:
            raise BadData(str(error)) from None
        if decompressor.eof:
            unused = (decompressor.unused_data or b"") + unused
        return _Step(output, unused, decompressor.eof)


_FORMATS: dict[str, type[_Format]] = {
    "gzip": _Gzip,
    "zlib": _Zlib,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstandard,
    "lz4": _Lz4,
}
