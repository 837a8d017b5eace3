"""The archive of pages: what is written, what is read, and what others do to its files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from forest_scrapy.archive.page_archive import KeptResponse, PageArchive

URL = "http://a.example/1"
ENTRY = {"entry": {"title": "An owl"}}


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[PageArchive]:
    with closing(PageArchive(tmp_path)) as archive:
        yield archive


def keep(folder: Path, *responses: KeptResponse) -> None:
    with closing(PageArchive(folder)) as archive:
        for response in responses:
            archive.add(response)


def page(body: bytes, *headers: tuple[str, str], url: str = URL) -> KeptResponse:
    return KeptResponse(url, 200, headers, body)


def test_headers_stay_as_they_were_sent(archive: PageArchive) -> None:
    # Scrapy's headers are bytes, of which each is a character here.
    archive.add(page(b"", ("Location", "/caf\xc3\xa9?a b"), ("Set-Cookie", "a=1"),
                     ("Set-Cookie", "b=2")))  # fmt: skip
    kept = archive.latest(URL)
    assert kept and kept.headers == (
        ("Location", "/caf%C3%A9?a b"),  # the same URL
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
    )


def test_headers_and_urls_cannot_write_other_lines(tmp_path: Path) -> None:
    url = f"{URL}\r\nWARC-Type:x"
    keep(tmp_path, page(b"An owl.", ("X", "a\r\n\r\nbody"), ("Y\nZ", "a\nb"), url=url))
    (path,) = tmp_path.glob("*.warc.gz")
    with path.open("rb") as stream:
        _, record = (
            (one.rec_type, one.rec_headers.get_header("WARC-Target-URI"), one.http_headers.headers
             if one.http_headers else [], one.content_stream().read())
            for one in ArchiveIterator(stream)
        )  # fmt: skip
    headers = [("X", "a body"), ("Y Z", "a b")]
    target = f"{URL}%0D%0AWARC-Type:x"
    assert record == ("response", target, headers, b"An owl.")


def test_a_body_in_a_file_that_was_removed_is_kept_again(tmp_path: Path) -> None:
    keep(tmp_path, page(b"An owl."))
    for path in tmp_path.glob("*.warc.gz"):
        path.unlink()
    keep(tmp_path, page(b"An owl."))
    with closing(PageArchive(tmp_path)) as archive:
        kept = archive.latest(URL)
    assert kept and kept.body == b"An owl."


def test_notes_in_the_index_outlast_a_reader_that_came_too_early(tmp_path: Path) -> None:
    with closing(PageArchive(tmp_path)) as archive:
        archive.add(KeptResponse(URL, 200, (), b"An owl.", notes=ENTRY))
        (path,) = tmp_path.glob("*.warc.gz")
        whole, (*_, start) = path.read_bytes(), record_starts(path)
        assert archive.describe(URL)
        path.write_bytes(whole[:start])  # as another crawl may have read it
        (index,) = tmp_path.glob("index.db")
        with closing(PageArchive(tmp_path)) as early:
            early._index.execute("UPDATE warc_files SET indexed = 0")
            early._catch_up()
        path.write_bytes(whole)
        assert index.is_file() and archive.describe(URL)[1] == ENTRY


def test_tools_that_replay_pages_see_no_notes(tmp_path: Path) -> None:
    """They show records of JSON for the page, and none of fields."""
    keep(tmp_path, KeptResponse(URL, 200, (), b"An owl.", notes=ENTRY))
    (path,) = tmp_path.glob("*.warc.gz")
    with path.open("rb") as stream:
        kinds = [(one.rec_type, one.content_type) for one in ArchiveIterator(stream)]
    assert kinds[-1] == ("metadata", "application/warc-fields")
    indexer = pytest.importorskip("pywb.indexer.cdxindexer", reason="needs pywb")
    lines = BytesIO()
    with path.open("rb") as stream:
        indexer.write_cdx_index(lines, stream, path.name, cdxj=True)
    assert lines.getvalue().count(URL.encode()) == 1


def test_notes_of_earlier_files_are_read(tmp_path: Path) -> None:
    keep(tmp_path, page(b"An owl."))
    (path,) = tmp_path.glob("*.warc.gz")
    with path.open("rb") as stream:
        ids = [one.rec_headers.get_header("WARC-Record-ID") for one in ArchiveIterator(stream)]
    notes = json.dumps(ENTRY).encode()
    with path.open("ab") as stream:
        writer = WARCWriter(stream, gzip=True)
        writer.write_record(
            writer.create_warc_record(
                URL,
                "metadata",
                BytesIO(notes),
                len(notes),
                "application/json",
                warc_headers_dict={"WARC-Refers-To": ids[-1]},
            )
        )
    (tmp_path / "index.db").unlink()
    with closing(PageArchive(tmp_path)) as archive:
        assert archive.describe(URL)[1] == ENTRY


def record_starts(path: Path) -> list[int]:
    with path.open("rb") as stream:
        records = ArchiveIterator(stream)
        return [records.get_record_offset() for _ in records]


def test_records_of_other_tools_that_name_no_body_or_date(tmp_path: Path) -> None:
    keep(tmp_path, page(b"Another page.", url="http://a.example/2"))
    with (tmp_path / "other.warc.gz").open("wb") as stream:
        writer = WARCWriter(stream, gzip=True)
        head = StatusAndHeaders("200 OK", [], protocol="HTTP/1.1")
        revisit = writer.create_revisit_record(URL, "sha1:x", URL, "2026-01-01T00:00:00Z",
                                               http_headers=head)  # fmt: skip
        revisit.rec_headers.remove_header("WARC-Payload-Digest")
        writer.write_record(revisit)
        undated = writer.create_warc_record(
            "http://a.example/3", "response", BytesIO(b"An owl."), 7, http_headers=head,
            warc_headers_dict={"WARC-Date": "yesterday"},
        )  # fmt: skip
        writer.write_record(undated)
    with closing(PageArchive(tmp_path)) as archive:
        assert archive.latest(URL) is None
        assert archive.describe("http://a.example/3") is None


def test_a_folder_or_a_lost_link_with_the_name_of_a_warc_file_is_left_out(tmp_path: Path) -> None:
    keep(tmp_path, page(b"An owl."))
    (tmp_path / "x.warc.gz").mkdir()
    (tmp_path / "y.warc.gz").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "z.warc.gz")
    (tmp_path / "index.db").unlink()
    with closing(PageArchive(tmp_path)) as archive:
        kept = archive.latest(URL)
        assert [one.responses for one in archive.files()] == [1]
    assert kept
    assert kept.body == b"An owl."


@pytest.mark.parametrize("size", [1, 100])
@pytest.mark.parametrize("place", [0.02, 0.5, 0.98])
def test_what_is_damaged_costs_no_other_response(tmp_path: Path, size: int, place: float) -> None:
    """Though the index is lost."""
    bodies = {f"http://a.example/{number}": os.urandom(300).hex() for number in range(20)}
    keep(tmp_path, *(page(body.encode(), url=url) for url, body in bodies.items()))
    (path,) = tmp_path.glob("*.warc.gz")
    content = bytearray(path.read_bytes())
    start = int(place * (len(content) - size))
    content[start : start + size] = bytes(byte ^ 0x55 for byte in content[start : start + size])
    path.write_bytes(content)
    (tmp_path / "index.db").unlink()
    with closing(PageArchive(tmp_path)) as archive:
        found = [archive.latest(url) for url in bodies]
    kept = {one.url: one.body.decode() for one in found if one}
    assert len(kept) >= 18
    assert kept.items() <= bodies.items()


def test_a_response_after_the_damage_is_kept_again_as_a_whole(tmp_path: Path) -> None:
    """A damaged body is none that later responses refer to."""
    keep(tmp_path, page(b"An owl. " * 99), page(b"An elk.", url="http://a.example/2"))
    (path,) = tmp_path.glob("*.warc.gz")
    content = bytearray(path.read_bytes())
    first, second = record_starts(path)[1:3]
    content[second - 30 : second - 10] = b"x" * 20
    path.write_bytes(content)
    (tmp_path / "index.db").unlink()
    keep(tmp_path, page(b"An owl. " * 99))
    with closing(PageArchive(tmp_path)) as archive:
        kept = archive.latest(URL)
    assert first
    assert kept
    assert kept.body == b"An owl. " * 99


def test_files_that_may_be_removed(tmp_path: Path) -> None:
    """Not one with a body that a later file needs; after it was removed, the next response is
    written as a whole."""
    other = "http://a.example/2"
    keep(tmp_path, page(b"An owl."))
    keep(tmp_path, page(b"An owl."), page(b"An elk.", url=other))
    keep(tmp_path, page(b"An elk, later.", url=other))
    with closing(PageArchive(tmp_path)) as archive:
        uses = [(one.latest, one.needed, one.is_needless) for one in archive.files()]
        assert archive.has_page(URL)
    assert uses == [(0, 1, False), (1, 0, False), (1, 0, False)]
    oldest = min(tmp_path.glob("*.warc.gz"))
    oldest.unlink()
    with closing(PageArchive(tmp_path)) as archive:
        assert not archive.has_page(URL)
        archive.add(page(b"An owl."), "2100-01-01T00:00:00Z")
        kept = archive.latest(URL)
        assert archive.has_page(URL)
        assert sorted(one.is_needless for one in archive.files()) == [False, False, True]
    assert kept
    assert kept.body == b"An owl."
