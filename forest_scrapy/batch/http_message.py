"""HTTP responses as archives keep them: their header, and their body, decoded.

Archives say less than the truth: many keep a decoded body below the header of the encoded one.  So
a body that is not encoded as its header says, and looks like text, is read as it is.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from forest_scrapy.batch.decompression import BadData, decompress
from forest_scrapy.core import ForestError

#: Bytes of a header, and encodings of a body: with more the message is refused.
MAX_HEADER_SIZE = 1 << 18
_MAX_ENCODINGS = 8
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?!\d)[^\n]*\n?", re.IGNORECASE)
_HEADER_END = re.compile(rb"\r?\n\r?\n")
_FOLDED = re.compile(rb"\r?\n[ \t]+")
_CHUNK = re.compile(rb"[ \t]*([0-9a-fA-F]{1,16})[ \t]*(?:;[^\n]{0,4096})?\r?\n")
_LINE_END = re.compile(rb"\r?\n?")
HTML_TYPES = ("text/html", "application/xhtml+xml")
#: Headers that do not say any more what the body is: it is decoded.
_TRANSPORT = ("content-encoding", "transfer-encoding", "content-length")
#: Encodings by their names in HTTP.
_ENCODINGS = {
    "gzip": "gzip",
    "x-gzip": "gzip",
    "deflate": "zlib",
    "br": "br",
    "zstd": "zstd",
}
#: The first bytes of encoded data.
_STARTS = {
    "gzip": b"\x1f\x8b",
    "zstd": b"\x28\xb5\x2f\xfd",
}
_SPACE = b" \t\r\n\f\xef\xbb\xbf"
#: Bytes of texts; compressed data have others, too.
_TEXT_BYTES = bytes(range(32, 256)) + b"\t\r\n\f"


class BadMessage(Exception):
    """The message is damaged, or only a part of it is there; the text says what is wrong."""


@dataclass(frozen=True)
class Message:
    """``headers``: by their names, as they are written; ``body``: still encoded."""

    status: int
    headers: dict[str, str]
    body: bytes

    def is_page(self) -> bool:
        """Whether it is a response with status 200 that is HTML, or may be."""
        if self.status != 200:
            return False
        content_type = self.header("content-type")
        media_type, _, _ = content_type.partition(";")
        kind = media_type.strip().lower()
        return not kind or kind in HTML_TYPES

    def header(self, name: str) -> str:
        """The value of the header with this name in lower case."""
        for key, value in self.headers.items():
            if key.lower() == name:
                return value
        return ""

    def content_headers(self) -> dict[str, str]:
        """The headers that are true of the decoded body."""
        return {
            name: value for name, value in self.headers.items() if name.lower() not in _TRANSPORT
        }

    def decode(self, max_size: int) -> bytes:
        """The body; little more than ``max_size`` bytes of it.  Raises ``BadMessage``."""
        transfer_encodings = _split_names(self.header("transfer-encoding"))
        content_encodings = _split_names(self.header("content-encoding"))
        # The last one that was applied comes first.
        encodings = [*reversed(transfer_encodings), *reversed(content_encodings)]
        if len(encodings) > _MAX_ENCODINGS:
            raise BadMessage("the body has too many encodings")

        body = self.body
        if "chunked" in transfer_encodings:
            body = join_chunks(body)
        elif not content_encodings:
            self._check_length()
        for name in encodings:
            body = _decode(name, body, max_size)
        return body

    def _check_length(self) -> None:
        """Raise ``BadMessage`` if a part of the body is missing."""
        value = self.header("content-length").strip()
        if not value.isdecimal():
            return
        digits = value[:18]
        size = len(self.body)
        if int(digits) > size and not is_whole_html(self.body):
            raise BadMessage(f"the page is cut: {size} of {digits} bytes")


def read_message(block: bytes) -> Message:
    """The message in a block of bytes; one without a header, as in HTTP 0.9, if it begins like
    HTML.  Raises ``BadMessage``."""
    status = _STATUS.match(block)
    if not status:
        if _begins_like_html(block):
            return Message(200, {"Content-Type": "text/html"}, block)
        raise BadMessage("there is no HTTP header")
    end = _HEADER_END.search(block, status.end() - 2, MAX_HEADER_SIZE)
    if not end:
        raise BadMessage("the HTTP header is too long, or has no end")
    header = block[status.end() : end.start()]
    lines = _FOLDED.sub(b" ", header).splitlines()
    return Message(
        status=int(status[1]),
        headers=_read_headers(lines),
        body=block[end.end() :],
    )


def _read_headers(lines: Iterable[bytes]) -> dict[str, str]:
    """The last value of each header; encodings may be in several."""
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon:
            continue
        key = decode_text(name.strip())
        text = decode_text(value.strip())
        if key in headers and key.lower() in _TRANSPORT:
            text = f"{headers[key]}, {text}"
        headers[key] = text
    return headers


def join_chunks(body: bytes) -> bytes:
    """The body without the framing of ``chunked``; as it is if it has none and looks like HTML.
    Raises ``BadMessage`` if it is cut or damaged.

    >>> join_chunks(b"3\\r\\n<p>\\r\\n1\\r\\na\\r\\n0\\r\\n\\r\\n"), join_chunks(b"<p>a")
    (b'<p>a', b'<p>a')
    """
    if _begins_like_html(body):
        return body
    parts: list[bytes] = []
    position = 0
    while chunk := _CHUNK.match(body, position):
        size = int(chunk[1], 16)
        start = chunk.end()
        if not size:
            return b"".join(parts)
        parts.append(body[start : start + size])
        position = start + size
        if position > len(body):
            break
        line_end = _LINE_END.match(body, position)
        position = line_end.end() if line_end else position

    joined = b"".join(parts)
    is_read = position >= len(body)
    if is_read and (is_whole_html(joined) or not body):
        return joined
    damaged_at = min(position, len(body))
    raise BadMessage(f"the chunks are cut or damaged at byte {damaged_at}")


def _decode(
    name: str,
    body: bytes,
    max_size: int,
) -> bytes:
    """The body without one encoding.  Raises ``BadMessage``."""
    kind = _ENCODINGS.get(name)
    if kind is None or not body:
        return body
    start = _STARTS.get(kind, b"")
    if not body.startswith(start):
        return body
    try:
        decoded, is_complete = _decompress(kind, body, max_size)
    except BadData as error:
        if _is_text(body):
            return body
        raise BadMessage(f"the body is not {name}, or damaged: {error}") from None
    except ForestError as error:
        raise BadMessage(str(error)) from None
    if is_complete or is_whole_html(decoded):
        return decoded
    if _is_text(body):
        return body
    raise BadMessage(f"the body is cut: its {name} data have no end")


def _decompress(
    kind: str,
    body: bytes,
    max_size: int,
) -> tuple[bytes, bool]:
    try:
        return decompress(kind, body, max_size)
    except BadData:
        if kind != "zlib":
            raise
        return decompress("deflate", body, max_size)  # as some servers write it


def _begins_like_html(block: bytes) -> bool:
    return block[:64].lstrip(_SPACE).startswith(b"<")


def _is_text(body: bytes) -> bool:
    """Whether the bytes look like HTML, and not like compressed data."""
    start = body[:512].lstrip(_SPACE)
    controls = start.translate(None, _TEXT_BYTES)
    return start.startswith(b"<") and not controls


def is_whole_html(body: bytes) -> bool:
    """Whether HTML ends as it should, whatever else is said of its length."""
    return body[-64:].rstrip().lower().endswith(b"</html>")


def _split_names(value: str) -> list[str]:
    """The encodings that a header lists."""
    encodings = []
    for part in value.split(","):
        name = part.strip().lower()
        if name and name != "identity":
            encodings.append(name)
    return encodings


def decode_text(value: bytes) -> str:
    """The text of a header's value, in UTF-8 or Latin-1."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
