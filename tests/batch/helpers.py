"""Pages of the demo site, and files of them."""

from __future__ import annotations

import gzip
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from demo.demo_site import build_site
from forest_scrapy import RawPage

__all__ = ["HOST", "HTML", "WHEN", "demo_pages", "write_warc"]

HOST = "http://news.example"
HTML = "text/html; charset=utf-8"
WHEN = "2030-01-01T00:00:00+00:00"


def demo_pages() -> list[RawPage]:
    """All HTML pages of the demo site: 30 articles, the others are not."""
    site = build_site(HOST)
    return [
        RawPage(f"{HOST}{path}", site.files[path][1], "", {"Content-Type": HTML}, 200, WHEN)
        for path in sorted(site.pages)
    ]


def write_warc(file: Path, pages: list[RawPage]) -> Path:
    """A WARC file as a crawler writes it: also with an image and an error for each page, which
    are not pages."""
    with file.open("wb") as stream:
        for page in pages:
            assert isinstance(page.body, bytes)
            for url, kind, status, body in (
                (page.url, HTML, "200 OK", page.body),
                (f"{page.url}?image", "image/png", "200 OK", b"PNG"),
                (f"{page.url}?missing", HTML, "404 Not Found", b"<p>Nothing here"),
            ):
                record = warc_record(url, f"HTTP/1.1 {status}\r\nContent-Type: {kind}", body)
                stream.write(gzip.compress(record) if file.suffix == ".gz" else record)
    return file


def warc_record(url: str, head: str, body: bytes) -> bytes:
    """A response record, section 6.3 of the WARC standard."""
    content = f"{head}\r\n\r\n".encode() + body
    lines = (
        "WARC/1.0",
        "WARC-Type: response",
        f"WARC-Record-ID: <urn:uuid:{uuid5(NAMESPACE_URL, url)}>",
        f"WARC-Date: {WHEN.replace('+00:00', 'Z')}",
        f"WARC-Target-URI: {url}",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(content)}",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content + b"\r\n\r\n"
