from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.quality.partitions import dunn_index, rand_index
from benchmarks.sets.scores import Score, find_words, mean_score, score_text


@pytest.mark.parametrize(
    ("found", "known", "expected"),
    [
        ("", "", 1.0),
        ("a", "x", 1.0),
        ("ab", "xx", 0.0),
        ("aab", "xyy", 1 / 3),
        ("abc", "xyz", 1.0),
        ("aaab", "xxyy", 0.5),
    ],
)
def test_rand_index(found: str, known: str, expected: float) -> None:
    assert rand_index(found, known) == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12))
def test_rand_index_pair_by_pair(groups: list[tuple[int, int]]) -> None:
    pairs = [(a, b) for i, a in enumerate(groups) for b in groups[:i]]
    agreed = [(a[0] == b[0]) == (a[1] == b[1]) for a, b in pairs]
    found, known = [one for one, _ in groups], [two for _, two in groups]
    assert rand_index(found, known) == pytest.approx(sum(agreed) / len(agreed))


def test_partitions_of_different_pages() -> None:
    with pytest.raises(ValueError, match="zip"):
        rand_index("aab", "xy")


@pytest.mark.parametrize(
    ("distances", "known", "expected"),
    [
        ([[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]], "aab", 2.0),
        ([[0, 0.5, 0.25], [0.5, 0, 1], [0.25, 1, 0]], "aab", 0.5),
        ([[0, 0.5], [0.5, 0]], "aa", None),
        ([[0, 0.5], [0.5, 0]], "ab", None),
        ([[0, 0, 1], [0, 0, 1], [1, 1, 0]], "aab", None),
        ([], "", None),
    ],
)
def test_dunn_index(distances: list[list[float]], known: str, expected: float | None) -> None:
    assert dunn_index(distances, known) == expected


@pytest.mark.parametrize(
    ("gold", "found", "expected"),
    [
        ("one two three", "One, two; THREE!", Score(1, 1, 1)),
        ("one two three", "one two", Score(1, 0.5, 2 / 3)),
        ("one two", "one two three four five", Score(0.25, 1, 0.4)),
        ("one two", "two one", Score(0, 0, 0)),
        ("one two", "", Score(0, 0, 0)),
        ("", "", Score(0, 0, 0)),
        ("word", "word", Score(1, 1, 1)),
        ("one two one two", "one two one", Score(1, 1, 1)),
        ("森林公园", "森林", Score(1, 1 / 3, 0.5)),
        ("a_b", "a b", Score(1, 1, 1)),
    ],
)
def test_score(gold: str, found: str, expected: Score) -> None:
    assert score_text(gold, found) == pytest.approx(expected)


@given(st.text(alphabet="ab ", max_size=20), st.text(alphabet="ab ", max_size=20))
def test_scores_are_shares(gold: str, found: str) -> None:
    score, reverse = score_text(gold, found), score_text(found, gold)
    assert all(0 <= value <= 1 for value in score)
    assert (score.precision, score.recall) == (reverse.recall, reverse.precision)


def test_words() -> None:
    assert find_words("It's 42, 森a한국") == ["it", "s", "42", "森", "a", "한", "국"]


def test_mean() -> None:
    assert mean_score([]) == Score(0, 0, 0)
    assert mean_score([Score(1, 0, 0), Score(0.5, 1, 0)]) == Score(0.75, 0.5, 0)
