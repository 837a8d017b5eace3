from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.page.characters import count_characters, count_in_numpy

_CHARACTERS = st.characters() | st.sampled_from("aZ9.,;\u00b2\u0664\u3002\u060c\u01c5\U0001f98a")


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("", [0, 0, 0, 0, 0]),
        ("Owls, 42.", [2, 4, 1, 2, 1]),
        ("\u0664\u00b2 \u01c5\u3002", [2, 1, 0, 1, 1]),
        ("\U0001f98a \u00c9t\u00e9!", [0, 3, 1, 1, 0]),
    ],
)
def test_characters_of_each_kind(text: str, counts: list[int]) -> None:
    assert [column.tolist() for column in count_characters(["a", text])] == [
        [float(kind == 1), count] for kind, count in enumerate(counts)
    ]


@given(st.lists(st.text(_CHARACTERS, max_size=8), max_size=6))
def test_both_ways_count_the_same(texts: list[str]) -> None:
    compiled = count_characters(texts)
    assert [column.tolist() for column in compiled] == [
        column.tolist() for column in count_in_numpy(texts)
    ]


def test_no_texts_have_no_counts() -> None:
    assert count_characters([]).digits.tolist() == count_in_numpy([]).digits.tolist() == []
