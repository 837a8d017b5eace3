"""The rows that a prober could find which knew the table."""

from __future__ import annotations

from benchmarks.forms.oracle import find_most_rows
from benchmarks.forms.sites import layouts, make_rows

ROWS = make_rows(120)
LAYOUTS = layouts(ROWS)


def test_the_oracle_finds_the_most_first_and_all_in_the_end() -> None:
    counts = find_most_rows(ROWS, LAYOUTS["table"], 500)
    gains = [count - before for before, count in zip([0, *counts], counts, strict=False)]
    assert gains == sorted(gains, reverse=True)
    assert counts[-1] == len(ROWS)


def test_a_prober_that_knows_only_words_of_seen_rows_finds_no_more() -> None:
    all_counts = find_most_rows(ROWS, LAYOUTS["pairs"], 40)
    seen_counts = find_most_rows(ROWS, LAYOUTS["pairs"], 40, only_seen=True)
    assert 0 < seen_counts[-1] <= all_counts[-1]
