"""Items of low confidence."""

from __future__ import annotations

from itertools import permutations

from forest_scrapy.core.health.doubts import LOW_CONFIDENCE, MAX_DOUBTS, Doubts


def collect(items: list[tuple[str, float]]) -> Doubts:
    doubts = Doubts()
    for url, confidence in items:
        doubts.add(url, confidence)
    return doubts


def test_only_items_below_the_bound_are_doubtful() -> None:
    doubts = collect([("a", LOW_CONFIDENCE), ("b", LOW_CONFIDENCE - 0.001), ("c", 1.0)])
    assert [doubt.url for doubt in doubts.worst] == ["b"]


def test_an_item_that_was_not_rated_is_not_doubtful() -> None:
    assert collect([("a", 0.0)]).count == 0


def test_the_order_does_not_depend_on_that_of_the_items() -> None:
    items = [("b", 0.3), ("a", 0.3), ("c", 0.1)]
    orders = {collect(list(order)).worst for order in permutations(items)}
    assert [[doubt.url for doubt in worst] for worst in orders] == [["c", "a", "b"]]


def test_the_worst_are_kept_of_many() -> None:
    doubts = collect([(str(number), 0.5 - number / 1000) for number in range(2 * MAX_DOUBTS)])
    assert (doubts.count, len(doubts.worst)) == (2 * MAX_DOUBTS, MAX_DOUBTS)
    assert doubts.worst[0].url == str(2 * MAX_DOUBTS - 1)
