"""Reading MHTML files: pages as browsers save them, with what they show, in one file (RFC 2557).

A file is a message of MIME with several parts.  Only the page is read, which is the first part that
is HTML; the lines of others are dropped, so that the bound of memory is that of the page.
"""

from base64 import b64decode
from collections.abc import Collection, Iterator
from datetime import UTC
from email import message_from_bytes
from email.message import Message
from email.utils import parsedate_to_datetime
from quopri import decodestring
from typing import IO
from urllib.parse import urljoin, urlsplit

from forest_scrapy.batch.http_message import HTML_TYPES
from forest_scrapy.batch.raw_page import RawPage

#: Bytes of the header of a message or a part, and of a line that is read at a time.
_MAX_HEADER_SIZE = 1 << 16
_MAX_LINE_SIZE = 1 << 16
#: What follows the boundary after the last part.
_END = b"--"
#: Boundaries of parts within parts.
_MAX_BOUNDARIES = 10
#: Quoted-printable takes three bytes for one, and a few for the end of each line.
_ENCODED_RATIO = 4
#: Encodings that change nothing.
_PLAIN_ENCODINGS = ("", "7bit", "8bit", "binary")


def read_mhtml(
    stream: IO[bytes],
    source: str,
    max_bytes: int,
) -> RawPage:
    """The page of an MHTML file; of one above ``max_bytes`` only the start, so that it is known to
    be too long.  Its URL and its time are those of the file.

    Raises ``ValueError`` if there is no page in it, or a header is too long.
    """
    message = _read_header(stream)
    boundary = _boundary_of(message)
    boundaries = {boundary} if boundary else set[bytes]()
    part = message
    if boundary:
        part = _find_page(stream, boundary, boundaries)
    elif not _is_html(message):
        raise ValueError("there is no HTML in it")

    encoded = b"".join(_read_lines(stream, boundaries, _ENCODED_RATIO * max_bytes))
    body = _decode(encoded, str(part["Content-Transfer-Encoding"] or ""))
    return RawPage(
        url=_url_of(message, part),
        body=body[: max_bytes + 1],
        source=source,
        headers={"Content-Type": str(part["Content-Type"])},
        fetched_at=_read_time(str(message["Date"] or "")),
    )


def _read_header(stream: IO[bytes]) -> Message:
    """The header that begins here.  Raises ``ValueError`` if it is too long."""
    lines: list[bytes] = []
    size = 0
    while True:
        line = stream.readline(_MAX_HEADER_SIZE)
        if not line.strip():
            return message_from_bytes(b"".join(lines))
        size += len(line)
        if size > _MAX_HEADER_SIZE:
            raise ValueError("a header of it is too long")
        lines.append(line)


def _boundary_of(message: Message) -> bytes:
    """The line that divides the parts, without its end; ``b""`` if there is only one part."""
    if message.get_content_maintype() != "multipart":
        return b""
    boundary = message.get_boundary()
    if not boundary:
        raise ValueError("its parts have no boundary")
    return b"--" + boundary.encode("utf-8", "replace")


def _find_page(
    stream: IO[bytes],
    boundary: bytes,
    boundaries: set[bytes],
) -> Message:
    """The header of the first part that is HTML; its lines are read next.  Raises ``ValueError``
    if there is none.

    ``boundaries``: to these the lines are added that divide parts within parts: mail programs
    write a page beside its text so.
    """
    last_boundary = boundary + _END
    while line := stream.readline(_MAX_LINE_SIZE):
        line = line.rstrip()
        if line == last_boundary:
            break
        if line not in boundaries:
            continue
        part = _read_header(stream)
        if _is_html(part):
            return part
        inner_boundary = _boundary_of(part)
        if inner_boundary and len(boundaries) < _MAX_BOUNDARIES:
            boundaries.add(inner_boundary)
    raise ValueError("there is no HTML in it")


def _is_html(part: Message) -> bool:
    return part.get_content_type() in HTML_TYPES


def _read_lines(
    stream: IO[bytes],
    boundaries: Collection[bytes],
    max_size: int,
) -> Iterator[bytes]:
    """The lines of a part, up to the next boundary or ``max_size`` bytes."""
    size = 0
    while line := stream.readline(_MAX_LINE_SIZE):
        start = line.rstrip()
        if start in boundaries or start.removesuffix(_END) in boundaries:
            return
        size += len(line)
        if size > max_size:
            return
        yield line


def _decode(data: bytes, encoding: str) -> bytes:
    """The bytes of a part.  Raises ``ValueError`` if they are not in this encoding."""
    name = encoding.strip().lower()
    if name == "quoted-printable":
        return decodestring(data)
    if name == "base64":
        return b64decode(data)
    if name in _PLAIN_ENCODINGS:
        return data
    raise ValueError(f"the encoding {name!r} is not read")


def _url_of(message: Message, part: Message) -> str:
    """The URL of the page; ``""`` if the file does not tell it."""
    saved_from = str(message["Snapshot-Content-Location"] or message["Content-Location"] or "")
    location = str(part["Content-Location"] or part["Content-Base"] or "")
    try:
        # Long headers are folded, and URLs have no spaces.
        url = urljoin("".join(saved_from.split()), "".join(location.split()))
        is_web = urlsplit(url).scheme in ("http", "https")
    except ValueError:
        return ""
    return url if is_web else ""


def _read_time(text: str) -> str:
    """A date of a header in ISO 8601, in UTC, as which one without a known zone (``-0000``) is
    read; ``""`` if it is none."""
    try:
        moment = parsedate_to_datetime(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return ""
