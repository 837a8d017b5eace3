"""Summaries of texts, and the share that has changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.changes import share_changed, summarize_text

WORDS = [f"word{i}" for i in range(400)]
TEXT = "\n".join(" ".join(WORDS[i : i + 40]) for i in range(0, 400, 40))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("An owl\n flew.", "An  owl\nflew. "),
        ("Text.\n12 comments", "Text.\n13 comments"),
        ("Text.\nShared 9 times", "Text.\nShared 1204 times"),
        ("Text.\n\n\nEnd.", "Text.\nEnd."),
    ],
)
def test_white_space_and_counters_do_not_count(old: str, new: str) -> None:
    assert summarize_text(old).digest == summarize_text(new).digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The fire broke out in 1952 near the old harbour.",
            "The fire broke out in 1953 near the old harbour.",
        ),
        ("The owl flew.", "The owl, flew."),
        ("The owl flew.", "The owl flew.\nIt came back."),
        ("Le cafe etait ferme.", "Le café était fermé."),
    ],
)
def test_a_typo_counts(old: str, new: str) -> None:
    assert summarize_text(old).digest != summarize_text(new).digest


@pytest.mark.parametrize("replaced", [0, 40, 100, 200, 400])
def test_the_share_is_estimated_from_the_sketches(replaced: int) -> None:
    new = " ".join([f"other{i}" for i in range(replaced)] + WORDS[replaced:])
    exact = share_changed(TEXT, new)
    assert summarize_text(TEXT).share_changed(summarize_text(new)) == pytest.approx(exact, abs=0.2)
    assert (exact == 0) == (replaced == 0) and (exact == 1) == (replaced == 400)


def test_near_duplicates() -> None:
    base = summarize_text(TEXT)
    assert base.is_near(summarize_text(TEXT + " word1"))
    assert not base.is_near(summarize_text(" ".join(f"other{i}" for i in range(400))))


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts(old: str, new: str) -> None:
    one, two = summarize_text(old), summarize_text(new)
    assert one == summarize_text(old)
    assert 0 <= one.share_changed(two) <= 1
    assert one.share_changed(two) == two.share_changed(one)
    assert one.share_changed(one) == 0 == share_changed(old, old)
    assert 0 <= share_changed(old, new) <= 1


def test_lines_that_are_links_do_not_count() -> None:
    old, new = "An owl flew.", "An owl flew.\nRead  also: boats\nAn owl flew."
    assert summarize_text(old).digest != summarize_text(new, ("Read also: boats",)).digest
    new = "An owl flew.\nRead  also: boats"
    assert summarize_text(old).digest == summarize_text(new, (" Read also: boats",)).digest
    assert summarize_text(old).digest != summarize_text(new, ("boats",)).digest
