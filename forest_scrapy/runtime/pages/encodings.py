"""The encodings of responses that declare a wrong one."""

from __future__ import annotations

from scrapy.http import Response, TextResponse

from forest_scrapy.core.document.encoding import is_text_encoding, is_utf8

__all__ = ["repair_encoding", "replace_codec"]


def repair_encoding(response: Response) -> Response:
    """The response read as UTF-8 if its bytes are valid UTF-8 but another encoding is declared:
    text in another encoding is hardly ever valid UTF-8 by chance.  Else the response itself."""
    response = replace_codec(response)
    if not isinstance(response, TextResponse) or response.encoding.lower() in ("utf-8", "utf8"):
        return response
    return response.replace(encoding="utf-8") if is_utf8(response.body) else response


def replace_codec(response: Response) -> Response:
    """The response read as UTF-8 if it declares what is no encoding of text, such as
    ``charset=hex``, with which its text cannot be read.  Else the response itself."""
    if not isinstance(response, TextResponse) or is_text_encoding(response.encoding):
        return response
    return response.replace(encoding="utf-8")
