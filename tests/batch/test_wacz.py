"""WACZ files: the WARC files in their archive are read, wherever they stand in the zip file."""

from __future__ import annotations

import gzip
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest

from forest_scrapy import RawPage
from forest_scrapy.batch.inputs import read_raw_pages
from tests.batch.helpers import warc_record

HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/html"
MAX_BYTES = 100_000


def warc(first: int, count: int, padding: int = 0) -> bytes:
    """A WARC file of gzip members with pages of these numbers."""
    members = []
    for number in range(first, first + count):
        body = f"<html><body><h1>Page {number}</h1>{'<p>Boats.' * padding}</body></html>".encode()
        record = warc_record(f"http://a.example/{number}", HEAD, body)
        members.append(gzip.compress(record))
    return b"".join(members)


def write_wacz(file: Path, entries: dict[str, bytes], compression: int = ZIP_STORED) -> Path:
    with ZipFile(file, "w", compression) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return file


def read(file: Path) -> list[RawPage]:
    return list(read_raw_pages(str(file), MAX_BYTES))


@pytest.mark.parametrize("compression", [ZIP_STORED, ZIP_DEFLATED])
def test_the_pages_of_all_warc_files_are_read(tmp_path: Path, compression: int) -> None:
    entries = {
        "datapackage.json": b"{}",
        "archive/b.warc.gz": warc(4, 3, padding=5_000),
        "archive/a.warc.gz": warc(0, 4),
        "indexes/index.cdx.gz": gzip.compress(b"none"),
        "pages/pages.jsonl": b'{"format": "json-pages-1.0"}\n',
        "archive/c.warc": gzip.decompress(warc(7, 2)),
    }
    pages = read(write_wacz(tmp_path / "a.wacz", entries, compression))
    assert [page.error for page in pages] == [""] * 9
    assert [page.url for page in pages] == [f"http://a.example/{number}" for number in range(9)]
    assert all(f"<h1>Page {number}<".encode() in page.body for number, page in enumerate(pages))
    assert pages[4].source == f"{tmp_path}/a.wacz/archive/b.warc.gz@0"


def test_a_warc_file_that_is_damaged_does_not_end_the_others(tmp_path: Path) -> None:
    file = write_wacz(
        tmp_path / "a.wacz",
        {"archive/a.warc.gz": warc(0, 2), "archive/b.warc.gz": warc(2, 2)},
    )
    data = bytearray(file.read_bytes())
    data[:4] = b"PK\0\0"
    file.write_bytes(data)
    pages = read(file)
    assert "BadZipFile" in pages[0].error and pages[0].source.endswith("archive/a.warc.gz")
    assert [page.url for page in pages[1:]] == ["http://a.example/2", "http://a.example/3"]


def test_a_record_that_is_cut_is_named(tmp_path: Path) -> None:
    whole = warc(0, 3)
    pages = read(write_wacz(tmp_path / "a.wacz", {"archive/a.warc.gz": whole[:-20]}))
    assert [page.error for page in pages[:2]] == ["", ""]
    assert "cut" in pages[2].error


def test_what_is_no_wacz_is_named(tmp_path: Path) -> None:
    (page,) = read(write_wacz(tmp_path / "a.wacz", {"pages/pages.jsonl": b"{}"}))
    assert "no WARC files in its folder archive/" in page.error
    (tmp_path / "b.wacz").write_bytes(b"<html>")
    (page,) = read(tmp_path / "b.wacz")
    assert "BadZipFile" in page.error
