"""Which files are HTML: those with an ending of it, and, since mirrors name files by the URL
(``viewtopic.php?t=1``), those that begin as HTML."""

from mimetypes import guess_type
from re import IGNORECASE
from re import compile as pattern
from typing import IO

HTML = (".html", ".htm", ".xhtml", ".shtml")
#: Bytes by which a file is recognised.
_START_SIZE = 1_024
#: A document from its first tag on; comments and an XML declaration may stand before.
_DOCUMENT = pattern(
    rb"(?:\xef\xbb\xbf)?\s*+<(?:[^<]++<)*?(?:!doctype\s++html|html|head|body)[\s>]",
    IGNORECASE,
)


def may_be_html(name: str) -> bool:
    """Whether the ending of a file's name is none of another type, such as that of images.

    >>> may_be_html("viewtopic.php?t=1"), may_be_html("owl.jpeg")
    (True, False)
    """
    type_, _ = guess_type(name.rpartition("/")[2], strict=False)
    return type_ is None or "php" in type_ or "html" in type_


def begins_as_html(stream: IO[bytes]) -> bool:
    """Whether the next bytes are the start of an HTML document; they are read."""
    start = stream.read(_START_SIZE)
    return _DOCUMENT.match(start) is not None
