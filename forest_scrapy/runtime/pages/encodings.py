"""The encodings of responses that declare a wrong one."""

from __future__ import annotations

import codecs

from scrapy.http import Response, TextResponse

__all__ = ["repair_encoding", "replace_codec"]

#: Codecs of Python that are no encodings of web pages; decoding with them is slow or raises.
_NO_ENCODINGS = frozenset("idna punycode undefined unicode_escape raw_unicode_escape utf_7".split())


def repair_encoding(response: Response) -> Response:
    """The response read as UTF-8 if its bytes are valid UTF-8 but another encoding is declared:
    text in another encoding is hardly ever valid UTF-8 by chance.  Else the response itself."""
    response = replace_codec(response)
    if not isinstance(response, TextResponse) or response.encoding.lower() in ("utf-8", "utf8"):
        return response
    try:
        is_ascii = len(response.body.decode("utf-8")) == len(response.body)
    except UnicodeDecodeError:
        return response
    return response if is_ascii else response.replace(encoding="utf-8")


def replace_codec(response: Response) -> Response:
    """The response read as UTF-8 if it declares what is no encoding of text, such as
    ``charset=hex``, with which its text cannot be read.  Else the response itself."""
    if not isinstance(response, TextResponse) or _is_text_encoding(response.encoding):
        return response
    return response.replace(encoding="utf-8")


def _is_text_encoding(name: str) -> bool:
    try:
        b"a".decode(name)  # refuses the codecs that are not for text, such as hex and zip
        return codecs.lookup(name).name.replace("-", "_") not in _NO_ENCODINGS
    except (LookupError, ValueError):
        return False
