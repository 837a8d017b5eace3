"""The order of a field's sources."""

from __future__ import annotations

from forest_scrapy.core.fields.ranking import drop_constant, rank_sources

SOURCES = ("json-ld:a", "meta:b", "//c")


def rank(
    *pages: dict[str, str], feed: tuple[str | None, ...] | None = None, exact: str = ""
) -> tuple[str, ...]:
    words = feed or (None,) * len(pages)
    return rank_sources(SOURCES, pages, words, str.__eq__, "feed:x", lambda value: exact in value)


def test_sources_keep_their_order_without_other_evidence() -> None:
    assert rank({"//c": "1", "meta:b": "2", "json-ld:a": "3"}) == SOURCES


def test_sources_without_a_value_are_left_out() -> None:
    assert rank({"//c": "1"}, {"meta:b": "2"}) == ("meta:b", "//c")


def test_sources_that_agree_with_the_feed_come_first_then_the_feed() -> None:
    page = {"json-ld:a": "other", "//c": "same"}
    assert rank(page, feed=("same",)) == ("//c", "feed:x", "json-ld:a")


def test_agreement_on_half_of_the_pages_is_enough_to_come_before_the_feed() -> None:
    pages = ({"meta:b": "1"}, {"meta:b": "1"}, {"meta:b": "0"}, {"meta:b": "0"})
    assert rank(*pages, feed=("1",) * 4) == ("meta:b", "feed:x")
    assert rank(*pages[1:], feed=("1",) * 3) == ("feed:x", "meta:b")


def test_a_source_is_confirmed_by_another_family_only() -> None:
    assert rank({"json-ld:a": "1", "meta:b": "2", "//c": "2"}) == ("meta:b", "//c", "json-ld:a")
    found = {"json-ld:a": "1", "opengraph:x": "2", "meta:b": "2"}
    assert rank(found) == ("json-ld:a", "meta:b")


def test_exact_values_come_first() -> None:
    assert rank({"json-ld:a": "1", "meta:b": "1+"}, exact="+") == ("meta:b", "json-ld:a")


def test_a_source_with_the_same_value_on_most_pages_is_dropped_if_others_vary() -> None:
    pages = [{"meta:b": "site", "json-ld:a": str(i)} for i in range(3)]
    assert drop_constant(SOURCES, pages, str) == ["json-ld:a"]


def test_a_constant_source_is_kept_if_no_other_varies() -> None:
    pages = [{"meta:b": "same", "json-ld:a": "same"} for _ in range(3)]
    assert drop_constant(SOURCES[:2], pages, str) == ["json-ld:a", "meta:b"]


def test_an_element_that_is_the_same_on_three_pages_is_dropped() -> None:
    pages = [{"//c": "today"} for _ in range(3)]
    assert drop_constant(("//c",), pages, str) == []
    assert drop_constant(("//c",), pages[:2], str) == ["//c"]
