"""Sanitizing takes linear time, and the same is left."""

from __future__ import annotations

import time

import nh3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_scrapy.core.page import markup
from forest_scrapy.core.page.markup import clean_markup

#: Pieces of markup: what nh3 takes long for, stand-ins, and what a parser decides by.
PIECES = (
    "&amp;",
    "&nbsp;",
    "&amp;amp;",
    "&lt;",
    "\x80",
    "\x85",
    "\xa0",
    "\xbf",
    "é",
    "中",
    "\U000f0000",
    "\U000f0001",
    "\U000f0043",
    " ",
    "a",
    "<p>",
    "</p>",
    "<table>",
    "<td>",
    "<b>",
    "<a href='/?a=1&amp;b=2' title='&amp;\xa0'>",
    '<a href="http://a.example/?a=1&amp;b=\x80">',
    '<img alt="&amp;\xa0" src="&amp;:javascript:x">',
    '<a href="javascript:x()">',
)


def _seconds(text: str) -> float:
    """The least processor time of two runs."""
    times = []
    for _ in range(2):
        start = time.thread_time()
        clean_markup(text)
        times.append(time.thread_time() - start)
    return min(times)


@pytest.mark.parametrize(
    "page",
    [
        "<p>{}",
        "<table>{}",
        '<img src=/a.png alt="{}">',
        '<a href="http://a.example/?{}">a</a>',
    ],
)
@pytest.mark.parametrize("costly", ["&amp;", "&nbsp;", "\x80", "\xa0", "word &amp; word \xbf "])
def test_sanitizing_takes_linear_time(page: str, costly: str) -> None:
    short = _seconds(page.format(costly * 10_000))
    long = _seconds(page.format(costly * 80_000))
    assert long < 25 * short, "eight times the text"


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_stand_ins_change_nothing(text: str) -> None:
    clean = nh3.Cleaner.clean
    plain = clean(markup._cleaner(), text).strip()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markup, "MAX_COSTLY", -1)
        patch.setattr(markup, "_MAX_START", 30)
        assert clean_markup(text) == plain


def test_a_long_text_is_the_same_with_stand_ins() -> None:
    text = "<p>" + "Tom &amp; Ann \U000f0000\U000f0001 «boats»\xa0&nbsp;" * 1_000 + "</p>"
    assert clean_markup(text) == text.replace("\xa0", "&nbsp;")


def test_the_host_of_a_long_address_is_checked() -> None:
    address = "http://a&amp;b.example/?" + "&amp;" * 3_000
    assert clean_markup(f'<a href="{address}">a</a>') == f'<a href="{address}">a</a>'
