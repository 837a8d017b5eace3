"""Decompression in steps of bounded size: a few bytes may expand to more than fits into memory."""

import zlib
from collections.abc import Callable

from forest_scrapy.core import ForestError

#: Bytes that are fed at a time.  Zstandard takes no bound of its output: it makes at most 16 MB of
#: 512 bytes.
_CHUNK, _SMALL_CHUNK = 1 << 16, 512
#: The largest window of Zstandard: that of its command line tool.
_WINDOW = 1 << 27
#: Data that expand to more bytes than this, and to so many times their size, are a bomb.
_LARGE, _MOST_RATIO = 1 << 28, 400
#: The package of a format that is not in the standard library.
_PACKAGES = {"br": "brotli", "zstd": "zstandard", "lz4": "lz4"}

#: Takes data and a bound of the output; gives the output, the data that are left, and whether the
#: end was read.
_Step = Callable[[bytes, int], tuple[bytes, bytes, bool]]


class BadData(Exception):
    """The data are not compressed in this way, or they are damaged."""


class Decompressor:
    """One compressed member, or frame, of ``gzip``, ``zlib``, ``deflate`` (without a header),
    ``br``, ``zstd`` or ``lz4``.

    ``dictionary``: of Zstandard.  ``chunk``: bytes to feed at a time, at most.  ``is_done``:
    whether its end was read.  Raises ``ForestError`` if a package is not installed.
    """

    def __init__(self, kind: str, dictionary: bytes = b"") -> None:
        try:
            self._step: _Step = _OPENED[kind](dictionary)
        except ImportError:
            raise ForestError(f"{kind} data need pip install {_PACKAGES[kind]}") from None
        self.chunk = _SMALL_CHUNK if kind in ("br", "zstd") else _CHUNK
        self.is_done = False

    def feed(self, data: bytes, most: int) -> tuple[bytes, bytes]:
        """Some output, and the rest of the data: it is fed next, or follows the member.  Raises
        ``BadData``."""
        output, rest, self.is_done = self._step(data, most)
        return output, rest


def check_ratio(size: int, packed: int) -> None:
    """Raise ``BadData`` if ``packed`` bytes that expand to ``size`` are a bomb."""
    if size > _LARGE and size > _MOST_RATIO * packed:
        raise BadData(f"they expand to more than {_MOST_RATIO} times their size")


def decompress(kind: str, data: bytes, most: int) -> tuple[bytes, bool]:
    """All members of the data, little more than ``most`` bytes of them, and whether their end, or
    so many bytes, were read.  What follows the last member is left out.  Raises ``BadData``."""
    parts, size, position = [], 0, 0
    one, has_begun, has_ended = Decompressor(kind), False, False  # this one; one before it
    while size < most:
        chunk = data[position : position + one.chunk]
        try:
            output, rest = one.feed(chunk, most - size)
        except BadData:
            if has_ended and not has_begun:  # what follows is no further member
                break
            raise
        parts.append(output)
        size, position = size + len(output), position + len(chunk) - len(rest)
        has_begun = has_begun or bool(output)
        if one.is_done:
            if position == len(data):
                break
            one, has_begun, has_ended = Decompressor(kind), False, True
        elif not output and not chunk:
            return b"".join(parts), has_ended and not has_begun
    return b"".join(parts), True


def _open_zlib(bits: int) -> Callable[[bytes], _Step]:
    def open_one(_: bytes) -> _Step:
        one = zlib.decompressobj(bits)

        def step(data: bytes, most: int) -> tuple[bytes, bytes, bool]:
            try:
                output = one.decompress(data, most)
            except zlib.error as error:
                raise BadData(str(error)) from None
            return output, one.unused_data if one.eof else one.unconsumed_tail, one.eof

        return step

    return open_one


def _open_brotli(_: bytes) -> _Step:
    import brotli

    one = brotli.Decompressor()

    def step(data: bytes, most: int) -> tuple[bytes, bytes, bool]:
        accepts = one.can_accept_more_data()
        try:
            output = one.process(data if accepts else b"", output_buffer_limit=most)
        except brotli.error as error:
            raise BadData(str(error)) from None
        return output, b"" if accepts else data, one.is_finished()

    return step


def _open_zstd(dictionary: bytes) -> _Step:
    import zstandard

    known = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
    one = zstandard.ZstdDecompressor(known, max_window_size=_WINDOW).decompressobj()

    def step(data: bytes, most: int) -> tuple[bytes, bytes, bool]:
        try:
            output = one.decompress(data)
        except zstandard.ZstdError as error:
            raise BadData(str(error)) from None
        return output, one.unused_data if one.eof else b"", one.eof

    return step


def _open_lz4(_: bytes) -> _Step:
    from lz4.frame import LZ4FrameDecompressor

    one = LZ4FrameDecompressor()

    def step(data: bytes, most: int) -> tuple[bytes, bytes, bool]:
        accepts = one.needs_input
        try:
            output = one.decompress(data if accepts else b"", most)
        except RuntimeError as error:
            raise BadData(str(error)) from None
        if one.eof:
            return output, (one.unused_data or b"") + (b"" if accepts else data), True
        return output, b"" if accepts else data, False

    return step


_OPENED: dict[str, Callable[[bytes], _Step]] = {
    "gzip": _open_zlib(31),
    "zlib": _open_zlib(15),
    "deflate": _open_zlib(-15),
    "br": _open_brotli,
    "zstd": _open_zstd,
    "lz4": _open_lz4,
}
