"""HTTP responses as archives keep them; most cases are in the tests of WARC files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.batch.http_message import BadMessage, Message, join_chunks, read_message

HEADERS = st.dictionaries(
    st.sampled_from(["Content-Encoding", "Transfer-Encoding", "Content-Length", "Content-Type"]),
    st.sampled_from(["gzip", "br", "deflate", "zstd", "chunked", "gzip, chunked", "5", "x", ""]),
)


@given(HEADERS, st.binary(max_size=200))
def test_any_body(headers: dict[str, str], body: bytes) -> None:
    """A body is decoded, or the message is refused with a reason."""
    try:
        assert len(Message(200, headers, body).decode(1000)) < 1 << 25
    except BadMessage as error:
        assert str(error)


@given(st.binary(max_size=200))
def test_any_block(block: bytes) -> None:
    for one in (block, b"HTTP/1.1 200 OK\r\n" + block):
        try:
            read_message(one).is_page()
        except BadMessage as error:
            assert str(error)


@given(st.lists(st.binary(min_size=1, max_size=20), max_size=5))
def test_chunks(parts: list[bytes]) -> None:
    framed = b"".join(b"%X\r\n%b\r\n" % (len(part), part) for part in parts)
    assert join_chunks(framed + b"0\r\na: b\r\n\r\n") == b"".join(parts)
    if parts:
        with pytest.raises(BadMessage, match="cut or damaged"):
            join_chunks(framed[:-3])


def test_headers() -> None:
    message = read_message(
        b"HTTP/1.1 200 OK\nContent-type: Text/HTML; charset=x\nA: b\n c\nno header\nA:\xe9\n"
        b"Content-Encoding: gzip\nContent-Encoding: br\n\nbody"
    )
    assert message.is_page() and message.body == b"body"
    assert message.headers == {
        "Content-type": "Text/HTML; charset=x",
        "A": "é",
        "Content-Encoding": "gzip, br",
    }
    assert message.content_headers().keys() == {"Content-type", "A"}
