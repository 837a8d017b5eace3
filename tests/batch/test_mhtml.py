"""MHTML files: the page in them, with its URL, its encoding and its time."""

from __future__ import annotations

import base64
import io
import quopri
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy import RawPage
from forest_scrapy.batch.mhtml import read_mhtml

URL = "https://news.example/2024/owls"
PAGE = "<html><body><h1>Eulen über Köln</h1>\n<p>a=b</p>\n</body></html>"
MAX_BYTES = 10_000


def message(
    body: bytes,
    encoding: str,
    charset: str = "utf-8",
    location: str = URL,
    before: bytes = b"",
) -> bytes:
    """A page as browsers save it, with a picture after it."""
    head = (
        "From: <Saved by Blink>\r\n"
        f"Snapshot-Content-Location: {URL}\r\n"
        "Date: Fri, 3 May 2024 15:47:42 +0200\r\n"
        "MIME-Version: 1.0\r\n"
        "Content-Type: multipart/related;\r\n"
        '\ttype="text/html";\r\n'
        '\tboundary="----Boundary--1----"\r\n'
        "\r\n\r\n"
    )
    part = (
        "------Boundary--1----\r\n"
        f'Content-Type: text/html; charset="{charset}"\r\n'
        f"Content-Transfer-Encoding: {encoding}\r\n"
        f"Content-Location: {location}\r\n"
        "\r\n"
    )
    picture = (
        "\r\n------Boundary--1----\r\n"
        "Content-Type: image/png\r\n"
        "Content-Transfer-Encoding: base64\r\n"
        "\r\n"
        "iVBORw0KGgo=\r\n"
        "------Boundary--1------\r\n"
    )
    return head.encode() + before + part.encode() + body + picture.encode()


def read(data: bytes) -> RawPage:
    return read_mhtml(io.BytesIO(data), "file:///a.mhtml", MAX_BYTES)


@pytest.mark.parametrize(
    ("encoding", "encode"),
    [
        ("quoted-printable", quopri.encodestring),
        ("Base64", base64.encodebytes),
        ("8bit", bytes),
        ("binary", bytes),
    ],
)
def test_encodings(encoding: str, encode: object) -> None:
    assert callable(encode)
    page = read(message(encode(PAGE.encode()), encoding))
    assert isinstance(page.body, bytes)
    assert page.body.decode().split() == PAGE.split()
    assert page.headers == {"Content-Type": 'text/html; charset="utf-8"'}
    assert page.fetched_at == "2024-05-03T13:47:42+00:00"
    assert page.url == URL


def test_a_page_in_a_part_of_a_part() -> None:
    """As mail programs write it, beside its text."""
    data = (
        b'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="A"\r\n\r\n'
        b'--A\r\nContent-Type: multipart/alternative; boundary="A-B"\r\n\r\n'
        b"--A-B\r\nContent-Type: text/plain\r\n\r\nBoats\r\n"
        b"--A-B\r\nContent-Type: text/html\r\n\r\n<p>Boats\r\n--A note\r\n--A-B--\r\n"
        b"--A\r\nContent-Type: text/css\r\n\r\na {}\r\n--A--\r\n"
    )
    assert read(data).body == b"<p>Boats\r\n--A note\r\n"


def test_a_url_that_is_folded() -> None:
    data = (
        b"MIME-Version: 1.0\r\nSnapshot-Content-Location: http://a.example/\r\n boats/1\r\n"
        b"Content-Type: text/html\r\n\r\n<p>Boats"
    )
    assert read(data).url == "http://a.example/boats/1"


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be set")
@pytest.mark.parametrize("zone", [" -0000", ""])
def test_a_time_without_a_zone_does_not_depend_on_that_of_the_machine(
    zone: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = message(PAGE.encode(), "8bit").replace(b" +0200", zone.encode(), 1)
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        assert read(data).fetched_at == "2024-05-03T15:47:42+00:00"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("https://www.example/other", "https://www.example/other"),
        ("/images/", "https://news.example/images/"),
        ("cid:frame-1@mhtml.blink", ""),
    ],
)
def test_the_location_of_the_part_is_the_url(location: str, url: str) -> None:
    assert read(message(PAGE.encode(), "8bit", location=location)).url == url


def test_parts_before_the_page_are_left_out() -> None:
    style = b"------Boundary--1----\r\nContent-Type: text/css\r\n\r\nh1 { color: red }\r\n"
    page = read(message(PAGE.encode(), "8bit", before=style))
    assert isinstance(page.body, bytes) and page.body.startswith(b"<html>")


def test_a_message_of_one_part() -> None:
    page = read(
        b"MIME-Version: 1.0\nContent-Type: text/html\nContent-Location: "
        + URL.encode()
        + b"\n\n<p>Owls"
    )
    assert (page.url, page.body) == (URL, b"<p>Owls")


def test_a_page_above_the_bound_is_known_to_be_too_long() -> None:
    for encoding, encode in (("8bit", bytes), ("base64", base64.encodebytes)):
        page = read(message(encode(b"<p>owls</p>\n" * 100_000), encoding))
        assert len(page.body) == MAX_BYTES + 1


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "no HTML"),
        (b"MIME-Version: 1.0\nContent-Type: image/png\n\nPNG", "no HTML"),
        (b"Content-Type: multipart/related\n\n--x", "no boundary"),
        (
            b"Content-Type: multipart/a; boundary=x\n\n--x--\n--x\nContent-Type: text/html\n\na",
            "no HTML",
        ),
        (b"X: " + b"a" * 100_000, "header of it is too long"),
        (b"X: a\n" * 20_000, "header of it is too long"),
        (message(b"<p>a", "x-uuencode"), "'x-uuencode' is not read"),
    ],
    ids=["empty", "picture", "boundary", "end", "line", "header", "encoding"],
)
def test_what_is_no_page_is_named(data: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read(data)


@given(st.binary(max_size=400))
def test_other_bytes_are_refused_or_read(data: bytes) -> None:
    for start in (b"", b"Content-Type: multipart/related; boundary=x\n\n--x\n"):
        try:
            page = read(start + data)
        except ValueError:
            continue
        assert len(page.body) <= MAX_BYTES + 1
