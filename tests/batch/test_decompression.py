"""Decompression in steps of bounded size."""

from __future__ import annotations

import gzip
import zlib

import brotli
import lz4.frame
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.batch.decompression import BadData, Decompressor, check_ratio, decompress

PACK = {
    "gzip": gzip.compress,
    "zlib": zlib.compress,
    "deflate": lambda data: zlib.compress(data)[2:-4],
    "br": brotli.compress,
    "zstd": zstandard.compress,
    "lz4": lz4.frame.compress,
}
kinds = pytest.mark.parametrize("kind", PACK)
#: Zstandard takes no bound: a step may make 16 MB.
STEP = 1 << 24


@kinds
@given(data=st.binary(max_size=300), times=st.sampled_from([1, 500]))
def test_what_is_packed_is_unpacked(kind: str, data: bytes, times: int) -> None:
    assert decompress(kind, PACK[kind](data * times), 10**6) == (data * times, True)


@kinds
def test_the_output_is_bounded(kind: str) -> None:
    zeros = bytes(20_000_000)
    packed = brotli.compress(zeros, quality=1) if kind == "br" else PACK[kind](zeros)
    output, is_complete = decompress(kind, packed, 1000)
    assert is_complete and 1000 <= len(output) <= 1000 + STEP
    one = Decompressor(kind)
    assert len(one.feed(packed[: one.chunk_size], 1000)[0]) <= 40_000 + STEP * (kind == "zstd")


@kinds
@given(data=st.binary(max_size=300))
def test_any_bytes(kind: str, data: bytes) -> None:
    for one in (data, PACK[kind](b"boats" * 9)[:20] + data):
        try:
            decompress(kind, one, 1000)
        except BadData as error:
            assert str(error)


def test_bombs() -> None:
    check_ratio(1 << 28, 1)
    check_ratio(1 << 40, 1 << 32)
    with pytest.raises(BadData, match="more than 400 times"):
        check_ratio(1 << 30, 1 << 20)


@kinds
def test_data_that_are_cut(kind: str) -> None:
    packed = PACK[kind](bytes(range(256)) * 9)
    _, is_complete = decompress(kind, packed[:-9], 10**6)
    assert not is_complete


@kinds
def test_what_follows_a_member_is_given_back(kind: str) -> None:
    if kind == "br":  # its package does not tell where the data end
        return
    one, rest = Decompressor(kind), PACK[kind](b"boats" * 99) + b"rest"
    output = b""
    while not one.is_done:
        more, rest = one.feed(rest, 100)
        output += more
    assert (output, rest) == (b"boats" * 99, b"rest")
