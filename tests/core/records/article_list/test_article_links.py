"""Which article an element of a page links."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.records.article_list.article_links import ArticleLinks, find_menus

HOME = "https://paper.example/"


def item_of(html: str) -> tuple[str, str] | None:
    """The URL and the title of the item in the first element of a page."""
    links = ArticleLinks(Page.from_html(f"<div class=item>{html}</div>", HOME))
    item = links.item_at(1)
    return (item.url.removeprefix(HOME), item.title) if item else None


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2><a href=/one>The first</a></h2><a href=/two>An aside</a>", ("one", "The first")),
        ("<a href=/one><h3>The first</h3><p>A teaser</p></a>", ("one", "The first")),
        ("<h3>The first</h3><a href=/one>Read more</a>", ("one", "The first")),
        ("<a href=/one#comments>3 comments</a><a href=/one>First</a>", ("one", "First")),
        ("<h2><a href=/one>The first</a></h2><h2><a href=/two>The second</a></h2>", None),
        ("<a href=/tag/one>Tagged</a>", None),
        ("<a href=/one.pdf>A file</a>", None),
        ("<a href=/one></a>", None),
    ],
)
def test_items(html: str, expected: tuple[str, str] | None) -> None:
    assert item_of(html) == expected


def test_many_links_are_no_item_without_a_heading() -> None:
    links = "".join(f"<a href=/{number}-of-them>Number {number}</a>" for number in range(6))
    assert item_of(links) is None
    assert item_of(f"<h2><a href=/one>First</a></h2>{links}") == ("one", "First")


def test_a_header_of_an_article_is_no_menu() -> None:
    html = "<header><a href=/a>A</a></header><article><header><a href=/b>B</a></header></article>"
    outline = Page.from_html(html, HOME).outline
    is_menu = find_menus(outline, [])
    by_tag = [
        flag for node, flag in zip(outline.nodes, is_menu, strict=True) if node.tag == "header"
    ]
    assert by_tag == [True, False]


def test_what_has_most_links_is_no_menu() -> None:
    """A side bar with the id ``menu`` may hold the list."""
    html = "<div id=menu><ul><li><a href=/a-b-c>A</a><li><a href=/d-e-f>B</a></ul></div>"
    outline = Page.from_html(html, HOME).outline
    links = [index for index, node in enumerate(outline.nodes) if node.tag == "a"]
    assert not any(find_menus(outline, links))
    assert any(find_menus(outline, [*links, 900, 901, 902, 903]))
