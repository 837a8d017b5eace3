"""Reading WARC files, by FastWARC: ``pip install forest-scrapy[warc]``.

Of 2,842 pages in WARC.gz, FastWARC reads one in 0.08 ms, warcio in 0.20 ms.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

from forest_scrapy.core import ForestError
from forest_scrapy.runtime.batch.raw_page import RawPage

__all__ = ["is_warc", "read_warc"]

_HTML = ("text/html", "application/xhtml+xml")
#: Headers that no longer say what the body is: it is decoded.
_TRANSPORT = ("content-encoding", "transfer-encoding", "content-length")


def is_warc(start: bytes) -> bool:
    """Whether a file that starts like this is a WARC file."""
    return start.startswith(b"WARC/")


def read_warc(file: str, max_bytes: int) -> Iterator[RawPage]:
    """The responses of a WARC file with HTML and status 200, decoded.  Revisits, redirects and
    other records are left out.  Raises ``ForestError`` without FastWARC."""
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError:
        raise ForestError(f"{file}: WARC files need pip install fastwarc") from None
    with Path(file).open("rb") as stream:
        records = ArchiveIterator(
            stream, record_types=WarcRecordType.response, parse_http=True, auto_decode="all"
        )
        for record in records:
            http = record.http_headers
            if http is not None and http.status_code == 200 and _is_html(record):
                yield _read_record(record, file, max_bytes)


def _is_html(record: Any) -> bool:
    kind = record.http_content_type
    return kind is None or kind.lower() in _HTML


def _read_record(record: Any, file: str, max_bytes: int) -> RawPage:
    headers = {name: value for name, value in record.http_headers if name.lower() not in _TRANSPORT}
    url = record.headers.get("WARC-Target-URI", "").strip("<> ")
    when = record.record_date
    return RawPage(
        url,
        record.reader.read(max_bytes + 1),
        f"{file}@{record.stream_pos}",
        headers,
        record.http_headers.status_code,
        when.astimezone(UTC).isoformat(timespec="seconds") if when else "",
    )
