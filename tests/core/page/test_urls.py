"""Absolute URLs, hosts, and the URLs of images."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.page import urls
from forest_scrapy.core.page.urls import SCHEMES, absolute_url, host_of

from ..helpers import make_page

BASE = "http://a.example/x/y"


@pytest.mark.parametrize(
    ("url", "joined"),
    [
        ("../b c", "http://a.example/b%20c"),
        (" //b.example/ö ", "http://b.example/%C3%B6"),
        ("/%20a[1]", "http://a.example/%20a[1]"),
        ("jav\tascript:x()", ""),
        ("data:text/html,x", ""),
        ("http://[", ""),
        ("mailto:a@b.example", "mailto:a@b.example"),
    ],
)
def test_absolute_url(url: str, joined: str) -> None:
    assert absolute_url(url, BASE) == joined


_PIECES = st.sampled_from(
    (*"/ // . .. a B ? # = & ; http:// https:// HTTP:// b.example x.y:80".split(),
     *"@ %20 \u00e9 [ ] : - _ \u0661".split())
)  # fmt: skip
_STARTS = st.sampled_from(("", "/", "http://b.example/", "https://b.example/a"))
_BASES = st.sampled_from(
    (BASE, "https://a.example:8/x?y#z", "http://a.example", "HTTP://a.example/", "http://a.example/]",
     "http://[/x", "http://a.example/\u00e9", "file:///x", "")
)  # fmt: skip


@given(_STARTS, st.lists(_PIECES, max_size=6), _BASES)
def test_plain_urls_are_joined_as_all_others(start: str, pieces: list[str], base: str) -> None:
    url = start + "".join(pieces)
    assert urls._join.__wrapped__(url, base) == urls._join_any(url, base)


@given(st.from_regex(urls._NORMAL_URL, fullmatch=True))
def test_normal_urls_are_folded_as_all_others(url: str) -> None:
    assert urls.fold_url(url) == urls._fold_any(url)


@pytest.mark.parametrize("url", ["/a/b.html?c=d&e#f", "https://b.example/%20a", "/", "/a//b"])
def test_plain_urls_are_not_parsed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    joined = urls._join_any(url, BASE)
    monkeypatch.delattr(urls, "_join_any")
    assert urls._join.__wrapped__(url, BASE) == joined


@given(st.text(), st.sampled_from((BASE, "", "http://[")))
def test_any_text_gives_an_allowed_url_or_none(url: str, base: str) -> None:
    joined = absolute_url(url, base)
    assert not joined or (joined.partition(":")[0].lower() in SCHEMES and joined.isascii())


def test_long_urls_are_not_cached() -> None:
    embedded = "data:image/png;base64," + "A" * 100_000
    before = urls._join.cache_info().currsize
    assert absolute_url(embedded, BASE) == ""
    assert urls._join.cache_info().currsize == before


@given(st.text())
def test_any_text_has_a_host_or_none(url: str) -> None:
    assert host_of(url) == host_of(url).lower()


def test_half_characters_are_replaced() -> None:
    assert absolute_url("/a\ud800", BASE) == "http://a.example/a%3F"


@pytest.mark.parametrize("base", ["mailto:a@b.example", "/" + "a" * 5000, " ", "http://["])
def test_an_unusable_base_is_ignored(base: str) -> None:
    assert make_page(f"<base href='{base}'>a", url=BASE).base_url == BASE
