"""WARC files: one odd record costs at most itself, and is named with its offset."""

from __future__ import annotations

import gzip
import io
import resource
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

import brotli
import lz4.frame
import pytest
import zstandard
from effort import limited_effort
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy import RawPage
from forest_scrapy.batch.warc import read_warc
from tests.batch.helpers import warc_record

MOST = 1_000_000
COUNT = 24


def page(number: int) -> bytes:
    words = Random(number).choices(range(10**6), k=300)
    text = "".join(f"<p>Boat {one} is in the sea.</p>" for one in words)
    return f"<html><body><h1>Boats {number}</h1>{text}</body></html>".encode()


def url(number: int) -> str:
    return f"http://a.example/{number}"


def record(number: int, headers: str = "", body: bytes | None = None) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html{headers}"
    return warc_record(url(number), head, page(number) if body is None else body)


def records() -> list[bytes]:
    return [record(number) for number in range(COUNT)]


def read(data: bytes, name: str = "a.warc") -> list[RawPage]:
    return list(read_warc(io.BytesIO(data), name, MOST))


def members(parts: list[bytes]) -> bytes:
    return b"".join(map(gzip.compress, parts))


def zstd(parts: list[bytes]) -> bytes:
    return b"".join(map(zstandard.ZstdCompressor().compress, parts))


def zstd_with_dictionary(parts: list[bytes]) -> bytes:
    """As in the specification of the IIPC: the dictionary in a frame of its own."""
    known = zstandard.ZstdCompressionDict(b"".join(parts)[:4000])
    packed = zstandard.ZstdCompressor().compress(known.as_bytes())
    head = b"\x5d\x2a\x4d\x18" + len(packed).to_bytes(4, "little") + packed
    return head + b"".join(zstandard.ZstdCompressor(dict_data=known).compress(p) for p in parts)


def blocks(parts: list[bytes]) -> bytes:
    """Members that do not end where records do, as ``bgzip`` writes them."""
    whole = b"".join(parts)
    return b"".join(gzip.compress(whole[at : at + 777]) for at in range(0, len(whole), 777))


def lz4_frames(parts: list[bytes]) -> bytes:
    return b"".join(lz4.frame.compress(part, content_checksum=True) for part in parts)


#: Ways to write an archive: its name, and a function of its records.
KINDS: dict[str, tuple[str, Callable[[list[bytes]], bytes]]] = {
    "plain": ("a.warc", b"".join),
    "members": ("a.warc.gz", members),
    "one_member": ("a.warc.gz", lambda parts: gzip.compress(b"".join(parts))),
    "blocks": ("a.warc.gz", blocks),
    "zstd": ("a.warc.zst", zstd),
    "zstd_dictionary": ("a.warc.zst", zstd_with_dictionary),
    "lz4": ("a.warc.lz4", lz4_frames),
}
kinds = pytest.mark.parametrize("kind", KINDS)


@kinds
def test_kinds_of_archive(kind: str) -> None:
    name, write = KINDS[kind]
    pages = read(write(records()), name)
    assert [one.url for one in pages] == [url(number) for number in range(COUNT)]
    assert [one.body for one in pages] == [page(number) for number in range(COUNT)]
    assert {one.error for one in pages} == {""}
    assert len({one.source for one in pages}) == COUNT


@pytest.mark.parametrize("version", ["WARC/0.18", "WARC/1.1"])
def test_versions(version: str) -> None:
    odd = [one.replace(b"WARC/1.0", version.encode()) for one in records()]
    assert [one.body for one in read(b"".join(odd))] == [page(number) for number in range(COUNT)]


def chunked(body: bytes) -> bytes:
    cut = len(body) // 2
    return b"".join(b"%x;a=b\r\n%b\r\n" % (len(b), b) for b in (body[:cut], body[cut:])) + b"0\r\n"


