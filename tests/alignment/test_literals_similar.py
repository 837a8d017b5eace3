"""Similar texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.alignment.literals import MIN_GRAMS, GramSets, find_similar, gram_similarity

TEXTS = st.lists(st.text("abc1", max_size=12), max_size=8)


@pytest.mark.parametrize(
    ("left", "right", "least", "most"),
    [
        ("thetragedyofhamlet", "tragedyofhamlet", 0.85, 1.0),
        ("williamshakespeare", "shakespearewilliam", 0.9, 1.0),
        ("hamlet", "macbeth", 0.0, 0.2),
        ("volume1", "volume2", 0.0, 0.0),
        ("a", "a", 0.0, 0.0),
    ],
)
def test_similarity(left: str, right: str, least: float, most: float) -> None:
    assert least <= gram_similarity(left, right) <= most
    assert gram_similarity(left, right) == gram_similarity(right, left)


@given(TEXTS, TEXTS, st.sampled_from([0.5, 0.8, 0.9]))
def test_all_similar_pairs_are_found(small: list[str], large: list[str], least: float) -> None:
    similar = find_similar(small, large, least)
    pairs = zip(similar.small.tolist(), similar.large.tolist(), strict=True)
    found = dict(zip(pairs, similar.scores, strict=True))
    expected = {
        (i, j): gram_similarity(left, right)
        for i, left in enumerate(small)
        for j, right in enumerate(large)
        if left != right
        and gram_similarity(left, right) >= least
        and min(GramSets([left]).sizes[0], GramSets([right]).sizes[0]) >= MIN_GRAMS
    }
    assert found == pytest.approx(expected)


@given(st.lists(st.text("ab\U0001f600é", max_size=6), min_size=1))
def test_sets_of_grams(texts: list[str]) -> None:
    expected = [len({text[i : i + 2] for i in range(len(text) - 1)}) for text in texts]
    assert GramSets(texts).sizes.tolist() == expected
