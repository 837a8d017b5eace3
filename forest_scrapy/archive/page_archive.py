"""The pages that crawls have fetched, in WARC files (ISO 28500), and an index of them.

A folder has WARC files, one gzip member for each record, that any other tool reads, and
``index.db``.  A response whose body was kept before is a ``revisit`` record, which names that one
by its digest.  The feed entry of a page is in a ``metadata`` record that refers to its response: a
field with JSON.  The index is made of the files: what is missing in it, as after a kill, is read
from them.
"""

from __future__ import annotations

import json
import logging
import os
import re
import string
import zlib
from base64 import b32encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from hashlib import sha1
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import quote

from forest_scrapy.batch.decompression import BadData
from forest_scrapy.batch.warc import WarcRecord, scan_records
from forest_scrapy.core.moments import read_iso
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.core.plurals import count
from forest_scrapy.stores.database import BadStore, Row
from forest_scrapy.stores.opening import open_store
from forest_scrapy.stores.schemas import StoreSchema

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecord
    from warcio.warcwriter import WARCWriter

logger = logging.getLogger(__name__)

#: Bytes of a WARC file after which the next one is begun.
_MAX_FILE_SIZE = 1_000_000_000
#: Rows of the index that are written at a time.
_ROWS_OF_TRANSACTION = 50
#: Bytes of a body that is read whole when the index is made; of longer ones the start.
_MAX_BODY = 1 << 26
#: Bytes that take seconds to be read.
_MANY_BYTES = 50_000_000
_TABLES = """
CREATE TABLE IF NOT EXISTS warc_files (name TEXT PRIMARY KEY, indexed INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS responses (
    key BLOB NOT NULL, url TEXT NOT NULL, moment TEXT NOT NULL, file TEXT NOT NULL,
    start INTEGER NOT NULL, digest TEXT NOT NULL, status INTEGER NOT NULL,
    is_revisit INTEGER NOT NULL, notes TEXT NOT NULL, PRIMARY KEY (file, start)
);
CREATE INDEX IF NOT EXISTS responses_by_key ON responses (key, moment);
CREATE INDEX IF NOT EXISTS responses_by_digest ON responses (digest);
"""
ARCHIVE_SCHEMA = StoreSchema(name="archive", tables=_TABLES)
#: Another crawl may have read a response from the file before its notes were written.
_INSERT = """
INSERT INTO responses (key, url, moment, file, start, digest, status, is_revisit, notes) VALUES
(:key, :url, :moment, :file, :start, :digest, :status, :is_revisit, :notes)
ON CONFLICT (file, start) DO UPDATE SET notes = excluded.notes WHERE excluded.notes != ''
"""
_INSERT_FILE = """
INSERT INTO warc_files (name, indexed) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET indexed = MAX(indexed, excluded.indexed)
"""
_BODY = "SELECT * FROM responses WHERE digest = ? AND is_revisit = 0 LIMIT 1"
_RESPONSES = "SELECT file, COUNT(*) AS n FROM responses GROUP BY file"
#: How many responses in other files need the body that only this file has.
_NEEDED = """
SELECT bodies.file AS file, COUNT(*) AS n FROM responses AS revisits
JOIN responses AS bodies ON bodies.digest = revisits.digest AND bodies.is_revisit = 0
WHERE revisits.is_revisit = 1 AND revisits.digest <> '' AND revisits.file <> bodies.file
AND NOT EXISTS (
    SELECT 1 FROM responses AS others WHERE others.digest = revisits.digest
    AND others.is_revisit = 0 AND others.file <> bodies.file
) GROUP BY bodies.file
"""
#: Of how many pages the last response is in a file.
_LATEST = """
SELECT file, COUNT(*) AS n FROM (
    SELECT file, MAX(moment || ' ' || file) FROM responses GROUP BY key
) GROUP BY file
"""
#: The field of a ``metadata`` record with the notes of a crawl on a response, and its type.
_NOTES_FIELD = b"forest-scrapy-notes"
_FIELDS_TYPE = "application/warc-fields"
_MISSING = "keeping pages needs warcio: pip install 'forest-scrapy[warc]'"
#: A header that is not true of what is kept: the body is not cut into chunks.
_NOT_KEPT = "transfer-encoding"
#: Characters that would end a line of a record's head.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]+")


