"""``extract`` from WARC files with damaged records, at the start, in the middle and at the end."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path

from benchmarks.faults.extracts import Extraction, Result, clean_records, demo_pages, write_file

PLACES = (0, 20, 39)
_CHUNKED = "Transfer-Encoding: chunked\r\n"


def make_record(
    url: str,
    body: bytes,
    headers: str = "",
    length: str = "",
    status: str = "HTTP/1.1 200 OK",
    date: str = "2030-01-01T00:00:00Z",
) -> bytes:
    """A response record; ``length``: what it says of its length, if it is wrong."""
    content = f"{status}\r\nContent-Type: text/html; charset=utf-8\r\n{headers}\r\n".encode()
    content += body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: {date}\r\nWARC-Target-URI: {url}\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"{length or f'Content-Length: {len(content)}'}\r\n\r\n"
    )
    return head.encode("utf-8", "surrogateescape") + content + b"\r\n\r\n"


def write_warc(folder: Path, missing: frozenset[int] = frozenset()) -> list[str]:
    """An archive with a gzip member for each record."""
    members = []
    for number, (url, body) in enumerate(demo_pages()):
        if number not in missing:
            record = make_record(url, body)
            members.append(gzip.compress(record, mtime=0))
    path = write_file(folder / "pages.warc.gz", b"".join(members))
    return [path]


#: Makes the bytes that are in the archive in place of a record.
Damage = Callable[[str, bytes], bytes]
#: Changes the body of a response, or a member of an archive.
Change = Callable[[bytes], bytes]


_ODD = b"odd bytes\r\n"


def _chunks(body: bytes) -> bytes:
    chunks = b""
    for start in range(0, len(body), 3000):
        chunk = body[start : start + 3000]
        chunks += b"%x\r\n%b\r\n" % (len(chunk), chunk)
    return chunks + b"0\r\n\r\n"


def _half(body: bytes) -> bytes:
    middle = len(body) // 2
    return body[:middle]


def _half_of_chunks(body: bytes) -> bytes:
    return _half(_chunks(body))


def _without_last_chunk(body: bytes) -> bytes:
    return _chunks(body)[:-5]


def _wrong_size(body: bytes) -> bytes:
    return _chunks(body).replace(b"bb8", b"xyz", 1)


def _huge_size(body: bytes) -> bytes:
    return b"ffffffffffff\r\n" + body


def _negative_size(body: bytes) -> bytes:
    return b"-5\r\n" + body


def _half_of_gzip(body: bytes) -> bytes:
    return _half(gzip.compress(body))


def _wrong_sum(body: bytes) -> bytes:
    packed = gzip.compress(body)
    return packed[:-8] + bytes(8)


def _bomb(body: bytes) -> bytes:
    return gzip.compress(bytes(50_000_000), 1)


def _half_of_deflate(body: bytes) -> bytes:
    return _half(zlib.compress(body))


def _all_bytes(body: bytes) -> bytes:
    return bytes(range(256)) * 9


def _same(body: bytes) -> bytes:
    return body


def _head(headers: str, change: Change = _same) -> Damage:
    """HTTP headers that are wrong for the body."""

    def damage(url: str, body: bytes) -> bytes:
        changed = change(body)
        return make_record(url, changed, headers)

    return damage


def _encoding(name: str, change: Change = _same) -> Damage:
    return _head(f"Content-Encoding: {name}\r\n", change)


def _length(line: str) -> Damage:
    """What the record says of its length."""
    return partial(make_record, length=line)


def _status(line: str) -> Damage:
    return partial(make_record, status=line)


def _odd_url(url: str, body: bytes) -> bytes:
    return make_record("http://[x/\udcff", body)


_RECORDS: dict[str, Damage] = {
    "chunked, plain body": _head(_CHUNKED),
    "chunked, cut": _head(_CHUNKED, _half_of_chunks),
    "chunked, no last chunk": _head(_CHUNKED, _without_last_chunk),
    "chunked, wrong size": _head(_CHUNKED, _wrong_size),
    "chunked, huge size": _head(_CHUNKED, _huge_size),
    "chunked, negative size": _head(_CHUNKED, _negative_size),
    "gzip, plain body": _encoding("gzip"),
    "gzip, cut": _encoding("gzip", _half_of_gzip),
    "gzip, wrong sum": _encoding("gzip", _wrong_sum),
    "gzip, a bomb": _encoding("gzip", _bomb),
    "br, plain body": _encoding("br"),
    "br, bytes": _encoding("br", _all_bytes),
    "deflate, plain body": _encoding("deflate"),
    "deflate, cut": _encoding("deflate", _half_of_deflate),
    "zstd, plain body": _encoding("zstd"),
    "unknown encoding": _encoding("x-odd"),
    "gzip and chunked, plain body": _head("Content-Encoding: gzip\r\n" + _CHUNKED),
    "a header without a colon": _head("odd header\r\n\0\xff: 1\r\n"),
    "a long header": _head("X-Long: " + "a" * 300_000 + "\r\n"),
    "no status line": _status("odd"),
    "a status that is no number": _status("HTTP/1.1 x"),
    "an odd URL": _odd_url,
    "length 1e12": _length("Content-Length: 1000000000000"),
    "length 1e30": _length(f"Content-Length: {10**30}"),
    "a short length": _length("Content-Length: 2000"),
    "a negative length": _length("Content-Length: -1"),
    "no length": _length("X-Length: 1"),
    "a length that is no number": _length("Content-Length: odd"),
}


def _with_wrong_bytes(member: bytes) -> bytes:
    start = member[:200]
    end = member[299:]
    return start + bytes(99) + end


def _followed_by(odd_bytes: bytes) -> Change:
    """What is not a member, after each."""
    return lambda member: member + odd_bytes


#: Of the members of an archive with gzip, in place of the good one.
_MEMBERS: dict[str, Change] = {
    "a cut member": _half,
    "a member with wrong bytes": _with_wrong_bytes,
    "bytes between members": _followed_by(bytes(range(256)) * 9),
    "NULs between members": _followed_by(bytes(5000)),
    "text between members": _followed_by(b"WARC/1.0\r\nodd\r\n\r\n" * 9),
}


def archive_faults(quick: bool) -> Iterator[tuple[str, Callable[[Path], list[Result]]]]:
    """An archive for each damage, with one and two processes in turn."""
    damages = _all_damages()
    if quick:
        kind = "length 1e12"
        damages = {kind: damages[kind]}
    process_counts = cycle((2, 1))
    for kind, damage in damages.items():
        processes = next(process_counts)
        name = f"archive | {kind} | jsonl | {processes}"
        yield name, partial(_extract, name, damage, processes)


def _all_damages() -> dict[str, Damage]:
    damages: dict[str, Damage] = {}
    for kind, damage in _RECORDS.items():
        damages[kind] = _packed(damage)
    for kind, change in _MEMBERS.items():
        damages[kind] = _packed(make_record, change)
    for kind, damage in _RECORDS.items():
        is_of_lengths = "length" in kind
        if is_of_lengths or kind == "chunked, plain body":
            damages[f"{kind}, no gzip"] = damage

    damages["bytes between records, no gzip"] = _before_odd_bytes
    damages["a cut archive"] = _packed(make_record)
    damages["a cut archive, no gzip"] = make_record
    return damages


def _before_odd_bytes(url: str, body: bytes) -> bytes:
    record = make_record(url, body)
    return record + _ODD * 9


def _packed(damage: Damage, change: Change = _same) -> Damage:
    """The record as a gzip member."""

    def pack(url: str, body: bytes) -> bytes:
        record = damage(url, body)
        member = gzip.compress(record, mtime=0)
        return change(member)

    return pack


def _extract(name: str, damage: Damage, processes: int, folder: Path) -> list[Result]:
    is_plain = "no gzip" in name
    is_cut = "cut archive" in name
    make_good = make_record if is_plain else _packed(make_record)
    damaged = (39,) if is_cut else PLACES

    data = b""
    offsets = []
    urls = []
    for number, (url, body) in enumerate(demo_pages()):
        make = damage if number in damaged else make_good
        offsets.append(len(data))
        urls.append(url)
        data += make(url, body)
    if is_cut:
        middle_of_last = (offsets[-1] + len(data)) // 2
        data = data[:middle_of_last]

    file = "pages.warc" if is_plain else "pages.warc.gz"
    path = write_file(folder / "in" / file, data)
    extraction = Extraction(folder / "out", [path], "jsonl", processes)
    extraction.run(exits=[0])

    output = ""
    if extraction.output.exists():
        output = extraction.output.read_text("utf-8")
    lines = f"\n{output}"
    lost = set()
    for number in damaged:
        start = f'\n{{"url": "{urls[number]}"'
        if start not in lines:
            lost.add(number)
    for number in lost:
        extraction.check_named([urls[number]], or_else=f"{file}@{offsets[number]} ")
    expected = clean_records(write_warc, frozenset(lost))
    result = extraction.check(name, [expected])
    return [result]