BODY = page(7)
#: Records whose page can be read: headers and body of the message.
READABLE = {
    "chunked": ("Transfer-Encoding: chunked", chunked(BODY)),
    "not_chunked": ("Transfer-Encoding: chunked", BODY),
    "last_chunk_missing": ("Transfer-Encoding: chunked", chunked(BODY)[:-3]),
    "gzip": ("Content-Encoding: gzip", gzip.compress(BODY)),
    "not_gzip": ("Content-Encoding: gzip", BODY),
    "gzip_in_members": ("Content-Encoding: x-gzip", members([BODY[:99], BODY[99:]])),
    "gzip_and_more": ("Content-Encoding: gzip", gzip.compress(BODY) + b"and more"),
    "gzip_without_end": ("Content-Encoding: gzip", gzip.compress(BODY)[:-8]),
    "br": ("Content-Encoding: br", brotli.compress(BODY)),
    "not_br": ("Content-Encoding: br", BODY),
    "zstd": ("Content-Encoding: zstd", zstandard.compress(BODY)),
    "not_zstd": ("Content-Encoding: zstd", BODY),
    "deflate": ("Content-Encoding: deflate", zlib.compress(BODY)),
    "raw_deflate": ("Content-Encoding: deflate", zlib.compress(BODY)[2:-4]),
    "not_deflate": ("Content-Encoding: deflate", BODY),
    "two": ("Content-Encoding: gzip, br", brotli.compress(gzip.compress(BODY))),
    "two_headers": (
        "Content-Encoding: gzip\r\nContent-Encoding: br",
        brotli.compress(gzip.compress(BODY)),
    ),
    "gzip_chunked": (
        "Content-Encoding: gzip\r\nTransfer-Encoding: chunked",
        chunked(gzip.compress(BODY)),
    ),
    "transfer_gzip": ("Transfer-Encoding: gzip, chunked", chunked(gzip.compress(BODY))),
    "unknown_encoding": ("Content-Encoding: none", BODY),
    "long_length": ("Content-Length: 1000000000000", BODY),
    "odd_length": ("Content-Length: -5e12", BODY),
    "many_headers": ("a: b\r\n" * 20_000 + "c: d", BODY),
}
#: Records whose page cannot be read whole, and why.
DAMAGED = {
    "cut_chunk": ("Transfer-Encoding: chunked", chunked(BODY)[:-400], "chunks are cut"),
    "negative_chunk": ("Transfer-Encoding: chunked", b"-5\r\n" + BODY, "chunks are cut"),
    "long_chunk": ("Transfer-Encoding: chunked", b"ffffffffffff\r\n" + BODY[:-9], "chunks are cut"),
    "cut_gzip": ("Content-Encoding: gzip", gzip.compress(BODY)[:-100], "no end"),
    "bad_gzip": ("Content-Encoding: gzip", gzip.compress(BODY)[:-8] + bytes(8), "damaged"),
    "cut_br": ("Content-Encoding: br", brotli.compress(BODY)[:-50], "no end"),
    "cut_zstd": ("Content-Encoding: zstd", zstandard.compress(BODY)[:-50], "no end"),
    "not_deflate": ("Content-Encoding: deflate", bytes(range(6, 200)), "not deflate"),
    "cut_page": ("Content-Length: 9999", BODY[:-500], "page is cut"),
    "many_encodings": ("Content-Encoding: " + "gzip," * 99, BODY, "too many encodings"),
    "long_header": ("a: " + "b" * 500_000, BODY, "header is too long"),
}


@pytest.mark.parametrize("name", READABLE)
def test_odd_messages_that_are_read(name: str) -> None:
    headers, body = READABLE[name]
    parts = records()
    parts[7] = record(7, f"\r\n{headers}", body)
    pages = read(members(parts), "a.warc.gz")
    assert [one.body for one in pages] == [page(number) for number in range(COUNT)]
    assert "gzip" not in str(pages[7].headers)


@pytest.mark.parametrize("name", DAMAGED)
def test_odd_messages_that_are_named(name: str) -> None:
    headers, body, reason = DAMAGED[name]
    parts = records()
    parts[7] = record(7, f"\r\n{headers}", body)
    pages = read(members(parts), "a.warc.gz")
    assert [one.url for one in pages] == [url(number) for number in range(COUNT)]
    assert [one for one in pages if one.error] == [pages[7]]
    assert reason in pages[7].error and not pages[7].body
    assert pages[7].source == f"a.warc.gz@{len(members(parts[:7]))}"


