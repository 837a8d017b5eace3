"""Pages of the demo site, and files of them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from demo.demo_site import build_site
from forest_scrapy import RawPage
from forest_scrapy.batch.files import BatchArguments, FileBatch
from forest_scrapy.batch.progress import NoProgress
from forest_scrapy.settings import ForestSettings

__all__ = [
    "HOST",
    "HTML",
    "WHEN",
    "articles",
    "content",
    "demo_pages",
    "lines",
    "run",
    "write_warc",
]

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


#: Fields that depend on what is known of the response.
_OF_RESPONSE = ("fetched_at", "status", "last_modified", "etag")


def run(folder: Path, *paths: Path, processes: int = 1, **order: Any) -> FileBatch:
    """Run a batch to its end; the files are in ``folder``."""
    names = tuple(map(str, paths))
    given = BatchArguments(names, folder / "articles.jsonl", folder / "errors.jsonl", **order)
    batch = FileBatch(given, ForestSettings(), processes, NoProgress())
    batch.run()
    return batch


def articles(folder: Path) -> list[dict[str, Any]]:
    return lines(folder / "articles.jsonl")


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def content(folder: Path) -> list[dict[str, Any]]:
    """The articles without what is known of the response."""
    return [{k: v for k, v in one.items() if k not in _OF_RESPONSE} for one in articles(folder)]
