"""The kinds of templates."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.records import learn_records, read_listing
from tests.core.helpers import demo_pages
from tests.core.records.threads import pages_of

PRODUCT = '<script type="application/ld+json">{"@type": "Product", "name": "Box"}</script>'
ARTICLE = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'
PROSE = "<p>The boats came in late, and nobody in the harbour sold any fish that day.</p>" * 8


def list_page(number: int) -> Page:
    rows = "".join(
        f'<div class="row"><h3><a href="/s/{number}{n}">Story {n} of list {number} and its owls'
        f'</a></h3><span class="date">{n} May 2024</span></div>'
        for n in range(1, 9)
    )
    return Page.from_html(f"<html lang=en><body>{rows}</body>", f"http://a.example/l/{number}")


def as_table_row(number: int) -> str:
    return (
        f'<tr class="row"><td><a href="/t/{number}-boats">Question {number} about the old boats</a>'
        f'</td><td>by <a href="/members/u{number}">user{number}</a></td><td>{number} replies</td>'
        f'<td><time datetime="2024-05-{number:02d}T10:00:00Z">{number} May 2024</time></td></tr>'
    )


def as_item(number: int) -> str:
    return (
        f'<li class="row"><dl><dt><a class="topictitle" href="/t/{number}-boats">Question {number} '
        f'about the old boats</a><br><div>by <a href="/members/u{number}">user{number}</a> &raquo; '
        f"<time>{number} May 2024</time></div></dt><dd>{number}</dd><dd>by user9 <time>"
        f"{number + 1} June 2024</time></dd></dl></li>"
    )


def forum_index(write: Callable[[int], str], tag: str) -> Page:
    rows = "".join(write(number) for number in range(1, 13))
    html = f"<html lang=en><title>Boats</title><body><h1>Boats</h1><{tag}>{rows}</{tag}></body>"
    return Page.from_html(html, "http://a.example/f/boats")


@pytest.mark.parametrize(
    ("write", "tag"), [(as_table_row, "table"), (as_item, "ul")], ids=["table", "list"]
)
def test_the_index_of_a_forum_is_a_listing(write: Callable[[int], str], tag: str) -> None:
    page = forum_index(write, tag)
    wrapper = learn_records([page])
    assert wrapper.kind.name == "listing"
    items = read_listing(page, wrapper).items
    assert [one["url"] for one in items] == [
        f"http://a.example/t/{number}-boats" for number in range(1, 13)
    ]
    assert items[0]["title"] == "Question 1 about the old boats"


def test_posts_that_are_pictures_are_no_listing() -> None:
    """Though they link to the users who posted them."""
    posts = "".join(
        f'<div class="post"><a href="/members/u{n}">user{n}</a> <time>{n} May 2024</time>'
        f'<div class="body"><img src="/i/{n}.png"></div></div>'
        for n in range(1, 9)
    )
    page = Page.from_html(f"<html lang=en><h1>Boats</h1>{posts}", "http://a.example/t/1")
    assert learn_records([page]).kind.name != "listing"


@pytest.mark.parametrize("section", ["news", "journal"])
def test_articles_of_the_demo(section: str) -> None:
    assert learn_records(demo_pages(section)).kind.name == "article"


def test_threads() -> None:
    kind = learn_records(pages_of()).kind
    assert kind.name == "thread"
    assert any("100% of them with a date" in line for line in kind.evidence)


def test_lists_with_their_titles_and_urls() -> None:
    pages = [list_page(1), list_page(2)]
    wrapper = learn_records(pages)
    assert wrapper.kind.name == "listing"
    found = wrapper.apply(pages[0])
    assert [record.get("url") for record in found] == [
        f"http://a.example/s/1{n}" for n in range(1, 9)
    ]
    assert found[0].get("title") == "Story 1 of list 1 and its owls"
    assert found[0].get("date") == "2024-05-01"


@pytest.mark.parametrize(
    ("declared", "kind"), [(PRODUCT, "product"), (ARTICLE, "article")], ids=["product", "article"]
)
def test_what_the_page_declares(declared: str, kind: str) -> None:
    page = Page.from_html(f"{declared}<div>{PROSE}</div>", "http://a.example/1")
    assert learn_records([page]).kind.name == kind


def test_many_declared_products_are_none() -> None:
    page = Page.from_html(f"{PRODUCT * 9}<div>{PROSE}</div>", "http://a.example/1")
    assert learn_records([page]).kind.name != "product"


def test_a_page_without_text() -> None:
    assert learn_records([Page.from_html("")]).kind.name == "other"