def bomb(encoding: str) -> bytes:
    zeros = bytes(200_000_000)
    if encoding == "br":
        return brotli.compress(zeros, quality=1)
    if encoding == "zstd":
        return zstandard.compress(zeros)
    return zlib.compress(zeros) if encoding == "deflate" else gzip.compress(zeros)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_bombs(encoding: str) -> None:
    parts = records()
    parts[7] = record(7, f"\r\nContent-Encoding: {encoding}", bomb(encoding))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pages = read(b"".join(parts))
    assert MOST < len(pages[7].body) < 40 * MOST
    assert len(pages) == COUNT
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


@pytest.mark.slow
def test_bombs_of_members() -> None:
    """Of a member of 300 MB in 300 KB 256 MB are read."""
    head = record(7).replace(b"Content-Length: ", b"Content-Length: 999")
    packed = gzip.compress(head + bytes(3 * 10**8), 1)
    pages = read(members(records()[:7]) + packed + members(records()[8:]), "a.warc.gz")
    assert [one.url for one in pages if not one.error] == [
        url(number) for number in range(COUNT) if number != 7
    ]
    assert len(pages) == COUNT


LENGTHS = ["1000000000000", "-5", "1e12", "9" * 40, "", "100", "0", "9000", "11000", "2000000"]


@kinds
@pytest.mark.parametrize("length", LENGTHS)
def test_wrong_lengths_of_records(kind: str, length: str) -> None:
    """All other records are read."""
    name, write = KINDS[kind]
    parts = records()
    parts[7] = parts[7].replace(
        b"Content-Length: %d" % len(parts[7].partition(b"\r\n\r\n")[2][:-4]),
        b"Content-Length: " + length.encode(),
    )
    assert parts[7] != record(7)
    pages = read(write(parts), name)
    assert [one.url for one in pages] == [url(number) for number in range(COUNT)]
    assert [one for one in pages if one.error] == [pages[7]]
    assert "damaged record" in pages[7].error


@kinds
@pytest.mark.parametrize("missing", [1, 5, 300, 1500])
def test_a_cut_archive(kind: str, missing: int) -> None:
    """The last page is named, not read as a whole one."""
    name, write = KINDS[kind]
    data = write(records())[:-missing]
    pages = read(data, name)
    whole = [one for one in pages if not one.error]
    assert [one.body for one in whole] == [page(number) for number in range(len(whole))]
    assert len(whole) >= COUNT - 2
    if missing > 4:  # else only the empty lines at the end are missing, if the file is plain
        assert pages[-1].error
        assert len(whole) < COUNT


