"""Reading HAR files: what a browser's network panel, or a proxy, has recorded (HTTP Archive 1.2).

The file is one JSON document.  Of each response only what is needed is decoded, and the content of
one that is no page not at all.
"""

from base64 import b64decode
from collections.abc import Iterator
from typing import IO

import msgspec

from forest_scrapy.batch.http_message import HTML_TYPES
from forest_scrapy.batch.raw_page import RawPage, damaged_page
from forest_scrapy.core.moments import read_iso

#: Bytes of a file: it is read whole.
_MAX_SIZE = 1 << 28
_BOM = b"\xef\xbb\xbf"


class _Request(msgspec.Struct):
    url: str = ""


class _Content(msgspec.Struct):
    """``encoding``: ``base64`` if the text is encoded."""

    text: msgspec.Raw = msgspec.Raw(b'""')
    mime_type: str | None = msgspec.field(default=None, name="mimeType")
    encoding: str | None = None


class _Response(msgspec.Struct):
    """That of a request that was aborted may have neither status nor content."""

    status: int | float | None = 0
    content: _Content | None = msgspec.field(default_factory=_Content)


class _Entry(msgspec.Struct):
    request: _Request = msgspec.field(default_factory=_Request)
    response: _Response | None = msgspec.field(default_factory=_Response)
    started: str | None = msgspec.field(default="", name="startedDateTime")


class _Log(msgspec.Struct):
    """``entries``: each is decoded by itself, so that one that is not as it should be loses no
    other."""

    entries: list[msgspec.Raw]


class _Har(msgspec.Struct):
    log: _Log


def read_har(
    stream: IO[bytes],
    name: str,
    max_bytes: int,
) -> Iterator[RawPage]:
    """The responses of a HAR file with HTML and status 200, in order; one whose content was not
    recorded, or cannot be decoded, and an entry that is not as it should be, is a page with an
    ``error``.  Of a page above ``max_bytes`` only the start is given, so that it is known to be too
    long.  The source of a page is ``name:number``, the number of its entry from 1.

    Raises ``ValueError`` if the file is above 256 MB or no HAR file, none of whose entries is as it
    should be.
    """
    data = stream.read(_MAX_SIZE + 1)
    if len(data) > _MAX_SIZE:
        raise ValueError(f"HAR files above {_MAX_SIZE:,} bytes are not read; record fewer pages")
    try:
        har = msgspec.json.decode(data.removeprefix(_BOM), type=_Har)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"it is no HAR file: {error}") from None
    entries = [_decode_entry(raw_entry) for raw_entry in har.log.entries]
    problems = [entry for entry in entries if isinstance(entry, str)]
    if problems and len(problems) == len(entries):
        raise ValueError(f"it is no HAR file: {problems[0]}")

    for number, entry in enumerate(entries, 1):
        source = f"{name}:{number}"
        if isinstance(entry, str):
            yield damaged_page(source, f"the entry cannot be read: {entry}")
            continue
        content = _content_of_page(entry.response)
        if content is not None:
            yield _read_entry(entry, content, source, max_bytes)


def _decode_entry(raw_entry: msgspec.Raw) -> _Entry | str:
    """An entry, or why it cannot be decoded."""
    try:
        return msgspec.json.decode(raw_entry, type=_Entry)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return str(error)


def _content_of_page(response: _Response | None) -> _Content | None:
    """The content of a response with HTML and status 200; None for others."""
    if response is None or response.status != 200 or response.content is None:
        return None
    mime_type = response.content.mime_type or ""
    media_type = mime_type.partition(";")[0].strip().lower()
    return response.content if media_type in HTML_TYPES else None


def _read_entry(
    entry: _Entry,
    content: _Content,
    source: str,
    max_bytes: int,
) -> RawPage:
    started = entry.started or ""
    url = entry.request.url
    try:
        text = msgspec.json.decode(content.text, type=str | None)
        body: str | bytes = text or ""
        if content.encoding == "base64":
            body = b64decode(text or "")
    except (ValueError, msgspec.DecodeError) as error:
        return damaged_page(source, f"the content cannot be decoded: {error}", url)
    if not body:
        return damaged_page(source, "the content was not recorded", url)
    # The text is decoded already; the charset is that of the bytes.
    headers = {"Content-Type": content.mime_type or ""} if isinstance(body, bytes) else {}
    return RawPage(
        url,
        body[: max_bytes + 1],
        source,
        headers=headers,
        fetched_at=started if read_iso(started) is not None else "",
    )
