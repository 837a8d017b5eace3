"""Which changes of fields are told, visit by visit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.field_changes import (
    COMPARED_FIELDS,
    MAX_FORMS,
    FieldContext,
    FieldMemory,
    compare_fields,
    dump_memories,
    load_memories,
    remember_fields,
)
from forest_scrapy.core.items import Article, Product

URL = "https://a.example/1"
CONTEXT = FieldContext()
OTHER_TEXT = FieldContext(has_other_text=True)
OTHER_RULES = FieldContext(has_other_rules=True)


def make_article(name: str, value: Any, source: str = "html", **values: Any) -> Article:
    article = Article(URL, sources={name: source}, **values)
    setattr(article, name, value)
    return article


IMAGE = make_article("main_image", "/a.jpg")


def told(name: str, values: Sequence[Any], context: FieldContext = CONTEXT) -> list[Any]:
    """The values that are told of a field that has these at the visits, the first left out."""
    memories = remember_fields(make_article(name, values[0]))
    told_values = []
    for value in values[1:]:
        comparison = compare_fields(memories, make_article(name, value), context)
        told_values += [change.new for change in comparison.changes.values()]
        memories = load_memories(json.loads(json.dumps(dump_memories(comparison.memories))))
    return told_values


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("title", "Minister convicted", "Minister cleared"),
        ("title", "5 dead", "12 dead"),
        ("authors", ["Ana Bo"], ["Ana Bo", "Cy Day"]),
        ("authors", ["Ana Bo"], []),
        ("main_image", "https://a.example/owl.jpg", "https://a.example/elk.jpg"),
        ("main_image", "https://a.example/image.php?id=1", "https://a.example/image.php?id=2"),
        ("main_image", "", "https://a.example/elk.jpg"),
        ("tags", ["birds"], ["birds", "night"]),
        ("published", "2024-05-03", "2024-06-03"),
        ("is_free", True, False),
    ],
)
def test_a_change_is_told_once(name: str, old: Any, new: Any) -> None:
    assert told(name, [old, new, new, new]) == [new]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("title", "Minister cleared", "  Minister\u00a0CLEARED "),
        ("title", "Minister cleared", ""),
        ("published", "", "2024-05-03"),
        ("authors", ["Ana Bo", "Cy Day"], ["Cy Day", "ana bo"]),
        ("main_image", "http://i1.a.example/owl.jpg?w=9", "https://i2.a.example/owl.jpg?w=640"),
        ("tags", ["birds", "night"], ["Night", "birds", "birds"]),
        ("published", "2024-05-03", "2024-05-03T22:00:00-04:00"),
        ("published", "2024-05-03T10:00:00+00:00", ""),
        ("is_free", True, None),
        ("main_image", "https://[a", "https://[a"),
    ],
)
def test_what_readers_do_not_see_is_no_change(name: str, old: Any, new: Any) -> None:
    assert told(name, [old, new, old, new]) == []


def test_a_field_that_alternates_is_told_twice() -> None:
    assert told("main_image", ["/a.jpg", "/b.jpg"] * 9) == ["/b.jpg", "/a.jpg"]


def test_a_counter_is_told_once() -> None:
    titles = [f"Minister cleared ({number:,} comments)" for number in range(996, 1012)]
    assert told("title", titles) == titles[1:2]


def test_a_headline_is_told_also_beside_a_counter() -> None:
    titles = [f"({number}) Minister convicted" for number in range(9)]
    assert told("title", [*titles, "(9) Minister cleared"]) == [titles[1], "(9) Minister cleared"]


@pytest.mark.parametrize("number", [3, 4, 5, 12, 26])
def test_an_image_that_rotates_is_told_twice(number: int) -> None:
    images = [f"/{letter}.jpg" for letter in "abcdefghijklmnopqrstuvwxyz"[:number]]
    assert told("main_image", images * 9) == ["/b.jpg", "/c.jpg"]


def test_changes_with_quiet_visits_between_are_told() -> None:
    tags = [["a"], ["a"], ["b"], ["b"], ["c"], ["c"], ["d"], ["d"]]
    assert told("tags", tags) == [["b"], ["c"], ["d"]]


def test_a_headline_that_is_taken_back_is_told() -> None:
    titles = ["Minister convicted", "Minister cleared", "Minister cleared", "Minister convicted"]
    assert told("title", titles) == ["Minister cleared", "Minister convicted"]


def test_changes_with_the_text_are_no_noise() -> None:
    titles = [f"Minister {word}" for word in ("charged", "convicted", "cleared", "fined", "gone")]
    assert told("title", titles, OTHER_TEXT) == titles[1:]
    assert told("title", ["5 dead", "6 dead", "7 dead", "8 dead"], OTHER_TEXT) == [
        "6 dead",
        "7 dead",
        "8 dead",
    ]


def test_noise_is_not_told_with_the_text_either() -> None:
    memories = remember_fields(IMAGE)
    for image in ("/b.jpg", "/a.jpg", "/b.jpg"):
        memories = compare_fields(
            memories, make_article("main_image", image), FieldContext()
        ).memories
    memories = compare_fields(memories, IMAGE, FieldContext()).memories
    comparison = compare_fields(memories, make_article("main_image", "/b.jpg"), OTHER_TEXT)
    assert comparison.changes == {}


def test_the_last_value_that_was_told_is_the_old_one() -> None:
    memories = remember_fields(make_article("title", "A1"))
    for title in ("A2", "A3", "A4"):
        memories = compare_fields(memories, make_article("title", title), CONTEXT).memories
    comparison = compare_fields(memories, make_article("title", "Another"), CONTEXT)
    change = comparison.changes["title"]
    assert change.to_dict() == {"from": "A2", "to": "Another"}


def test_relative_dates_are_no_change() -> None:
    first = make_article(
        "published", "2024-04-03", published_raw="1 month ago", fetched_at="2024-05-03T00:00:00Z"
    )
    first.language = "en"
    second = make_article(
        "published", "2024-05-01", published_raw="1 month ago", fetched_at="2024-06-01T00:00:00Z"
    )
    second.language = "en"
    assert compare_fields(remember_fields(first), second, CONTEXT).changes == {}


def test_what_other_rules_find_is_no_change_unless_the_page_declares_it() -> None:
    old = make_article("title", "Minister convicted", "template")
    new = make_article("title", "The Daily", "template")
    comparison = compare_fields(remember_fields(old), new, OTHER_RULES)
    assert comparison.changes == {}
    assert comparison.memories["title"].value == "The Daily"

    old = make_article("title", "Minister convicted", "json-ld")
    new = make_article("title", "Minister cleared", "json-ld")
    assert compare_fields(remember_fields(old), new, OTHER_RULES).changes.keys() == {"title"}
    longer = make_article("title", "Minister convicted - The Daily", "json-ld")
    assert compare_fields(remember_fields(old), longer, OTHER_RULES).changes == {}


def test_without_an_entry_fields_of_the_feed_stay_what_they_were() -> None:
    memories = remember_fields(make_article("authors", ["Ana Bo"], "feed"))
    without_entry = FieldContext(has_entry=False)
    page = make_article("authors", ["The Daily"], "html")
    comparison = compare_fields(memories, page, without_entry)
    assert (comparison.changes, comparison.memories) == ({}, memories)
    again = make_article("authors", ["Ana Bo"], "feed")
    assert compare_fields(comparison.memories, again, CONTEXT).changes == {}
    corrected = make_article("authors", ["Cy Day"], "feed")
    assert compare_fields(comparison.memories, corrected, CONTEXT).changes.keys() == {"authors"}


def test_what_is_remembered_is_bounded() -> None:
    memories = remember_fields(IMAGE)
    for number in range(50):
        image = make_article("main_image", f"/{number}.jpg")
        memories = compare_fields(memories, image, CONTEXT).memories
    assert len(memories["main_image"].earlier_forms) == MAX_FORMS


values = st.sampled_from(["", "a", "b", "1", "2024-05-03", "2024-06-03", "yesterday", "\ud800"])


@given(st.lists(st.tuples(values, values, st.booleans(), st.booleans()), max_size=8))
def test_any_values_are_compared(visits: list[tuple[str, str, bool, bool]]) -> None:
    memories: dict[str, FieldMemory] = {}
    for value, source, has_other_text, has_other_rules in visits:
        article = Article(URL, title=value, published=value, main_image=value, published_raw=value)
        article.authors = [value]
        article.sources = dict.fromkeys(COMPARED_FIELDS, source)
        context = FieldContext(has_other_text, has_other_rules)
        comparison = compare_fields(memories, article, context)
        for change in comparison.changes.values():
            assert change.old != change.new
        memories = comparison.memories
        assert load_memories(dump_memories(memories)) == memories
        again = compare_fields(memories, article, context)
        assert again.changes == {}


def make_article_with_images(*urls: str) -> Article:
    article = make_article("main_image", urls[0] if urls else "", "text" if urls else "")
    article.images = [{"url": url} for url in urls]
    return article


def test_an_image_in_the_text_has_changed_if_another_one_takes_its_place() -> None:
    """Else it may be that of an advertisement."""
    memories = remember_fields(make_article_with_images("/owl.jpg", "/nest.jpg"))
    with_advert = make_article_with_images("/boat.png", "/owl.jpg", "/nest.jpg")
    comparison = compare_fields(memories, with_advert, CONTEXT)
    assert (comparison.changes, comparison.memories) == ({}, memories)
    without_advert = make_article_with_images("/owl.jpg", "/nest.jpg")
    assert compare_fields(comparison.memories, without_advert, CONTEXT).changes == {}
    other_image = make_article_with_images("/elk.jpg", "/nest.jpg")
    assert compare_fields(memories, other_image, CONTEXT).changes.keys() == {"main_image"}
    without_image = remember_fields(Article(URL, title="A title"))
    assert compare_fields(without_image, with_advert, CONTEXT).changes == {}


def told_of_product(name: str, values: Sequence[Any]) -> list[Any]:
    """The values that are told of a field of a product that has these at the visits."""
    memories = remember_fields(Product(URL, **{name: values[0]}))
    told_values = []
    for value in values[1:]:
        comparison = compare_fields(memories, Product(URL, **{name: value}), CONTEXT)
        told_values += [change.new for change in comparison.changes.values()]
        memories = load_memories(json.loads(json.dumps(dump_memories(comparison.memories))))
    return told_values


@pytest.mark.parametrize("name", ["price", "availability"])
def test_each_change_of_a_price_is_told(name: str) -> None:
    values = ["9", "8", "9", "8", "9", "", "9", "8"]
    assert told_of_product(name, values) == values[1:]


def test_values_of_products_that_rotate_are_told_twice() -> None:
    images = [["/a.jpg"], ["/b.jpg"], ["/a.jpg"], ["/b.jpg"], ["/a.jpg"]]
    assert len(told_of_product("images", images)) == 2
    attributes = [[{"name": "Arrives", "value": str(day), "unit": ""}] for day in range(9)]
    assert len(told_of_product("attributes", attributes)) == 2


def test_what_is_no_change_of_a_product() -> None:
    height = {"name": "Height", "value": "31", "unit": "cm"}
    width = {"name": "Width", "value": "9", "unit": "cm"}
    assert told_of_product("attributes", [[height, width], [width, height]]) == []
    assert told_of_product("images", [["/a.jpg", "/b.jpg"], ["/a.jpg?w=9"]]) == []
    assert told_of_product("name", ["An owl", "", "an  OWL"]) == []
    assert told_of_product("text", ["Seen by 8", "Seen by 9"]) == []
