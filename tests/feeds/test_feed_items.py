"""The parts of feed items: URLs, texts and files, each bounded."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.page.content import MediaFile
from forest_scrapy.feeds import feed_items
from forest_scrapy.feeds.feed_items import (
    MAX_PARTS,
    MAX_TEXT_LENGTH,
    collect_files,
    page_url,
    plain_text,
    read_enclosure,
)

FEED = "http://a.example/feeds/all.xml"


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("1.html", "http://a.example/feeds/1.html"),
        (" https://b.example/1 \n", "https://b.example/1"),
        ("//b.example/ä", "http://b.example/%C3%A4"),
        ("", ""),
        (None, ""),
        ({"href": "/1"}, ""),
        ("javascript:alert(1)", ""),
        ("file:///etc/passwd", ""),
        ("http://[", ""),
        ("http://a.example:x/", ""),
        ("http://a.example:0/", ""),
    ],
)
def test_page_url(link: Any, url: str) -> None:
    assert page_url(link, FEED) == url


@given(st.text())
def test_any_link_gives_a_web_address_or_nothing(link: str) -> None:
    url = page_url(link, FEED)
    assert not url or url.startswith(("http://", "https://"))


@given(st.from_regex(feed_items._NORMAL_URL, fullmatch=True))
def test_a_normal_url_is_what_joining_and_quoting_would_give(link: str) -> None:
    assert page_url(link, FEED) == feed_items._absolute_page_url(link, FEED) == link


@given(
    st.sampled_from(["http://a.example", "https://b-c.example:80", "HTTP://a.b/", "tag:", "a", ""]),
    st.text(st.sampled_from("aZ09-._~!$&'()*+,;=:@/?#%[] \t|é"), max_size=10),
)
def test_urls_that_are_normal_or_no_urls_are_known_at_sight(start: str, end: str) -> None:
    text = f"{start}{end}".strip()
    expected = feed_items._absolute_page_url(text, FEED) if text else ""
    assert page_url(text, FEED) == expected


def test_text_is_bounded_and_has_no_markup() -> None:
    assert plain_text("<b>Boats</b> &amp; nets") == "Boats & nets"
    assert (plain_text(None), plain_text(12)) == ("", "12")
    assert len(plain_text("a" * (MAX_TEXT_LENGTH + 1))) == MAX_TEXT_LENGTH


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [("", "audio/mpeg"), ("audio", "audio/mpeg"), ("video", "video"), ("Video/MP4 ", "video/mp4")],
)
def test_the_type_of_a_file(kind: str, media_type: str) -> None:
    file = read_enclosure("/1.mp3", FEED, kind)
    assert file == MediaFile("http://a.example/1.mp3", media_type, None)


@pytest.mark.parametrize(("length", "size"), [("0", None), ("-1", None), (9, 9), ("x", None)])
def test_the_length_of_a_file(length: Any, size: int | None) -> None:
    file = read_enclosure("/1.mp3", FEED, length=length)
    assert file and file.length == size


def test_a_file_is_listed_once_with_its_type() -> None:
    first, typed = (
        MediaFile("http://a.example/1", "", None),
        MediaFile("http://a.example/1", "a/b", 1),
    )
    assert collect_files([None, first, typed, first]) == (typed,)
    many = [MediaFile(f"http://a.example/{n}", "a/b", None) for n in range(MAX_PARTS + 1)]
    assert collect_files(many) == tuple(many[:-1])