@dataclass(frozen=True)
class KeptResponse:
    """A response as it came: ``body`` as it was sent, encoded as the headers say.

    ``moment``: when it was fetched, ISO 8601, UTC; ``notes``: JSON values that a crawl had noted
    with the request, such as the page's feed entry.
    """

    url: str
    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes = field(repr=False)
    moment: str = ""
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FileUse:
    """What a WARC file is needed for.

    ``size``: bytes; ``responses``: how many it has; ``latest``: of how many pages it has the last
    response; ``needed``: how many responses in other files have their body only here.
    """

    name: str
    size: int
    responses: int
    latest: int
    needed: int

    @property
    def is_needless(self) -> bool:
        """Whether the last response of each page is there without this file."""
        return not self.latest and not self.needed


class PageArchive:
    """The archive in a folder, which is made if it is missing.  Several processes may write to it,
    each to files of its own.  Raises ``BadStore``; ``add`` raises ``OSError``."""

    def __init__(self, folder: str | Path, must_exist: bool = False) -> None:
        self._folder = Path(folder)
        if must_exist and not self._folder.is_dir():
            raise BadStore(f"{folder}: no pages are kept here yet; a crawl with FOREST_WARC does")
        try:
            import warcio  # noqa: F401 - a package that is optional
        except ImportError:
            raise BadStore(_MISSING) from None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadStore(f"{folder}: {error}; name another folder") from error
        self._index = open_store(str(self._folder / "index.db"), ARCHIVE_SCHEMA)
        self._file: IO[bytes] | None = None
        self._writer: WARCWriter | None = None
        #: The name of the file that is written, and how many were begun.
        self._name = ""
        self._number = 0
        #: What is not in the index yet.
        self._rows: list[dict[str, Any]] = []
        #: The same of bodies, by digest.
        self._bodies: dict[str, _BodySource] = {}
        self._catch_up()

    def add(self, response: KeptResponse, moment: str = "") -> None:
        """Keep a response; ``moment``: when it was fetched, by default now."""
        moment = moment or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        digest = _digest_body(response.body)
        body_source = self._find_body(digest) if response.body else None
        writer, file = self._open()
        start = file.tell()
        record = _make_record(writer, response, digest, moment, body_source)
        writer.write_record(record)
        if response.notes:
            record_id = str(record.rec_headers.get_header("WARC-Record-ID"))
            writer.write_record(_make_notes(writer, response, record_id))
        file.flush()
        row = _make_row(
            url=response.url,
            moment=moment,
            digest=digest,
            status=response.status,
            is_revisit=body_source is not None,
            file=self._name,
            start=start,
        )
        row["notes"] = _dump(response.notes)
        self._add_row(row)
        if body_source is None:
            self._bodies[digest] = _BodySource(response.url, moment)

    def latest(self, url: str) -> KeptResponse | None:
        """The response of a URL that was kept last; None if none is, or if it cannot be read."""
        for row in self._rows_of(url):
            response = self._read(row)
            if response is not None:
                return response
        return None

    def describe(self, url: str) -> tuple[str, dict[str, Any]] | None:
        """When the response of a URL was fetched that was kept last, and its notes; None if none
        was kept.  Reads the index only."""
        rows = self._rows_of(url)
        if not rows:
            return None
        latest = rows[0]
        return str(latest["moment"]), json.loads(latest["notes"] or "{}")

    def has_page(self, url: str) -> bool:
        """Whether the last response of a URL can be read: its body was not in a file that was
        removed.  Reads the index only."""
        rows = self._rows_of(url)
        if not rows:
            return False
        latest = rows[0]
        return not latest["is_revisit"] or self._find_body(str(latest["digest"])) is not None

    def files(self) -> list[FileUse]:
        """The files, the oldest first, and what they are needed for.  Takes some seconds for a
        million responses."""
        self._write_rows()
        responses = self._count_by_file(_RESPONSES)
        latest = self._count_by_file(_LATEST)
        needed = self._count_by_file(_NEEDED)
        uses = []
        for path in self._warc_files():
            use = FileUse(
                name=path.name,
                size=path.stat().st_size,
                responses=responses[path.name],
                latest=latest[path.name],
                needed=needed[path.name],
            )
            uses.append(use)
        return uses

    def _count_by_file(self, query: str) -> Counter[str]:
        counts: Counter[str] = Counter()
        for row in self._index.rows(query):
            counts[row["file"]] = int(row["n"])
        return counts

    def close(self) -> None:
        """Write the rest of the index, and close the files."""
        self._write_rows()
        self._close_file()
        self._index.close()

    def _rows_of(self, url: str) -> list[Row]:
        """The rows of a URL, the last first; of others that name the same page if it has none."""
        self._write_rows()
        query = "SELECT * FROM responses WHERE key = ? ORDER BY moment DESC, file DESC, start DESC"
        key = bytes.fromhex(page_key(url))
        rows = self._index.rows(query, (key,))
        of_url = [row for row in rows if row["url"] == url]
        return of_url or list(rows)

    def _find_body(self, digest: str) -> _BodySource | None:
        """The response with the same body."""
        if digest in self._bodies:
            return self._bodies[digest]
        rows = self._index.rows(_BODY, (digest,))
        if not rows:
            return None
        row = rows[0]
        url = str(row["url"])
        moment = str(row["moment"])
        return _BodySource(url, moment)

    def _open(self) -> tuple[WARCWriter, IO[bytes]]:
        """The file that is written; a new one if there is none, or if it has grown large."""
        from warcio.warcwriter import WARCWriter

        if self._file is not None and self._file.tell() > _MAX_FILE_SIZE:
            self._close_file()
        if self._file is None or self._writer is None:
            self._file = self._create_file()
            self._writer = WARCWriter(self._file, gzip=True)
            info = {"software": "forest-scrapy", "format": "WARC File Format 1.0"}
            record = self._writer.create_warcinfo_record(self._name, info)
            self._writer.write_record(record)
        return self._writer, self._file

    def _create_file(self) -> IO[bytes]:
        """A file with a new name."""
        while True:
            started = datetime.now(UTC).strftime("%Y%m%d%H%M%S")
            self._name = f"forest-{started}-{os.getpid()}-{self._number:05}.warc.gz"
            self._number += 1
            try:
                return (self._folder / self._name).open("xb")
            except FileExistsError:
                continue

    def _close_file(self) -> None:
        if self._file is not None:
            self._write_rows()
            self._file.close()
        self._file = None
        self._writer = None

    def _add_row(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        if len(self._rows) >= _ROWS_OF_TRANSACTION:
            self._write_rows()

    def _write_rows(self) -> None:
        """Write the rows to the index; in a file up to here nothing has to be read again."""
        rows = self._rows
        self._rows = []
        if not rows:
            return
        ends = {}
        for name in {str(row["file"]): True for row in rows}:
            ends[name] = self._end_of(name)
        self._index.write(partial(self._insert, rows, ends))
        self._bodies.clear()

    def _end_of(self, name: str) -> int:
        """Up to where a file is written."""
        if name == self._name and self._file is not None:
            return self._file.tell()
        return (self._folder / name).stat().st_size

    def _insert(
        self,
        rows: Sequence[Mapping[str, Any]],
        ends: Mapping[str, int],
    ) -> None:
        for row in rows:
            self._index.execute(_INSERT, row)
        for name, end in ends.items():
            self._index.execute(_INSERT_FILE, (name, end))

    def _catch_up(self) -> None:
        """Read what the index lacks: of files of a killed process, or from elsewhere.  Files that
        are not there any more are forgotten, so that no response refers to a body in them."""
        indexed = {}
        for row in self._index.rows("SELECT * FROM warc_files"):
            indexed[row["name"]] = row["indexed"]
        paths = self._warc_files()
        removed = indexed.keys() - {path.name for path in paths}
        if removed:
            self._forget_files(sorted(removed))
        for path in paths:
            start = indexed.get(path.name, 0)
            size = path.stat().st_size - start
            if size > _MANY_BYTES:
                logger.info("Reading %d MB of %s that its index lacks", size >> 20, path)
            if size > 0:
                # Another crawl may be writing the last record, or its notes: it is read again.
                rows = list(_scan(path, start))
                end = max((row["start"] for row in rows), default=start)
                self._index.write(partial(self._insert, rows, {path.name: end}))

    def _warc_files(self) -> list[Path]:
        """The WARC files by name; what else has such a name is left out."""
        files = []
        for path in sorted(self._folder.glob("*.warc.gz")):
            if path.is_file():
                files.append(path)
        return files

    def _forget_files(self, names: Sequence[str]) -> None:
        """Forget files that were removed, and say what they are missed for."""
        needed = self._count_by_file(_NEEDED)
        missed = sum(needed[name] for name in names)
        self._index.write(partial(self._forget, names))
        if missed:
            logger.warning(
                "%s: %s in files that were removed; such pages are kept as"
                " a whole again when they are fetched next. scrapy forest kept tells which files"
                " may be removed",
                self._folder,
                count(missed, "response has its body", "responses have their body"),
            )

    def _forget(self, names: Sequence[str]) -> None:
        for name in names:
            self._index.execute("DELETE FROM responses WHERE file = ?", (name,))
            self._index.execute("DELETE FROM warc_files WHERE name = ?", (name,))

    def _read(self, row: Row) -> KeptResponse | None:
        """The response of a row; of a revisit with the body of the response that it names."""
        record = _read_record(self._folder / row["file"], row["start"])
        if record is None:
            return None
        with_body = self._read_body(row) if row["is_revisit"] else record
        if with_body is None:
            return None
        headers = record.http_headers or with_body.http_headers
        return KeptResponse(
            url=row["url"],
            status=row["status"],
            headers=tuple(headers.headers),
            body=with_body.raw_stream.read(),
            moment=row["moment"],
            notes=json.loads(row["notes"] or "{}"),
        )

    def _read_body(self, row: Row) -> ArcWarcRecord | None:
        """The record with the body of a revisit."""
        if not row["digest"]:
            return None
        rows = self._index.rows(_BODY, (row["digest"],))
        if not rows:
            return None
        row_of_body = rows[0]
        file = self._folder / row_of_body["file"]
        return _read_record(file, row_of_body["start"])


@dataclass(frozen=True)
class _BodySource:
    """The response that has the body of others.  ``moment``: when it was fetched."""

    url: str
    moment: str


def _digest_body(body: bytes) -> str:
    """The digest of a body, as WARC files have it."""
    return f"sha1:{b32encode(sha1(body).digest()).decode()}"


def _make_record(
    writer: WARCWriter,
    response: KeptResponse,
    digest: str,
    moment: str,
    body_source: _BodySource | None,
) -> ArcWarcRecord:
    """The record of a response; a ``revisit`` if there is another one with its body."""
    from warcio.statusandheaders import StatusAndHeaders

    headers = []
    for name, value in response.headers:
        if name.lower() != _NOT_KEPT:
            headers.append((_on_one_line(name), _on_one_line(value)))
    head = StatusAndHeaders(_status_line(response.status), headers, protocol="HTTP/1.1")
    url = _target(response.url)
    if body_source is not None:
        return writer.create_revisit_record(
            url,
            digest,
            _target(body_source.url),
            body_source.moment,
            http_headers=head,
            warc_headers_dict={"WARC-Date": moment},
        )
    return writer.create_warc_record(
        url,
        "response",
        BytesIO(response.body),
        len(response.body),
        http_headers=head,
        warc_headers_dict={"WARC-Date": moment, "WARC-Payload-Digest": digest},
    )


def _make_notes(
    writer: WARCWriter,
    response: KeptResponse,
    record_id: str,
) -> ArcWarcRecord:
    """The record of the notes on a response, whose record has this id."""
    text = b"%s: %s\r\n" % (_NOTES_FIELD, _dump(response.notes).encode())
    return writer.create_warc_record(
        _target(response.url),
        "metadata",
        BytesIO(text),
        len(text),
        _FIELDS_TYPE,  # others would be shown for the page by tools that replay it
        warc_headers_dict={"WARC-Refers-To": record_id},
    )


def _on_one_line(text: str) -> str:
    """The text of a header, whose characters are bytes, as it can be written into a record.

    >>> _on_one_line("a\\r\\nX-Other: b"), _on_one_line("/caf\\xc3\\xa9?a b")
    ('a X-Other: b', '/caf%C3%A9?a b')
    """
    line = _CONTROLS.sub(" ", text)
    if line.isascii():
        return line
    return quote(line.encode("latin-1", "replace"), safe=string.printable)


def _target(url: str) -> str:
    """A URL as it can be written into a record."""
    return _CONTROLS.sub(lambda match: quote(match[0]), url)


def _status_line(status: int) -> str:
    """
    >>> _status_line(404), _status_line(799)
    ('404 Not Found', '799')
    """
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _dump(notes: Mapping[str, Any]) -> str:
    if notes:
        return json.dumps(notes)
    return ""


def _make_row(
    url: str,
    moment: str,
    digest: str,
    status: int,
    is_revisit: bool,
    file: str,
    start: int,
) -> dict[str, Any]:
    """The row of a response in the index, without notes; ``start``: its offset in the file."""
    return {
        "key": bytes.fromhex(page_key(url)),
        "url": url,
        "moment": moment,
        "digest": digest,
        "status": status,
        "is_revisit": int(is_revisit),
        "file": file,
        "start": start,
        "notes": "",
    }


def _scan(path: Path, start: int) -> Iterator[dict[str, Any]]:
    """The rows of the responses of a file, from an offset on.  What is damaged is left out, and so
    are responses without a date."""
    rows: dict[str, dict[str, Any]] = {}
    damage = ""
    try:
        with path.open("rb") as stream:
            for record in scan_records(stream, path.name, _MAX_BODY, start):
                if record.error:
                    damage = damage or f"at {record.place}: {record.error}"
                elif not record.place.isdigit():  # it cannot be read alone
                    continue
                elif record.field(b"WARC-Type").lower() == "metadata":
                    _add_notes(rows, record)
                else:
                    row = _read_row(path.name, record)
                    if row is not None:
                        rows[record.field(b"WARC-Record-ID")] = row
    except (OSError, BadData) as error:
        logger.warning("%s cannot be read: %s", path, error)
    if damage:
        logger.warning("%s: what is damaged is left out, first %s", path, damage)
    yield from rows.values()


def _add_notes(rows: Mapping[str, dict[str, Any]], record: WarcRecord) -> None:
    """Add notes to the row of the response that they refer to, if it is there."""
    row = rows.get(record.field(b"WARC-Refers-To"))
    if row is not None:
        row["notes"] = _read_notes(record.block)


def _read_notes(block: bytes) -> str:
    """The JSON of the notes in a ``metadata`` record; those of earlier files are nothing else."""
    name, separator, value = block.partition(b":")
    notes = value if separator and name.strip() == _NOTES_FIELD else block
    return notes.strip().decode("utf-8", "replace")


def _read_row(file: str, record: WarcRecord) -> dict[str, Any] | None:
    """The row of a response; None for other records, and for one without a date."""
    kind = record.field(b"WARC-Type").lower()
    status = _STATUS.match(record.block)
    moment = record.field(b"WARC-Date")
    if kind not in ("response", "revisit") or not status or read_iso(moment) is None:
        return None
    return _make_row(
        url=record.field(b"WARC-Target-URI").strip("<>"),
        moment=moment,
        digest=record.field(b"WARC-Payload-Digest"),
        status=int(status[1]),
        is_revisit=kind == "revisit",
        file=file,
        start=int(record.place),
    )


#: The first line of a response.
_STATUS = re.compile(rb"HTTP/\d\S*[ \t]+(\d{3})\b")


def _read_record(path: Path, start: int) -> ArcWarcRecord | None:
    """The record at an offset, with its body in memory; None if it cannot be read."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    try:
        with path.open("rb") as stream:
            stream.seek(start)
            records = ArchiveIterator(stream, no_record_parse=False)
            record = next(iter(records))
            record.raw_stream = BytesIO(record.raw_stream.read())
            return record
    except (ArchiveLoadFailed, StopIteration, OSError, EOFError, ValueError, zlib.error) as error:
        logger.warning("A kept page cannot be read: %s at %d: %s", path, start, error)
        return None
