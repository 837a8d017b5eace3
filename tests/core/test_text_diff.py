"""Two texts beside each other."""

from __future__ import annotations

import re

import pytest
from effort import limited_effort
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.text_diff import (
    MAX_LINES,
    LinePair,
    Run,
    compare_lines,
    compare_sequences,
    line_diff,
    word_diff,
)

from .helpers import edited_thread

OLD = "The minister was convicted.\nThe court sat for two days.\nThe end."
NEW = "The minister was cleared.\nThe court sat for two days.\nA note.\nThe end."


def test_lines_stand_side_by_side() -> None:
    changed, same, inserted, end = compare_lines(OLD, NEW)
    assert changed.old[-1] == Run("convicted.", True)
    assert changed.new == (Run("The minister was"), Run("cleared.", True))
    assert not same.is_changed
    assert inserted == LinePair((), (Run("A note.", True),), True)
    assert end.new == (Run("The end."),)


def test_a_word_diff_has_all_lines() -> None:
    assert word_diff(OLD, NEW).splitlines() == [
        "The minister was [-convicted.-] {+cleared.+}",
        "The court sat for two days.",
        "{+A note.+}",
        "The end.",
    ]


def test_a_unified_diff() -> None:
    assert line_diff(OLD, NEW, "1", "2").splitlines() == [
        "--- 1",
        "+++ 2",
        "@@ -1,3 +1,4 @@",
        "-The minister was convicted.",
        "+The minister was cleared.",
        " The court sat for two days.",
        "+A note.",
        " The end.",
    ]
    assert line_diff(OLD, OLD, "1", "2") == ""


@pytest.mark.slow
@pytest.mark.parametrize("line", ["word {}", "the same", "{0} {0} {0}"])
def test_long_texts_are_compared_in_bounded_time(line: str) -> None:
    old = "\n".join(line.format(number) for number in range(10 * MAX_LINES))
    with limited_effort(20):
        pairs = compare_lines(old, f"{old}\nAnother")
        assert pairs[-1].new[-1].text == "Another"


def test_frequent_lines_and_words_take_no_quadratic_time() -> None:
    old, new = edited_thread()
    with limited_effort(10):
        pairs = compare_lines(old, new)
    assert sum(pair.is_changed for pair in pairs) == 250

    line = " ".join(["owl elk", "owl elk elk"] * 100)
    other_line = " ".join(["elk owl", "elk elk owl"] * 100)
    with limited_effort(10):
        pairs = compare_lines("\n".join([line] * 500), "\n".join([other_line] * 500))
    assert all(pair.is_changed for pair in pairs)


@given(
    st.lists(st.sampled_from("abc"), max_size=40),
    st.lists(st.sampled_from("abc"), max_size=40),
    st.integers(1, 5),
)
def test_the_parts_of_windows_are_the_sequences(old: list[str], new: list[str], size: int) -> None:
    parts = list(compare_sequences(old, new, size))
    assert [element for part in parts for element in part.old] == old
    assert [element for part in parts for element in part.new] == new
    for part in parts:
        assert (list(part.old) != list(part.new)) == part.is_changed


lines = st.lists(st.text("ab \n", max_size=12), max_size=6).map("\n".join)


@given(lines, lines)
def test_both_texts_can_be_read_from_a_comparison(old: str, new: str) -> None:
    pairs = compare_lines(old, new)
    for text, sides in ((old, [pair.old for pair in pairs]), (new, [pair.new for pair in pairs])):
        words = " ".join(run.text for side in sides for run in side).split()
        assert words == text.split()
    marked = word_diff(old, new)
    inserted = re.sub(r"\[-.*?-\]", " ", marked)
    assert re.sub(r"\{\+|\+\}", "", inserted).split() == new.split()
