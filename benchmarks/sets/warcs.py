"""WARC files of recorded pages."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from benchmarks.sets.bench_set import BenchPage


def write_warc(file: Path, pages: Iterable[BenchPage]) -> Path:
    """Write a WARC file with one response for each page (section 6.3 of the standard)."""
    with file.open("wb") as stream:
        for page in pages:
            content = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page.html
            head = (
                "WARC/1.0",
                "WARC-Type: response",
                f"WARC-Record-ID: <urn:uuid:{uuid5(NAMESPACE_URL, page.url)}>",
                "WARC-Date: 2026-01-01T00:00:00Z",
                f"WARC-Target-URI: {page.url.replace(' ', '%20')}",
                "Content-Type: application/http; msgtype=response",
                f"Content-Length: {len(content)}",
            )
            record = "\r\n".join(head).encode() + b"\r\n\r\n" + content + b"\r\n\r\n"
            stream.write(gzip.compress(record, 6))
    return file
