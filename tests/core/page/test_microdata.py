from __future__ import annotations

from typing import Any

import pytest
from effort import limited_effort

from forest_scrapy.core.page.declared import as_list
from forest_scrapy.core.page.microdata import Item, read_microdata
from forest_scrapy.core.page.tree import parse_html

URL = "http://a.example/b"
ARTICLE = (
    '<div itemscope itemtype="//schema.org/Article"><h1 itemprop=headline>Boats</h1>'
    '<p itemprop=author itemscope itemtype="//schema.org/Person"><i itemprop=name>Ana</i></p></div>'
)


def plain(value: Any) -> Any:
    if isinstance(value, Item):
        return {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


def microdata(html: str) -> Any:
    return plain(list(read_microdata(parse_html(html), URL)))


def values_of(html: str) -> Any:
    """The properties of an item with this content."""
    item = microdata(f"<div itemscope>{html}</div>")[0]
    return {name: value for name, value in item.items() if name != "@type"}


def test_items_have_the_form_of_json_ld() -> None:
    person = {"@type": "//schema.org/Person", "name": "Ana"}
    article = {"@type": "//schema.org/Article", "headline": "Boats", "author": person}
    assert microdata(ARTICLE) == [article, person]


def test_outer_items_are_first() -> None:
    inner = "<b itemprop=a itemscope><i itemprop=b>1</i></b>"
    assert microdata(f"<p itemscope>{inner}</p><p itemscope><b itemprop=c>2") == [
        {"@type": "", "a": {"@type": "", "b": "1"}},
        {"@type": "", "c": "2"},
        {"@type": "", "b": "1"},
    ]


@pytest.mark.parametrize(
    ("html", "value"),
    [
        ("<a itemprop=p href=c>d</a>", "http://a.example/c"),
        ("<img itemprop=p src=' c '>", "http://a.example/c"),
        ("<a itemprop=p href='http://['>d</a>", ""),
        ("<meta itemprop=p content='c d'>", "c d"),
        ("<time itemprop=p datetime=2020>last year</time>", "2020"),
        ("<span itemprop=p content=3.5>three</span>", "3.5"),
        ("<div itemprop=p>One <b>two</b><p>three</div>", "One two\nthree"),
        ("<span itemprop=p itemscope>Ana</span>", "Ana"),
        ("<i itemprop=p>a</i><i itemprop=p>b</i>", ["a", "b"]),
    ],
)
def test_values(html: str, value: object) -> None:
    assert values_of(html) == {"p": value}


def test_an_element_may_have_several_properties() -> None:
    assert values_of("<i itemprop='a b'>1</i>") == {"a": "1", "b": "1"}


def test_properties_from_elsewhere() -> None:
    """Those of the referenced element, but not those of items in it."""
    html = (
        "<div itemscope itemref='x y gone'><i itemprop=a>1</i></div>"
        "<p id=x><i itemprop=b>2</i><b itemprop=c itemscope><i itemprop=d>3</i></b></p>"
        "<p id=y itemprop=e>4</p>"
    )
    assert microdata(html)[0] == {
        "@type": "", "a": "1", "b": "2", "c": {"@type": "", "d": "3"}, "e": "4",
    }  # fmt: skip


def test_items_that_are_in_each_other() -> None:
    html = "<p itemscope id=x itemref=y itemprop=a></p><p itemscope id=y itemref=x itemprop=b></p>"
    items = list(read_microdata(parse_html(html), URL))
    assert items[0]["a"]["b"]["a"]["@type"] == items[1]["b"]["a"]["@type"] == ""


@pytest.mark.parametrize(("more", "items"), [(0, 300), (1, 0)])
def test_the_items_of_lists_are_not_read(more: int, items: int) -> None:
    assert len(microdata("<div itemscope><i itemprop=name>a</i></div>" * (300 + more))) == items


@pytest.mark.slow
@pytest.mark.parametrize(
    "html",
    [
        "<div itemscope itemtype=Article>" * 200 + "<i itemprop=author>A B</i>" * 20_000,
        "<div itemscope>" + "<div itemprop=author>" * 200 + "<p>a</p>" * 20_000,
        "<div itemscope itemref='x x x x x x x'></div>" * 250
        + "<p id=x>"
        + "<i itemprop=author>A</i>" * 20_000,
    ],
    ids=["items in items", "properties in properties", "references"],
)
def test_hostile_pages_take_bounded_time(html: str) -> None:
    root = parse_html(html)
    with limited_effort(15):
        authors = [item["author"] for item in read_microdata(root, URL)]
        assert authors and all(1 <= len(one) <= 100 for one in map(as_list, authors))
