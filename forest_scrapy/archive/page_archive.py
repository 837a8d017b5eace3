"""The pages that crawls have fetched, in WARC files (ISO 28500), and an index of them.

A folder has WARC files, one gzip member for each record, that any other tool reads, and
``index.db``.  A response whose body was kept before is a ``revisit`` record, which names that one
by its digest.  The feed entry of a page is in a ``metadata`` record of JSON that refers to its
response.  The index is made of the files: what is missing in it, as after a kill, is read from
them.
"""

from __future__ import annotations

import json
import logging
import os
import re
import string
import zlib
from base64 import b32encode
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
from forest_scrapy.batch.warc import Record, scan_records
from forest_scrapy.core.moments import read_iso
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.stores.database import BadStore, Row
from forest_scrapy.stores.opening import open_store

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecord
    from warcio.warcwriter import WARCWriter

logger = logging.getLogger(__name__)

#: Bytes of a WARC file after which the next one is begun.
_MOST_BYTES = 1_000_000_000
#: Rows of the index that are written at a time.
_ROWS = 50
#: Bytes of a body that is read whole when the index is made; of longer ones the start.
_MOST_BODY = 1 << 26
#: Bytes that take seconds to be read.
_LONG = 50_000_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS warc_files (name TEXT PRIMARY KEY, indexed INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS responses (
    key BLOB NOT NULL, url TEXT NOT NULL, moment TEXT NOT NULL, file TEXT NOT NULL,
    start INTEGER NOT NULL, digest TEXT NOT NULL, status INTEGER NOT NULL,
    is_revisit INTEGER NOT NULL, notes TEXT NOT NULL, PRIMARY KEY (file, start)
);
CREATE INDEX IF NOT EXISTS responses_by_key ON responses (key, moment);
CREATE INDEX IF NOT EXISTS responses_by_digest ON responses (digest);
"""
#: Another crawl may have read a response from the file before its notes were written.
_INSERT = """
INSERT INTO responses VALUES
(:key, :url, :moment, :file, :start, :digest, :status, :is_revisit, :notes)
ON CONFLICT (file, start) DO UPDATE SET notes = excluded.notes WHERE excluded.notes != ''
"""
_INSERT_FILE = """
INSERT INTO warc_files VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET indexed = MAX(indexed, excluded.indexed)
"""
_BODY = "SELECT * FROM responses WHERE digest = ? AND is_revisit = 0 LIMIT 1"
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
        self._index = open_store(str(self._folder / "index.db"), _SCHEMA)
        self._file: IO[bytes] | None = None
        self._writer: WARCWriter | None = None
        self._name, self._number = "", 0
        self._rows: list[dict[str, Any]] = []
        #: Where the bodies are that are not in the index yet: their URL and date by digest.
        self._bodies: dict[str, tuple[str, str]] = {}
        self._catch_up()

    def add(self, response: KeptResponse, moment: str = "") -> None:
        """Keep a response; ``moment``: when it was fetched, by default now."""
        moment = moment or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        digest = f"sha1:{b32encode(sha1(response.body).digest()).decode()}"
        earlier = self._find_body(digest) if response.body else None
        writer, file = self._open()
        start = file.tell()
        record = _make_record(writer, response, digest, moment, earlier)
        writer.write_record(record)
        name = str(record.rec_headers.get_header("WARC-Record-ID"))
        if response.notes:
            writer.write_record(_make_notes(writer, response, name))
        file.flush()
        row = _row(response.url, moment, digest, response.status, earlier is not None)
        self._note({**row, "file": self._name, "start": start, "notes": _dump(response.notes)})
        if earlier is None:
            self._bodies[digest] = (response.url, moment)

    def latest(self, url: str) -> KeptResponse | None:
        """The response of a URL that was kept last; None if none is, or if it cannot be read."""
        return next((found for row in self._rows_of(url) if (found := self._read(row))), None)

    def describe(self, url: str) -> tuple[str, dict[str, Any]] | None:
        """When the response of a URL was fetched that was kept last, and its notes; None if none
        was kept.  Reads the index only."""
        for row in self._rows_of(url):
            return str(row["moment"]), json.loads(row["notes"] or "{}")
        return None

    def has_page(self, url: str) -> bool:
        """Whether the last response of a URL can be read: its body was not in a file that was
        removed.  Reads the index only."""
        for row in self._rows_of(url):
            return not row["is_revisit"] or self._find_body(str(row["digest"])) is not None
        return False

    def files(self) -> list[FileUse]:
        """The files, the oldest first, and what they are needed for.  Takes some seconds for a
        million responses."""
        self._write_rows()
        queries = ("SELECT file, COUNT(*) AS n FROM responses GROUP BY file", _LATEST, _NEEDED)
        counts = [{row["file"]: int(row["n"]) for row in self._index.rows(one)} for one in queries]
        responses, latest, needed = counts
        return [
            FileUse(
                path.name,
                path.stat().st_size,
                responses.get(path.name, 0),
                latest.get(path.name, 0),
                needed.get(path.name, 0),
            )
            for path in self._warc_files()
        ]

    def close(self) -> None:
        self._write_rows()
        self._close_file()
        self._index.close()

    def _rows_of(self, url: str) -> list[Row]:
        """The rows of a URL, the last first; of others that name the same page if it has none."""
        self._write_rows()
        query = "SELECT * FROM responses WHERE key = ? ORDER BY moment DESC, file DESC, start DESC"
        rows = self._index.rows(query, (bytes.fromhex(page_key(url)),))
        return [row for row in rows if row["url"] == url] or list(rows)

    def _find_body(self, digest: str) -> tuple[str, str] | None:
        """URL and date of the response with the same body."""
        if known := self._bodies.get(digest):
            return known
        for row in self._index.rows(_BODY, (digest,)):
            return str(row["url"]), str(row["moment"])
        return None

    def _open(self) -> tuple[WARCWriter, IO[bytes]]:
        """The file that is written; a new one if there is none, or if it has grown large."""
        from warcio.warcwriter import WARCWriter

        if self._file is not None and self._file.tell() > _MOST_BYTES:
            self._close_file()
        if self._file is None or self._writer is None:
            while True:
                started = datetime.now(UTC).strftime("%Y%m%d%H%M%S")
                self._name = f"forest-{started}-{os.getpid()}-{self._number:05}.warc.gz"
                self._number += 1
                try:
                    self._file = (self._folder / self._name).open("xb")
                    break
                except FileExistsError:
                    continue
            self._writer = WARCWriter(self._file, gzip=True)
            info = {"software": "forest-scrapy", "format": "WARC File Format 1.0"}
            self._writer.write_record(self._writer.create_warcinfo_record(self._name, info))
        return self._writer, self._file

    def _close_file(self) -> None:
        if self._file is not None:
            self._write_rows()
            self._file.close()
        self._file = self._writer = None

    def _note(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        if len(self._rows) >= _ROWS:
            self._write_rows()

    def _write_rows(self) -> None:
        """Write the rows to the index; in a file up to here nothing has to be read again."""
        rows, self._rows = self._rows, []
        if not rows:
            return
        ends = {str(row["file"]): 0 for row in rows}
        for name in ends:
            is_open = name == self._name and self._file is not None
            path = self._folder / name
            ends[name] = self._file.tell() if is_open and self._file else path.stat().st_size
        self._index.write(lambda: self._insert(rows, ends))
        self._bodies.clear()

    def _insert(self, rows: Sequence[Mapping[str, Any]], ends: Mapping[str, int]) -> None:
        for row in rows:
            self._index.execute(_INSERT, row)
        for name, end in ends.items():
            self._index.execute(_INSERT_FILE, (name, end))

    def _catch_up(self) -> None:
        """Read what the index lacks: of files of a killed process, or from elsewhere.  Files that
        are not there any more are forgotten, so that no response refers to a body in them."""
        known = {
            row["name"]: row["indexed"] for row in self._index.rows("SELECT * FROM warc_files")
        }
        paths = self._warc_files()
        if removed := sorted(known.keys() - {path.name for path in paths}):
            self._forget_files(removed)
        for path in paths:
            start = known.get(path.name, 0)
            size = path.stat().st_size - start
            if size > _LONG:
                logger.info("Reading %d MB of %s that its index lacks", size >> 20, path)
            if size > 0:
                # Another crawl may be writing the last record, or its notes: it is read again.
                found = list(_scan(path, start))
                end = max((row["start"] for row in found), default=start)
                self._index.write(partial(self._insert, found, {path.name: end}))

    def _warc_files(self) -> list[Path]:
        """The WARC files by name; what else has such a name is left out."""
        return [path for path in sorted(self._folder.glob("*.warc.gz")) if path.is_file()]

    def _forget_files(self, names: Sequence[str]) -> None:
        """Forget files that were removed, and say what they are missed for."""
        missed = sum(row["n"] for row in self._index.rows(_NEEDED) if row["file"] in names)
        self._index.write(partial(self._forget, names))
        if missed:
            logger.warning(
                "%s: %d responses have their body in files that were removed; the pages are kept as"
                " a whole again when they are fetched next. scrapy forest kept tells which files"
                " may be removed",
                self._folder,
                missed,
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
        with_body = record
        if row["is_revisit"]:
            found = self._index.rows(_BODY, (row["digest"],)) if row["digest"] else ()
            other = (
                _read_record(self._folder / found[0]["file"], found[0]["start"]) if found else None
            )
            if other is None:
                return None
            with_body = other
        headers = record.http_headers or with_body.http_headers
        return KeptResponse(
            row["url"],
            row["status"],
            tuple(headers.headers),
            with_body.raw_stream.read(),
            row["moment"],
            json.loads(row["notes"] or "{}"),
        )


def _make_record(
    writer: WARCWriter,
    response: KeptResponse,
    digest: str,
    moment: str,
    earlier: tuple[str, str] | None,
) -> ArcWarcRecord:
    from warcio.statusandheaders import StatusAndHeaders

    kept = [
        (_on_one_line(name), _on_one_line(value))
        for name, value in response.headers
        if name.lower() != _NOT_KEPT
    ]
    head = StatusAndHeaders(_status_line(response.status), kept, protocol="HTTP/1.1")
    dated = {"WARC-Date": moment}
    url = _target(response.url)
    if earlier is not None:
        other, fetched = earlier
        return writer.create_revisit_record(
            url, digest, _target(other), fetched, http_headers=head, warc_headers_dict=dated
        )
    dated["WARC-Payload-Digest"] = digest
    body = BytesIO(response.body)
    return writer.create_warc_record(
        url, "response", body, len(response.body), http_headers=head, warc_headers_dict=dated
    )  # fmt: skip


def _make_notes(writer: WARCWriter, response: KeptResponse, record: str) -> ArcWarcRecord:
    text = _dump(response.notes).encode()
    return writer.create_warc_record(
        _target(response.url), "metadata", BytesIO(text), len(text), "application/json",
        warc_headers_dict={"WARC-Refers-To": record},
    )  # fmt: skip


def _on_one_line(text: str) -> str:
    """The text of a header, whose characters are bytes, as it can be written into a record.

    >>> _on_one_line("a\\r\\nX-Other: b"), _on_one_line("/caf\\xc3\\xa9?a b")
    ('a X-Other: b', '/caf%C3%A9?a b')
    """
    plain = _CONTROLS.sub(" ", text)
    return plain if plain.isascii() else quote(plain.encode("latin-1", "replace"), string.printable)


def _target(url: str) -> str:
    return _CONTROLS.sub(lambda found: quote(found[0]), url)


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
    return json.dumps(notes) if notes else ""


def _row(url: str, moment: str, digest: str, status: int, is_revisit: bool) -> dict[str, Any]:
    return {
        "key": bytes.fromhex(page_key(url)),
        "url": url,
        "moment": moment,
        "digest": digest,
        "status": status,
        "is_revisit": int(is_revisit),
    }


def _scan(path: Path, start: int) -> Iterator[dict[str, Any]]:
    """The rows of the responses of a file, from an offset on.  What is damaged is left out, and so
    are responses without a date."""
    rows: dict[str, dict[str, Any]] = {}
    damage = ""
    try:
        with path.open("rb") as stream:
            for record in scan_records(stream, path.name, _MOST_BODY, start):
                if record.error:
                    damage = damage or f"at {record.place}: {record.error}"
                elif record.place.isdigit():  # else it cannot be read alone
                    _add_row(rows, path.name, record)
    except (OSError, BadData) as error:
        logger.warning("%s cannot be read: %s", path, error)
    if damage:
        logger.warning("%s: what is damaged is left out, first %s", path, damage)
    yield from rows.values()


def _add_row(rows: dict[str, dict[str, Any]], name: str, record: Record) -> None:
    """Add the row of a response, by the name of its record, or the notes to one."""
    kind = record.field(b"WARC-Type").lower()
    if kind == "metadata":
        about = rows.get(record.field(b"WARC-Refers-To"))
        if about is not None:
            about["notes"] = record.block.decode("utf-8", "replace")
        return
    status = _STATUS.match(record.block)
    moment = record.field(b"WARC-Date")
    if kind in ("response", "revisit") and status and read_iso(moment) is not None:
        url = record.field(b"WARC-Target-URI").strip("<>")
        digest = record.field(b"WARC-Payload-Digest")
        row = _row(url, moment, digest, int(status[1]), kind == "revisit")
        start = int(record.place)
        rows[record.field(b"WARC-Record-ID")] = {**row, "file": name, "start": start, "notes": ""}


#: The first line of a response.
_STATUS = re.compile(rb"HTTP/\d\S*[ \t]+(\d{3})\b")


def _read_record(path: Path, start: int) -> ArcWarcRecord | None:
    """The record at an offset, with its body in memory; None if it cannot be read."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    try:
        with path.open("rb") as stream:
            stream.seek(start)
            record = next(iter(ArchiveIterator(stream, no_record_parse=False)))
            record.raw_stream = BytesIO(record.raw_stream.read())
            return record
    except (ArchiveLoadFailed, StopIteration, OSError, EOFError, ValueError, zlib.error) as error:
        logger.warning("A kept page cannot be read: %s at %d: %s", path, start, error)
        return None
