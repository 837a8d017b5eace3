"""Images, PDF and other files in place of pages."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse, Response
from scrapy.responsetypes import responsetypes

from forest_scrapy.responses.no_pages import describe_file


@pytest.mark.parametrize(
    ("kind", "body", "name"),
    [
        ("image/png", b"\x89PNG\r\n\x1a\n\0\0", "an image"),
        ("image/webp", b"RIFF\x24\x10\0\0WEBPVP8 \x01", "an image"),
        ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "an image"),
        ("application/pdf", b"%PDF-1.7", "a PDF"),
        ("text/html", b"%PDF-1.7", "a PDF"),
        ("video/mp4", b"\0\0\0\x18ftypmp42", "a video"),
        ("application/zip", b"PK\x03\x04", "a zip file"),
        (
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            b"PK\x03\x04",
            "a document of an office program",
        ),
        ("text/html", b"PK\x03\x04", "a zip file"),
        ("text/html", b"<p>Owls", ""),
        ("image/png", b"", ""),
        ("application/rss+xml", b"<rss/>", ""),
        ("application/json", b"{}", ""),
    ],
)
def test_what_a_file_is(kind: str, body: bytes, name: str) -> None:
    headers = {"Content-Type": kind}
    response_class = responsetypes.from_args(headers={b"Content-Type": kind.encode()}, body=body)
    response = response_class("http://a.example/1", headers=headers, body=body)
    assert describe_file(response) == name


def test_a_page_that_a_server_calls_an_image() -> None:
    headers = {"Content-Type": "image/png"}
    assert describe_file(HtmlResponse("http://a.example/1", headers=headers, body=b"<p>A")) == ""
    assert describe_file(Response("http://a.example/1", headers=headers, body=b"?")) == "an image"
