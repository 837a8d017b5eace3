"""Reading OPML: hostile files do no harm."""

from __future__ import annotations

import pytest
from effort import limited_effort

from forest_scrapy.feeds.discovery import read_opml


@pytest.mark.parametrize("body", [b"", b"<opml", b"<opml>\xff\xfe\0</opml>", b"<opml></outline>"])
def test_broken_files_have_no_feeds(body: bytes) -> None:
    assert read_opml(body) == []


def test_entities_are_not_expanded() -> None:
    bomb = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(20))
    body = (
        f'<?xml version="1.0"?><!DOCTYPE opml [<!ENTITY e0 "x">{bomb}'
        '<!ENTITY file SYSTEM "file:///etc/passwd">]><opml version="2.0"><body>'
        '<outline text="&e20;" xmlUrl="https://a.example/feed"/><outline xmlUrl="&file;"/>'
        "</body></opml>"
    )
    assert read_opml(body.encode())[0] == "https://a.example/feed"
    assert not any("root" in url for url in read_opml(body.encode()))


@pytest.mark.parametrize("count", [20_000])
def test_large_and_deep_files_take_linear_time(count: int) -> None:
    wide = "".join(f'<outline xmlUrl="http://a.example/{i}"/>' for i in range(count))
    with limited_effort(5):
        assert len(read_opml(f"<opml><body>{wide}</body></opml>".encode())) == count
        deep = '<outline text="a">' * count + '<outline xmlUrl="http://a.example/feed"/>'
        found = read_opml(f"<opml><body>{deep}".encode())
        assert set(found) <= {"http://a.example/feed"}
        categories = ",".join(f"/a{i}" for i in range(6 * count))
        found = read_opml(
            f'<opml><outline category="{categories}" xmlUrl="http://a/"/></opml>'.encode()
        )
        assert found == ["http://a/"]
        inside = "".join(
            f'<outline text="c{i}" xmlUrl="http://a.example/{i}">' for i in range(count)
        )
        assert read_opml(f"<opml><body>{inside}".encode())[0] == "http://a.example/0"
