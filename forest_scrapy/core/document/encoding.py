"""The encoding of a page: declared, or detected, as Scrapy does it."""

from __future__ import annotations

import codecs

from w3lib.encoding import html_to_unicode

__all__ = ["decode_html", "is_text_encoding", "is_utf8"]

#: Codecs of Python that are no encodings of web pages; decoding with them is slow or raises.
_NO_ENCODINGS = frozenset("idna punycode undefined unicode_escape raw_unicode_escape utf_7".split())


def decode_html(body: bytes, content_type: str = "") -> str:
    """The text of a page: by its byte order mark, ``content_type`` (the HTTP header), its ``meta``
    elements, or the first of ASCII, UTF-8 and Windows-1252 that can decode it.  Never fails.

    What is valid UTF-8 is read as such, whatever it declares.

    >>> decode_html("<meta charset=latin-1>é".encode()), decode_html("é".encode("cp1252"))
    ('<meta charset=latin-1>é', 'é')
    """
    if is_utf8(body):
        return body.decode("utf-8-sig")
    try:
        encoding, text = html_to_unicode(content_type or None, body, auto_detect_fun=_detect)
    except (LookupError, ValueError, TypeError, AssertionError):  # charset=hex
        encoding, text = "hex", ""
    if not is_text_encoding(encoding):  # a byte order mark still counts
        _, text = html_to_unicode("text/html; charset=utf-8", body)
    return text


def is_utf8(body: bytes) -> bool:
    """Whether the bytes are valid UTF-8, and not only ASCII: text in another encoding is hardly
    ever valid UTF-8 by chance.

    >>> is_utf8("é".encode()), is_utf8("é".encode("latin-1")), is_utf8(b"e")
    (True, False, False)
    """
    try:
        return len(body.decode("utf-8")) < len(body)
    except UnicodeDecodeError:
        return False


def is_text_encoding(name: str) -> bool:
    """Whether this is an encoding of text that web pages can have, and not one such as hex."""
    try:
        b"a".decode(name)  # refuses the codecs that are not for text, such as hex and zip
        return codecs.lookup(name).name.replace("-", "_") not in _NO_ENCODINGS
    except (LookupError, ValueError):
        return False


def _detect(body: bytes) -> str | None:
    for name in ("ascii", "utf-8", "cp1252"):
        try:
            body.decode(name)
        except UnicodeDecodeError:
            continue
        return name
    return None
