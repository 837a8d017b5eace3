"""Readable differences of texts."""

from __future__ import annotations

import pytest
from effort import limited_effort
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.changes import Delta, compare_texts

from .helpers import edited_thread

OLD = "The ferry left at nine.\nIt was full of people who went home.\nThe end."


@pytest.mark.parametrize(
    ("new", "inserted", "deleted"),
    [
        (OLD, (), ()),
        (OLD.replace("nine", "ten"), ("ten.",), ("nine.",)),
        (OLD.replace("full of", "nearly full of"), ("nearly",), ()),
        (OLD.replace("\nThe end.", ""), (), ("The end.",)),
        (OLD + "\nUpdate: it came back.", ("Update: it came back.",), ()),
        ("", (), tuple(OLD.splitlines()) and (" ".join(OLD.split()),)),
    ],
)
def test_delta(new: str, inserted: tuple[str, ...], deleted: tuple[str, ...]) -> None:
    assert compare_texts(OLD, new) == Delta(inserted, deleted)
    assert compare_texts(new, OLD) == Delta(deleted, inserted)


@given(st.text("ab \n", max_size=60), st.text("ab \n", max_size=60))
def test_the_words_that_differ_are_in_the_delta(old: str, new: str) -> None:
    found = compare_texts(old, new)
    assert sum(len(run.split()) for run in found.inserted) <= len(new.split())
    assert sum(len(run.split()) for run in found.deleted) <= len(old.split())
    assert all(run in " ".join(new.split()) for run in found.inserted)
    assert all(run in " ".join(old.split()) for run in found.deleted)


def test_long_texts_take_little_time() -> None:
    old = "\n".join(f"a b {i % 7} " * 300 for i in range(3000))
    new = "\n".join(f"b a {i % 5} " * 300 for i in range(3000))
    with limited_effort(10):
        compare_texts(old, new)


def test_frequent_lines_take_no_quadratic_time() -> None:
    old, new = edited_thread()
    with limited_effort(10):
        delta = compare_texts(old, new)
    assert delta.inserted == ("Edited.",) * 250
    assert delta.deleted == ()


def test_changes_beyond_many_lines_are_told() -> None:
    """As a new post of a thread over a hundred pages is."""
    posts = [f"Post {number} says something of its own." for number in range(6000)]
    old = "\n".join(posts)
    assert compare_texts(old, f"{old}\nA new post.") == Delta(("A new post.",))
    other_posts = [*posts[:3], "An answer.", *posts[3:5000], *posts[5001:], "A new post."]
    with limited_effort(10):
        delta = compare_texts(old, "\n".join(other_posts))
    assert delta == Delta(("An answer.", "A new post."), (posts[5000],))


def test_a_change_among_frequent_lines_is_told_alone() -> None:
    old = ["In stock", "Sold out", "On order"] * 200
    new = [*old[:300], "A new line", *old[300:]]
    assert compare_texts("\n".join(old), "\n".join(new)) == Delta(("A new line",))


def test_many_lines_without_any_in_common_take_bounded_time() -> None:
    old = "\n".join(f"Old {number % 700}" for number in range(50_000))
    new = "\n".join(f"New {number % 900}" for number in range(50_000))
    with limited_effort(20):
        delta = compare_texts(old, new)
    assert " ".join(delta.deleted).count("Old") == 50_000
