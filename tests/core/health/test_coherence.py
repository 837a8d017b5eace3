"""When all items of a crawl were valid at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.health.coherence import (
    MAX_BREAKING,
    Coherence,
    Look,
    Looks,
    measure_coherence,
    unchanged_since,
)

KEYS = [f"{number:024x}" for number in range(40)]


def test_the_span_is_the_intersection_of_all_intervals() -> None:
    looks = [Look("a", 0, 100), Look("b", 40, 110), Look("c", 20, 90)]
    assert measure_coherence(looks) == Coherence(items=3, valid=3, start=40, end=90)


def test_what_changed_while_others_were_fetched_breaks_it() -> None:
    looks = [Look("a", 0, 100), Look("b", 40, 110), Look("late", 105, 120)]
    coherence = measure_coherence(looks)
    assert (coherence.valid, coherence.start, coherence.end) == (2, 105, 110)
    assert coherence.breaking == ("a",)
    more = measure_coherence([*looks, Look("c", 50, 101)])
    assert (more.valid, more.start, more.end, more.breaking) == (3, 50, 100, ("late",))


def test_items_of_which_nothing_is_told_are_counted_apart() -> None:
    looks = [Look("a", 0, 100), Look("b", 50, 50)]
    assert measure_coherence(looks) == Coherence(items=1, valid=1, unknown=1, start=0, end=100)
    assert measure_coherence(looks[1:]) == Coherence(unknown=1)
    assert measure_coherence([]) == Coherence()


def test_the_last_look_at_an_item_counts_and_few_are_named() -> None:
    looks = Looks()
    for key in KEYS:
        looks.add(key, 0, 10)
    looks.add(KEYS[0], 20, 30)
    looks.add(KEYS[1], 99, 30)  # a clock that is wrong
    coherence = measure_coherence(list(looks))
    assert (coherence.items, coherence.valid, coherence.unknown) == (39, 38, 1)
    assert coherence.breaking == (KEYS[0],)
    others = [Look(str(number), 50 + number, 51 + number) for number in range(0, 80, 2)]
    breaking = measure_coherence(others).breaking
    assert len(breaking) == MAX_BREAKING
    assert breaking == tuple(sorted(breaking))


@pytest.mark.parametrize(
    ("last_modified", "modified", "before", "since"),
    [
        ("Thu, 01 Jan 1970 00:01:00 GMT", "", None, 60),
        ("Thu, 01 Jan 1970 00:01:00 -0000", "", None, 60),
        ("Thu, 01 Jan 1970 00:01:00 GMT", "1970-01-01T00:00:30+00:00", 45, 30),
        ("yesterday", "1970-01-02", None, None),
        ("", "", 45, 45),
    ],
)
def test_the_earliest_evidence(
    last_modified: str, modified: str, before: int | None, since: int | None
) -> None:
    assert unchanged_since(last_modified, modified, before) == since


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=12))
def test_no_moment_has_more_valid_items(pairs: list[tuple[int, int]]) -> None:
    looks = [Look(str(i), min(pair), max(pair)) for i, pair in enumerate(pairs)]
    dated = [look for look in looks if look.since < look.seen]
    most = max((sum(o.since <= t <= o.seen for o in dated) for t in range(31)), default=0)
    coherence = measure_coherence(looks)
    assert coherence.valid == most
    assert coherence.items + coherence.unknown == len(looks)
    assert coherence.start <= coherence.end