@pytest.mark.parametrize("kind", ["members", "zstd", "zstd_dictionary", "lz4"])
@pytest.mark.parametrize("damage", ["garbage", "cut", "flipped", "padding"])
def test_damaged_members(kind: str, damage: str) -> None:
    name, write = KINDS[kind]
    parts = records()
    start, end = len(write(parts[:7])), len(write(parts[:8]))
    data = write(parts)
    if kind == "zstd_dictionary":  # the dictionary depends on the first records only
        assert data.startswith(write(parts[:7]))
    if damage == "garbage":
        data = data[:end] + b"garbage \x1f\x8b\x08\0 \x28\xb5\x2f\xfd" + data[end:]
    elif damage == "padding":
        data = data[:end] + bytes(100) + data[end:]
    elif damage == "cut":
        data = data[: (start + end) // 2] + data[end:]
    else:
        data = data[: start + 40] + bytes([data[start + 40] ^ 255]) + data[start + 41 :]
    pages = read(data, name)
    lost = {7} if damage in ("cut", "flipped") else set()
    whole = [one.body for one in pages if not one.error]
    assert whole == [page(number) for number in range(COUNT) if number not in lost]
    assert sum(bool(one.error) for one in pages) == (damage != "padding")


@pytest.mark.parametrize(
    ("kind", "start"), [("gz", b"\x1f\x8b\x08\x08"), ("zst", b"\x28\xb5\x2f\xfd")]
)
def test_many_starts_of_members_that_are_none(kind: str, start: bytes) -> None:
    """Each of gzip is a header with a name, which has no end."""
    with limited_effort(10):
        (page,) = read(start * 500_000, f"a.warc.{kind}")
        assert f"{'gzip' if kind == 'gz' else 'zstd'} data are" in page.error


def test_damaged_places_of_a_plain_archive() -> None:
    parts = records()
    parts[3] = parts[3].replace(b"WARC/1.0", b"XARC/1.0")
    parts[9] = b"garbage\r\nWARC/1.0\r\nnot the header of a record\r\n\r\n" + parts[9]
    parts[15] = parts[15].replace(b"\r\n\r\n", b"\r\nA: " + b"b" * 100_000, 1)
    pages = read(b"".join(parts))
    whole = [one.url for one in pages if not one.error]
    assert whole == [url(number) for number in range(COUNT) if number not in (3, 15)]
    assert sum(bool(one.error) for one in pages) == 3


def test_a_record_above_the_bound() -> None:
    """It is too large if it is a page; others are skipped, even with a WARC file in them."""
    parts = records()
    parts[3] = record(3, body=page(3) + b" " * 3 * MOST)
    parts[5] = warc_record(url(5), "HTTP/1.1 200 OK\r\nContent-Type: a/b", b"".join(records()) * 8)
    for kind in ("plain", "members"):
        name, write = KINDS[kind]
        pages = read(write(parts), name)
        assert [one.url for one in pages] == [url(number) for number in range(COUNT) if number != 5]
        assert [one.error for one in pages if one.error] == ["too_large"]


def test_records_without_a_message() -> None:
    """HTML without an HTTP header is read; answers of name servers and the like are not pages."""
    parts = [
        _record_of(b"application/http", page(0)),
        _record_of(b"text/dns", b"a.example. 1 IN A 10.0.0.1"),
        _record_of(b"text/html", page(2)),
        _record_of(b"application/http", b"\x16\x03 no HTTP"),
        record(4),
    ]
    pages = read(members(parts), "a.warc.gz")
    assert [one.body for one in pages if not one.error] == [page(0), page(2), page(4)]
    assert [one.error for one in pages if one.error] == ["there is no HTTP header"]


def _record_of(kind: bytes, block: bytes) -> bytes:
    head = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n"
    return head % (kind, len(block)) + block + b"\r\n\r\n"


def test_a_flipped_bit_in_a_text() -> None:
    """The checksum of the member tells it."""
    packed = gzip.compress(record(7), 0)  # stored
    odd = packed.replace(b"Boat", b"Goat", 1)
    pages = read(members([record(1)]) + odd + members([record(2)]), "a.warc.gz")
    assert [bool(one.error) for one in pages] == [False, True, False]
    assert pages[1].source == f"a.warc.gz@{len(members([record(1)]))}"


@pytest.mark.parametrize("is_whole", [True, False])
def test_what_the_archive_itself_has_cut(is_whole: bool) -> None:
    body = page(7) if is_whole else page(7)[:-500]
    odd = record(7, body=body).replace(b"WARC-Type", b"WARC-Truncated: length\r\nWARC-Type")
    (found,) = read(odd)
    assert (found.error == "") == is_whole
    assert is_whole or found.error == "truncated"


@pytest.mark.parametrize(
    ("written", "when"),
    [
        ("2030-01-01T00:00:00Z", "2030-01-01T00:00:00+00:00"),
        ("2030-01-01T02:00:00.123456789+02:00", "2030-01-01T00:00:00+00:00"),
        ("0001-01-01T00:00:00+09:00", ""),
        ("20300101000000", ""),
        ("yesterday", ""),
    ],
)
def test_dates(written: str, when: str) -> None:
    (found,) = read(record(7).replace(b"2030-01-01T00:00:00Z", written.encode()))
    assert found.fetched_at == when


@given(st.lists(st.binary(max_size=40), max_size=6), st.sampled_from([*KINDS]), st.data())
def test_anything_ends_without_an_error(parts: list[bytes], kind: str, data: st.DataObject) -> None:
    """With any bytes between records, and any cut, all pages are those of the records."""
    name, write = KINDS[kind]
    packed = write([part for extra in parts for part in (record(3), extra)] or [b"WARC/"])
    cut = packed[: data.draw(st.integers(0, len(packed)))]
    for one in (packed, cut):
        assert all(found.error or found.body == page(3) for found in read(one, name))


def test_the_file_is_not_read_whole(tmp_path: Path) -> None:
    """A record of a terabyte, in a file that takes no place on the disk."""
    file = tmp_path / "a.warc"
    with file.open("wb") as stream:
        head = b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: %d\r\n\r\n" % 10**12
        stream.write(record(0) + head)
        stream.seek(10**12, 1)
        stream.write(b"\r\n\r\n" + record(1))
    with file.open("rb") as stream:
        assert [one.url for one in read_warc(stream, "a.warc", MOST)] == [url(0), url(1)]


@pytest.mark.parametrize(
    "padding", [b"\0" * 9, b"  \t", b"\xef\xbb\xbf", b"\r\n\0\r\n \xef\xbb\xbf"]
)
@pytest.mark.parametrize("place", [0, 3])
def test_padding_before_a_record_of_a_plain_archive(padding: bytes, place: int) -> None:
    parts = records()
    parts.insert(place, padding)
    pages = read(b"".join(parts))
    assert [page.error for page in pages] == [""] * len(records())
    assert [page.url for page in pages] == [page.url for page in read(b"".join(records()))]


def test_much_padding_is_read_in_linear_time() -> None:
    data = b"".join(records())
    assert len(read(b"\0" * 3_000_000 + data)) == len(records())
    assert len(read(data + b"\n" + b" " * 3_000_000)) == len(records())


@pytest.mark.parametrize("length", [1 << 31, 5000])
def test_a_frame_of_metadata_that_does_not_end_where_it_says(length: int) -> None:
    """It is named, and the records after it are read."""
    parts = records()
    frame = b"\x50\x2a\x4d\x18" + length.to_bytes(4, "little") + b"notes"
    data = zstd(parts[:2]) + frame + zstd(parts[2:])
    pages = read(data, "a.warc.zst")
    errors = [page.error for page in pages if page.error]
    assert len(errors) == 1
    assert "a frame of metadata does not end" in errors[0]
    assert len(pages) == len(parts) + 1


def test_a_whole_frame_of_metadata_is_skipped() -> None:
    parts = records()
    frame = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"notes"
    pages = read(zstd(parts[:2]) + frame + zstd(parts[2:]) + frame, "a.warc.zst")
    assert [page.error for page in pages] == [""] * len(parts)


def test_a_dictionary_that_is_cut_is_named() -> None:
    whole = zstd_with_dictionary(records())
    length = int.from_bytes(whole[4:8], "little")
    pages = read(whole[: 8 + length // 2], "a.warc.zst")
    assert len(pages) == 1
    assert pages[0].error
    damaged = whole[:4] + (length + 900_000).to_bytes(4, "little") + whole[8:]
    assert any(page.error for page in read(damaged, "a.warc.zst"))


def test_resources_that_are_pages_are_read() -> None:
    """Converters of folders write them; programs of archives also write notes as resources."""

    def resource_record(url: str, kind: str, body: bytes) -> bytes:
        head = f"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: {url}\r\n"
        head += f"WARC-Date: 2024-05-03T15:47:42Z\r\nContent-Type: {kind}\r\n"
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body + b"\r\n\r\n"

    parts = [
        resource_record(url(1), "text/html; charset=windows-1251", page(1)),
        resource_record(url(2), "image/png", b"PNG"),
        resource_record(url(3), "application/http", b"HTTP/1.1 200 OK\r\n\r\n<p>a"),
        resource_record(url(4), "application/xhtml+xml", page(4)),
    ]
    for data, name in ((b"".join(parts), "a.warc"), (members(parts), "a.warc.gz")):
        first, second = read(data, name)
        assert (first.url, first.body, first.error) == (url(1), page(1), "")
        assert first.headers == {"Content-Type": "text/html; charset=windows-1251"}
        assert first.fetched_at == "2024-05-03T15:47:42+00:00"
        assert second.url == url(4)
