"""The search for texts by their words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.fields.words import TextIndex, fold_words


@given(st.lists(st.text("aAbß_İ -", max_size=8)), st.lists(st.text("aAbß", min_size=1, max_size=3)))
def test_the_index_finds_what_a_look_at_each_text_finds(texts: list[str], words: list[str]) -> None:
    words = [word.casefold() for word in words]
    expected = [i for i, text in enumerate(texts) if all(w in fold_words(text) for w in words)]
    assert TextIndex(texts).having(words) == expected
