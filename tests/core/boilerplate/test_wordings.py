"""Tables of wordings, and how texts are told that begin with one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.boilerplate.wordings import Starts, Wordings

TABLES = (
    Wordings(
        """
        read more
        (please )?read on
        lies(?:en)? (?:auch|mehr)
        x?\\d+ comments
        [äö]hnliche artikel
        .{0,3}advert
        """
    ),
    Wordings("İlgili\nıf|if so"),
)
TEXTS = (
    "Read more: owls", "READ ON", "please read on", "Lies mehr", "liesen auch", "12 comments",
    "x7 comments", "Ähnliche Artikel", "an advert", "advert", "if so", "If so", "Rain is likely", "",
    "reader", "comments",
)  # fmt: skip


def is_begun(text: str) -> bool:
    return any(table.match(text) for table in TABLES)


@pytest.mark.parametrize("text", TEXTS)
def test_texts_that_begin_with_a_wording(text: str) -> None:
    assert Starts(TABLES).match(text) == is_begun(text)


@given(st.text("readmo nlis12äx. ", max_size=15))
def test_any_text_gives_what_the_tables_give(text: str) -> None:
    assert Starts(TABLES).match(text) == is_begun(text)


def test_lines_of_a_table_are_alternatives_in_any_case() -> None:
    table = Wordings("  read more \n\n  go on")
    assert table.fullmatch("Go ON") and table.fullmatch("read more")
    assert not table.fullmatch("go")
    assert table.compiled.flags & re.IGNORECASE
